"""A Space that is really served, with a scripted judge, for the tests of this folder."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "shared" / "scripted_space.py"


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path, int]]:
    """The address, the folder of its temporary files, the process."""
    if find_spec("gradio") is None:
        pytest.skip("needs gradio: pip install 'normscope[space]'")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("space")
    (folder / "tmp").mkdir()
    log = (folder / "log.txt").open("w")
    unset = {"NORMSCOPE_JUDGE", "NORMSCOPE_RUBRIC", "NORMSCOPE_CARDS"}
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), str(port)],
        env=environment | {"TMPDIR": str(folder / "tmp")},
        stdout=log,
        stderr=log,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/config", timeout=1).close()  # noqa: S310 - ours
                break
            except OSError:
                if process.poll() is not None:
                    pytest.fail((folder / "log.txt").read_text())
                time.sleep(0.25)
        else:
            pytest.fail("the Space did not start in a minute")
        yield address, folder, process.pid
    finally:
        process.terminate()
        process.wait(10)
        log.close()
