"""One thing to learn from or to be measured on: a question, an answer, and what is known of it."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Split = Literal["train", "test"]
"""Test are the parts that a set's authors published as such: the judge never learns from them."""

CRITERIA = ("moral", "rating", "refusal")
SIZES = {"moral": 2, "rating": 5, "refusal": 4}
"""How many labels each criterion has; they are digits, and only the rating's start at 1."""

Target = tuple[float, ...]

OUTSIDE: Target = ()
"""The target of a text that the judge is not for: no label at all."""


@dataclass(frozen=True, slots=True)
class Sample:
    """`targets` holds a distribution over the labels of each criterion that something is known of.

    `harmful` and `refuses` are yes (1), no (0) or unknown; `degree` is the degree of refusal (0 to
    3) and `grade` the intended grade (1 to 5), where the source says one. Samples of one `group`
    are judged by teachers that have seen none of them.
    """

    source: str
    split: Split
    language: str
    question: str
    answer: str
    group: str
    targets: dict[str, Target]
    harmful: int | None = None
    refuses: int | None = None
    grade: int | None = None
    degree: int | None = None

    @property
    def fold(self) -> str:
        """What is left out together: the set, all of whose languages and parts count as one."""
        return "latent-jailbreak" if self.source.startswith("latent") else self.source


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


def fold_of(group: str, folds: int) -> int:
    """The fold of a group, by its hash: the same in every run and on every machine."""
    return hashlib.sha256(group.encode()).digest()[0] % folds
