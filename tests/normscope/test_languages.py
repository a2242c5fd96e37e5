"""What people call a language, as its code."""

import pytest

from normscope.datasets_builders.cfsafety.language import LANGUAGES
from normscope.languages import language_code


@pytest.mark.parametrize(
    ("name", "code"),
    [
        *((name, "en") for name in ("English", "english", "EN", "eng", "en_US", "英语", "ＥＮ")),
        *((name, "zh") for name in ("中文", "Chinese", "zh-CN", "zh_Hant_TW", "cmn", "简体中文")),
        ("Chinese (Simplified)", "zh"),
        ("Tiếng Việt", "vi"),
        ("Bahasa Indonesia", "id"),
        ("iw", "he"),
        ("no", "no"),
        # what the table does not have: a code stays, of a tag its language, a name as it is
        ("yue", "yue"),
        ("bo-CN", "bo"),
        ("Klingon", "Klingon"),
        ("N/A", "N/A"),
        ("  ", ""),
    ],
)
def test_a_language_is_known_by_code_tag_and_name(name: str, code: str) -> None:
    assert language_code(name) == code


@pytest.mark.parametrize("code", [*LANGUAGES, "und"])
def test_a_code_of_ours_stays(code: str) -> None:
    assert language_code(code) == code
