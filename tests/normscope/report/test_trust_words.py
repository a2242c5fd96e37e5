"""The pages of cards and checks in Chinese: no sentence of ours is left in English."""

import re

import pytest
from catalogues import extracted
from trust_pages import PAGES

from normscope.report.writers import html, markdown

SENTENCE = re.compile(r"[A-Za-z']+(?:,? [A-Za-z']+){3,}")


@pytest.fixture(scope="module")
def english() -> list[str]:
    """Messages of several words without slots."""
    return [text for text in extracted() if " " in text.strip() and "{" not in text]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_in_chinese_has_no_english_sentence(name: str, english: list[str]) -> None:
    page = PAGES[name]()
    text = re.sub(r"`[^`]*`", "", markdown.page(page, "zh"))
    assert SENTENCE.findall(text) == []
    assert [each for each in english if each in text] == []
    assert SENTENCE.search(markdown.page(page, "en"))
    shown = re.sub(r"<(style|script).*?</\1>|<[^>]*>", "", html.page(page, "zh"), flags=re.DOTALL)
    assert SENTENCE.findall(shown) == []
