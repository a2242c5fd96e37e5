"""The Dockerfile before the tool that reads Dockerfiles for what goes wrong in them."""

import subprocess
from pathlib import Path

import pytest
from peers import ROOT, python_of

pytestmark = pytest.mark.interop


def test_hadolint_has_nothing_to_say() -> None:
    hadolint = Path(python_of("hadolint")).with_name("hadolint")
    done = subprocess.run(
        [hadolint, "--no-color", ROOT / "Dockerfile"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
