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
from served_space import VIEWS, View, open_tab, visited, write_rows

from normscope.spaces.normscope.tabs import TABS
from normscope.spaces.normscope.vignettes import begin_with, choose, prompts_of
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
    walk.page.wait_for_selector("#norms-result figure svg")


def answer(walk: Walk, _: Path) -> None:
    walk.look("answer, empty")
    walk.page.click("#answer-button")
    walk.page.wait_for_selector("#answer-result .problem")
    walk.look("answer, refused")
    walk.page.click("#answer-examples button >> nth=0")
    walk.page.wait_for_selector("#answer-result h3")
    walk.page.click("#answer-result summary")
    walk.page.click("#answer-more button")


def file(walk: Walk, folder: Path) -> None:
    walk.look("file, empty")
    rows = [[f"Question {n}?", ["Sure, […]", "No.", "mumble"][n % 3]] for n in range(12)]
    path = write_rows(folder / "answers.csv", [["prompt", "response"], *rows])
    walk.page.set_input_files("#file-upload input[type=file]", path)
    walk.page.wait_for_function(
        "document.querySelector('#file-answer input')?.value === 'response'"
    )
    walk.page.click("#file-button")
    walk.page.wait_for_selector("#file-result details.row", timeout=60_000)
    walk.page.click("#file-result details.row summary >> nth=0")


def vignettes(walk: Walk, folder: Path) -> None:
    walk.page.wait_for_selector("#vignettes-heat [data-cell]")
    walk.look("vignettes, empty")
    labels = ("strongly unacceptable", "somewhat unacceptable", "neutral", "strongly acceptable")
    rows = [
        [vignette.item_id, variant, labels[(at + (nth > 7)) % 4]]
        for at, vignette in enumerate(choose("coppa", begin_with("coppa", most=16)))
        for nth, variant in enumerate(prompts_of(vignette))
    ]
    path = write_rows(folder / "norms.csv", [["item_id", "variant_id", "answer"], *rows])
    walk.page.set_input_files("#vignettes-file input[type=file]", path)
    walk.page.wait_for_selector("#vignettes-heat .parts")
    walk.page.focus("#vignettes-heat [data-cell] >> nth=1")
    walk.page.keyboard.press("Enter")
    walk.page.wait_for_selector("#vignettes-detail details")
    walk.page.click("#vignettes-detail details summary >> nth=0")


def compare(walk: Walk, folder: Path) -> None:
    walk.page.click("#compare-button")
    walk.page.wait_for_selector("#compare-result .problem")
    walk.look("compare, refused")
    for at, value in enumerate((0, 2)):
        lines = [f"Question {n}?,{value},,{'ab'[n % 2]}" for n in range(20)]
        path = folder / f"{at}.csv"
        path.write_text("\n".join(["question,refusal,refusal_reason,category", *lines]))
        walk.page.set_input_files(f"#compare-run-{at} input[type=file]", path)
        walk.page.wait_for_selector(f"#compare-run-{at} :text('{at}.csv')")
    walk.page.click("#compare-button")
    walk.page.wait_for_selector("#compare-figures figure svg", timeout=90_000)


def answers(walk: Walk, folder: Path) -> None:
    walk.look("answers, empty")
    for at, run in enumerate((base(folder), aligned(folder))):
        names = ("judgements.parquet", "responses.parquet", "items.parquet", "config.yaml")
        files = [run / name for name in names]
        walk.page.set_input_files(f"#answers-run-{at} input[type=file]", files)
        walk.page.wait_for_selector(f"#answers-run-{at} :text('config')")
    walk.page.wait_for_selector("#answers-result .list a[href^='#item-']")
    walk.page.click("#answers-lists button")
    walk.look("answers, a list")
    walk.page.click("#answers-result .list a[href^='#item-'] >> nth=0")
    walk.page.wait_for_selector("#answers-result .answer")
    walk.page.keyboard.press("t")


def contribute(walk: Walk, _: Path) -> None:
    walk.page.wait_for_selector("#contribute-found-all h3")
    walk.page.fill(
        "#contribute-what_sender textarea", "\n".join([f"a shop {n % 60}" for n in range(61)])
    )
    walk.page.wait_for_selector("#contribute-at-what_sender .ns")


def judges(walk: Walk, _: Path) -> None:
    walk.page.wait_for_selector("#judges-result h3")


def annotate(walk: Walk, folder: Path) -> None:
    walk.look("annotate, empty")
    names = ["item", "category", "question", "answer", "label_moral", "comment", "allowed", "sheet"]
    row = ["a", "", "Why?", "Because.", "", "", "label_moral: 0, 1 (? if it cannot be told)", "s"]
    path = write_rows(folder / "rater-1.csv", [names, row])
    walk.page.set_input_files("#annotate-file input[type=file]", path)
    walk.page.frame_locator("iframe.sheet").locator("#questions input >> nth=0").wait_for()


STEPS: dict[str, Callable[[Walk, Path], None]] = {
    "norms": norms,
    "answer": answer,
    "file": file,
    "vignettes": vignettes,
    "compare": compare,
    "answers": answers,
    "contribute": contribute,
    "judges": judges,
    "annotate": annotate,
}
"""What leads to a result on each tab."""


def test_every_tab_is_walked() -> None:
    assert [*STEPS] == [*TABS]


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
