"""What other rooms say in English is known to the Chinese page, and what is known is still said."""

import re
import time
from pathlib import Path

import pytest

import normscope
from normscope.report.contexts_zh import CONTEXTS
from normscope.report.sentences import sentence
from normscope.report.sentences_zh import PARTS, SENTENCES

ROOM = Path(normscope.__file__).parent
EVERY = PARTS | SENTENCES | CONTEXTS


def filled(template: str, *, chinese: bool) -> str:
    """The template with something that fits into each slot."""

    def fits(slot: re.Match[str]) -> str:
        name = slot[1]
        if name.startswith("told"):
            return "精确值" if chinese else "exact"
        if name.startswith("each"):
            return "甲 为 1，乙 为 2" if chinese else "甲 has 1, 乙 has 2"
        return f"〈{name}〉"

    return re.sub(r"\{(\w+)\}", fits, template)


@pytest.mark.parametrize("english", SENTENCES | CONTEXTS)
def test_a_sentence_is_known_by_its_own_words(english: str) -> None:
    assert sentence(filled(english, chinese=False), "zh") == filled(EVERY[english], chinese=True)
    assert sentence(filled(english, chinese=False), "en") == filled(english, chinese=False)


@pytest.mark.parametrize(
    ("told", "chinese"),
    [
        (
            "jackknife over 11 wordings, t, over the scored",
            "刀切法 t 区间（11 种措辞），仅限已评分者",
        ),
        (
            "worst case Wilson over 3 clusters, all equal; best case t",
            "最差情形：Wilson 区间（3 个聚类），全部相同；最好情形：t 区间",
        ),
        (
            "not measured alike: cfsafety, decoding seed: a has 1, b has none",
            "测量方式不同：cfsafety，解码设置 seed：a 为 1，b 为 none",
        ),
        (
            "factors.sender.levels.0: 'a' is no factor; did you mean 'b'?",
            "factors.sender.levels.0：'a' 不是因素；是否指 'b'？",
        ),
        ("two lines\n  exact", "two lines\n  精确值"),
        ("the cards.json is of another version", "the cards.json is of another version"),
    ],
)
def test_sentences_within_sentences_are_said_too(told: str, chinese: str) -> None:
    assert sentence(told, "zh") == chinese


def test_a_long_text_full_of_a_phrases_words_is_answered_at_once() -> None:
    begun = time.monotonic()
    for between in (" is no level of ", "; ", ", over ", ": ", " in "):
        sentence(f"a{between}" * 5_000, "zh")
    assert time.monotonic() - begun < 2
