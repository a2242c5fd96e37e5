"""The tools that we exchange with, each in an environment of its own (`make test-interop`)."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PEERS = Path(os.environ.get("NORMSCOPE_PEERS", ROOT / ".peers"))
"""Where the environments stand, in a folder per tool, named as its file in tests/interop/peers."""


def python_of(peer: str) -> str:
    """The Python of the tool's environment; where it is not installed, the test is skipped."""
    python = PEERS / peer / "bin" / "python"
    if not python.exists():
        pytest.skip(f"{peer} is not installed in {PEERS / peer}: `make test-interop` does that")
    return str(python)
