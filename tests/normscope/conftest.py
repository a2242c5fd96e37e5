"""A finished run, made once, for tests that read it or take a copy."""

import shutil
from pathlib import Path

import pytest
from finished_runs import finished_run
from undrawn import no_charts


@pytest.fixture(scope="session")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of `finished_runs.CONFIG`, without pictures; a test that changes it takes a copy."""
    with no_charts():
        path: Path = finished_run(tmp_path_factory.mktemp("runs") / "run")
    return path


@pytest.fixture
def run(whole_run: Path, tmp_path: Path) -> Path:
    """A copy of the run: 66 answers to vignettes in two units, six graded answers in one."""
    return Path(shutil.copytree(whole_run, tmp_path / "run"))
