"""A sample of answers for a person to check: as many of each reading as there can be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import UsageError
from ..rules import Reading
from .rule_frame import Answer

Stratum = tuple[str, str]
"""The rule, and the label or the reason that it read."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """An answer that was drawn, what the rule read, and how many were read alike.

    `weight` is how many answers of its stratum it stands for: the inverse of the chance that it
    was drawn.
    """

    answer: Answer
    reading: Reading
    stratum_size: int
    weight: float


def stratum(answer: Answer, reading: Reading) -> Stratum:
    """What the answer is drawn with: those of the same rule that were read alike."""
    return answer.rule, reading.label or str(reading.reason)


def draw(answers: Sequence[Answer], *, n: int, seed: int) -> list[Drawn]:
    """A sample of n, shared as equally among the readings as their numbers permit, in random order.

    Within a reading every answer has the same chance, without replacement. The same answers, n
    and seed give the same sample.
    """
    readings = [answer.read() for answer in answers]
    members: dict[Stratum, list[int]] = {}
    for index, (answer, reading) in enumerate(zip(answers, readings, strict=True)):
        members.setdefault(stratum(answer, reading), []).append(index)
    quotas = allocate({key: len(found) for key, found in members.items()}, n)
    generator = np.random.default_rng(seed)
    drawn: list[Drawn] = []
    for key in sorted(members):
        found, quota = members[key], quotas[key]
        drawn += (
            Drawn(answers[index], readings[index], len(found), len(found) / quota)
            for index in generator.choice(found, size=quota, replace=False).tolist()
        )
    return [drawn[index] for index in generator.permutation(len(drawn))]


def allocate(sizes: Mapping[Stratum, int], n: int) -> dict[Stratum, int]:
    """How many of each stratum, n in all: equally many, and all of one that has fewer.

    >>> allocate({("likert", "neutral"): 2, ("likert", "off_scale"): 90, ("option", "A"): 9}, 14)
    {('likert', 'neutral'): 2, ('option', 'A'): 6, ('likert', 'off_scale'): 6}
    """
    if n < len(sizes):
        raise UsageError(
            f"the answers are read in {len(sizes)} ways and n is {n}: draw {len(sizes)} at least, "
            "better 20 for each way"
        )
    quotas: dict[Stratum, int] = {}
    left = n
    by_size = sorted(sizes.items(), key=lambda pair: (pair[1], pair[0]))
    for taken, (key, size) in enumerate(by_size):
        quotas[key] = min(size, left // (len(by_size) - taken))
        left -= quotas[key]
    return quotas
