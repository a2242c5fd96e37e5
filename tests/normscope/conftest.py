"""A finished run, made once, for tests that read it or take a copy; a browser for pages."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium that playwright drives."""
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("needs Chromium (Debian's package chromium)")
    with api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield running
        running.close()
