"""Commands in several processes, as a launcher starts them, of which some are killed on the way.

Importing takes seconds, so that a server imports once and forks for every process. The engines are
scripted, and think for some milliseconds about each unit: what they answer depends on the prompt.
"""

import contextlib
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from crash_points import script_engines
from fork_server import ForkServer, end_as, serve

THINKS_S = 0.01
PATIENCE_S = 120.0
"""After which a process that has not come to its end is a failure."""
RUN = (
    *("run", "--model", "model", "--judge", "judge", "--channels", "labels,text", "--limit", "8"),
    *(
        "-b",
        "ci-vignettes:coppa,safety-gradient",
        "--set",
        "unit_items=4",
        "--set",
        "max_unscored=1",
    ),
    *("--out", "run"),
)


@dataclass(frozen=True, slots=True)
class Ended:
    """How the processes ended, by their ranks: exit codes, what they wrote; and after how long."""

    codes: tuple[int, ...]
    outputs: tuple[str, ...]
    seconds: float


class Launcher(ForkServer):  # type: ignore[misc]  # mypy does not see pytest's path
    """The processes of a launch, each a fork of one process."""

    def __init__(self) -> None:
        """Starts the process that forks."""
        super().__init__(__file__, OMP_NUM_THREADS="1", HF_HUB_OFFLINE="1")

    def run(
        self, *arguments: str, cwd: Path, count: int = 1, kills: Sequence[tuple[float, int]] = ()
    ) -> Ended:
        """The command in so many processes; of `kills` each has seconds and whom it strikes."""
        asked = {"arguments": arguments, "cwd": str(cwd), "count": count, "kills": kills}
        told = self.ask(asked)
        return Ended(tuple(told["codes"]), tuple(told["outputs"]), told["seconds"])


def _serve() -> None:
    from normscope import cli
    from normscope.judges.engines.fake import FakeEngine
    from normscope.pipeline.workers import here

    # of one that is killed before it has signed in, nobody hears again
    here.APPEARS_S = 2.0
    script_engines(fails=False)
    for name in ("labels", "texts"):
        setattr(FakeEngine, name, _thinking(getattr(FakeEngine, name)))
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
        # so that nothing is read or compiled for the first time after the fork
        sys.argv = ["normscope", *RUN[:-1], f"{folder}/run"]
        with contextlib.suppress(SystemExit):
            cli.main()
    serve(partial(_forked, cli.main))


def _thinking(answer: Callable[..., Any]) -> Callable[..., Any]:
    def thinking(*given: Any) -> Any:
        time.sleep(THINKS_S)
        return answer(*given)

    return thinking


def _forked(
    main: Callable[[], None],
    *,
    arguments: Sequence[str],
    cwd: str,
    count: int,
    kills: Sequence[tuple[float, int]],
) -> dict[str, Any]:
    began = time.monotonic()
    outputs = [Path(f"{cwd}.output.{rank}") for rank in range(count)]
    children = []
    for rank, output in enumerate(outputs):
        # one may be killed before it has opened its own
        output.touch()
        child = os.fork()
        if child == 0:
            ranks = {"RANK": rank, "WORLD_SIZE": count, "LOCAL_RANK": rank}
            os.environ |= {name: str(value) for name, value in ranks.items()}
            end_as(main, arguments, cwd, output)
        children.append(child)
    codes: dict[int, int] = {}
    due = sorted((seconds, rank) for seconds, rank in kills)
    while len(codes) < count:
        while due and time.monotonic() - began >= due[0][0]:
            _, struck = due.pop(0)
            if struck not in codes:
                os.kill(children[struck], signal.SIGKILL)
        if time.monotonic() - began > PATIENCE_S:
            for rank in set(range(count)) - codes.keys():
                os.kill(children[rank], signal.SIGKILL)
        for rank in set(range(count)) - codes.keys():
            ended, status = os.waitpid(children[rank], os.WNOHANG)
            if ended:
                codes[rank] = os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    return {
        "codes": [codes[rank] for rank in range(count)],
        "outputs": [path.read_text(encoding="utf-8", errors="replace") for path in outputs],
        "seconds": time.monotonic() - began,
    }


if __name__ == "__main__":
    _serve()
