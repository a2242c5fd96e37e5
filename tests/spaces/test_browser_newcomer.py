"""Who opens the Space for the first time: a score within seconds, by mouse or by keyboard alone."""

import time
from collections.abc import Iterator

import pytest
from served_space import Served, served_space, visited

from normscope.spaces.normscope.tabs import TABS

pytestmark = pytest.mark.browser
pytest.importorskip("gradio", reason="needs gradio: pip install 'normscope[space]'")

SECONDS = 30
REACHED = {
    "norms": "#norms-models input",
    "answer": "#answer-button",
    "file": "#file-upload button",
    "vignettes": "#vignettes-heat [data-cell]",
    "compare": "#compare-button",
    "answers": "#answers-run-0 button",
    "contribute": "#contribute-save",
    "judges": "#judges-refresh",
    "annotate": "#annotate-file button",
}
"""What somebody comes to each tab for."""


@pytest.fixture
def cold(tmp_path_factory: pytest.TempPathFactory, site: str) -> Iterator[Served]:
    """The Space with the bundled judge, a moment after it was started."""
    command = ("-m", "normscope", "serve", "--port")
    with served_space(tmp_path_factory.mktemp("cold"), *command, OMP_NUM_THREADS="1") as space:
        yield space


def test_one_click_after_a_cold_start_gives_a_score_within_seconds(cold: Served) -> None:
    begun = time.monotonic()
    with visited(cold[0]) as (page, complaints):
        page.click("#answer-examples button >> nth=0")
        page.wait_for_selector("#answer-result h3", timeout=SECONDS * 1000)
        spent = time.monotonic() - begun
        print(f"a score {spent:.1f} s after the browser was opened")  # noqa: T201 - seen with -s
        assert spent < SECONDS
        assert 0 <= float(page.inner_text("#answer-result h3").split()[0]) <= 5
        assert complaints == []


def test_with_the_keyboard_alone_an_answer_is_typed_and_scored(site: str) -> None:
    with visited(site) as (page, complaints):
        page.keyboard.press("Tab")
        for _ in range(20):
            if page.evaluate("document.activeElement.matches('#answer-question textarea')"):
                break
            page.keyboard.press("Tab")
        page.keyboard.type("Why is the sky blue?")
        page.keyboard.press("Tab")
        page.keyboard.type("Because it scatters.")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#answer-result h3", timeout=10_000)
        assert page.inner_text("#answer-result h3").startswith("3.60")
        assert complaints == []


@pytest.mark.parametrize("name", TABS)
def test_every_tab_is_opened_and_its_purpose_reached_by_keyboard(site: str, name: str) -> None:
    with visited(site) as (page, complaints):
        page.focus(f"#tab-{name}-button")
        page.keyboard.press("Enter")
        page.wait_for_selector(f"#tab-{name} {REACHED[name]}", state="visible")
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate(f"document.activeElement.matches('{REACHED[name]}')"):
                break
        else:
            pytest.fail(f"{REACHED[name]} was not reached")
        assert complaints == []
