"""Vignettes, comparisons, contexts and sheets in a real browser, in both languages."""

from pathlib import Path

import pytest
from served_space import VIEWS, View, language_of, open_tab, picture, rows_of, visited, write_rows

from normscope.datasets_builders.ci_vignettes.context import bundled_contexts
from normscope.messages import message, translate
from normscope.report.trust.labelling_page import KEPT
from normscope.spaces.normscope.vignettes import begin_with, choose, prompts_of

pytestmark = pytest.mark.browser
pytest.importorskip("gradio", reason="needs gradio: pip install 'normscope[space]'")
pytest.importorskip("playwright.sync_api", reason="needs playwright")

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)> ${alert(3)} {{constructor}}"


@pytest.fixture
def normed(tmp_path: Path) -> Path:
    """Answers to the first sixteen vignettes in every variant; one of them is not harmless."""
    said = ("strongly unacceptable", "somewhat unacceptable", "neutral", "strongly acceptable")
    rows = [["item_id", "variant_id", "answer"]]
    for at, one in enumerate(choose("coppa", begin_with("coppa", most=16))):
        for nth, variant in enumerate(prompts_of(one)):
            answer = said[(at + (nth > 7)) % 4]
            rows.append([one.item_id, variant, f"{answer}. {EVIL}" if at == 0 else answer])
    return Path(write_rows(tmp_path / "answers.csv", rows))


@pytest.mark.parametrize("view", VIEWS)
def test_the_first_view_has_the_norms_of_all_models_and_follows_the_choice(
    site: str, view: View
) -> None:
    with visited(site, "norms", view) as (page, complaints):
        page.wait_for_selector("#norms-more figure")
        picture(page, "norms", *view)
        page.click("#norms-models input")
        page.get_by_role("option", name="tulu-2-13b").click()
        page.wait_for_selector("#norms-result pre:has-text('runs/demo/tulu-2-13b')")
        page.keyboard.press("Escape")
        page.click("#norms-sides input")
        page.get_by_role("option").last.click()
        page.wait_for_selector("#norms-result img.chart")
        assert complaints == []


@pytest.mark.parametrize("view", VIEWS)
def test_a_cell_opens_its_prompts_and_hides_its_answers(
    site: str, normed: Path, view: View
) -> None:
    language = language_of(view)
    with visited(site, "vignettes", view) as (page, complaints):
        page.wait_for_selector("#vignettes-heat [data-cell]")
        assert page.locator("#vignettes-heat [data-cell]").count() == 16
        page.set_input_files("#vignettes-file input[type=file]", normed)
        page.wait_for_selector("#vignettes-heat .parts")
        assert page.inner_text("#vignettes-heat [data-cell] >> nth=0").startswith("−2")
        assert translate(message("Over all of these vignettes"), language) in page.inner_text(
            "#vignettes-numbers-all"
        )
        page.focus("#vignettes-heat [data-cell] >> nth=1")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
        page.wait_for_selector("#vignettes-detail details")
        hidden = page.locator("#vignettes-detail details")
        assert hidden.count() == 11
        assert page.locator("#vignettes-detail details[open]").count() == 0
        hidden.first.locator("summary").click()
        assert EVIL in page.inner_text("#vignettes-detail details[open] pre")
        assert page.locator("#vignettes-detail img, #vignettes-detail script").count() == 0
        picture(page, "vignettes", *view)
        assert complaints == []


def test_another_context_brings_its_own_factors(site: str) -> None:
    with visited(site, "vignettes") as (page, complaints):
        page.wait_for_selector("#vignettes-heat [data-cell]")
        page.click("#vignettes-context input")
        page.get_by_role("option", name=bundled_contexts()["web"].title).click()
        page.wait_for_selector("#tab-vignettes >> text=inference")
        page.wait_for_selector("#vignettes-heat .factor")
        assert complaints == []


