"""Python commands in forks of one process, each with an environment of its own.

What no variable of the environment changes is imported once, which is most of what a command of a
tenth of a second would wait for. The Hub's libraries read theirs when they are imported: every
command imports them anew.
"""

import os
import runpy
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fork_server import ForkServer, redirect, serve

_WARM = (
    *("normscope.cli.push", "normscope.builders.push", "normscope.space.publish"),
    *("pandas", "pyarrow.parquet", "pyarrow.dataset"),
    *("normscope.builders.ci_vignettes.builder", "aiohttp", "dill", "fsspec", "httpx2"),
    *("multiprocess", "tqdm.contrib.concurrent", "truststore"),
)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: its exit code, and what it wrote."""

    code: int
    out: str
    err: str


class PythonRunner(ForkServer):  # type: ignore[misc]  # mypy does not see pytest's path
    """`python -c SCRIPT …` and `python -m MODULE …` without what starting takes."""

    def __init__(self) -> None:
        """Starts the process."""
        super().__init__(__file__)

    def run(
        self, *arguments: str, environment: Mapping[str, str], cwd: Path | None = None
    ) -> Ended:
        """What `python *arguments` does under this environment, all of it, in this folder."""
        request = {"arguments": arguments, "environment": dict(environment)}
        return Ended(**self.ask({**request, "cwd": str(cwd or Path.cwd())}))


def _serve() -> None:
    for name in _WARM:
        __import__(name)
    early = {"datasets", "huggingface_hub"} & sys.modules.keys()
    if early:
        raise RuntimeError(f"imported before a command has its environment: {early}")
    serve(_forked)


def _forked(
    *, arguments: Sequence[str], environment: Mapping[str, str], cwd: str
) -> dict[str, int | str]:
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        child = os.fork()
        if child == 0:
            redirect(out, err)
            os.chdir(cwd)
            os.environ.clear()
            os.environ.update(environment)
            _child(*arguments)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        texts = (path.read_text(encoding="utf-8", errors="replace") for path in (out, err))
        return dict(zip(("code", "out", "err"), (code, *texts), strict=True))


def _child(flag: str, what: str, *arguments: str) -> None:
    code = 0
    try:
        sys.argv = [what, *arguments]
        if flag == "-c":
            exec(what, {"__name__": "__main__"})  # noqa: S102 - a test's own script
        else:
            runpy.run_module(what, run_name="__main__", alter_sys=True)
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:  # noqa: BLE001 - as a process of its own would end
        traceback.print_exc()
        code = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
