"""Texts that say nearly what others say, by their characters: each beside every other.

Nothing is dropped: whether a pair is one text too many is for a person to say.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import scipy.sparse

from ..errors import UsageError

# Three characters are about two Chinese words and one syllable of English: a changed word in a
# question of twenty characters leaves most of them standing in either language.
GRAM = 3

_AT_ONCE = 64
"""Texts that are held beside all others together: of 100,000 others that takes 100 MB."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A text (`left`) and another (`right`) by their indices, and their n-grams' Jaccard index."""

    left: int
    right: int
    similarity: float


def near_duplicates(
    texts: Sequence[str], others: Sequence[str], *, threshold: float = 0.8
) -> Iterator[Pair]:
    """Pairs whose Jaccard index reaches the threshold, in the order of the texts.

    A threshold that is no share above 0 is a `UsageError`.

    >>> [*near_duplicates(["Where is the key?"], ["Who has it?", "where is  the key?"])]
    [Pair(left=0, right=1, similarity=1.0)]
    """
    if not 0 < threshold <= 1:
        raise UsageError(f"the threshold {threshold} is not above 0 and at most 1")
    numbers: dict[str, int] = {}
    sets = [
        [sorted({numbers.setdefault(gram, len(numbers)) for gram in _grams(text)}) for text in some]
        for some in (texts, others)
    ]
    lefts, rights = (_incidence(some, len(numbers)) for some in sets)
    columns = rights.T.tocsr()
    sizes, other_sizes = (np.array([len(of_text) for of_text in some]) for some in sets)
    for start in range(0, len(texts), _AT_ONCE):
        shared = (lefts[start : start + _AT_ONCE] @ columns).tocoo()
        left, right = shared.row + start, shared.col
        similarity = shared.data / (sizes[left] + other_sizes[right] - shared.data)
        near = np.flatnonzero(similarity >= threshold)
        for at in near[np.lexsort((right[near], left[near]))]:
            yield Pair(int(left[at]), int(right[at]), float(similarity[at]))


def _incidence(sets: Sequence[Sequence[int]], width: int) -> scipy.sparse.csr_array:
    """A row per text, with 1 in the columns of its n-grams."""
    ends = np.cumsum([0, *map(len, sets)])
    columns = np.fromiter(chain.from_iterable(sets), dtype=np.int64)
    return scipy.sparse.csr_array((np.ones(len(columns)), columns, ends), (len(sets), width))


def _grams(text: str) -> Iterator[str]:
    """The text's n-grams, whatever its letter case, white space and width of characters."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return (plain[i : i + GRAM] for i in range(max(1, len(plain) - GRAM + 1)))
