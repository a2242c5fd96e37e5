"""The Space in a real browser: every tab in both languages, nothing to complain of, no outsider."""

import csv
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from normscope.spaces.normscope.words import texts

pytestmark = pytest.mark.browser
pytest.importorskip("gradio", reason="needs gradio: pip install 'normscope[space]'")
pytest.importorskip("playwright.sync_api", reason="needs playwright")

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
if CHROMIUM is None:
    pytest.skip("needs Chromium (Debian's package chromium)", allow_module_level=True)

PICTURES = os.environ.get("NORMSCOPE_SCREENSHOTS")
VIEWS = [
    ("en-GB", 1280, "light"),
    ("zh-CN", 1280, "dark"),
    ("zh-TW", 390, "light"),
    ("en", 390, "dark"),
]
TOLD = {
    "en": ("Score this answer", "What the judge read", "small bundled judge", "The numbers"),
    "zh": ("给这个回答打分", "评判模型读到的内容", "内置的小型评判模型", "指标"),
}

Served = tuple[str, Path, int]


@contextmanager
def visited(address: str, locale: str, width: int, scheme: Any) -> Iterator[tuple[Any, list[str]]]:
    """The page, and what is to be complained of: errors on the console, requests to outsiders."""
    complaints: list[str] = []
    with import_module("playwright.sync_api").sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(
            locale=locale, viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        page = context.new_page()
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"dialog {dialog.message}"))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((f"{address}/", "data:", "blob:"))
                else complaints.append(request.url)
            ),
        )
        page.goto(address)
        page.wait_for_selector("#answer-button")
        page.wait_for_selector("#answer-result .waiting")
        yield page, complaints
        browser.close()


def picture(page: Any, name: str) -> None:
    if PICTURES:
        Path(PICTURES).mkdir(parents=True, exist_ok=True)
        page.wait_for_timeout(400)
        page.screenshot(path=str(Path(PICTURES) / f"{name}.png"), full_page=True)


def open_tab(page: Any, name: str, language: str) -> None:
    """As a visitor does: by its button or, on a phone, from the menu of those without room."""
    button = page.locator(f"#tab-{name}-button:visible")
    if not button.count():
        page.click(".overflow-menu > button")
        button = page.locator(
            ".overflow-dropdown button", has_text=texts()[f"{name}_tab"][language]
        )
    button.click()
    page.wait_for_selector(f"#tab-{name}", state="visible")


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "answers.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["prompt", "response"])
        rows.writerows([[f"Question {n}?", ["Sure, […]", "No.", "slow"][n % 3]] for n in range(40)])
        rows.writerow(["<b>bold</b>", "<script>alert(1)</script><img src=x onerror=alert(2)>"])
    return path


@pytest.mark.parametrize(("locale", "width", "scheme"), VIEWS)
def test_every_tab_works_in_both_languages_without_a_complaint(
    served: Served, answers: Path, locale: str, width: int, scheme: str
) -> None:
    language = "zh" if locale.startswith("zh") else "en"
    button, read, small, numbers = TOLD[language]
    name = f"{locale}-{width}-{scheme}"
    with visited(served[0], locale, width, scheme) as (page, complaints):
        assert page.inner_text("#answer-button") == button
        picture(page, f"{name}-0-empty")
        page.click("#answer-examples button >> nth=0")
        page.wait_for_selector("#answer-result .headline")
        assert page.inner_text("#answer-result .big") == "3.60"
        assert small in page.inner_text("#answer-result .by")
        assert page.locator("#answer-result table.bars").count() == 3
        assert read in page.inner_text("#answer-result summary")
        assert not page.is_visible("#answer-result pre")
        picture(page, f"{name}-1-answer")
        page.click("#answer-result summary")
        assert page.is_visible("#answer-result pre >> nth=0")

        open_tab(page, "file", language)
        page.set_input_files("#file-upload input[type=file]", answers)
        page.wait_for_selector("#file-columns")
        page.wait_for_function("document.querySelector('#file-answer input')?.value === 'response'")
        page.click("#file-button")
        page.wait_for_selector("#file-status [role=progressbar]")
        page.wait_for_selector("#file-result table", timeout=60_000)
        assert numbers in page.inner_text("#file-result")
        assert page.locator("#file-downloads a").count() >= 3
        harmful = page.locator("#file-result details.harm")
        assert harmful.count() == 41
        assert page.locator("#file-result details.harm[open]").count() == 0
        harmful.first.locator("summary").click()
        assert page.is_visible("#file-result details.harm[open] .said")
        picture(page, f"{name}-2-file")

        page.click("#file-result a.to-judges")
        page.wait_for_selector("#judges-result .judges", state="visible")
        assert small in page.inner_text("#judges-result")
        picture(page, f"{name}-3-judges")
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"the page is {wide} wide on a screen of {width}"
        assert complaints == []


def test_a_newcomer_scores_an_answer_with_the_keyboard_alone(served: Served) -> None:
    with visited(served[0], "en", 1280, "light") as (page, complaints):
        page.focus("#answer-question textarea")
        page.keyboard.type("Why is the sky blue?")
        page.keyboard.press("Tab")
        page.keyboard.type("Because it scatters.")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#answer-result .headline", timeout=10_000)
        assert page.inner_text("#answer-result .big") == "3.60"
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
def test_markup_in_an_answer_is_shown_and_not_run(served: Served, answer: str) -> None:
    with visited(served[0], "en", 1280, "light") as (page, complaints):
        page.fill("#answer-question textarea", answer)
        page.fill("#answer-answer textarea", answer)
        page.click("#answer-button")
        page.wait_for_selector("#answer-result .headline")
        page.click("#answer-result details.read summary")
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
    served: Served, answer: str, told: str
) -> None:
    with visited(served[0], "en", 1280, "light") as (page, complaints):
        page.fill("#answer-answer textarea", answer)
        page.click("#answer-button")
        page.wait_for_selector(f"#answer-result :text('{told}')", timeout=15_000)
        assert complaints == []
        if answer == "stuck":
            page.wait_for_timeout(3_000)  # the judge is busy with it for a while


def test_a_file_can_be_stopped_and_a_bad_one_is_told_kindly(served: Served, tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("question,answer\n" + "Q,slow\n" * 400)
    with visited(served[0], "en", 1280, "light") as (page, complaints):
        open_tab(page, "file", "en")
        page.set_input_files("#file-upload input[type=file]", path)
        page.wait_for_selector("#file-columns")
        page.click("#file-button")
        page.wait_for_selector("#file-status [role=progressbar]")
        page.click("#file-cancel")
        page.wait_for_selector("#file-status :text('Stopped')")
        page.wait_for_timeout(2_500)
        assert "Stopped" in page.inner_text("#file-status")
        path.write_bytes(b"PK\x03\x04 and so on")
        page.click("#file-upload button[aria-label='Clear'], #file-upload button >> nth=0")
        page.set_input_files("#file-upload input[type=file]", path)
        page.wait_for_selector("#file-status :text('archive')")
        assert complaints == []
