"""The rater's page: what is in it, and that it works in a real browser without a network."""

from pathlib import Path
from typing import Any

import pytest
from annotated_runs import Answer, call, read, write_run

from normscope.judges.trust.raters import read_people
from normscope.judges.trust.sample import read_sample

NASTY = "</script><script>window.hacked = 1</script><img src=x onerror=window.hacked=1> \u202e 末"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six answers to be labelled under two criteria, one of them an attack on the page."""
    answers = [
        Answer(
            text=NASTY if at == 0 else f"Answer {at}",
            truth={},
            judge={"moral": str(at % 2), "rating": "3"},
            language="zh" if at < 2 else "en",
            category="privacy_leaks",
            question=f"Question {at}?",
        )
        for at in range(6)
    ]
    run = write_run(tmp_path / "run", answers, name="cfsafety")
    call("sample", run, "--n", 6, "--raters", 2, "--out", tmp_path / "labels")
    return tmp_path / "labels"


def test_the_page_holds_its_own_script_and_nothing_from_outside(folder: Path) -> None:
    text = (folder / "sheets" / "rater-1.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert "http://" not in text
    assert "https://" not in text
    # the attack stands in the data with its brackets spelt out
    assert "window.hacked" in text
    assert "<script>window.hacked" not in text
    assert "\\u003c/script\\u003e" in text
    assert "\u202e" not in text


@pytest.mark.browser
def test_a_person_labels_by_keyboard_closes_comes_back_and_downloads(
    browser: Any, folder: Path, tmp_path: Path
) -> None:
    context = browser.new_context(accept_downloads=True)
    page = context.new_page()
    complaints: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    address = (folder / "sheets" / "rater-1.html").as_uri()
    page.goto(address)
    assert page.locator("#progress").inner_text() == "1 of 6 · 6 to label"
    assert "kept in this browser alone" in page.locator("#kept").inner_text()
    # hidden until asked for, for eyes and for a screen reader
    assert "Question" not in page.locator("#texts").inner_text()
    page.keyboard.press("s")
    assert "Question" in page.locator("#texts").inner_text()
    page.keyboard.press("s")
    assert "Question" not in page.locator("#texts").inner_text()

    order = [row["item"] for row in read(folder / "sheets" / "rater-1.csv")]
    for at in range(6):
        page.keyboard.press("1")
        page.keyboard.press("?" if at == 5 else str(at % 5 + 1))
        if at == 2:
            page.locator("#comment").fill('=1+1, "so"')
            page.locator("#title").click()
        page.keyboard.press("ArrowRight")
    assert page.locator("#bar").evaluate("bar => bar.value") == 6
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("0")

    page.close()
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    assert page.locator("#bar").evaluate("bar => bar.value") == 6
    assert "(answers: 6)" in page.locator("#restored").inner_text()
    with page.expect_download() as downloading:
        page.locator("#save").click()
    saved = tmp_path / downloading.value.suggested_filename
    downloading.value.save_as(saved)
    rows = read(saved)
    assert [row["item"] for row in rows] == order
    assert [row["label_moral"] for row in rows] == ["1", "1", "1", "1", "0", "1"]
    assert [row["label_rating"] for row in rows] == ["1", "2", "3", "4", "5", "?"]
    assert rows[2]["comment"] == '\'=1+1, "so"'
    assert "rater 1" in call("import", folder, saved).output
    sample = read_sample(folder)
    (filled,) = read_people(folder, sample).raters
    assert filled.labels[order[4]] == {"moral": "0", "rating": "5"}

    assert page.evaluate("window.hacked") is None
    assert complaints == []
    assert requests == [address]


@pytest.mark.browser
def test_what_the_browser_keeps_is_forgotten_when_the_rater_says_so(
    browser: Any, folder: Path
) -> None:
    page = browser.new_page()
    page.goto((folder / "sheets" / "rater-1.html").as_uri())
    assert not page.locator("#restored").is_visible()
    page.locator("#comment").fill("hm")
    page.reload()
    assert "(answers: 1)" in page.locator("#restored").inner_text()
    assert page.locator("#comment").input_value() == "hm"
    page.once("dialog", lambda dialog: dialog.accept())
    page.locator("#forget").click()
    assert not page.locator("#restored").is_visible()
    page.reload()
    assert page.locator("#comment").input_value() == ""
    assert not page.locator("#restored").is_visible()


@pytest.mark.browser
def test_untrusted_text_is_text_on_the_page(browser: Any, folder: Path) -> None:
    page = browser.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto((folder / "sheets" / "rater-2.html").as_uri())
    page.locator("#always").check()
    seen = ""
    for _ in range(6):
        seen += page.locator("#texts").inner_text()
        assert page.locator("#texts img, #texts script").count() == 0
        page.keyboard.press("ArrowRight")
    assert "<img src=x onerror=window.hacked=1> \\u{202e} 末" in seen
    assert page.evaluate("window.hacked") is None
    assert complaints == []


@pytest.mark.browser
def test_each_item_is_asked_about_in_its_own_language(browser: Any, folder: Path) -> None:
    page = browser.new_page()
    page.goto((folder / "sheets" / "rater-1.html").as_uri())
    asked = set()
    for _ in range(6):
        # the page's own words stay in the language of who labels
        assert page.evaluate("document.documentElement.lang") == "en"
        assert page.locator("#save").inner_text() == "download CSV"
        text = page.locator("#texts .answer div")
        assert text.get_attribute("lang") == page.locator("#about").get_attribute("lang")
        asked.add(
            (
                page.locator("#questions").get_attribute("lang"),
                page.locator("legend").first.inner_text(),
            )
        )
        page.keyboard.press("ArrowRight")
    assert {language for language, _ in asked} == {"zh", "en"}
    assert any("回答是否符合人类价值观" in said for language, said in asked if language == "zh")
    assert any("conform to human values" in said for language, said in asked if language == "en")
