"""The page of answers in a real browser: filter, open, go on, link, keys, and nobody is run."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from normscope.errors import UsageError
from normscope.messages import Language, translate
from normscope.records.item import Item, Turn
from normscope.report.items.page import Chosen, items_page
from normscope.viewer import Collection, Query
from tests.shared.mixed_runs import items_of, mixed_run, rows_of
from tests.shared.served_space import VIEWS, View, language_of, picture

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Chromium"),
]

DESKTOP: View = ("en-GB", 1280, "light")
Opened = Callable[..., Any]


@pytest.fixture(scope="module")
def two() -> Collection:
    items = items_of()
    return Collection.of([mixed_run(f"run {n}", items, rows_of(items, n)) for n in (1, 2)])


@pytest.fixture(scope="module")
def one(two: Collection) -> Collection:
    return Collection.of(two.runs[:1])


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Opened]:
    """Opens a page of answers; fails on a complaint of the page or a request to anywhere."""
    complaints: list[str] = []
    requests: list[str] = []

    def open_page(collection: Collection, view: View = DESKTOP, address: str = "") -> Any:
        path = tmp_path / "answers.html"
        language: Language = "zh" if language_of(view) == "zh" else "en"
        text = items_page(collection, Chosen(), language=language)
        path.write_text(text, encoding="utf-8")
        _, width, scheme = view
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri() + address)
        return page

    yield open_page
    assert complaints == []
    assert [url for url in requests if not url.startswith(tmp_path.as_uri())] == []


def keys_on(page: Any) -> list[str]:
    """The answers that are left, over all pages of the list, in their order."""
    keys: list[str] = []
    while True:
        links = page.locator("#list tbody th a").evaluate_all(
            "links => links.map(link => link.getAttribute('href').slice('#item-'.length))"
        )
        keys += links
        following = page.locator("#pages button:not(:disabled)", has_text=re.compile("Next"))
        if not following.count():
            return keys
        shown = page.inner_text("#status")
        following.click()
        page.wait_for_function(
            "shown => document.getElementById('status').textContent !== shown", arg=shown
        )


LINES = (
    "",
    "lake",
    "茶馆",
    '"(a+b)*"',
    '"so \\"quoted\\""',
    "STRASSE",
    '"50 %" -mug',
    "category:cups,lakes language:zh",
    "-benchmark:judged",
    "variant:first,second order:forward",
    "item:q3",
    "criterion:option",
    "source:text_rule",
    "reason:low_coverage,no_answer",
    "refusal=risky",
    'refusal="responsible refusal",refusal',
    'acceptability="strongly unacceptable"',
    "-option=B criterion:option",
    "moral>=1",
    "Rating<2.5",
    "score>1e0 score<=5.",
    "coverage<.5",
    "-coverage<0.5",
    "is:unscored",
    "is:disagreement,unscored",
    "is:changed",
    "changed:refusal,moral",
    "change>0.5 sort:-change",
    "sort:moral",
    "sort:-rating area:indoors",
    "sort:coverage is:unscored",
)
WRONG = (
    "colour:red",
    "is:nice",
    "moral<high",
    "moral<1,2",
    "refusal=rude",
    "tone=rude",
    "tone>1",
    "sort:tone",
    "sort:moral sort:rating",
    "sort:moral,rating",
    'refusal="risky',
    'refusal=""',
    "refusal=",
    'category:"cups"lakes',
    "category:hats",
    "-sort:moral",
)


def test_a_filter_takes_what_the_viewer_takes(opened: Opened, two: Collection) -> None:
    page = opened(two)
    taken = set()
    for line in LINES:
        page.evaluate("hash => { location.hash = hash }", f"filter={quote(line)}")
        page.wait_for_function("line => document.getElementById('query').value === line", arg=line)
        wanted = tuple(two.keys(two.select(Query.parse(line)).places))
        assert tuple(keys_on(page)) == wanted, line
        taken.add(wanted)
    # the lines tell filters apart: few of them take the same answers
    assert len(taken) > len(LINES) * 0.7
    for line in WRONG:
        with pytest.raises(UsageError):
            two.select(Query.parse(line))
        page.evaluate("hash => { location.hash = hash }", f"filter={quote(line)}")
        page.wait_for_selector("#error:not([hidden])")
        assert page.get_attribute("#query", "aria-invalid") == "true", line
        page.evaluate("location.hash = ''")
        page.wait_for_selector("#error", state="hidden")


def test_lists_write_the_filter_and_clearing_takes_it_away(opened: Opened, one: Collection) -> None:
    page = opened(one)
    page.click("text=Choose fields and order")
    chosen = {"category": "cups", "refusal": "risky", "order": "-moral"}
    for name, value in chosen.items():
        control = page.get_by_label(name, exact=True)
        control.focus()
        control.select_option(value)
        assert page.evaluate("document.activeElement.dataset.title") == name
    assert page.input_value("#query") == "category:cups refusal=risky sort:-moral"
    wanted = one.keys(one.select(Query.parse("category:cups refusal=risky sort:-moral")).places)
    assert keys_on(page) == wanted
    page.get_by_label("category", exact=True).select_option("")
    assert page.input_value("#query") == "refusal=risky sort:-moral"
    page.fill("#query", "nothing-has-this-word")
    page.wait_for_function("document.getElementById('status').textContent.startsWith('No answer')")
    page.click("#clear")
    assert len(keys_on(page)) == len(one)


def test_an_answer_opens_goes_on_and_comes_back_by_keys_and_by_link(
    opened: Opened, two: Collection
) -> None:
    page = opened(two, address="#filter=is%3Achanged")
    wanted = two.keys(two.select(Query.parse("is:changed")).places)
    first = page.locator("#list tbody th a").first
    first.focus()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector("#answer:not([hidden])")
    assert f"item={wanted[1]}" in page.url
    assert "filter=is%3Achanged" in page.url
    assert page.evaluate("document.activeElement.id") == "answer"
    page.keyboard.press("j")
    page.wait_for_function(f"location.hash.includes('{wanted[2]}')")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(f"location.hash.includes('{wanted[1]}')")
    link = page.url
    page.keyboard.press("Escape")
    page.wait_for_selector("#answers:not([hidden])")
    assert page.evaluate("document.activeElement.getAttribute('href')") == f"#item-{wanted[1]}"
    page.go_back()
    page.wait_for_selector("#answer:not([hidden])")
    page.keyboard.press("t")
    assert page.is_checked("#show")
    page.keyboard.press("?")
    assert page.locator("dialog[open]").inner_text().startswith("j k")
    again = opened(two, address=link[link.index("#") :])
    assert again.locator("#answer").is_visible()
    assert "2 of" in again.inner_text("#answer .steps")
    # a plain anchor, as a report or a mail may have it
    other = opened(two, address=f"#item-{wanted[0]}")
    assert other.locator("#answer").is_visible()


def test_texts_are_hidden_until_they_are_asked_for(opened: Opened, one: Collection) -> None:
    page = opened(one)
    question = page.locator("#list .quote").first
    assert not question.is_visible()
    page.check("#show")
    assert page.locator("#list .quote").first.is_visible()
    page.locator("#list tbody th a").first.click()
    page.wait_for_selector("#answer .quote >> nth=0")
    detail = one.detail(0)
    assert detail.item is not None
    assert detail.item.question in page.inner_text("#answer")
    siblings = page.locator("#answer .rows tbody tr")
    assert siblings.count() == len(detail.siblings)


def test_texts_of_others_stay_text(opened: Opened) -> None:
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u202e\x07=1+1"
    item = Item("b", hostile, (Turn("user", hostile),), "en", category=hostile)
    row = {**item.key._asdict(), "sample": 0, "temperature": None, "model": hostile}
    page = opened(Collection.of([mixed_run(hostile, [item], ([{**row, "text": hostile}], []))]))
    page.check("#show")
    shown = hostile.replace("\u202e", "\\u{202e}").replace("\x07", "\\u{7}")
    assert shown in page.inner_text("#list")
    page.locator("#list tbody th a").click()
    page.wait_for_selector("#answer:not([hidden])")
    assert shown in page.inner_text("#answer")
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("view", VIEWS)
def test_the_page_fits_every_screen_and_language(
    opened: Opened, two: Collection, view: View
) -> None:
    page = opened(two, view)
    language = language_of(view)
    assert page.inner_text("#clear") == translate("Clear the filter", language)
    assert page.get_attribute("html", "lang") == language
    picture(page, "items-list", *view)
    page.check("#show")
    page.locator("#list tbody th a").nth(1).click()
    page.wait_for_selector("#answer:not([hidden])")
    picture(page, "items-answer", *view)
    assert page.evaluate("document.documentElement.scrollWidth") <= view[1]
    page.emulate_media(media="print")
    assert not page.locator("#filter").is_visible()
    assert page.locator("#answer").is_visible()
