"""A called judge as a process of its own, for whatever speaks HTTP."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from served_process import served_process

SCRIPTED = Path(__file__).parent / "scripted_api.py"


@dataclass(frozen=True, slots=True)
class ServedApi:
    """Its address, and what it has written."""

    address: str
    log: Path
    process: "subprocess.Popen[bytes]"

    def end(self) -> int:
        """Tells it to end, as a service manager does; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


@contextmanager
def served_api(
    folder: Path, command: Sequence[str | Path] = (SCRIPTED,), **environment: str
) -> Iterator[ServedApi]:
    """The server while the block lasts; the command gets the port as its last argument."""
    log = folder / "api.log"
    own = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    with served_process(command, log=log, ready="/health", environment=own) as (address, process):
        try:
            yield ServedApi(address, log, process)
        finally:
            # what still waits to be judged is not waited for
            process.kill()
