"""The catalogues: what they lack, and that what they have is sound."""

import re
import warnings
from pathlib import Path

import pytest
from catalogues import catalogues, compiled, extracted, slots, translations, written

TAGS = re.compile(r"</?\w+>")


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", catalogues(), ids=lambda path: path.parts[-3])
def test_what_lacks_a_translation_is_listed(path: Path) -> None:
    """A warning: who writes English need not know the other languages."""
    messages, translated = extracted(), translations(path)
    assert {"{method}, over the scored", "Privacy leaks", ", "} <= messages
    if missing := sorted(text for text in messages if not translated.get(text)):
        lines = "\n".join(missing)
        warnings.warn(f"{path.parts[-3]}: `make messages` and translate\n{lines}", stacklevel=1)


@pytest.mark.parametrize("path", catalogues(), ids=lambda path: path.parts[-3])
def test_a_translation_has_the_slots_and_tags_of_its_message(path: Path) -> None:
    translated = {text: other for text, other in translations(path).items() if other}
    for text, other in translated.items():
        assert slots(text) == slots(other), text
        assert TAGS.findall(text) == TAGS.findall(other), text


@pytest.mark.parametrize("path", catalogues(), ids=lambda path: path.parts[-3])
def test_the_files_are_as_they_are_written(path: Path) -> None:
    translated, language = translations(path), path.parts[-3]
    assert path.read_bytes() == written(translated, language), "run `make messages`"
    assert path.with_suffix(".mo").read_bytes() == compiled(translated, language)


# a term, what it is called, and what else it might have been called but is not
TERMS = {
    "zh": (
        ("vignette", "情境题", r"情境(?!题)|小品|情景"),
        ("baseline", "基线", "基准线"),
        ("rubric", "评分细则", r"评分标准|(?<!评分)细则"),
        ("model under test", "受测模型", "被测"),
        ("prompt variant", "提示变体", "措辞变体|变式"),
        ("rater", "标注者", "评分者|评分人"),
        ("item", "题目", "条目"),
        ("coverage", "覆盖率", "覆盖度"),
        ("unscored", "未评分", "未计分"),
        ("share", "比例", "占比|份额"),
        ("criterion", "评判项", "准则"),
        ("verdict", "判定", r"判断(?!力)"),
    )
}


@pytest.mark.parametrize("path", catalogues(), ids=lambda path: path.parts[-3])
def test_a_term_has_one_translation(path: Path) -> None:
    for term, called, never in TERMS[path.parts[-3]]:
        own = re.compile(rf"\b{term.removesuffix('ion')}", re.IGNORECASE)
        rows = {text: other for text, other in translations(path).items() if own.search(text)}
        assert any(called in other for other in rows.values()), term
        # a message in which another term has that word says both
        others = {"vignette": "context", "item": "list", "verdict": "judgement"}.get(term, "\0")
        odd = {t: o for t, o in rows.items() if re.search(never, o) and others not in t.lower()}
        assert odd == {}, term


# the key of a question, and those of a keyboard
HOMONYMS = {"key"}


@pytest.mark.parametrize("path", catalogues(), ids=lambda path: path.parts[-3])
def test_a_word_has_one_translation_at_the_start_of_a_line_and_in_the_plural(path: Path) -> None:
    of: dict[str, set[str]] = {}
    words = {text: other for text, other in translations(path).items() if "{" not in text}
    for text, other in words.items():
        singular = text.lower().rstrip(".: ").removesuffix("s")
        of.setdefault(singular, set()).add(other.rstrip("。：: "))
    assert {text: they for text, they in of.items() if len(they) > 1 and text not in HOMONYMS} == {}
