"""One finished run for all tests that only read it."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def folder(whole_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of `finished_runs.CONFIG`; a test that changes it takes a copy."""
    return Path(shutil.copytree(whole_run, tmp_path_factory.mktemp("runs") / "base"))
