from types import SimpleNamespace

import pytest

from normscope.reasons import Reason
from normscope.spaces.normscope.tabs import TABS
from normscope.spaces.normscope.words import Told, Words, language_of, texts


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_for_no_value_has_words(reason: Reason) -> None:
    assert f"answer_reason_{reason}" in texts()


def test_every_tab_has_a_title() -> None:
    assert all(f"{name}_tab" in texts() for name in TABS)


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("zh-TW", "zh"),
        ("en,zh-CN", "en"),
        ("de", "en"),
        ("zhuang", "en"),
        ("", "en"),
        # gradio has no list of its own for it, so its labels are English
        ("zh-HK;q=1", "en"),
    ],
)
def test_the_page_speaks_the_browsers_first_language(header: str, language: str) -> None:
    assert language_of(SimpleNamespace(headers={"accept-language": header})) == language


def test_an_error_is_told_in_the_visitors_language_and_in_english_elsewhere() -> None:
    error = Told("answer_question_long", length="5,000", most="4,000")
    assert "5,000" in str(error)
    assert "4,000 " in Words().told(error, "zh")
    assert "问题" in Words().told(error, "zh")
