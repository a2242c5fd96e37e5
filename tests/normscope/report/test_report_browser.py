"""A run's page in a real browser: it is drawn whole and the browser has nothing to complain of."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from report_runs import large_run, small_run

from normscope.report import LANGUAGES, Language, ReportData, render

pytestmark = pytest.mark.browser


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens a run's page in a language; fails on a complaint of the page or a request of it."""
    complaints: list[str] = []
    requests: list[str] = []
    context = browser.new_context(viewport={"width": 1200, "height": 900})

    def open_page(data: ReportData, language: Language = "en", **how: Any) -> Any:
        path = tmp_path / f"report.{language}.html"
        path.write_text(render(data, language), encoding="utf-8")
        page = (browser.new_context(**how) if how else context).new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda asked: requests.append(asked.url))
        page.goto(path.as_uri())
        return page

    yield open_page
    assert complaints == []
    assert [url for url in requests if not url.startswith(tmp_path.as_uri())] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_click_on_a_criterion_sorts_the_table_and_what_is_typed_filters_its_rows(
    opened: Callable[..., Any], language: Language
) -> None:
    page = opened(small_run(), language)
    section = page.locator("#statistics")
    section.locator("details > summary").first.click()
    table = section.locator("table.scores").first
    first = table.locator("tbody th").first
    table.get_by_role("button").first.click()
    assert table.locator("thead th").first.get_attribute("aria-sort") == "ascending"
    assert first.inner_text() == "HR"
    table.get_by_role("button").first.press("Enter")
    assert first.inner_text() != "HR"
    rows = table.locator("tbody tr")
    assert rows.count() == 5
    section.locator("input").first.fill("OTHER")
    assert table.locator("tbody tr:visible").count() == 1


def test_everything_can_be_read_without_the_script(opened: Callable[..., Any]) -> None:
    page = opened(small_run(), java_script_enabled=False)
    assert page.locator(".glance").first.is_visible()
    assert page.locator("input, thead button").count() == 0
    page.locator("#statistics > details > summary").first.click()
    assert page.locator("#statistics table.scores").first.is_visible()


def test_what_is_wider_than_a_phone_scrolls_in_its_own_box(opened: Callable[..., Any]) -> None:
    page = opened(large_run(vignettes=24, answers=20), viewport={"width": 390, "height": 800})
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
