"""How people agree with one another, and how a text rule agrees with them.

The rows to check a rule by were drawn by what the rule read, so many of each reading
(`sampling.allocate_equally`): a share is known within each reading, and a total over all answers is
the sum of the shares, each times the number of answers that were read so. A limit of a sum lies as
far from it as the root of the sum of the squares of its parts' distances (Newcombe 1998); the
parts' limits are Wilson's, at the number of rows that would say as much if the reading had no end:
n (N − 1)/(N − n) of n rows out of N. A reading that was labelled whole has no uncertainty.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import DataError
from ...metrics.estimate import Estimate, Statistic
from ...metrics.intervals import wilson
from ...metrics.judges_agree import rater_agreement
from .adjudication import Gold, PeoplesLabels
from .key import Sample
from .rule_frame import REASONS
from .sheet import CANNOT_TELL

_METHOD = "Wilson by reading, summed by squares"
_OF_CLASSES = ("rater_agreement", "kappa")
"""What holds where labels have no order, as a rule's, among which are reasons for none."""


def agreement_of_raters(people: PeoplesLabels, sample: Sample) -> dict[str, list[Statistic]]:
    """Per criterion how the raters agree, before any adjudication; nothing for a single rater.

    Each pair's raw agreement, κ and κ with quadratic weights, and Krippendorff's ordinal α of all,
    with bootstrap intervals over the items' clusters.
    """
    if len(people.raters) < 2:  # noqa: PLR2004 - a pair has two
        return {}
    names = [f"rater {filled.rater}" for filled in people.raters]
    clusters = [row.cluster for row in sample.drawn]
    tables = {}
    for criterion, labels in sample.key.criteria.items():
        table = np.full((len(sample.drawn), len(people.raters)), np.nan)
        for column, filled in enumerate(people.raters):
            for at, row in enumerate(sample.drawn):
                label = filled.labels.get(row.row, {}).get(criterion, CANNOT_TELL)
                if label != CANNOT_TELL:
                    table[at, column] = labels.index(label)
        statistics = rater_agreement(table, names, labels=len(labels), clusters=clusters)
        tables[criterion] = [
            one for one in statistics if not sample.key.by_rule or one.name in _OF_CLASSES
        ]
    return tables


@dataclass(frozen=True, slots=True)
class Figures:
    """How a reading fares: among those read so, how many are so; among those so, how many read."""

    name: str
    size: int
    precision: Estimate
    recall: Estimate


@dataclass(frozen=True, slots=True)
class RuleAgreement:
    """A rule against people, on `reviewed` of the `rows` that were drawn from so many answers.

    `labels` is over answers that have a label, by the rule for the precision and by people for the
    recall; `accuracy` is over all answers. `confusion` counts the labelled rows by what was read
    and what people say.
    """

    rule: str
    answers: int
    reviewed: int
    rows: int
    readings: tuple[Figures, ...]
    labels: Figures
    accuracy: Estimate
    confusion: Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class _Total:
    """How many of the answers are so, with limits."""

    value: float | None
    low: float
    high: float
    n: int


Reading = tuple[str, str]
"""What the rule read in an answer, and the label that people gave it."""


def agreement_of_rule(sample: Sample, gold: Gold) -> RuleAgreement:
    """How often the rule of a sample is right, by people's labels.

    Where labels are missing, those of a reading are taken for a random part of its rows, which they
    are if the sheets were filled in from the top: their rows stand in random order.
    """
    ((rule, labels),) = sample.key.criteria.items()
    if not sample.key.by_rule:
        raise DataError(
            "the sample is of a judge's labels, not of a rule's: `normscope annotate correct` "
            "corrects the run by it"
        )
    readings = [
        (row.stratum, given[rule])
        for row in sample.drawn
        if (given := gold.labels.get(row.row)) is not None
    ]
    return compare_readings(
        rule,
        readings,
        Counter(row.stratum for row in sample.rows),
        labels=set(labels) - set(REASONS),
        rows=len(sample.drawn),
    )


