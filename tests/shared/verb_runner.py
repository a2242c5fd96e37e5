"""The command line run many times in one process that forks: each verb alone, bounded, and quick.

Importing torch and transformers takes seconds, so that a process per case would take the minute
that all cases together may. The server imports once and forks for every verb. The forked child
is watched from outside: past its time or its memory it is killed, and the outcome says so.
"""

import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from fork_server import ForkServer, end_as, serve
from undrawn import no_charts

_PAGE = os.sysconf("SC_PAGE_SIZE")
_WARM = (
    *("pyarrow.parquet", "duckdb", "accelerate", "matplotlib.backends.backend_svg"),
    *("torch.fx.experimental.symbolic_shapes", "transformers.modeling_utils"),
    *("transformers.models.auto.modeling_auto", "transformers.models.auto.tokenization_auto"),
    "transformers.tokenization_utils_tokenizers",
    *("normscope.judges.engines.local.transformers", "normscope.judges.bundled"),
    *(
        "normscope.builders.ci_vignettes.builder",
        "normscope.cli.commands",
        "normscope.report.write",
    ),
)
"""What the verbs import first: imported in each fork, it took three quarters of a case's time."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a verb ended. `stopped` is `time` or `memory` where it was killed for it.

    `seconds` is wall time and `mib` the most resident memory beyond that of the server.
    """

    code: int
    output: str
    stopped: str
    seconds: float
    mib: float

    @property
    def fault(self) -> str:
        """What is wrong with the way it ended, empty if it ended as every verb should.

        Done (0), done but unscored (3), or an error in the house's form: one message, no traceback.
        """
        if self.stopped:
            return f"stopped for its {self.stopped}: {self.seconds:.1f} s, {self.mib:.0f} MiB"
        if "Traceback" in self.output:
            return "a traceback"
        if self.code in {0, 3}:
            return ""
        if self.code not in {1, 2}:
            return f"exit code {self.code}"
        lines = self.output.casefold()
        return "" if "error: " in lines or "usage: " in lines else "no message in the house's form"


class VerbRunner(ForkServer):  # type: ignore[misc]  # mypy does not see pytest's path
    """The verbs, each in a fork of one process."""

    def __init__(self) -> None:
        """Starts the process."""
        super().__init__(__file__, OMP_NUM_THREADS="1")

    def run(
        self, *arguments: str | Path, cwd: Path, seconds: float = 20, mib: float = 1024
    ) -> Outcome:
        """The verb's outcome in the folder `cwd`, within these bounds."""
        request = {"arguments": [*map(str, arguments)], "cwd": str(cwd)}
        return Outcome(**self.ask({**request, "seconds": seconds, "mib": mib}))


def _serve() -> None:
    for name in _WARM:
        __import__(name)
    from normscope import cli

    # what is wrong with a file shows before anything is drawn, which takes longer than all the rest
    no_charts().start()
    serve(partial(_forked, cli.main))


def _forked(
    main: Any, *, arguments: Sequence[str], cwd: str, seconds: float, mib: float
) -> dict[str, Any]:
    output = Path(cwd) / f".output-{os.getpid()}"
    began, before = time.monotonic(), _resident(os.getpid())
    child = os.fork()
    if child == 0:
        end_as(main, arguments, cwd, output)
    stopped, most, status = "", 0.0, 0
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        taken = time.monotonic() - began
        if ended:
            break
        most = max(most, _resident(child) - before)
        stopped = stopped or ("time" if taken > seconds else "memory" if most > mib else "")
        if stopped:
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.005)
    told = output.read_text(encoding="utf-8", errors="replace")
    output.unlink()
    code = os.waitstatus_to_exitcode(status)
    return {"code": code, "output": told, "stopped": stopped, "seconds": taken, "mib": most}


def _resident(process: int) -> float:
    """Resident memory in MiB; 0 for a process that has just ended."""
    try:
        pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return 0.0
    return int(pages) * _PAGE / (1 << 20)


if __name__ == "__main__":
    _serve()
