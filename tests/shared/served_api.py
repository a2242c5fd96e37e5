"""A called judge as a process of its own, for whatever speaks HTTP."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

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
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = folder / "api.log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, *command, str(port)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
            stdout=file,
            stderr=file,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{address}/health", timeout=1).close()  # noqa: S310 - ours
                break
            except OSError:
                if process.poll() is not None:
                    pytest.fail(log.read_text())
                time.sleep(0.1)
        else:
            pytest.fail("the server did not start in a minute")
        yield ServedApi(address, log, process)
    finally:
        process.kill()
        process.wait(10)