def compare_readings(
    rule: str,
    readings: Sequence[Reading],
    sizes: Mapping[str, int],
    *,
    labels: set[str],
    rows: int,
) -> RuleAgreement:
    """The agreement of labelled readings, of `rows` that were drawn of answers so many by reading.

    What is none of `labels` is a reason why there is none.
    """
    if not readings:
        raise DataError("no row has a label: fill in the sheet")
    names = sorted({*sizes, *(truth for _, truth in readings)}, key=_order(labels))
    seen = [name for name in names if name in sizes]
    read = [name for name in seen if name in labels]

    def total(strata: Iterable[str], holds: Callable[[Reading], bool]) -> _Total:
        return _sum([_part(readings, name, sizes[name], holds) for name in strata])

    def figures(name: str) -> Figures:
        right = total([name] if name in sizes else [], lambda pair: pair[1] == name)
        missed = total([s for s in seen if s != name], lambda pair: pair[1] == name)
        size = sizes.get(name, 0)
        return Figures(name, size, _share(right, size), _recall(right, missed))

    right = total(read, lambda pair: pair[0] == pair[1])
    missed = total(seen, lambda pair: pair[1] in labels and pair[0] != pair[1])
    size = sum(sizes[name] for name in read)
    return RuleAgreement(
        rule=rule,
        answers=sum(sizes.values()),
        reviewed=len(readings),
        rows=rows,
        readings=tuple(figures(name) for name in names),
        labels=Figures("labels", size, _share(right, size), _recall(right, missed)),
        accuracy=_share(total(seen, lambda pair: pair[0] == pair[1]), sum(sizes.values())),
        confusion=Counter(readings),
    )


def _order(labels: set[str]) -> Callable[[str], tuple[bool, str]]:
    return lambda name: (name not in labels, name)


def _part(
    readings: Sequence[Reading], name: str, size: int, holds: Callable[[Reading], bool]
) -> _Total:
    """How many of the answers that were read so are so: their share times their number."""
    alike = [pair for pair in readings if pair[0] == name]
    n, k = len(alike), sum(map(holds, alike))
    if n == 0:
        return _Total(None, 0.0, float(size), 0)
    share = k / n
    if n >= size:
        return _Total(float(k), float(k), float(k), n)
    endless = n * (size - 1) / (size - n)
    limits = wilson(share * endless, endless)
    return _Total(size * share, size * limits.low, size * limits.high, n)


def _sum(parts: Sequence[_Total]) -> _Total:
    known = [part for part in parts if part.value is not None]
    unknown = [part for part in parts if part.value is None]
    value = math.fsum(part.value or 0.0 for part in known)
    down = math.hypot(*((part.value or 0.0) - part.low for part in known))
    up = math.hypot(*(part.high - (part.value or 0.0) for part in known))
    return _Total(
        value=None if unknown else value,
        low=value - down + sum(part.low for part in unknown),
        high=value + up + sum(part.high for part in unknown),
        n=sum(part.n for part in parts),
    )


def _share(part: _Total, size: int) -> Estimate:
    """The part as a share of a number that is known."""
    if size == 0:
        return _estimate(None, None, None, 0)
    value = None if part.value is None else part.value / size
    return _estimate(value, max(0.0, part.low / size), min(1.0, part.high / size), part.n)


def _recall(right: _Total, missed: _Total) -> Estimate:
    """The share right / (right + missed); its limits, each with both parts at theirs, are wide."""

    def ratio(one: float, other: float) -> float | None:
        return one / (one + other) if one + other > 0 else None

    known = right.value is not None and missed.value is not None
    low, high = ratio(max(0.0, right.low), missed.high), ratio(right.high, max(0.0, missed.low))
    value = ratio(right.value or 0.0, missed.value or 0.0) if known else None
    return _estimate(value, low, high, right.n + missed.n)


def _estimate(value: float | None, low: float | None, high: float | None, n: int) -> Estimate:
    return Estimate(value, low, high, n, 0, value, value, "these items", _METHOD)
