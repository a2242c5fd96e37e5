"""Whether rows that ought to translate each other agree, in length, numbers and Latin words.

None of it reads a language: a translation keeps the order of the rows, roughly its length, and most
numbers and names. A row that fails may still be translated rightly (a number is spelt out).
"""

import html
import re
from collections.abc import Sequence
from unicodedata import decimal

import numpy as np
import numpy.typing as npt

WINDOW = 25
"""The rows around a row, itself among them, that must fit best where they stand."""

SHIFTS = (-3, -2, -1, 1, 2, 3)
"""The shifts against which that is held."""

WIDEST = 4.0
"""How many robust standard deviations a length may lie off its partners'."""

LATIN_SCRIPT = frozenset({"en", "it", "vi", "sw", "jv"})

_NUMBER = re.compile(r"\d+")
_LATIN = re.compile(r"[A-Za-z]{2,}")
# of a normal distribution: the deviation that its median absolute deviation stands for
_SD_OVER_MAD = 1.4826
_FAR = 3.0
"""A single misfit weighs no more than this in a window."""

_Floats = npt.NDArray[np.float64]
_Flags = npt.NDArray[np.bool_]


def agree(blocks: Sequence[Sequence[str]], languages: Sequence[str]) -> list[_Flags]:
    """For each block, whether its k-th text agrees with the k-th ones of the others.

    A text agrees if (1) in the window around it the lengths fit the others' better than with any of
    `SHIFTS`, (2) its own length is no outlier, (3) where it and the others have numbers it has none
    of its own, (4) Latin words in another script's text stand in a text of Latin script. Blocks
    shorter than the window never agree: nothing tells them from shifted ones.
    """
    texts = [[html.unescape(text) for text in block] for block in blocks]
    lengths = _standardise(texts)
    tokens = _tokens_agree(texts, languages)
    flags = []
    for index, block in enumerate(texts):
        others = np.delete(lengths, index, axis=0)
        fits = _fits_here(lengths[index], others) & _is_inlier(lengths[index] - _mean(others))
        flags.append((fits & tokens[index])[: len(block)])
    return flags


def _standardise(texts: Sequence[Sequence[str]]) -> _Floats:
    """Log lengths, a row per block, each with mean 0 and standard deviation 1; NaN past its end."""
    lengths = np.full((len(texts), max(map(len, texts))), np.nan)
    for row, block in zip(lengths, texts, strict=True):
        # a translation is longer by a factor, not by a number of characters
        logs = np.log1p([len(text) for text in block])
        # a block of equal lengths has no spread to divide by
        row[: len(block)] = (logs - logs.mean()) / (logs.std() or 1.0)
    return lengths


def _fits_here(lengths: _Floats, others: _Floats) -> _Flags:
    """Where the window's mean distance to the others is least without a shift."""
    size = len(lengths)
    if size < WINDOW:
        return np.zeros(size, dtype=np.bool_)
    reference = _mean(others)
    here = _window_means(np.abs(lengths - reference))
    fits = np.isfinite(here)
    for shift in SHIFTS:
        moved = np.full(size, np.nan)
        # shifted down by a positive number of rows, up by a negative one
        moved[max(shift, 0) : size + min(shift, 0)] = reference[
            max(-shift, 0) : size - max(shift, 0)
        ]
        fits &= here < _window_means(np.abs(lengths - moved))
    return fits


def _window_means(distance: _Floats) -> _Floats:
    """The mean of the known distances in the window around each row, moved inwards at the ends."""
    known = np.isfinite(distance)
    capped = np.where(known, np.minimum(distance, _FAR), 0.0)
    sums = np.concatenate([[0.0], np.cumsum(capped)])
    counts = np.concatenate([[0], np.cumsum(known)])
    starts = np.clip(np.arange(len(distance)) - WINDOW // 2, 0, len(distance) - WINDOW)
    stops = starts + WINDOW
    return _ratio(sums[stops] - sums[starts], counts[stops] - counts[starts])


def _mean(rows: _Floats) -> _Floats:
    """The mean over the known values of each column, NaN where there is none."""
    known = np.isfinite(rows)
    return _ratio(np.where(known, rows, 0.0).sum(axis=0), known.sum(axis=0))


def _ratio(total: _Floats, n: npt.NDArray[np.intp]) -> _Floats:
    """The means of `n` values each, NaN where there is none."""
    means = np.full(len(total), np.nan)
    np.divide(total, n, out=means, where=n > 0)
    return means


def _is_inlier(distance: _Floats) -> _Flags:
    known = distance[np.isfinite(distance)]
    middle = np.median(known)
    scale = _SD_OVER_MAD * np.median(np.abs(known - middle))
    return np.asarray(np.abs(distance - middle) <= WIDEST * scale)


def _tokens_agree(texts: Sequence[Sequence[str]], languages: Sequence[str]) -> list[_Flags]:
    flags = [np.zeros(max(map(len, texts)), dtype=np.bool_) for _ in texts]
    for k in range(max(map(len, texts))):
        row = {index: block[k] for index, block in enumerate(texts) if k < len(block)}
        for index, text in row.items():
            others = [other for place, other in row.items() if place != index]
            latin = [
                latin_text for place, latin_text in row.items() if languages[place] in LATIN_SCRIPT
            ]
            words = languages[index] in LATIN_SCRIPT or _words_kept(text, latin)
            flags[index][k] = words and _numbers_kept(text, others)
    return flags


def _numbers_kept(text: str, others: Sequence[str]) -> bool:
    """Whether each of the text's numbers stands in another text; none there contradicts none.

    >>> _numbers_kept("12 days", ["12 Tage"]), _numbers_kept("12 days", ["13 Tage"])
    (True, False)
    >>> _numbers_kept("12 days", ["zwölf Tage"])
    True
    """
    elsewhere = set().union(*(_numbers(other) for other in others))
    return not elsewhere or _numbers(text) <= elsewhere


def _numbers(text: str) -> set[str]:
    """The numbers in Western digits, whatever the script, without leading zeros.

    >>> sorted(_numbers("১২ or 007"))
    ['12', '7']
    """
    digits = ("".join(str(decimal(digit)) for digit in result) for result in _NUMBER.findall(text))
    return {number.lstrip("0") or "0" for number in digits}


def _words_kept(text: str, latin: Sequence[str]) -> bool:
    """Whether each Latin word stands in one of the texts of Latin script.

    >>> _words_kept("用 Python 写", ["in python"]), _words_kept("用 Python 写", ["in Rust"])
    (True, False)
    """
    together = " ".join(latin).lower()
    return all(word.lower() in together for word in _LATIN.findall(text))
