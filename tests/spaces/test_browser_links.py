"""Links to what is seen, Back and Forward, and the page's language, in a real browser."""

from typing import Any
from urllib.parse import parse_qs

import pytest
from served_space import View, open_tab, visited

from normscope.datasets_builders.ci_vignettes.context import bundled_contexts
from normscope.messages import translate
from normscope.spaces.normscope.tabs import TABS

pytestmark = pytest.mark.browser
pytest.importorskip("gradio", reason="needs gradio: pip install 'normscope[space]'")

WIDE: View = ("en-GB", 1280, "light")


def keys(page: Any) -> dict[str, list[str]]:
    return parse_qs(page.evaluate("location.search.slice(1)"))


def shown(page: Any, language: str) -> None:
    """Waits until the page is whole in the language: gradio complains where it is left before."""
    page.wait_for_selector(f"#languages [aria-current][lang={language}]")
    page.wait_for_selector("#norms-more figure", state="attached")


def test_every_tab_has_a_link_and_back_leads_to_the_one_before(site: str) -> None:
    with visited(site, "norms") as (page, complaints):
        for name in TABS:
            open_tab(page, name)
            assert keys(page) == {"tab": [name]}
        for name in [*TABS][-2::-1]:
            page.go_back()
            page.wait_for_selector(f"#tab-{name}", state="visible")
            assert keys(page) == {"tab": [name]}
        page.go_forward()
        page.wait_for_selector(f"#tab-{[*TABS][1]}", state="visible")
        assert complaints == []


@pytest.mark.parametrize("width", [1280, 390])
def test_a_link_opens_its_tab_and_an_unknown_one_the_first(site: str, width: int) -> None:
    view = ("en-GB", width, "light")
    for query, name in (("?tab=judges", "judges"), ("?tab=%00nosuch&page=9&view=", "norms")):
        with visited(site, "", view, query) as (page, complaints):
            page.wait_for_selector(f"#tab-{name}", state="visible")
            assert page.locator(f"#tab-{name}-button").is_visible()
            assert complaints == []


def test_the_norms_that_are_seen_are_in_the_address(site: str) -> None:
    with visited(site, "norms") as (page, complaints):
        page.click("#norms-sides input")
        page.get_by_role("option").last.click()
        page.wait_for_selector("#norms-result img.chart")
        page.click("#norms-models input")
        page.get_by_role("option", name="tulu-2-13b").click()
        page.wait_for_selector("#norms-result pre:has-text('runs/demo/tulu-2-13b')")
        link = page.evaluate("location.href")
        page.go_back()
        page.go_back()
        page.wait_for_selector("#norms-result img.chart")
        assert "sides" not in keys(page)
        page.goto(link)
        page.wait_for_selector("#norms-result img.chart")
        assert "tulu-2-13b" in page.inner_text("#norms-models")
        assert complaints == []
    with visited(site, "", WIDE, "?models=nobody&sides=nothing") as (page, complaints):
        page.wait_for_selector("#norms-result img.chart")
        assert complaints == []


@pytest.mark.parametrize(
    ("locale", "query", "language"),
    [
        ("zh-HK", "", "zh"),
        ("zh-Hans-SG", "", "zh"),
        ("fr-FR", "", "en"),
        ("de-DE", "?lang=zh", "zh"),
        ("zh-CN", "?lang=en", "en"),
        ("zh-TW", "?lang=tlh", "zh"),
    ],
)
def test_labels_results_and_gradios_own_texts_are_in_one_language(
    site: str, locale: str, query: str, language: str
) -> None:
    with visited(site, "norms", (locale, 1280, "light"), query) as (page, complaints):
        assert page.inner_text("#tab-answer-button") == translate(TABS["answer"], language)
        assert page.evaluate("document.documentElement.lang") == {"zh": "zh-CN"}.get(language, "en")
        footer = page.inner_text("footer")
        heading = page.inner_text("#norms-result h3 >> nth=0")
        for text in (footer, heading):
            assert text.isascii() == (language == "en"), text
        assert (
            page.inner_text("#languages [aria-current]")
            == {"zh": "中文", "en": "English"}[language]
        )
        assert complaints == []


def test_the_language_is_chosen_on_the_page_and_kept(site: str) -> None:
    with visited(site, "judges") as (page, _):
        page.click("#languages a[lang=zh]")
        shown(page, "zh")
        assert page.is_visible("#tab-judges")
        assert keys(page) == {"tab": ["judges"], "lang": ["zh"]}
        assert not page.inner_text("#tab-answer-button").isascii()
        page.goto(site)
        shown(page, "zh")
        assert keys(page) == {"lang": ["zh"]}
        page.goto(f"{site}/?lang=en")
        shown(page, "en")
        # a link decides for itself and changes nothing of the choice
        page.goto(site)
        shown(page, "zh")


def test_what_was_typed_is_not_lost_for_another_language_without_a_question(site: str) -> None:
    with visited(site) as (page, complaints):
        page.fill("#answer-question textarea", "Why is the sky blue?")
        page.once("dialog", lambda dialog: dialog.dismiss())
        page.click("#languages a[lang=zh]")
        assert page.input_value("#answer-question textarea") == "Why is the sky blue?"
        assert complaints[0].startswith("dialog")
        assert page.inner_text("#languages [aria-current]") == "English"


