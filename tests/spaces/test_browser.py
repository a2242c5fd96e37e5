"""The Space in a real browser: every tab in both languages, nothing to complain of, no outsider."""

from pathlib import Path

import pytest
from served_space import VIEWS, View, language_of, open_tab, picture, visited, write_rows

from normscope.spaces.normscope import limits
from normscope.spaces.normscope.texts import page_texts

pytestmark = pytest.mark.browser
pytest.importorskip("gradio", reason="needs gradio: pip install 'normscope[space]'")
pytest.importorskip("playwright.sync_api", reason="needs playwright")

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
def test_every_tab_works_in_both_languages_without_a_complaint(
    site: str, many: Path, view: View
) -> None:
    language = language_of(view)
    button, read, small, numbers = TOLD[language]
    with visited(site, "answer", view) as (page, complaints):
        assert page.inner_text("#answer-button") == button
        picture(page, "empty", *view)
        page.click("#answer-examples button >> nth=0")
        page.wait_for_selector("#answer-result h3")
        assert page.inner_text("#answer-result h3").startswith("3.60")
        assert small in page.inner_text("#answer-result")
        assert page.locator("#answer-result table.bars").count() == 3
        assert read in page.inner_text("#answer-result summary")
        assert not page.is_visible("#answer-result pre")
        picture(page, "answer", *view)
        page.click("#answer-result summary")
        assert page.is_visible("#answer-result pre >> nth=0")

        open_tab(page, "file")
        page.set_input_files("#file-upload input[type=file]", many)
        page.wait_for_selector("#file-columns")
        page.wait_for_function("document.querySelector('#file-answer input')?.value === 'response'")
        page.click("#file-button")
        page.wait_for_selector("#file-status progress")
        page.wait_for_selector("#file-result table", timeout=60_000)
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
        assert small in page.inner_text("#judges-result")
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
        page.wait_for_selector("#answer-result h3")
        page.click("#answer-result summary")
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


@pytest.mark.parametrize("view", [VIEWS[0], VIEWS[1]])
def test_a_file_that_is_too_large_is_refused_in_the_visitors_language(
    site: str, tmp_path: Path, view: View
) -> None:
    path = tmp_path / "large.csv"
    path.write_bytes(b"question,answer\n" + b"a,b\n" * (limits.MAX_FILE_BYTES // 4))
    texts = page_texts(limits.MAX_FILE_BYTES)[language_of(view)]
    with visited(site, "file", view) as (page, _):
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
        open_tab(page, "file")
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
        page.wait_for_selector("#file-status :text('archive')")
        assert complaints == []
