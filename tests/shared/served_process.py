"""A server as a process of its own, which a test waits for."""

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

_SECONDS, _STEP = 120, 0.1


@contextmanager
def served_process(
    command: Sequence[str | Path],
    *,
    log: Path,
    ready: str,
    environment: Mapping[str, str],
    python: str | Path = sys.executable,
    folder: Path | None = None,
) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Its address and process while the block lasts, once it answers at the path `ready`.

    The command gets the port as its last argument, gradio by its own variable; what the process
    writes stands in the log.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with log.open("w") as file:
        process = subprocess.Popen(
            [python, *command, str(port)],
            cwd=folder,
            env={**environment, "GRADIO_SERVER_PORT": str(port)},
            stdout=file,
            stderr=file,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(round(_SECONDS / _STEP)):
            try:
                urllib.request.urlopen(f"{address}{ready}", timeout=1).close()  # noqa: S310 - ours
                break
            except OSError:
                if process.poll() is not None:
                    pytest.fail(log.read_text())
                time.sleep(_STEP)
        else:
            pytest.fail("the server did not start in two minutes")
        yield address, process
    finally:
        process.terminate()
        process.wait(10)
