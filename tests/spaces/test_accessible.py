"""Every tab, empty and with a result on it, for who cannot see it or point at it: axe-core."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from accessible import (
    Excuse,
    cut_off,
    held_still,
    too_small,
    unseen_focus,
    violations,
    without_excuse,
)
from served_space import VIEWS, View, open_file, open_tab, visited, write_rows

from normscope.space.tabs import FOOTER, TABS
from tests.shared.viewed_runs import aligned, base

pytestmark = pytest.mark.browser
pytest.importorskip("gradio", reason="needs gradio: pip install 'normscope[space]'")
pytest.importorskip("axe_playwright_python", reason="needs axe: pip install 'normscope[browser]'")

EXCUSES = (
    Excuse(
        "target-size",
        "download-link",
        "gradio puts a button into the link of a file of text; the button, on which one clicks, is "
        "large enough",
    ),
    Excuse(
        "scrollable-region-focusable",
        "cm-scroller",
        "CodeMirror's text takes the focus and is scrolled by the arrow keys; axe-core does not "
        "count what is focused because it can be edited",
    ),
)
"""What gradio draws wrong where no style of ours reaches."""


class Walk:
    """Looks at what stands on the page, and keeps what is wrong."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.wrong: list[str] = []
        self.needed: set[Excuse] = set()

    def look(self, where: str) -> None:
        # gradio fades what is being made anew
        self.page.wait_for_function("!document.querySelector('.pending, .generating')")
        left, needed = without_excuse(violations(self.page), EXCUSES)
        self.needed |= needed
        self.wrong += [f"{where}: {violation}" for violation in left]
        self.wrong += [f"{where}: cut off: {text}" for text in cut_off(self.page)]
        self.wrong += [f"{where}: under nine pixels: {text}" for text in too_small(self.page)]
        self.wrong += [f"{where}: no focus is seen: {text}" for text in unseen_focus(self.page)]


def norms(walk: Walk, _: Path) -> None:
    walk.page.wait_for_selector("#tab-norms #norms-view .answers")


def score(walk: Walk, folder: Path) -> None:
    walk.look("score, empty")
    walk.page.click("#answer-button")
    walk.page.wait_for_selector("#answer-result .problem")
    walk.look("score, refused")
    walk.page.click("#answer-examples button >> nth=0")
    walk.page.wait_for_selector("#answer-result .strip")
    walk.page.click("#answer-result summary >> nth=0")
    walk.page.click("#answer-result summary >> nth=1")
    walk.page.click("#answer-more button")
    rows = [[f"Question {n}?", ["Sure, […]", "No.", "mumble"][n % 3]] for n in range(12)]
    path = write_rows(folder / "answers.csv", [["prompt", "response"], *rows])
    open_file(walk.page)
    walk.page.set_input_files("#file-upload input[type=file]", path)
    walk.page.wait_for_function(
        "document.querySelector('#file-answer input')?.value === 'response'"
    )
    walk.page.click("#file-button")
    walk.page.wait_for_selector("#file-result details.row", timeout=60_000)
    walk.page.click("#file-result details.row summary >> nth=0")


def runs(walk: Walk, folder: Path) -> None:
    walk.page.click("#runs-compare")
    walk.page.wait_for_selector("#runs-result .problem")
    walk.look("runs, refused")
    frame = walk.page.frame_locator("iframe.answers")
    for at, run in enumerate((base(folder), aligned(folder))):
        walk.page.set_input_files(f"#runs-run-{at} input[type=file]", run)
        frame.locator(("h1", "h1:has-text('→')")[at]).wait_for(timeout=30_000)
    walk.look("runs, answers")
    walk.page.click("#runs-compare")
    walk.page.wait_for_selector("#runs-figures figure img", timeout=90_000)


def contribute(walk: Walk, _: Path) -> None:
    walk.page.wait_for_selector("#contribute-review h3")
    walk.page.click("#contribute-empty")
    walk.page.wait_for_selector("#contribute-review .banner, #contribute-review .limit")


def judges(walk: Walk, _: Path) -> None:
    walk.page.wait_for_selector("#judges-result h3")


STEPS: dict[str, Callable[[Walk, Path], None]] = {
    "norms": norms,
    "score": score,
    "runs": runs,
    "contribute": contribute,
    "judges": judges,
}
"""What leads to a result on each tab."""


def test_every_tab_is_walked() -> None:
    assert [*STEPS] == [*TABS, *FOOTER]


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_on_a_tab_or_in_its_result_shuts_anybody_out(
    site: str, tmp_path: Path, view: View
) -> None:
    with visited(site, "norms", view) as (page, _):
        walk = Walk(page)
        held_still(page)
        for name, step in STEPS.items():
            open_tab(page, name)
            step(walk, tmp_path)
            walk.look(f"{name}, with a result")
    assert walk.wrong == [], "\n".join(walk.wrong)
    assert walk.needed == {*EXCUSES}, "an excuse is no longer needed"
