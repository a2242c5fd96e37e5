"""The page of a metric's Space in a real browser: rows pasted, rows uploaded, nothing amiss."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from normscope import metrics

pytestmark = pytest.mark.browser
pytest.importorskip("gradio", reason="needs gradio: pip install 'normscope[space]'")
pytest.importorskip("playwright.sync_api", reason="needs playwright")

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
if CHROMIUM is None:
    pytest.skip("needs Chromium (Debian's package chromium)", allow_module_level=True)


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Where `python app.py` of refusal_rates is served."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "app.py"],
        cwd=metrics.path("refusal_rates"),
        env={
            **os.environ,
            "GRADIO_SERVER_PORT": str(port),
            "HF_HOME": str(tmp_path),
            "PYTHONPATH": str(ROOT),
        },
    )
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/config", timeout=1).close()
                break
            except OSError:
                assert process.poll() is None
                time.sleep(0.25)
        else:
            pytest.fail("the page of the metric did not start in a minute")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.parametrize("width", [1280, 390])
def test_a_visitor_computes_what_is_there_and_a_file_and_sees_the_card(
    address: str, width: int, tmp_path: Path
) -> None:
    sheet = tmp_path / "rows.csv"
    # two of three refuse
    sheet.write_text("predictions,groups.area,<b>note</b>\n3,values,a\n2,values,b\n0,rights,c\n")
    complaints: list[str] = []

    def asked(request: Any) -> None:
        if not request.url.startswith((f"{address}/", "data:", "blob:")):
            complaints.append(request.url)

    with import_module("playwright.sync_api").sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
        # the first page after the start is slow where other processes are at work
        page.set_default_timeout(60_000)
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", asked)
        page.goto(address)
        page.wait_for_selector("h2:has-text('Formula')")
        page.click("button:has-text('Submit')")
        # the page's own rows: half of them refuse
        page.wait_for_selector(".json-holder :text('0.5')")
        page.set_input_files("input[accept*='.jsonl']", sheet)
        page.wait_for_selector("text=rows.csv")
        page.click("button:has-text('Submit')")
        page.wait_for_selector(".json-holder :text('by_area')")
        page.wait_for_selector(".json-holder :text('0.6666666666666666')")
        page.wait_for_selector("text=columns that are not used: <b>note</b>")
        if pictures := os.environ.get("NORMSCOPE_SCREENSHOTS"):
            page.screenshot(path=str(Path(pictures) / f"metric-{width}.png"), full_page=True)
        browser.close()
    assert not complaints
