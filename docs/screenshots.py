"""The screenshots in the README: `python docs/screenshots.py` writes them into docs/images.

Needs the extras judge, space and browser, and Debian's Chromium.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

IMAGES = Path(__file__).parent / "images"
DEMO = Path(__file__).parents[1] / "runs" / "demo"
CHROMIUM = "/usr/bin/chromium"
SIZE = {"width": 1180, "height": 960}


@contextmanager
def served_space() -> Iterator[str]:
    """The address of the Space while the block lasts, in a process that can be ended."""
    command = (sys.executable, "-m", "normscope", "serve")
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
    """The first view: the norms of real models."""
    page.goto(address)
    page.wait_for_selector("#tab-norms #norms-view .answers")
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)
    page.screenshot(path=IMAGES / "space.png")


def shoot_report(page: Page) -> None:
    """What the demo's report says of each model."""
    subprocess.run([sys.executable, "-m", "normscope", "demo", "--out", str(DEMO)], check=True)  # noqa: S603
    page.goto((DEMO / "report.html").as_uri())
    page.screenshot(path=IMAGES / "report.png")


def main() -> None:
    """Starts the Space, lets the demo go on or begin, and looks at both."""
    with served_space() as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, locale="en-GB")
        shoot_space(page, address)
        shoot_report(page)
        browser.close()


if __name__ == "__main__":
    main()
