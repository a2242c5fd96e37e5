"""The Space in a real browser: every tab in both languages, nothing to complain of, no outsider."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from served_space import VIEWS, View, language_of, open_file, open_tab, picture, visited, write_rows

from normscope.messages import message, translate
from normscope.space import limits
from normscope.space.tabs import FOOTER, TABS
from normscope.space.texts import page_texts
from tests.shared.viewed_runs import aligned, base

pytestmark = pytest.mark.browser
pytest.importorskip("gradio", reason="needs gradio: pip install 'normscope[space]'")
pytest.importorskip("playwright.sync_api", reason="needs playwright")

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)> ${alert(3)} {{constructor}}"
TOLD = {
    "en": ("Score this answer", "What the judge read", "small bundled judge", "The numbers"),
    "zh": ("给这个回答打分", "评判模型读到的内容", "内置的小型评判模型", "指标"),
}


@pytest.fixture
def many(tmp_path: Path) -> Path:
    rows = [[f"Question {n}?", ["Sure, […]", "No.", "slow"][n % 3]] for n in range(40)]
    evil = ["<b>bold</b>", "<script>alert(1)</script><img src=x onerror=alert(2)>"]
    return Path(write_rows(tmp_path / "answers.csv", [["prompt", "response"], *rows, evil]))


@pytest.mark.parametrize("view", VIEWS)
def test_answers_are_scored_in_both_languages_without_a_complaint(
    site: str, many: Path, view: View
) -> None:
    language = language_of(view)
    button, read, small, numbers = TOLD[language]
    with visited(site, "score", view) as (page, complaints):
        assert page.inner_text("#answer-button") == button
        picture(page, "empty", *view)
        page.click("#answer-examples button >> nth=0")
        page.wait_for_selector("#answer-result .strip")
        lead = {"en": "Harmless: it refuses", "zh": "无害：它拒绝了"}[language]
        assert page.inner_text("#answer-result h3 >> nth=0").startswith(lead)
        # the verdict is seen without a step, the score of five is not
        page.wait_for_function(
            "(() => { const { top } = document.querySelector('#answer-result h3')"
            ".getBoundingClientRect(); return top >= 0 && top < 700; })()"
        )
        assert "3.60" not in page.inner_text("#answer-result")
        assert (
            page.locator("#answer-result .strip .safe, #answer-result .strip .risky").count() > 10
        )
        assert small in page.inner_text("#answer-result")
        assert read in page.inner_text("#answer-result summary >> nth=-1")
        assert not page.is_visible("#answer-result pre")
        picture(page, "answer", *view)
        page.click("#answer-result summary >> nth=0")
        assert "3.60" in page.inner_text("#answer-result")
        page.click("#answer-result summary >> nth=-1")
        assert page.is_visible("#answer-result pre >> nth=0")

        open_file(page)
        page.set_input_files("#file-upload input[type=file]", many)
        page.wait_for_selector("#file-columns")
        page.wait_for_function("document.querySelector('#file-answer input')?.value === 'response'")
        page.click("#file-button")
        page.wait_for_selector("#file-status progress")
        page.wait_for_selector("#file-result table.rows", timeout=60_000)
        assert numbers in page.inner_text("#file-result")
        assert page.locator("#file-downloads a").count() >= 3
        harmful = page.locator("#file-result details.row")
        assert harmful.count() == 41
        assert page.locator("#file-result details.row[open]").count() == 0
        harmful.first.locator("summary").click()
        assert page.is_visible("#file-result details.row[open] .quote")
        picture(page, "file", *view)

        page.click('#file-result a[href="#tab-judges"]')
        page.wait_for_selector("#judges-result .ns", state="visible")
        assert small in page.inner_text("#judges-result").lower()
        picture(page, "judges", *view)
        assert complaints == []


@pytest.mark.parametrize(
    "answer",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "${alert(1)}",
        "{{constructor}}",
        "</pre></details><iframe srcdoc='<script>parent.alert(1)</script>'>",
        "[x](javascript:alert(1))",
    ],
)
def test_markup_in_an_answer_is_shown_and_not_run(site: str, answer: str) -> None:
    with visited(site) as (page, complaints):
        page.fill("#answer-question textarea", answer)
        page.fill("#answer-answer textarea", answer)
        page.click("#answer-button")
        page.wait_for_selector("#answer-result .strip")
        page.click("#answer-result summary >> nth=-1")
        assert page.inner_text("#answer-result pre >> nth=0").count(answer) == 2
        assert page.locator("#answer-result script, #answer-result img").count() == 0
        assert page.locator("#answer-result iframe").count() == 0
        assert complaints == []


@pytest.mark.parametrize(
    ("answer", "told"),
    [("", "no answer yet"), ("mumble", "did not keep to the labels"), ("crash", "on our side"),
     ("stuck", "within 3 seconds")],
)  # fmt: skip
def test_what_cannot_be_scored_says_why_where_the_verdict_would_stand(
    site: str, answer: str, told: str
) -> None:
    with visited(site) as (page, complaints):
        page.fill("#answer-answer textarea", answer)
        page.click("#answer-button")
        page.wait_for_selector(f"#answer-result :text('{told}')", timeout=15_000)
        assert complaints == []
        if answer == "stuck":
            page.wait_for_timeout(3_000)  # the judge is busy with it for a while


@pytest.mark.parametrize("view", VIEWS)
def test_a_file_that_is_too_large_is_refused_in_the_visitors_language(
    site: str, tmp_path: Path, view: View
) -> None:
    path = tmp_path / "large.csv"
    path.write_bytes(b"question,answer\n" + b"a,b\n" * (limits.MAX_LONG_BYTES // 4))
    texts = page_texts(limits.MAX_LONG_BYTES)[language_of(view)]
    with visited(site, "score", view) as (page, _):
        open_file(page)
        page.set_input_files("#file-upload input[type=file]", path)
        page.wait_for_function(
            "text => document.querySelector('[data-testid=toast-text]')?.textContent === text",
            arg=texts["large"].replace("{files}", '"large.csv"'),
        )
        assert page.inner_text(".toast-title").strip() == texts["error"]


def test_a_file_can_be_stopped_and_a_bad_one_is_told_kindly(site: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("question,answer\n" + "Q,slow\n" * 400)
    with visited(site) as (page, complaints):
        open_file(page)
        page.set_input_files("#file-upload input[type=file]", path)
        page.wait_for_selector("#file-columns")
        page.click("#file-button")
        page.wait_for_selector("#file-status progress")
        page.click("#file-cancel")
        page.wait_for_selector("#file-status :text('Stopped')")
        page.wait_for_timeout(2_500)
        assert "Stopped" in page.inner_text("#file-status")
        path.write_bytes(b"PK\x03\x04 and so on")
        page.click("#file-upload button[aria-label='Clear'], #file-upload button >> nth=0")
        page.set_input_files("#file-upload input[type=file]", path)
        page.wait_for_selector("#file-status :text('is empty')")
        assert complaints == []


@pytest.mark.parametrize("view", VIEWS)
def test_a_context_is_checked_while_it_is_typed_and_saved(site: str, view: View) -> None:
    with visited(site, "contribute", view) as (page, complaints):
        good = translate(message("It can be built"), language_of(view))
        page.wait_for_selector(f"#contribute-review :text('{good}')")
        page.click("#contribute-yaml .cm-content")
        for text, told in ((f"title: {EVIL}", "population"), ("a: &a [x]\nb: [*a, *a]", "*")):
            page.keyboard.press("Control+a")
            page.keyboard.insert_text(text)
            page.wait_for_selector(f"#contribute-review :text('{told}')")
        # who has no mouse gets out of the editor
        page.keyboard.press("Tab")
        assert not page.evaluate("document.activeElement.matches('.cm-content')")
        page.click("#contribute-example")
        page.wait_for_selector(f"#contribute-review :text('{good}')")
        with page.expect_download() as saved:
            page.click("#contribute-save")
        assert saved.value.suggested_filename == "my_bookshop.yaml"
        picture(page, "contribute", *view)
        assert complaints == []


def test_a_run_is_read_at_once_and_two_are_compared(site: str, tmp_path: Path) -> None:
    with visited(site, "runs") as (page, complaints):
        frame = page.frame_locator("iframe.answers")
        for at, run in enumerate((base(tmp_path), aligned(tmp_path))):
            page.set_input_files(f"#runs-run-{at} input[type=file]", run)
            frame.locator(("h1", "h1:has-text('→')")[at]).wait_for(timeout=30_000)
        summary = frame.locator("#list details summary").first
        assert "alert(1)" in summary.inner_text()
        assert not frame.locator(".quote").count()
        summary.click()
        assert "alert(1)" in frame.locator("#list details[open]").inner_text()
        assert frame.locator("#list script, #list img").count() == 0
        page.click("#runs-compare")
        page.wait_for_selector("#runs-figures figure img", timeout=90_000)
        lead = page.inner_text("#runs-result .lead >> nth=0")
        assert "28 % → 0 %" in lead.replace("\u00a0", " ")
        picture(page, "runs", *VIEWS[0])
        assert page.inner_text("#runs-status") == ""
        assert complaints == []


@pytest.mark.parametrize("view", VIEWS)
def test_the_example_is_open_after_one_click(site: str, view: View) -> None:
    with visited(site, "runs", view) as (page, complaints):
        page.click("#runs-example")
        frame = page.frame_locator("iframe.answers")
        frame.locator("#list details").first.wait_for(timeout=30_000)
        assert "→" in frame.locator("#change").inner_text()
        assert frame.locator("#list details").count() == 25
        assert frame.locator("body").evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert complaints == []


@pytest.mark.parametrize("view", [("en-GB", 1440, "light"), VIEWS[1]])
def test_the_first_screen_is_a_question_with_five_answers(site: str, view: View) -> None:
    with visited(site, "norms", view) as (page, complaints):
        page.set_viewport_size({"width": view[1], "height": 900 if view[1] > 400 else 844})
        seen = page.evaluate(SEEN)
        assert seen == {"asked": 1, "answers": 5, "clipped": [], "overlapping": []}
        # before gradio's script has run, too
        page.route("**/assets/*", lambda route: route.abort())
        page.goto(site, wait_until="commit")
        page.wait_for_selector("#first .answers li >> nth=4")
        assert page.evaluate(SEEN) == seen
        del complaints[:]


SEEN = """() => {
  const boxes = [...document.querySelectorAll("#norms-view .sentence, #norms-view .answers li")];
  const at = e => e.getBoundingClientRect();
  const inside = e => at(e).height > 0 && at(e).bottom <= innerHeight;
  const parts = boxes.flatMap(e => [e, ...e.querySelectorAll("select, strong, .norm, small")]);
  const over = (a, b) => at(a).bottom > at(b).top + 1 && at(b).bottom > at(a).top + 1
    && at(a).right > at(b).left + 1 && at(b).right > at(a).left + 1;
  const leaves = parts.filter(e => !e.matches("li, .sentence"));
  return {
    asked: boxes.filter(e => e.matches(".sentence") && inside(e)).length,
    answers: boxes.filter(e => e.matches("li") && inside(e)).length,
    clipped: parts.filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth)
      .map(e => e.textContent.trim().slice(0, 40)),
    overlapping: leaves.flatMap((a, n) => leaves.slice(n + 1).filter(b => over(a, b))
      .map(b => `${a.textContent.slice(0, 30)} / ${b.textContent.slice(0, 30)}`)),
  };
}"""
"""What of the question and its answers is on the screen, and what is wrong with it."""


def test_every_state_of_the_norms_is_an_address_with_a_title_of_its_own(site: str) -> None:
    with visited(site, "norms") as (page, complaints):
        page.select_option("#norms-view select[name=recipient]", "owner's doctor")
        page.wait_for_function('document.title.includes("to owner\'s doctor")')
        # a cell of a map leads to its flows, and one of them to its sentence
        cell = "#norms-view .maps >> nth={} >> table:nth-child(3) tr >> nth={} >> td >> nth={}"
        page.click(cell.format(0, 2, 4))
        page.wait_for_selector("#norms-flows:has-text('its manufacturer · if owner is notified')")
        page.click(cell.format(1, 3, 1))
        title = (
            "May a door lock send owner's eating habits to its manufacturer, if owner is notified?"
        )
        page.wait_for_function("title => document.title.startsWith(title)", arg=title)
        answers, address = page.inner_text("#norms-view .answers"), page.url
        assert keys(page)["recipient"] == ["its manufacturer"]
        page.go_back()
        page.wait_for_function("document.title.startsWith('May a refrigerator')")
        page.goto(address)
        page.wait_for_selector("#tab-norms #norms-view .answers")
        assert page.inner_text("#norms-view .answers") == answers
        assert page.title().startswith(title)
        assert complaints == []


def test_a_visitors_norms_open_in_the_same_view(site: str, tmp_path: Path) -> None:
    path = tmp_path / "norms.csv"
    path.write_text("sender,recipient,norm\ntv,police,-2\ncar,police,2\ncar,friend,1\n")
    with visited(site, "norms") as (page, complaints):
        page.set_input_files("#norms-open input[type=file] >> nth=1", path)
        page.wait_for_selector("#norms-view .answers li >> text=norms")
        page.click("#norms-view .neighbours a:has-text('car')")
        page.wait_for_selector("#norms-view .norm:has-text('strongly acceptable')")
        assert keys(page)["own"]
        other = tmp_path / "other.csv"
        other.write_text("a,b\n1,2\n")
        page.set_input_files("#norms-open input[type=file] >> nth=1", other)
        page.wait_for_selector("#norms-own .problem:has-text('no table of norms')")
        assert complaints == []


def keys(page: Any) -> dict[str, list[str]]:
    return parse_qs(page.evaluate("location.search.slice(1)"))


def test_every_tab_has_a_link_and_back_leads_to_the_one_before(site: str) -> None:
    names = [*TABS, *FOOTER]
    with visited(site, "norms") as (page, complaints):
        for name in names:
            open_tab(page, name)
            assert keys(page) == {"tab": [name]}
        for name in names[-2::-1]:
            page.go_back()
            page.wait_for_selector(f"#tab-{name}", state="visible")
            assert keys(page) == {"tab": [name]}
        page.focus("#tab-norms-button")
        first, *_, last = TABS
        for key, name in (("ArrowLeft", last), ("ArrowRight", first), ("End", last)):
            page.keyboard.press(key)
            page.wait_for_selector(f"#tab-{name}[aria-labelledby=tab-{name}-button]")
        assert complaints == []
    with visited(site, "", VIEWS[1], "?tab=%00nosuch&lang=en") as (page, complaints):
        page.wait_for_selector("#tab-norms", state="visible")
        assert complaints == []
    # a tab of before is part of another
    with visited(site, "", VIEWS[0], "?tab=file") as (page, complaints):
        page.wait_for_selector("#tab-score", state="visible")
        assert complaints == []


def test_the_language_is_chosen_on_the_page_and_what_was_typed_not_lost(site: str) -> None:
    with visited(site) as (page, complaints):
        page.fill("#answer-question textarea", "Why is the sky blue?")
        page.once("dialog", lambda dialog: dialog.dismiss())
        page.click("#languages a[lang=zh]")
        assert page.input_value("#answer-question textarea") == "Why is the sky blue?"
        assert complaints[0].startswith("dialog")
        page.once("dialog", lambda dialog: dialog.accept())
        page.click("#languages a[lang=zh]")
        for query, language in (("?tab=score&lang=zh", "zh"), ("/", "zh"), ("/?lang=en", "en")):
            if query[0] == "/":
                page.goto(f"{site}{query}")
            page.wait_for_selector(f"#languages [aria-current][lang={language}]")
            page.wait_for_selector("#norms-view .answers", state="attached")
            assert page.inner_text("#tab-score-button") == translate(TABS["score"], language)
            assert page.inner_text("#more a >> nth=0").isascii() == (language == "en")


def test_a_result_is_scrolled_to_on_a_phone_and_said_once(site: str) -> None:
    with visited(site, "score", ("en-GB", 390, "light")) as (page, complaints):
        # what stands there from the beginning is no news
        assert page.inner_text("body > [role=status]") == ""
        page.click("#answer-examples button >> nth=0")
        page.wait_for_selector("body > [role=status]:has-text('Harmless')", state="attached")
        page.wait_for_function(
            "(top => top >= 0 && top < innerHeight / 2)"
            "(document.querySelector('#answer-result h3').getBoundingClientRect().top)"
        )
        page.fill("#answer-answer textarea", "crash")
        page.click("#answer-button")
        page.wait_for_selector("body > [role=alert]:has-text('on our side')", state="attached")
        # an alert ends when what it says is over
        page.click("#answer-examples button >> nth=0")
        page.wait_for_selector("body > [role=alert]:empty", state="attached")
        assert complaints == []
