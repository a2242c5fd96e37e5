"""Pairs of nearly equal texts: held against every pair compared by hand."""

import random

import pytest

from normscope.builders.near_duplicates import Pair, near_duplicates
from normscope.errors import UsageError


def grams(text: str) -> set[str]:
    return {text[at : at + 3] for at in range(max(1, len(text) - 2))}


@pytest.mark.parametrize("threshold", [0.5, 0.8, 1])
def test_the_pairs_are_those_of_comparing_each_with_each(threshold: float) -> None:
    draw = random.Random(1)
    texts, others = [], []
    for _ in range(60):
        words = [draw.choice(["tea", "milk", "cup", "pot", "leaf", "糖", "茶"]) for _ in range(9)]
        texts.append(" ".join(words))
        words[draw.randrange(9)] = "spoon"
        others.append(" ".join(words))
    found = [(p.left, p.right) for p in near_duplicates(texts, others, threshold=threshold)]
    assert found == [
        (i, j)
        for i, a in enumerate(texts)
        for j, b in enumerate(others)
        if len(grams(a) & grams(b)) / len(grams(a) | grams(b)) >= threshold
    ]


def test_case_spaces_and_full_width_forms_make_no_difference() -> None:
    assert [*near_duplicates(["Room １２ "], ["room  12"], threshold=1)] == [Pair(0, 0, 1.0)]
    assert [*near_duplicates(["a", "b"], ["b", "a"])] == [Pair(0, 1, 1.0), Pair(1, 0, 1.0)]
    # abc, bcd and abc, bce: one of three
    assert [*near_duplicates(["abcd"], ["abce"], threshold=0.3)] == [Pair(0, 0, 1 / 3)]
    with pytest.raises(UsageError, match="the threshold 0 is not above 0"):
        list(near_duplicates([], [], threshold=0))
