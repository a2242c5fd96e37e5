"""Vignettes, comparisons, contexts and sheets in a real browser, in both languages."""

import csv
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from normscope.spaces.normscope.asked import begin_with, choose, prompts_of
from normscope.spaces.normscope.words import texts

pytestmark = pytest.mark.browser
pytest.importorskip("gradio", reason="needs gradio: pip install 'normscope[space]'")
pytest.importorskip("playwright.sync_api", reason="needs playwright")

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
if CHROMIUM is None:
    pytest.skip("needs Chromium (Debian's package chromium)", allow_module_level=True)

PICTURES = os.environ.get("NORMSCOPE_SCREENSHOTS")
VIEWS = [("en-GB", 1280, "light"), ("zh-CN", 1280, "dark"), ("zh-CN", 390, "light")]
EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)> ${alert(3)} {{constructor}}"

Served = tuple[str, Path, int]


@contextmanager
def visited(
    address: str, name: str, locale: str = "en-GB", width: int = 1280, scheme: Any = "light"
) -> Iterator[tuple[Any, list[str]]]:
    """The page on the tab, and what is to be complained of: errors, outsiders."""
    complaints: list[str] = []
    language = "zh" if locale.startswith("zh") else "en"
    with import_module("playwright.sync_api").sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(
            locale=locale, viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        page = context.new_page()
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((f"{address}/", "data:", "blob:", "about:"))
                else complaints.append(request.url)
            ),
        )
        page.goto(address)
        page.wait_for_selector("#answer-result .waiting")
        button = page.locator(f"#tab-{name}-button:visible")
        if not button.count():
            page.click(".overflow-menu > button")
            told = texts()[f"{name}_tab"][language]
            button = page.locator(".overflow-dropdown button", has_text=told)
        button.click()
        page.wait_for_selector(f"#tab-{name}", state="visible")
        yield page, complaints
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"the page is {wide} wide on a screen of {width}"
        if PICTURES:
            Path(PICTURES).mkdir(parents=True, exist_ok=True)
            page.wait_for_timeout(500)
            file = Path(PICTURES) / f"{name}-{locale}-{width}-{scheme}.png"
            page.screenshot(path=str(file), full_page=True)
        browser.close()


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Answers to the first sixteen vignettes in every wording; one of them is not harmless."""
    path = tmp_path / "answers.csv"
    said = ("strongly unacceptable", "somewhat unacceptable", "neutral", "strongly acceptable")
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["item_id", "variant_id", "answer"])
        for at, one in enumerate(choose("coppa", begin_with("coppa", most=16))):
            for nth, variant in enumerate(prompts_of(one)):
                answer = said[(at + (nth > 7)) % 4]
                rows.writerow([one.item_id, variant, f"{answer}. {EVIL}" if at == 0 else answer])
    return path


@pytest.mark.parametrize(("locale", "width", "scheme"), VIEWS)
def test_a_cell_opens_its_prompts_and_hides_its_answers(
    served: Served, answers: Path, locale: str, width: int, scheme: str
) -> None:
    language = "zh" if locale.startswith("zh") else "en"
    with visited(served[0], "vignettes", locale, width, scheme) as (page, complaints):
        page.wait_for_selector("#vignettes-heat [data-cell]")
        assert page.locator("#vignettes-heat [data-cell]").count() == 16
        page.set_input_files("#vignettes-file input[type=file]", answers)
        page.wait_for_selector("#vignettes-heat .parts")
        assert page.inner_text("#vignettes-heat [data-cell] >> nth=0").startswith("−2")
        assert texts()["vignettes_numbers"][language] in page.inner_text("#vignettes-numbers-all")
        page.focus("#vignettes-heat [data-cell] >> nth=1")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
        page.wait_for_selector("#vignettes-detail .cell")
        hidden = page.locator("#vignettes-detail details.harm")
        assert hidden.count() == 11
        assert page.locator("#vignettes-detail details.harm[open]").count() == 0
        hidden.first.locator("summary").click()
        assert EVIL in page.inner_text("#vignettes-detail details.harm[open] .said")
        assert page.locator("#vignettes-detail img, #vignettes-detail script").count() == 0
        assert complaints == []


def test_another_context_brings_its_own_factors(served: Served) -> None:
    with visited(served[0], "vignettes") as (page, complaints):
        page.wait_for_selector("#vignettes-heat [data-cell]")
        page.click("#vignettes-context input")
        page.get_by_role("option", name=texts()["vignettes_context_web"]["en"]).click()
        page.wait_for_selector("#tab-vignettes >> text=Inference")
        page.wait_for_selector("#vignettes-heat .held")
        assert complaints == []


@pytest.mark.parametrize(("locale", "width", "scheme"), VIEWS)
def test_the_form_and_its_file_follow_one_another(
    served: Served, locale: str, width: int, scheme: str
) -> None:
    language = "zh" if locale.startswith("zh") else "en"
    with visited(served[0], "contribute", locale, width, scheme) as (page, complaints):
        good = texts()["contribute_good"][language]
        page.wait_for_selector(f"#contribute-found-all :text('{good}')")
        page.fill("#contribute-title textarea, #contribute-title input", EVIL)
        page.wait_for_function(
            "document.querySelector('#contribute-yaml .cm-content').innerText.includes('alert(1)')"
        )
        page.fill("#contribute-what_sender textarea", "a shop\na shop")
        page.wait_for_selector("#contribute-at-what_sender :text('stands twice')")
        page.click("#contribute-yaml .cm-content")
        page.keyboard.press("Control+a")
        page.keyboard.insert_text("name: library\ntitle: Pasted")
        page.wait_for_function(
            "document.querySelector('#contribute-title textarea, #contribute-title input').value"
            " === 'Pasted'"
        )
        page.keyboard.press("Control+a")
        page.keyboard.insert_text("a: &a [x]\nb: [*a, *a]")
        page.wait_for_selector("#contribute-found-all :text('aliases')")
        page.click("#contribute-example")
        page.wait_for_selector(f"#contribute-found-all :text('{good}')")
        with page.expect_download() as saved:
            page.click("#contribute-save")
        assert saved.value.suggested_filename == "bookshop.yaml"
        assert complaints == []


@pytest.mark.parametrize(("locale", "width", "scheme"), VIEWS)
def test_two_judged_files_are_compared_with_figures(
    served: Served, tmp_path: Path, locale: str, width: int, scheme: str
) -> None:
    with visited(served[0], "compare", locale, width, scheme) as (page, complaints):
        page.click("#compare-button")
        page.wait_for_selector("#compare-result .problem")
        for at, value in enumerate((0, 2)):
            path = tmp_path / f"{at}.csv"
            lines = [f"Question {n}?,{value},,{'ab'[n % 2]}" for n in range(20)]
            path.write_text("\n".join(["question,refusal,refusal_reason,category", *lines]))
            page.set_input_files(f"#compare-run-{at} input[type=file]", path)
            page.wait_for_selector(f"#compare-run-{at} :text('{at}.csv')")
        page.fill("#compare-name-1 textarea, #compare-name-1 input", EVIL[:36])
        page.click("#compare-button")
        page.wait_for_selector("#compare-figures img", timeout=90_000)
        assert "+100 pp" in page.inner_text("#compare-result")
        assert page.locator("#compare-result script, #compare-result img").count() == 0
        assert complaints == []


@pytest.mark.parametrize(("locale", "width", "scheme"), VIEWS)
def test_a_rater_labels_by_keyboard_and_saves_the_sheet(
    served: Served, tmp_path: Path, locale: str, width: int, scheme: str
) -> None:
    path = tmp_path / "rater-1.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        rows = csv.writer(file)
        names = ("item", "category", "question", "answer", "label_moral", "comment")
        rows.writerow([*names, "allowed", "sheet"])
        allowed = "label_moral: 0, 1 (? if it cannot be told)"
        rows.writerow(["a", "", EVIL, "</script>" + EVIL, "", "", allowed, "seal-1"])
        rows.writerow(["b", "", "问题", "回答", "", "", allowed, "seal-1"])
    with visited(served[0], "annotate", locale, width, scheme) as (page, complaints):
        page.set_input_files("#annotate-file input[type=file]", path)
        page.wait_for_selector("iframe.sheet")
        frame = page.frame_locator("iframe.sheet")
        assert "▒" in frame.locator("#texts").inner_text()
        frame.locator("#show").click()
        assert EVIL in frame.locator("#texts").inner_text()
        page.keyboard.press("1")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("0")
        with page.expect_download() as saved:
            frame.locator("#save").click()
        with Path(saved.value.path()).open(encoding="utf-8-sig", newline="") as file:
            assert [(row["item"], row["label_moral"]) for row in csv.DictReader(file)] == [
                ("a", "1"),
                ("b", "0"),
            ]
        assert complaints == []
