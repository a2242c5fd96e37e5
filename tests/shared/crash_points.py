"""Commands that die at a chosen point: at every write, flush, rename, copy and removal of a file.

Importing takes seconds and a tiny run half a second, so that a server imports once and forks for
every command. In the forked child, whatever changes a file is a point before, one in the middle
where there is one, and one after; at the chosen point the process ends without a word, as if it had
been killed there. The engines are scripted: what they answer depends on the prompt alone.
"""

import contextlib
import math
import os
import random
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from fork_server import ForkServer, end_as, serve
from undrawn import no_charts

from normscope.records.run_log import RUN_LOG

DIED = 9
RUN = (
    *("run", "--model", "model", "--judge", "judge", "--channels", "text", "--limit", "2"),
    *(
        "-b",
        "ci-vignettes:coppa,safety-gradient",
        "--set",
        "unit_items=8",
        "--set",
        "max_unscored=1",
    ),
    *("--out", "run"),
)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: exit code, what it wrote to the terminal, points that it met."""

    code: int
    output: str
    points: tuple[str, ...]


class Crasher(ForkServer):  # type: ignore[misc]  # mypy does not see pytest's path
    """The commands, each in a fork of one process."""

    def __init__(self) -> None:
        """Starts the process."""
        super().__init__(__file__, OMP_NUM_THREADS="1", HF_HUB_OFFLINE="1")

    def run(
        self,
        *arguments: str,
        cwd: Path,
        die_at: int | None = None,
        fails: bool = False,
    ) -> Ended:
        """The command in the folder `cwd`, which may die at a point (counted from 0).

        With `fails` every third call to an engine fails.
        """
        request = {"arguments": arguments, "cwd": str(cwd), "die_at": die_at, "fails": fails}
        told = self.ask(request)
        return Ended(**{**told, "points": tuple(told["points"])})


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below the folder but logs, by its path; of a journal what is in it."""
    files = (p for p in sorted(folder.rglob("*")) if p.is_file() and p.name != RUN_LOG)
    return {
        path.relative_to(folder).as_posix(): units_of(path)
        if path.suffix == ".sqlite"
        else path.read_bytes()
        for path in files
    }


def units_of(journal: Path) -> bytes:
    """The units of a journal in their order: where SQLite puts them hangs on who came when."""
    query = "select stage, id, keys, due, failed, inputs, rows, sum from unit order by stage, id"
    with contextlib.closing(sqlite3.connect(journal)) as db:
        return repr(db.execute(query).fetchall()).encode()


@dataclass
class Points:
    """The points that were met; dies at one of them. Only what lies in the folder counts."""

    folder: Path
    die_at: int | None
    met: list[str] = field(default_factory=list)

    def reach(self, name: str) -> None:
        if self.die_at is not None and len(self.met) == self.die_at:
            os._exit(DIED)
        self.met.append(name)

    def around(self, owner: Any, name: str, *, half: bool = False) -> None:
        """Makes a function a point before and after, and one that leaves half of a file."""
        real = getattr(owner, name)

        def watched(*args: Any, **kwargs: Any) -> Any:
            path = next((a for a in args if isinstance(a, Path)), None)
            if path is not None and not self._is_ours(path):
                return real(*args, **kwargs)
            told = f"{name} {path.name if path else ''}".strip()
            self.reach(f"before {told}")
            result = real(*args, **kwargs)
            if half and path is not None:
                written = path.read_bytes()
                path.write_bytes(written[: len(written) // 2])
                self.reach(f"half of {told}")
                path.write_bytes(written)
            self.reach(f"after {told}")
            return result

        setattr(owner, name, watched)

    def _is_ours(self, path: Path) -> bool:
        return path.absolute().is_relative_to(self.folder)


def _serve() -> None:
    from normscope import cli

    script_engines(fails=False)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
        # so that nothing is read or compiled for the first time after the fork
        sys.argv = ["normscope", *RUN[:-1], f"{folder}/run"]
        with contextlib.suppress(SystemExit):
            cli.main()
    serve(partial(_forked, cli.main))


def _forked(
    main: Callable[[], None],
    *,
    arguments: Sequence[str],
    cwd: str,
    die_at: int | None,
    fails: bool,
) -> dict[str, Any]:
    output, points = Path(f"{cwd}.output"), Path(f"{cwd}.points")
    for path in (output, points):
        path.write_bytes(b"")
    child = os.fork()
    if child == 0:
        watched = Points(Path(cwd).absolute(), die_at)

        def run() -> None:
            script_engines(fails=fails)
            _watch(watched)
            main()

        end_as(run, arguments, cwd, output, last=lambda: points.write_text("\n".join(watched.met)))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {
        "code": code,
        "output": output.read_text(encoding="utf-8", errors="replace"),
        "points": points.read_text().splitlines(),
    }


def _watch(points: Points) -> None:
    import pyarrow.parquet as pq

    from normscope.records.journal import Journal

    for name in ("replace", "unlink", "touch", "mkdir"):
        points.around(Path, name)
    points.around(os, "fsync")
    points.around(shutil, "rmtree")
    points.around(shutil, "copyfile")
    points.around(Path, "write_text", half=True)
    for name in ("_plan_unit", "claim", "put", "close"):
        points.around(Journal, name)
    points.around(pq, "write_table")
    points.around(pq.ParquetWriter, "write_table")


def script_engines(*, fails: bool) -> None:
    from normscope.cli import commands
    from normscope.judges.engine import LabelRequest, LabelResult, TextRequest, TextResult
    from normscope.judges.engines.fake import FakeEngine
    from normscope.reasons import Reason
    from normscope.records.model_spec import ModelSpec

    def drawn(request: LabelRequest | TextRequest) -> random.Random:
        return random.Random(str(request.conversation))

    def failed(request: LabelRequest | TextRequest) -> bool:
        return fails and drawn(request).random() < 1 / 3

    def label(request: LabelRequest) -> LabelResult:
        if failed(request):
            return LabelResult(None, reason=Reason.CALL_FAILED)
        draw = drawn(request)
        weights = [0.1 + draw.random() for _ in request.scale.labels]
        return LabelResult(tuple(math.log(0.9 * one / sum(weights)) for one in weights))

    def text(request: TextRequest) -> TextResult:
        if failed(request):
            return TextResult(None, Reason.CALL_FAILED)
        return TextResult(drawn(request).choice(("neutral", "somewhat acceptable", "No.")))

    def load(spec: ModelSpec) -> FakeEngine:
        return FakeEngine(label, text, name=spec.model)

    vars(commands)["load"] = load
    # pictures change no file but the report, and take longer than all the rest
    no_charts().start()


if __name__ == "__main__":
    _serve()
