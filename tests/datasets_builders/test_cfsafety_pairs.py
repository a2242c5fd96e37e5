from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from normscope.datasets_builders.cfsafety.agreement import WINDOW, agree
from normscope.datasets_builders.cfsafety.pairs import (
    BLOCK,
    CUT,
    HIGH,
    LOW,
    NEIGHBOUR,
    find_parallel,
    pair_rows,
)

WORDS = np.random.default_rng(7).integers(3, 40, size=80)
"""How many words the k-th sentence has, in every language."""


def _block(word: str, *, start: int = 0, size: int = 60) -> list[str]:
    """Made-up sentences as long as `WORDS` say, give or take a tenth: so are translations."""
    noise = np.random.default_rng([ord(letter) for letter in word]).normal(1, 0.1, size=80)
    lengths = np.maximum(1, (WORDS * len(word) * noise).astype(int))[start : start + size]
    return [(word * 80)[:length] for length in lengths]


def _rows(*blocks: tuple[str, list[str]]) -> tuple[list[str], list[str]]:
    prompts = [text for _, texts in blocks for text in texts]
    return prompts, [language for language, texts in blocks for _ in texts]


def test_blocks_of_one_length_are_paired_row_by_row() -> None:
    prompts, languages = _rows(("zh", _block("面包")), ("en", _block("bread ")))
    places = pair_rows(prompts, languages)
    assert [place and place.first for place in places] == [*range(60), *range(60)]
    assert {(place.method, place.confidence) for place in places if place} == {(BLOCK, HIGH)}


def test_a_second_pair_of_blocks_is_not_mixed_with_the_first() -> None:
    first = [("zh", _block("茶", size=30)), ("en", _block("tea ", size=30))]
    places = pair_rows(*_rows(*first, *first))
    assert [place and place.first for place in places[60:]] == [*range(60, 90), *range(60, 90)]


def test_blocks_of_other_lengths_are_not_paired() -> None:
    prompts, languages = _rows(("zh", _block("茶", size=30)), ("en", _block("tea ", size=50)))
    assert pair_rows(prompts, languages) == [None] * 80


def test_the_last_block_may_be_cut_short() -> None:
    # 54 of 60 is the share CUT; the 6 rows past the end have no translation
    assert CUT == 54 / 60
    places = pair_rows(*_rows(("en", _block("tea ")), ("zh", _block("茶", size=54))))
    assert [place is None for place in places] == [False] * 54 + [True] * 6 + [False] * 54
    assert {place.confidence for place in places if place} == {HIGH}
    shorter = pair_rows(*_rows(("en", _block("tea ")), ("zh", _block("茶", size=53))))
    assert shorter == [None] * 113


def test_a_block_that_is_not_the_last_may_not_be_cut_short() -> None:
    blocks = [("en", _block("tea ")), ("zh", _block("茶", size=55)), ("en", ["", "Tea?"])]
    assert pair_rows(*_rows(*blocks)) == [None] * 117


def test_several_languages_make_one_group() -> None:
    words = {"it": "pane ", "vi": "banh ", "ko": "빵", "jv": "roti "}
    blocks = [(language, _block(word, size=40)) for language, word in words.items()]
    blocks[-1] = ("jv", blocks[-1][1][:38])
    places = pair_rows(*_rows(*blocks))
    sizes = Counter(place.first for place in places if place)
    # the last two have no Javanese
    assert [sizes[k] for k in range(40)] == [4] * 38 + [3] * 2


def test_rows_in_turn_are_neighbours() -> None:
    turns = [text for pair in zip(_block("tea "), _block("茶"), strict=True) for text in pair]
    # the block before ends in the language with which the turns begin
    before = [("zh", _block("面包", size=30)), ("en", _block("bread ", size=30))]
    prompts, languages = _rows(*before)
    places = pair_rows([*prompts, *turns], [*languages, *["en", "zh"] * 60])
    assert {(place.method, place.confidence) for place in places[60:] if place} == {
        (NEIGHBOUR, HIGH)
    }
    assert [place and place.first for place in places[60:64]] == [60, 60, 62, 62]
    assert {place.method for place in places[:60] if place} == {BLOCK}


