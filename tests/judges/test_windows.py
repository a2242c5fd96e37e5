"""Halving a long text: nothing is lost, parts overlap, and seams are sensible."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from normscope.judges.windows import LEAST, Window


def parts(text: str, longest: int) -> list[Window]:
    """Halved until each is no longer than that."""
    done, todo = [], [Window(0, len(text))]
    while todo:
        window = todo.pop(0)
        halves = window.halves(text) if window.high - window.low > longest else None
        if halves is None:
            done.append(window)
        else:
            todo += halves
    return sorted(done, key=lambda window: window.low)


SENTENCES = st.lists(
    st.sampled_from(["A short one. ", "还有一句中文。", "word ", "x" * 50, "\n\n", "\n", "Why?! "]),
    min_size=10,
    max_size=200,
).map("".join)


@given(SENTENCES, st.integers(LEAST, 2000))
def test_windows_cover_the_text_overlap_and_are_no_longer_than_asked(text: str, most: int) -> None:
    windows = parts(text, most)
    assert windows[0].low == 0
    assert max(window.high for window in windows) == len(text)
    for one, other in pairwise(windows):
        assert one.low < other.low < one.high
    assert all(window.high - window.low <= max(most, LEAST) for window in windows)
    assert parts(text, most) == windows


def test_each_part_is_more_than_half_and_at_most_three_fifths() -> None:
    text = "x" * 1000
    first, second = Window(0, 1000).halves(text) or (None, None)
    # without any boundary the parts are as long as they may be: 60 % each, 20 % shared
    assert (first, second) == (Window(0, 600), Window(400, 1000))


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
    halves = Window(0, len(filled)).halves(filled)
    assert halves is not None
    assert halves[0].high == len(filled) - 500, seam


def test_a_short_text_is_not_halved() -> None:
    assert Window(0, LEAST - 1).halves("x" * LEAST) is None
    assert Window(0, LEAST).halves("x" * LEAST) is not None


def test_what_is_left_out_is_marked() -> None:
    text = "one two three"
    assert Window(0, len(text)).of(text) == text
    assert Window(0, 3).of(text) == "one […]"
    assert Window(8, 13).of(text) == "[…] three"
