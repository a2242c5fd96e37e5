"""Pairs of nearly equal texts: held against every pair compared by hand."""

import random

import pytest

from normscope.builders.near_duplicates import Pair, near_duplicates
from normscope.errors import UsageError


def grams(text: str) -> set[str]:
    return {text[at : at + 3] for at in range(max(1, len(text) - 2))}


def by_hand(texts: list[str], threshold: float) -> set[tuple[int, int]]:
    alike = {
        (i, j): len(grams(a) & grams(b)) / len(grams(a) | grams(b))
        for i, a in enumerate(texts)
        for j, b in enumerate(texts)
        if i < j
    }
    return {pair for pair, similarity in alike.items() if similarity >= threshold}


@pytest.mark.parametrize("threshold", [0.5, 0.8, 1])
def test_the_pairs_are_those_of_comparing_each_with_each(threshold: float) -> None:
    draw = random.Random(1)
    texts: list[str] = []
    for _ in range(60):
        words = [draw.choice(["tea", "milk", "cup", "pot", "leaf", "糖", "茶"]) for _ in range(9)]
        texts.append(" ".join(words))
        words[draw.randrange(9)] = "spoon"
        texts.append(" ".join(words))
    found = {(pair.left, pair.right) for pair in near_duplicates(texts, threshold=threshold)}
    assert found == by_hand(texts, threshold)


def test_case_spaces_and_full_width_forms_make_no_difference_and_others_are_their_own() -> None:
    assert [*near_duplicates(["Room １２ ", "room  12"], threshold=1)] == [Pair(0, 1, 1.0)]
    assert [*near_duplicates(["a", "b"], others=["b", "a"])] == [Pair(0, 1, 1.0), Pair(1, 0, 1.0)]
    # abc, bcd and abc, bce: one of three
    assert [*near_duplicates(["abcd", "abce"], threshold=0.3)] == [Pair(0, 1, 1 / 3)]
    with pytest.raises(UsageError, match="the threshold 0 is not above 0"):
        list(near_duplicates([], threshold=0))