@pytest.mark.parametrize(
    "languages",
    [
        [],
        ["zh"],
        ["zh", "en"],
        ["zh", "en", "zh"],
        # five in turn: one end has no partner, and nothing says which
        ["zh", "en", "zh", "en", "zh"],
        ["zh"] * 9,
        ["zh", "en", "it", "vi"],
    ],
)
def test_too_little_to_go_by_is_not_paired(languages: list[str]) -> None:
    assert find_parallel(languages) == []


def test_every_row_stands_in_one_run_at_most() -> None:
    languages = [*["zh"] * 5, *["en"] * 5, *["en", "zh"] * 4, *["zh"] * 3, *["en"] * 3]
    rows = [row for _, runs in find_parallel(languages) for run in runs for row in run.rows]
    assert len(rows) == len(set(rows))
    assert all(len(runs) > 1 for _, runs in find_parallel(languages))


def test_a_slipped_block_is_not_sure() -> None:
    # the second block is one row late: its lengths are those of other rows
    places = pair_rows(*_rows(("zh", _block("茶")), ("en", _block("tea ", start=1))))
    assert {place.confidence for place in places if place} == {LOW}


def test_a_block_that_slips_half_way_is_unsure_from_there() -> None:
    late = [*_block("tea ", size=30), "an extra row", *_block("tea ", start=30, size=29)]
    first, second = agree([_block("茶"), late], ["zh", "en"])
    assert first[: 30 - WINDOW // 2].all()
    assert not first[30 + WINDOW // 2 :].any()
    assert (first == second).all()


def test_a_block_shorter_than_the_window_is_never_sure() -> None:
    short, enough = WINDOW - 1, WINDOW
    for size, confidence in ((short, LOW), (enough, HIGH)):
        blocks = ("zh", _block("茶", size=size)), ("en", _block("tea ", size=size))
        places = pair_rows(*_rows(*blocks))
        assert {place.confidence for place in places if place} == {confidence}


@pytest.mark.parametrize(
    ("chinese", "english", "confidence"),
    [
        ("我有12个杯子和茶", "I have 12 cups and tea", HIGH),
        ("我有１２个杯子和茶", "I have 12 cups and tea", HIGH),
        ("我有12个杯子和茶", "I have 13 cups and tea", LOW),
        ("我有12个杯子和茶", "I have twelve cups, tea", HIGH),
        ("我用Python写", "I write in python", HIGH),
        ("我用Python写", "I write in Rust here", LOW),
        ("杯&#39;子和茶在这里", "cups and tea are here", HIGH),
        ("茶", "tea " * 60, LOW),
    ],
)
def test_a_pair_s_rows_stand_or_fall_together(chinese: str, english: str, confidence: str) -> None:
    # the English is about twice as long as the Chinese, in the blocks as in the examples
    zh, en = _block("茶"), _block("te")
    zh[20], en[20] = chinese, english
    places = pair_rows(*_rows(("zh", zh), ("en", en)))
    assert [place.confidence for place in (places[20], places[80]) if place] == [confidence] * 2
    others = {place.confidence for row, place in enumerate(places) if place and row % 60 != 20}
    assert others == {HIGH}


def test_in_a_larger_group_a_row_falls_alone() -> None:
    blocks = {"it": _block("pane "), "ko": _block("빵"), "sw": _block("mkate ")}
    for text, number in (("it", "12"), ("ko", "13"), ("sw", "12")):
        blocks[text][5] = blocks[text][5][:-2] + number
    places = pair_rows(*_rows(*blocks.items()))
    found = [places[start + 5] for start in (0, 60, 120)]
    assert [place and place.confidence for place in found] == [HIGH, LOW, HIGH]


def test_the_same_rows_give_the_same_places() -> None:
    rows = _rows(("zh", _block("茶")), ("en", _block("tea ")))
    assert all(a == b for a, b in pairwise([pair_rows(*rows) for _ in range(3)]))
