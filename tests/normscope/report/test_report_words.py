"""The report in two languages: every fixed text is there in both, and nothing is left over."""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from report_runs import Page, large_run, small_run

from normscope.datasets_builders.taxonomy import CFSAFETY, CHISAFETYBENCH
from normscope.metrics.estimate import Target
from normscope.reasons import Origin, Reason
from normscope.report import render
from normscope.report.heatmap import _RULE
from normscope.report.names import _NAMES, name_of
from normscope.report.scores import CRITERIONLINES
from normscope.report.words import EN, Words
from normscope.report.words_zh import CHINESE

FOLDER = Path(render.__code__.co_filename).parent
CHINESE_CHARACTER = re.compile("[\u4e00-\u9fff]")


def said_in_templates() -> Iterator[str]:
    for path in sorted(FOLDER.glob("*.html")):
        for found in re.findall(r'\b_\("((?:[^"\\]|\\.)*)"', path.read_text(encoding="utf-8")):
            yield found.replace("\\\\", "\\")


def test_every_text_of_the_templates_is_there_in_chinese() -> None:
    texts = set(said_in_templates())
    assert len(texts) > 100
    assert not texts - set(CHINESE)


def test_every_text_that_the_code_says_is_there_in_chinese_and_no_other_is() -> None:
    called = set()
    for path in sorted(FOLDER.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "words" and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant):
                    called.add(first.value)
    assert not called - set(CHINESE)
    used = set(said_in_templates()) | called | {_RULE} | _named_in_tuples()
    assert sorted(set(CHINESE) - used) == [], "nobody says these any more"


def _named_in_tuples() -> set[str]:
    """Texts that the Markdown names in tuples before it says them."""
    tree = ast.parse((FOLDER / "markdown.py").read_text(encoding="utf-8"))
    constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {value for value in constants if isinstance(value, str) and value in CHINESE}


@pytest.mark.parametrize("english", sorted(CHINESE))
def test_both_languages_have_the_same_slots_and_tags(english: str) -> None:
    slots, tags = r"\{(\w+)\}", r"</?\w+>"
    chinese = CHINESE[english]
    assert chinese.strip()
    assert sorted(re.findall(slots, english)) == sorted(re.findall(slots, chinese))
    assert re.findall(tags, english) == re.findall(tags, chinese)


@pytest.mark.parametrize(
    "slug",
    [
        *CRITERIONLINES,
        *(str(reason) for reason in Reason),
        *(str(origin) for origin in Origin),
        *Target.__args__,  # type: ignore[attr-defined]
        *(category.slug for category in (*CFSAFETY, *CHISAFETYBENCH)),
    ],
)
def test_what_a_run_is_made_of_has_a_chinese_name(slug: str) -> None:
    assert CHINESE_CHARACTER.search(name_of(slug, "zh"))
    assert name_of(slug, "en").isascii()


def test_names_are_pairs_of_two_languages() -> None:
    for english, chinese in _NAMES.values():
        assert english
        assert CHINESE_CHARACTER.search(chinese)


def test_a_chinese_page_leaves_no_fixed_english_text() -> None:
    run = replace(large_run(vignettes=24, answers=20), warnings=())
    page = Page(render(run, "zh"))
    english = [text for text in CHINESE if " " in text.strip() and "{" not in text]
    plain = [re.sub(r"<.*?>", "", text) for text in english]
    assert [text for text in plain if text in page.text] == []
    assert "结果的局限" in page.text


def test_a_text_that_is_not_known_is_an_error_and_not_english() -> None:
    assert EN("Made up") == "Made up"
    with pytest.raises(KeyError):
        Words("zh")("Made up")


def test_small_runs_differ_between_languages_in_words_and_not_in_numbers() -> None:
    pages = [Page(render(small_run(), language)) for language in ("en", "zh")]
    numbers = [re.findall(r"\[[\d., -]+\](?: %)?", page.text) for page in pages]
    assert numbers[0] == numbers[1] != []
