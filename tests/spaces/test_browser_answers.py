"""Every answer of two runs in a real browser: filtered, opened, linked to, in both languages."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served_space import VIEWS, Served, View, language_of, picture, served_space, visited

from normscope.messages import message, translate
from tests.shared.viewed_runs import CHANGED, EVIL, N, aligned, base

pytestmark = pytest.mark.browser
pytest.importorskip("gradio", reason="needs gradio: pip install 'normscope[space]'")
pytest.importorskip("playwright.sync_api", reason="needs playwright")

READY = "#answers-result .answers"
LINKS = "#answers-result .list a[href^='#item-']"
LINE = "#answers-filter input, #answers-filter textarea"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    return base(folder), aligned(folder)


@pytest.fixture(scope="module")
def viewed(
    folders: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """What `normscope view` serves of the two runs."""
    command = ("-m", "normscope", "view", *folders, "--no-open", "--port")
    with served_space(tmp_path_factory.mktemp("view"), *command) as served:
        yield served


def looked_at(served: Served, view: View = VIEWS[0], query: str = "?tab=answers") -> Any:
    return visited(served[0], "answers", view, query, ready=READY)


def shows(page: Any, place: str) -> None:
    page.wait_for_selector(f'#answers-result .place:text-is("{place}")')


def rows(first: int, last: int, n: int, language: str) -> str:
    return translate(message("{first}–{last} of {all}", first=first, last=last, all=n), language)


def nth(n: int, language: str) -> str:
    return translate(message("{n} of {all}", n=n, all=CHANGED), language)


@pytest.mark.parametrize("view", VIEWS)
def test_answers_are_filtered_opened_and_gone_through(viewed: Served, view: View) -> None:
    language = language_of(view)
    with looked_at(viewed, view) as (page, complaints):
        shows(
            page, translate(message("{first}–{last} of {all}", first=1, last=25, all=N), language)
        )
        assert page.locator(LINKS).count() == 25
        picture(page, "answers-list", *view)
        page.check("#answers-changed input")
        shows(page, rows(1, CHANGED, CHANGED, language))
        assert page.input_value(LINE) == "is:changed"
        page.locator(LINKS).first.click()
        shows(page, nth(1, language))
        assert page.locator("#answers-result details.row[open]").count() == 0
        page.keyboard.press("j")
        shows(page, nth(2, language))
        page.keyboard.press("k")
        shows(page, nth(1, language))
        picture(page, "answers-item", *view)
        page.keyboard.press("t")
        assert EVIL in page.inner_text("#answers-result .answer")
        assert page.locator("#answers-result script, #answers-result img").count() == 0
        picture(page, "answers-item-texts", *view)
        key = page.get_attribute("#answers-result .answers", "data-item")
        page.keyboard.press("Escape")
        page.wait_for_selector(LINKS)
        # where one was, the focus is
        focused = page.evaluate("document.activeElement.getAttribute('href')")
        assert focused == f"#item-{key}"
        assert complaints == []


def test_a_list_writes_the_filter_and_the_filter_sets_the_list(viewed: Served) -> None:
    with looked_at(viewed) as (page, complaints):
        page.wait_for_selector(LINKS)
        page.click("#answers-lists button")
        page.click("#answers-control-0 input")
        first = page.get_by_role("option").first
        n = int(first.inner_text().rsplit("(", 1)[1].rstrip(")"))
        first.click()
        shows(page, f"1–{n} of {n}" if n < 25 else f"1–25 of {n}")
        assert ":" in page.input_value(LINE)
        page.keyboard.press("Escape")
        page.fill(LINE, "refusal=risky sort:-change")
        page.press(LINE, "Enter")
        shows(page, f"1–{CHANGED} of {CHANGED}")
        assert page.locator("#answers-control-0 .token").count() == 0
        assert page.locator(".token", has_text="risky").count() == 1
        # what says nothing is said by name, and the way out stands beside it
        page.fill(LINE, "refusal=rude")
        page.press(LINE, "Enter")
        page.wait_for_selector("#answers-result .problem:has-text(\"'rude'\")")
        page.fill(LINE, '"nobody wrote this"')
        page.click("#answers-search")
        page.click("#answers-result [data-clear]")
        shows(page, f"1–25 of {N}")
        assert page.input_value(LINE) == ""
        assert complaints == []


def test_every_state_has_a_link_and_back_leads_to_the_one_before(viewed: Served) -> None:
    with looked_at(viewed) as (page, complaints):
        shows(page, f"1–25 of {N}")
        page.click("#answers-result [data-page='2'] >> nth=0")
        shows(page, f"26–50 of {N}")
        assert "page=2" in page.url
        page.fill(LINE, "language:zh")
        page.press(LINE, "Enter")
        shows(page, "1–25 of 30")
        page.locator(LINKS).nth(2).click()
        shows(page, "3 of 30")
        link = page.url
        page.go_back()
        shows(page, "1–25 of 30")
        page.go_back()
        shows(page, f"26–50 of {N}")
        assert page.input_value(LINE) == ""
        page.go_forward()
        shows(page, "1–25 of 30")
        assert page.input_value(LINE) == "language:zh"
        assert complaints == []
    with looked_at(viewed, query=link.partition("/?")[2].join(("?", ""))) as (page, complaints):
        shows(page, "3 of 30")
        assert page.input_value(LINE) == "language:zh"
        page.keyboard.press("Tab")
        page.click("#answers-result [data-list]")
        shows(page, "1–25 of 30")
        assert complaints == []


def test_one_of_two_runs_is_looked_at_by_its_link(viewed: Served) -> None:
    with looked_at(viewed, query="?tab=answers&run=aligned") as (page, complaints):
        shows(page, f"1–25 of {N}")
        assert not page.is_visible("#answers-changed input")
        assert page.locator("#answers-runs .token").inner_text().strip() == "aligned"
        assert complaints == []
    with looked_at(viewed, query="?tab=answers&run=other") as (page, complaints):
        page.wait_for_selector("#answers-result .problem:has-text('base, aligned')")
        assert complaints == []


def test_a_visitors_files_are_looked_at_and_a_link_brings_its_filter(
    site: str, folders: tuple[Path, Path]
) -> None:
    names = ("judgements.parquet", "responses.parquet", "items.parquet", "config.yaml")
    with visited(site, query="?tab=answers&filter=is%3Achanged", ready=READY) as (page, complaints):
        page.wait_for_selector("#answers-result .waiting")
        for at, folder in enumerate(folders):
            files = [folder / name for name in names]
            page.set_input_files(f"#answers-run-{at} input[type=file]", files)
            page.wait_for_selector(f"#answers-run-{at} :text('config')")
        shows(page, f"1–{CHANGED} of {CHANGED}")
        assert complaints == []
