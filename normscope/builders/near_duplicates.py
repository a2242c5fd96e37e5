"""Pairs of texts that say nearly the same, by their characters.

Candidates are found by MinHash and locality-sensitive hashing (Broder 1997; Leskovec, Rajaraman and
Ullman, *Mining of Massive Datasets*, ch. 3) and then compared exactly, so that a similarity is no
estimate. Nothing is dropped: whether a pair is one text too many is for a person to say.
"""

import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import UsageError

# Three characters are about two Chinese words and one syllable of English: a changed word in a
# question of twenty characters leaves most of them standing in either language.
GRAM = 3
PERMUTATIONS = 128
MISSED = 1e-4
"""The probability that a pair exactly at the threshold is missed; above it, it is smaller."""
LOWEST_THRESHOLD = 0.1


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts by their indices, and the Jaccard index of their character n-grams.

    `left` counts in `texts`; `right` counts in `others` if there are any, else in `texts` too, and
    is then the greater of the two.
    """

    left: int
    right: int
    similarity: float


def near_duplicates(
    texts: Sequence[str], *, threshold: float = 0.8, others: Sequence[str] | None = None
) -> Iterator[Pair]:
    """Pairs whose Jaccard index reaches the threshold, as they are found.

    Without `others` these are pairs within `texts`. The rows of a factorial product are mostly
    near-duplicates of one another, and there are quadratically many: a caller that has enough can
    stop. The order is the same every time.

    >>> [*near_duplicates(["Where is the key?", "where is  the key?", "Who has it?"])]
    [Pair(left=0, right=1, similarity=1.0)]
    """
    from datasketch import MinHashLSH  # 0.4 s

    rows = _rows(threshold)
    index = MinHashLSH(num_perm=PERMUTATIONS, params=(PERMUTATIONS // rows, rows))
    lefts = [_grams(text) for text in texts]
    rights = lefts if others is None else [_grams(text) for text in others]
    for right, sketch in enumerate(() if others is None else _sketches(rights)):
        index.insert(right, sketch)
    for at, sketch in enumerate(_sketches(lefts)):
        for near in sorted(index.query(sketch)):
            # within one list, a text meets those before it
            left, right = (near, at) if others is None else (at, near)
            shared = len(lefts[left] & rights[right])
            similarity = shared / (len(lefts[left]) + len(rights[right]) - shared)
            if similarity >= threshold:
                yield Pair(left, right, similarity)
        if others is None:
            index.insert(at, sketch)


def _rows(threshold: float) -> int:
    """The rows per band: as many as keep the chance of missing a pair below `MISSED`.

    With r rows in each of b bands a pair of similarity s is missed with probability (1 - sʳ)ᵇ.

    >>> _rows(0.8)  # 25 bands: (1 - 0.8⁵)²⁵ = 4.8e-5; with six rows 1.7e-3
    5
    """
    if not LOWEST_THRESHOLD <= threshold <= 1:
        raise UsageError(f"the threshold {threshold} is not in [{LOWEST_THRESHOLD}, 1]")
    return max(
        rows
        for rows in range(1, PERMUTATIONS // 2 + 1)
        if (1 - threshold**rows) ** (PERMUTATIONS // rows) <= MISSED
    )


def _grams(text: str) -> frozenset[str]:
    """The text's n-grams, whatever its letter case, white space and width of characters."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return frozenset(plain[i : i + GRAM] for i in range(max(1, len(plain) - GRAM + 1)))


def _sketches(grams: Sequence[frozenset[str]]) -> Iterator[Any]:
    from datasketch import MinHash

    encoded = ([gram.encode("utf-8", "surrogatepass") for gram in some] for some in grams)
    # crc32 is the same in every process, as `hash` of a string is not; datasketch mixes it further
    yield from MinHash.generator(encoded, num_perm=PERMUTATIONS, hashfunc=zlib.crc32)
