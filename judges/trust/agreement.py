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

from ...errors import DataError
from ...metrics.estimate import Estimate, Statistic
from ...metrics.intervals import finite_rows, wilson
from ...metrics.judges_agree import rater_agreement
from .adjudication import Gold, PeoplesLabels
from .key import Sample
from .rule_frame import REASONS

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
        # who cannot tell has given no label
        place = {label: float(at) for at, label in enumerate(labels)}
        table = [
            [
                place.get(filled.labels.get(row.row, {}).get(criterion, ""), math.nan)
                for filled in people.raters
            ]
            for row in sample.drawn
        ]
        statistics = rater_agreement(table, names, labels=len(labels), clusters=clusters)
        tables[criterion] = [
            statistic
            for statistic in statistics
            if not sample.key.by_rule or statistic.name in _OF_CLASSES
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
            "the sample is of a judge's labels, not of a rule's: `agreement_with_people` has them"
        )
    readings = [
        (row.stratum, labels_of_row[rule])
        for row in sample.drawn
        if (labels_of_row := gold.labels.get(row.row)) is not None
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
    confusion = Counter(readings)
    labelled = Counter(read for read, _ in readings)
    truths = {*sizes, *(truth for _, truth in readings)}
    # reasons for no label after the labels
    names = sorted(truths, key=lambda name: (name not in labels, name))
    strata = [name for name in names if name in sizes]
    read = [name for name in strata if name in labels]

    def total(of: Iterable[str], holds: Callable[[str, str], bool]) -> _Total:
        """How many of the answers that were read as one of these are so."""
        return _total(
            (
                sum(n for pair, n in confusion.items() if pair[0] == name and holds(*pair)),
                labelled[name],
                sizes[name],
            )
            for name in of
        )

    def figures(name: str) -> Figures:
        others = [stratum for stratum in strata if stratum != name]
        right = total([name] if name in sizes else [], lambda _, truth: truth == name)
        missed = total(others, lambda _, truth: truth == name)
        size = sizes.get(name, 0)
        return Figures(name, size, _share(right, size), _recall(right, missed, len(readings)))

    right = total(read, lambda read, truth: read == truth)
    missed = total(strata, lambda read, truth: truth in labels and read != truth)
    size, answers = sum(sizes[name] for name in read), sum(sizes.values())
    return RuleAgreement(
        rule=rule,
        answers=answers,
        reviewed=len(readings),
        rows=rows,
        readings=tuple(map(figures, names)),
        labels=Figures("labels", size, _share(right, size), _recall(right, missed, len(readings))),
        accuracy=_share(total(strata, lambda read, truth: read == truth), answers),
        confusion=confusion,
    )


def _total(strata: Iterable[tuple[int, int, int]]) -> _Total:
    """How many answers are so: of each stratum k of n labelled rows, times its size."""
    values, below, above = [], [], []
    unknown, labelled = 0, 0
    for k, n, size in strata:
        labelled += n
        if n == 0:
            unknown += size
            continue
        # infinite where the reading was labelled whole, which then has no limits to add
        share, rows = k / n, finite_rows(n, size)
        values.append(size * share)
        if rows < math.inf:
            limits = wilson(share * rows, rows)
            below.append(size * (share - limits.low))
            above.append(size * (limits.high - share))
    value = math.fsum(values)
    # of a reading without a label all answers may be so, or none
    low, high = value - math.hypot(*below), value + math.hypot(*above) + unknown
    return _Total(None if unknown else value, low, high, labelled)


def _share(total: _Total, size: int) -> Estimate:
    """The total as a share of a number that is known."""
    if size == 0:
        return _estimate(None, None, None, 0)
    value = None if total.value is None else total.value / size
    return _estimate(value, max(0.0, total.low / size), min(1.0, total.high / size), total.n)


def _recall(right: _Total, missed: _Total, n: int) -> Estimate:
    """The share right / (right + missed); its limits, each with both totals at theirs, are wide.

    It rests on all n labelled rows: what was missed can be in any stratum.
    """

    def ratio(right: float, missed: float) -> float | None:
        return right / (right + missed) if right + missed > 0 else None

    known = right.value is not None and missed.value is not None
    # each total at its limit at once, which is wider than need be
    low, high = ratio(max(0.0, right.low), missed.high), ratio(right.high, max(0.0, missed.low))
    value = ratio(right.value or 0.0, missed.value or 0.0) if known else None
    return _estimate(value, low, high, n)


def _estimate(value: float | None, low: float | None, high: float | None, n: int) -> Estimate:
    return Estimate(value, low, high, n, 0, value, value, "these items", _METHOD)
