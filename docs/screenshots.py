"""The screenshots in the README: `python docs/screenshots.py` writes them into docs/images.

Needs the extras judge, space and browser, and Debian's Chromium.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

IMAGES = Path(__file__).parent / "images"
CHROMIUM = "/usr/bin/chromium"
SIZE = {"width": 1180, "height": 960}


@contextmanager
def served_space() -> Iterator[str]:
    """The address of the Space while the block lasts, in a process that can be ended."""
    command = (sys.executable, "-m", "normscope", "serve", "--port", "0")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603
    try:
        # "* Running on http://…", printed once the socket listens: what connects then is served
        line = process.stdout.readline() if process.stdout else ""
        if not line:
            raise RuntimeError("the Space did not start")
        yield line.split()[-1]
    finally:
        process.terminate()
        process.wait()


def shoot_space(page: Page, address: str) -> None:
    """An answer that was scored."""
    page.goto(address)
    page.wait_for_selector("#answer-result .waiting")
    page.click("#answer-examples button >> nth=0")
    page.wait_for_selector("#answer-result h3")
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)
    page.screenshot(path=IMAGES / "space.png")


def shoot_report(page: Page, folder: Path) -> None:
    """The first screen of a report: the reference answers, judged by the bundled judge."""
    run = folder / "safety-gradient"
    command = ("-b", "safety-gradient", "--limit", "400", "--judge", "bundled", "--out", str(run))
    subprocess.run([sys.executable, "-m", "normscope", "run", *command], check=True)  # noqa: S603
    page.goto((run / "report.html").as_uri())
    page.screenshot(path=IMAGES / "report.png")


def main() -> None:
    """Starts the Space, makes a run, and looks at both."""
    with (
        tempfile.TemporaryDirectory() as folder,
        served_space() as address,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, locale="en-GB")
        shoot_space(page, address)
        shoot_report(page, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
