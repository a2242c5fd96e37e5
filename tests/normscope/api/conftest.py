"""One finished run for all tests that only read it."""

from pathlib import Path

import pytest
from finished_runs import finished_run
from undrawn import no_charts


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of `finished_runs.CONFIG`; a test that changes it takes a copy."""
    with no_charts():
        run: Path = finished_run(tmp_path_factory.mktemp("runs") / "base")
    return run