def test_arrow_keys_move_between_tabs_and_the_panel_is_named(site: str) -> None:
    names = [*TABS]
    with visited(site, "norms") as (page, complaints):
        page.focus("#tab-norms-button")
        for key, name in (
            ("ArrowRight", names[1]),
            ("ArrowLeft", names[0]),
            ("ArrowLeft", names[-1]),
            ("ArrowRight", names[0]),
            ("End", names[-1]),
            ("Home", names[0]),
        ):
            page.keyboard.press(key)
            page.wait_for_selector(f"#tab-{name}[aria-labelledby=tab-{name}-button]")
            page.wait_for_function(f"document.activeElement.id === 'tab-{name}-button'")
            assert page.is_visible(f"#tab-{name}")
        # one stop of the tabulator for all tabs
        assert page.locator("#tabs [role=tab][tabindex='0']").count() == 1
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('[role=tabpanel]')?.id") == "tab-norms"
        assert complaints == []


def test_the_vignettes_that_are_seen_are_in_the_address(site: str) -> None:
    title = bundled_contexts()["web"].title
    with visited(site, "vignettes") as (page, _):
        page.wait_for_selector("#vignettes-heat [data-cell]")
        page.click("#vignettes-context input")
        page.get_by_role("option", name=title).click()
        page.wait_for_selector("#vignettes-factor-3 :text('inference')")
        assert keys(page) == {"tab": ["vignettes"], "context": ["web"]}
        page.click("#vignettes-factor-0 input")
        page.get_by_role("option").last.click()
        page.wait_for_function("new URLSearchParams(location.search).getAll('sender').length === 2")
        page.keyboard.press("Escape")
        link, seen = page.evaluate("location.href"), keys(page)
        page.go_back()
        page.go_back()
        page.wait_for_selector("#vignettes-factor-1 :text('recipient')")
        assert keys(page) == {"tab": ["vignettes"]}
        page.goto(link)
        page.wait_for_selector("#vignettes-factor-3 :text('inference')")
        page.wait_for_selector(f"#vignettes-factor-0 :text('{seen['sender'][1]}')")
        assert page.input_value("#vignettes-context input") == title
        assert keys(page) == seen


@pytest.mark.parametrize("query", ["?tab=vignettes&context=nowhere&sender=x", "?tab=vignettes"])
def test_an_unknown_context_or_level_in_a_link_is_passed_over(site: str, query: str) -> None:
    with visited(site, "", WIDE, query) as (page, complaints):
        page.wait_for_selector("#vignettes-heat [data-cell]")
        assert page.input_value("#vignettes-context input") == bundled_contexts()["coppa"].title
        assert page.locator("#vignettes-heat .problem").count() == 0
        assert complaints == []


def test_a_result_is_scrolled_to_on_a_phone_and_said_once(site: str) -> None:
    with visited(site, "answer", ("en-GB", 390, "light")) as (page, complaints):
        # what stands there from the beginning is no news
        assert page.inner_text("body > [role=status]") == ""
        page.evaluate("window.said = []")
        page.evaluate(
            """new MutationObserver(() => said.push(document.querySelector('body > [role=status]')
            .textContent)).observe(document.querySelector('body > [role=status]'),
            {childList: true})"""
        )
        page.click("#answer-examples button >> nth=0")
        page.wait_for_selector("body > [role=status]:has-text('Result: 3.60')", state="attached")
        page.wait_for_function(
            "(top => top >= 0 && top < innerHeight / 2)"
            "(document.querySelector('#answer-result h3').getBoundingClientRect().top)"
        )
        assert page.evaluate("said.length") == 1
        page.fill("#answer-answer textarea", "crash")
        page.click("#answer-button")
        page.wait_for_selector("body > [role=alert]:has-text('on our side')", state="attached")
        assert page.locator("#answer-result [role=alert]").count() == 0
        assert complaints == []


def test_on_a_phone_nothing_but_what_scrolls_leaves_the_screen_and_its_edge_fades(
    site: str,
) -> None:
    out = """[...document.querySelectorAll('[role=tabpanel] *')].filter(e => e.checkVisibility()
        && !e.closest('.scroll, .drawn') && e.getBoundingClientRect().right > innerWidth + 1)
        .map(e => e.outerHTML.slice(0, 120))"""
    with visited(site, "norms", ("en-GB", 390, "light")) as (page, complaints):
        fade = "box => getComputedStyle(box).getPropertyValue('--fade')"
        for name, box in (
            ("norms", "#norms-result .drawn"),
            ("vignettes", "#vignettes-heat .scroll"),
        ):
            open_tab(page, name)
            page.wait_for_selector(box)
            assert page.evaluate(out) == []
            assert page.locator(box).first.evaluate(fade) == "40px"
        first = page.locator("#vignettes-heat tbody th").first
        left = first.bounding_box()["x"]
        page.locator(box).first.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
        page.wait_for_timeout(100)
        assert page.locator(box).first.evaluate(fade) == "0px"
        assert 0 <= first.bounding_box()["x"] <= left
        assert complaints == []