@pytest.mark.parametrize("view", VIEWS)
def test_the_form_and_its_file_follow_one_another(site: str, view: View) -> None:
    language = language_of(view)
    with visited(site, "contribute", view) as (page, complaints):
        good = translate(message("It can be built"), language)
        page.wait_for_selector(f"#contribute-found-all :text('{good}')")
        page.fill("#contribute-title textarea, #contribute-title input", EVIL)
        page.wait_for_function(
            "document.querySelector('#contribute-yaml .cm-content').innerText.includes('alert(1)')"
        )
        page.fill("#contribute-what_sender textarea", "a shop\na shop")
        twice = translate(message("level {level} stands twice", level="'a shop'"), language)
        page.wait_for_selector(f'#contribute-at-what_sender :text("{twice}")')
        page.click("#contribute-yaml .cm-content")
        page.keyboard.press("Control+a")
        page.keyboard.insert_text("name: library\ntitle: Pasted")
        page.wait_for_function(
            "document.querySelector('#contribute-title textarea, #contribute-title input').value"
            " === 'Pasted'"
        )
        page.keyboard.press("Control+a")
        page.keyboard.insert_text("a: &a [x]\nb: [*a, *a]")
        page.wait_for_selector("#contribute-found-all :text('*')")
        page.click("#contribute-example")
        page.wait_for_selector(f"#contribute-found-all :text('{good}')")
        with page.expect_download() as saved:
            page.click("#contribute-save")
        assert saved.value.suggested_filename == "my_bookshop.yaml"
        picture(page, "contribute", *view)
        assert complaints == []


@pytest.mark.parametrize("view", VIEWS)
def test_two_judged_files_are_compared_with_figures(site: str, tmp_path: Path, view: View) -> None:
    with visited(site, "compare", view) as (page, complaints):
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
        page.wait_for_selector("#compare-figures figure svg", timeout=90_000)
        assert "+100 pp" in page.inner_text("#compare-result")
        assert EVIL[:25] in page.inner_text("#compare-result")
        for part in ("result", "figures"):
            assert page.locator(f"#compare-{part} script, #compare-{part} img").count() == 0
        picture(page, "compare", *view)
        assert complaints == []


@pytest.mark.parametrize("view", VIEWS)
def test_a_rater_labels_by_keyboard_and_saves_the_sheet(
    site: str, tmp_path: Path, view: View
) -> None:
    names = ("item", "category", "question", "answer", "label_moral", "comment", "allowed", "sheet")
    allowed = "label_moral: 0, 1 (? if it cannot be told)"
    rows = [
        ["a", "", EVIL, "</script>" + EVIL, "", "", allowed, "seal-1"],
        ["b", "", "问题", "回答", "", "", allowed, "seal-1"],
    ]
    path = write_rows(tmp_path / "rater-1.csv", [names, *rows])
    with visited(site, "annotate", view) as (page, complaints):
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
        said = [(row["item"], row["label_moral"]) for row in rows_of(saved.value.path())]
        assert said == [("a", "1"), ("b", "0")]
        # the second item is Chinese, and only its texts are
        language = language_of(view)
        assert frame.locator("html").get_attribute("lang") == language
        assert frame.locator("#texts .answer div").get_attribute("lang") == "zh"
        kept = translate(KEPT, language)
        assert frame.locator("#kept").inner_text() == kept
        assert page.locator(f'#tab-annotate >> text="{kept}"').count() == 1
        picture(page, "annotate", *view)
        page.reload()
        page.wait_for_selector("#norms-result figure", state="attached")
        open_tab(page, "annotate")
        page.set_input_files("#annotate-file input[type=file]", path)
        restored = message(
            "This browser kept your labels and comments (answers: {n}); they are filled in again.",
            n=2,
        )
        frame.locator(f'#restored:text-is("{translate(restored, language)}")').wait_for()
        assert frame.locator("#bar").evaluate("bar => bar.value") == 2
        page.once("dialog", lambda dialog: dialog.accept())
        frame.locator("#forget").click()
        assert frame.locator("#bar").evaluate("bar => bar.value") == 0
        assert page.evaluate("Object.keys(localStorage).join()").count("seal-1") == 0
        assert [text for text in complaints if not text.startswith("dialog")] == []
