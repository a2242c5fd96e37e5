from pathlib import Path
from types import SimpleNamespace

import pytest

from normscope.errors import DataError
from normscope.reasons import Reason, is_ours
from normscope.space.pages import answered
from normscope.space.texts import i18n, label, language_of, page_texts
from normscope.space.upload import read_upload
from normscope.space.views import REASONS


def test_every_reason_for_no_value_of_a_judge_has_words() -> None:
    judges = {reason for reason in Reason if is_ours(reason)}
    # the Space asks for labels, never for a verdict in text
    assert judges - {Reason.UNREADABLE_VERDICT} | {Reason.NO_ANSWER} == REASONS.keys()


def test_a_label_is_put_in_by_the_browser_under_a_key_that_its_script_can_read() -> None:
    pytest.importorskip("gradio", reason="needs gradio: pip install 'normscope[space]'")
    key = label("Result: {text}").key
    assert "}" not in key
    assert "{text}" in i18n().translations_dict["en"][key]
    assert "{text}" in i18n().translations_dict["zh-CN"][key]
    assert key.isascii() and not i18n().translations_dict["zh-CN"][key].isascii()


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("zh-TW", "zh"),
        ("en,zh-CN", "en"),
        ("de", "en"),
        ("zhuang", "en"),
        ("", "en"),
        ("zh-HK;q=1", "zh"),
        ("zh-Hans-SG", "zh"),
        ("ZH", "zh"),
    ],
)
def test_the_page_speaks_the_browsers_first_language(header: str, language: str) -> None:
    assert language_of(SimpleNamespace(headers={"accept-language": header})) == language


def test_a_file_that_is_too_large_is_told_so_in_the_visitors_language() -> None:
    texts = page_texts(10_000_000)
    assert texts["en"]["large"].startswith("Too large: {files}. Up to 10 MB")
    assert "{files}" in texts["zh"]["large"] and "10 MB" in texts["zh"]["large"]
    assert not texts["zh"]["error"].isascii()


def test_an_error_is_told_in_the_visitors_language_and_in_english_elsewhere(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.csv").touch()
    with pytest.raises(DataError, match=r"^a\.csv is empty: its first"):
        read_upload(tmp_path / "a.csv")
    with answered("zh") as page:
        read_upload(tmp_path / "a.csv")
    assert "a.csv" in page.html
    assert "empty" not in page.html
