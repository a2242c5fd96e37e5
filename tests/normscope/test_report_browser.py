"""A run's page in a real browser: it is drawn whole and the browser has nothing to complain of."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync")


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian's package chromium)")
@pytest.mark.parametrize("width", [1200, 500])
def test_the_page_of_a_run_is_drawn_without_a_complaint(
    width: int, tmp_path: Path, tiny_model: Path
) -> None:
    asked = ["--model", tiny_model, "--judge", tiny_model, "--limit", "12", "--min-coverage", "0"]
    verbs = ["run", "-b", "ci-vignettes:coppa,safety-gradient", *asked, "--out", tmp_path / "run"]
    done = subprocess.run(
        [sys.executable, "-m", "normscope", *map(str, verbs)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "run" / "report.html").as_uri()
    browser = [str(CHROMIUM), *QUIET, f"--user-data-dir={tmp_path / 'profile'}"]
    look = ["--enable-logging=stderr", f"--window-size={width},3000"]
    picture = tmp_path / "page.png"
    shown = subprocess.run(
        [*browser, *look, f"--screenshot={picture}", page],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "CONSOLE" not in shown.stderr
    # a blank page of this size compresses to a few kilobytes
    assert picture.stat().st_size > 50_000
    dumped = subprocess.run(
        [*browser, "--dump-dom", page], capture_output=True, text=True, check=True
    )
    for part in ("ci-vignettes:coppa", "safety-gradient", "The ladder", "Mean norm", "Reproduce"):
        assert part in dumped.stdout
