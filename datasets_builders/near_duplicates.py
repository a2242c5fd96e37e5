"""Pairs of texts that say nearly the same: by their characters, and by sentence embeddings.

The first pass finds candidates by MinHash and locality-sensitive hashing (Broder 1997; Leskovec,
Rajaraman and Ullman, *Mining of Massive Datasets*, ch. 3) and then compares each candidate exactly,
so that a reported similarity is no estimate. The second finds paraphrases, which share few
characters. Both report; neither drops a text.
"""

import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..errors import ModelError, UsageError
from ..extras import require

Method = Literal["characters", "embeddings"]

# Three characters are about two Chinese words and one syllable of English: a changed word in a
# question of twenty characters leaves most of them standing in either language.
GRAM = 3
PERMUTATIONS = 128
MISSED = 1e-4
"""The probability that the first pass misses a pair that is exactly at the threshold; above the
threshold it is smaller."""
LOWEST_THRESHOLD = 0.1
_BLOCK = 1024


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts by their indices, how alike they are, and which pass found them.

    `left` counts in `texts`; `right` counts in `others` if there are any, else in `texts` too, and
    is then the greater of the two. `similarity` is the Jaccard index of the texts' character
    n-grams (`characters`, in [0, 1]) or the cosine of their embeddings (`embeddings`).
    """

    left: int
    right: int
    similarity: float
    method: Method


def find_near_duplicates(
    texts: Sequence[str],
    *,
    threshold: float = 0.8,
    others: Sequence[str] | None = None,
    embed_with: str | None = None,
    embed_threshold: float = 0.9,
) -> list[Pair]:
    """All pairs at or above the threshold, by left and right index.

    Without `others`, pairs within `texts`; with them, pairs of one text and one of the others.
    `embed_with` (a sentence-transformers model's folder or name) adds the second pass; a pair that
    both passes find is there twice, with both similarities.

    >>> find_near_duplicates(["Where is the key?", "where is  the key?", "Who has it?"])
    [Pair(left=0, right=1, similarity=1.0, method='characters')]
    """
    pairs = list(pairs_by_characters(texts, threshold=threshold, others=others))
    if embed_with is not None:
        pairs += pairs_by_embeddings(
            texts, model=embed_with, threshold=embed_threshold, others=others
        )
    return sorted(pairs, key=lambda pair: (pair.left, pair.right, pair.method))


def jaccard(left: str, right: str) -> float:
    """The Jaccard index of the sets of the texts' character n-grams.

    |A ∩ B| / |A ∪ B|; letter case, runs of white space and compatibility forms (full-width digits)
    make no difference. A text shorter than an n-gram is its own n-gram.

    >>> jaccard("abcd", "abce")  # abc, bcd and abc, bce: one of three
    0.3333333333333333
    """
    return _index(_grams(left), _grams(right))


def pairs_by_characters(
    texts: Sequence[str], *, threshold: float = 0.8, others: Sequence[str] | None = None
) -> Iterator[Pair]:
    """Pairs whose Jaccard index reaches the threshold, as they are found.

    The rows of a factorial product are mostly near-duplicates of one another, and there are
    quadratically many: a caller that has enough can stop. The order is the same every time.
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
            similarity = _index(lefts[left], rights[right])
            if similarity >= threshold:
                yield Pair(left, right, similarity, "characters")
        if others is None:
            index.insert(at, sketch)


def pairs_by_embeddings(
    texts: Sequence[str],
    *,
    model: str,
    threshold: float = 0.9,
    others: Sequence[str] | None = None,
) -> Iterator[Pair]:
    """Pairs whose embeddings' cosine reaches the threshold, as they are found.

    Every pair is compared, a block of rows at a time. What a cosine means differs from model to
    model: look at the pairs before setting a threshold.
    """
    if not -1 <= threshold <= 1:
        raise UsageError(f"a cosine lies in [-1, 1]; the threshold {threshold} does not")
    encode = _encoder(model)
    lefts = encode(texts)
    rights = lefts if others is None else encode(others)
    for start in range(0, len(lefts), _BLOCK):
        cosines = lefts[start : start + _BLOCK] @ rights.T
        for row, right in np.argwhere(cosines >= threshold).tolist():
            left = start + row
            if others is not None or left < right:
                cosine = float(np.clip(cosines[row, right], -1, 1))
                yield Pair(left, right, cosine, "embeddings")


def _rows(threshold: float) -> int:
    """The rows per band: as many as keep the chance of missing a pair below `MISSED`.

    With r rows in each of b bands a pair of similarity s is missed with probability (1 - sʳ)ᵇ.

    >>> _rows(0.8)  # 25 bands: (1 - 0.8⁵)²⁵ = 4.8e-5; with six rows 1.7e-3
    5
    """
    if not LOWEST_THRESHOLD <= threshold <= 1:
        raise UsageError(
            f"the threshold {threshold} is not in [{LOWEST_THRESHOLD}, 1], where 1 means equal"
        )
    fit = [
        rows
        for rows in range(1, PERMUTATIONS // 2 + 1)
        if (1 - threshold**rows) ** (PERMUTATIONS // rows) <= MISSED
    ]
    return max(fit)


def _grams(text: str) -> frozenset[str]:
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return frozenset(plain[i : i + GRAM] for i in range(max(1, len(plain) - GRAM + 1)))


def _sketches(grams: Sequence[frozenset[str]]) -> Iterator[Any]:
    from datasketch import MinHash

    encoded = ([gram.encode("utf-8", "surrogatepass") for gram in some] for some in grams)
    # crc32 is the same in every process, as `hash` of a string is not; datasketch mixes it further
    yield from MinHash.generator(encoded, num_perm=PERMUTATIONS, hashfunc=zlib.crc32)


def _index(a: frozenset[str], b: frozenset[str]) -> float:
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared)


def _encoder(model: str) -> Any:
    """A function from texts to one unit vector each."""
    library = require("sentence_transformers", extra="dedup")
    try:
        # safetensors only, no code from the model's repository
        encoder = library.SentenceTransformer(
            model, trust_remote_code=False, model_kwargs={"use_safetensors": True}
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelError(
            f"{model} cannot be loaded as a sentence-transformers model with safetensors weights "
            f"({str(error).splitlines()[0]}); name a folder or a Hub model that is one"
        ) from error

    def encode(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if not texts:
            return np.zeros((0, 1), dtype=np.float32)
        vectors = np.asarray(encoder.encode(list(texts), show_progress_bar=False), np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: npt.NDArray[np.float32] = vectors / np.maximum(lengths, np.finfo(np.float32).tiny)
        return unit

    return encode
