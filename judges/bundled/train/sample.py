"""One thing to learn from or to be measured on: a question, an answer, and what is known of it."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Split = Literal["train", "val", "test"]

CRITERIA = ("moral", "rating", "refusal")
AUXILIARY = ("offence", "dialogue")
"""Tasks of other data sets that are taught beside the criteria, each under a token of its own."""

SIZES = {"moral": 2, "rating": 5, "refusal": 4, "offence": 2, "dialogue": 2}
"""How many labels each criterion or task has; they are digits, and only the rating's start at 1."""

Target = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """`targets` holds a distribution over the labels of each criterion that something is known of.

    `binary` is the data set's own yes or no (1: harmful, offensive, complies), for evaluation and
    for the classical teachers; `group` is what a split may not cut through.
    """

    source: str
    split: Split
    language: str
    question: str
    answer: str
    group: str
    targets: dict[str, Target]
    binary: int | None = None
    grade: int | None = None
    degree: int | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """One prompt's parts and the targets of the criteria asked after it."""

    language: str
    turns: tuple[tuple[str, str], ...]
    answer: str
    targets: Mapping[str, Target]


def peaked(size: int, *shares: tuple[int, float]) -> Target:
    """A distribution with these (index, share) pairs, smoothed by 3 % over all labels.

    >>> [round(p, 4) for p in peaked(2, (1, 1.0))]
    [0.015, 0.985]
    """
    flat = 0.03 / size
    total = sum(share for _, share in shares)
    result = [flat] * size
    for index, share in shares:
        result[index] += 0.97 * share / total
    return tuple(result)


def split_of(group: str, *, shares: Sequence[float] = (0.8, 0.1)) -> Split:
    """The split of a group, by its hash: the same in every run and on every machine."""
    digest = hashlib.sha256(group.encode()).digest()
    # uniform in [0, 1)
    place = int.from_bytes(digest[:8], "big") / 2**64
    if place < shares[0]:
        return "train"
    return "val" if place < shares[0] + shares[1] else "test"
