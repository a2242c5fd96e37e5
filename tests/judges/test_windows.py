"""Halving a long text: nothing is lost, parts overlap, and seams are sensible."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from normscope.judges.judge import LEAST, Window


def parts(text: str, longest: int) -> list[tuple[int, int]]:
    """Halved until each is no longer than that: where each begins and ends with its margins."""
    done, todo = [], [Window(0, len(text))]
    while todo:
        window = todo.pop(0)
        halves = window.halves() if window.high - window.low > longest else None
        if halves is None:
            done.append(window)
        else:
            todo += halves
    return [window.with_margins(text) for window in sorted(done, key=lambda window: window.low)]


SENTENCES = st.lists(
    st.sampled_from(["A short one. ", "还有一句中文。", "word ", "x" * 50, "\n\n", "\n", "Why?! "]),
    min_size=10,
    max_size=200,
).map("".join)


# where what two parts share was halved again on both sides, two began behind the last sentence
@example("A short one. " * 18 + "x" * 350, LEAST)
@given(SENTENCES, st.integers(LEAST, 2000))
def test_windows_cover_the_text_overlap_and_are_no_longer_than_asked(text: str, most: int) -> None:
    windows = parts(text, most)
    assert windows[0][0] == 0
    assert windows[-1][1] == len(text)
    for (low, high), (next_low, next_high) in pairwise(windows):
        assert low < next_low < high < next_high
    # a fifth more at either side, rounded
    assert all(high - low <= 1.4 * most + 1 for low, high in windows)
    assert parts(text, most) == windows


def test_each_part_is_more_than_half_and_at_most_three_fifths() -> None:
    text = "x" * 1000
    halves = Window(0, 1000).halves() or ()
    # without any boundary the parts are as long as they may be: 60 % each, 20 % shared
    assert [half.with_margins(text) for half in halves] == [(0, 600), (400, 1000)]


@pytest.mark.parametrize(
    ("seam", "text"),
    [
        ("a paragraph", "{a}. b c\nd. \n\n{a}"),
        ("a line", "{a}. b c\n{a}"),
        ("a sentence", "{a} b c. {a}"),
        ("a Chinese sentence", "{a}，乙。{a}"),
        ("a word", "{a} {a}"),
    ],
)
def test_a_part_ends_where_something_ends(seam: str, text: str) -> None:
    # a part ends between 52 % and 60 % of the text: sixty letters more put the seam there
    filled = "y" * 60 + text.format(a="x" * 500)
    first, _ = Window(0, len(filled)).halves() or (None, None)
    assert first is not None
    assert first.with_margins(filled)[1] == len(filled) - 500, seam


def test_a_short_text_is_not_halved() -> None:
    assert Window(0, LEAST - 1).halves() is None
    assert Window(0, LEAST).halves() is not None


def test_what_is_left_out_is_marked() -> None:
    text = "one two three"
    assert Window(0, len(text)).of(text) == text
    assert Window(0, 3).of(text) == "one […]"
    assert Window(8, 13).of(text) == "[…] three"
