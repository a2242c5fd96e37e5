"""Precision and recall of a rule from a reviewed sheet, weighted as its rows were drawn.

The rows were drawn by what the rule read, so many of each reading (`review.sample`): a share is
known within each reading, and a total over all answers is the sum of the shares, each times the
number of answers that were read so. A limit of a sum lies as far from it as the root of the sum of
the squares of its parts' distances (Newcombe 1998); the parts' limits are Wilson's, at the number
of rows that would say as much if the reading had no end: n (N − 1)/(N − n) of n rows out of N. A
reading that was reviewed whole has no uncertainty.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...errors import DataError
from ...metrics.estimate import Estimate
from ...metrics.intervals import wilson
from .rule_sheet import Reviewed

_METHOD = "Wilson by reading, summed by squares"


@dataclass(frozen=True, slots=True)
class Figures:
    """How a reading fares: among those read so, how many are so; among those so, how many read."""

    name: str
    size: int
    precision: Estimate
    recall: Estimate


@dataclass(frozen=True, slots=True)
class Agreement:
    """A rule against a person.

    `labels` is over answers that have a label, by the rule for the precision and by the person for
    the recall; `accuracy` is over all answers. `confusion` counts the reviewed rows by what was
    read and what the person says.
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


Truth = Callable[[Reviewed], bool]


def agreements(rows: Sequence[Reviewed], *, partial: bool = False) -> tuple[Agreement, ...]:
    """One agreement per rule of the sheet. Rows without a review are an error unless `partial`.

    With `partial`, the reviewed rows of a reading are taken for a random part of its rows, which
    they are if the sheet is filled in from the top: its rows stand in random order.
    """
    blank = [row for row in rows if row.truth is None]
    if blank and not partial:
        raise DataError(
            f"{len(blank)} of {len(rows)} rows are not reviewed, first row {blank[0].row}: fill in "
            "reviewed_label, or say --partial to take the reviewed rows as a random part"
        )
    if len(blank) == len(rows):
        raise DataError("no row is reviewed: fill in reviewed_label")
    return tuple(
        _agreement(rule, [row for row in rows if row.rule == rule])
        for rule in sorted({row.rule for row in rows})
    )


def _agreement(rule: str, rows: Sequence[Reviewed]) -> Agreement:
    reviewed = [row for row in rows if row.truth is not None]
    sizes = _sizes(rows)
    labels = {label for row in rows for label in row.labels}
    names = sorted({*sizes, *(row.truth for row in reviewed if row.truth)}, key=_order(labels))
    seen = [name for name in names if name in sizes]
    read = [name for name in seen if name in labels]

    def total(strata: Iterable[str], holds: Truth) -> _Total:
        return _sum([_part(reviewed, name, sizes[name], holds) for name in strata])

    def figures(name: str) -> Figures:
        right = total([name] if name in sizes else [], lambda row: row.truth == name)
        missed = total([s for s in seen if s != name], lambda row: row.truth == name)
        size = sizes.get(name, 0)
        return Figures(name, size, _share(right, size), _recall(right, missed))

    right = total(read, lambda row: row.truth == row.read)
    missed = total(seen, lambda row: row.truth in labels and row.truth != row.read)
    size = sum(sizes[name] for name in read)
    return Agreement(
        rule=rule,
        answers=sum(sizes.values()),
        reviewed=len(reviewed),
        rows=len(rows),
        readings=tuple(figures(name) for name in names),
        labels=Figures("labels", size, _share(right, size), _recall(right, missed)),
        accuracy=_share(total(seen, lambda row: row.truth == row.read), sum(sizes.values())),
        confusion=Counter((row.read, row.truth or "") for row in reviewed),
    )


def _sizes(rows: Sequence[Reviewed]) -> dict[str, int]:
    """How many answers were read so, by reading."""
    sizes: dict[str, int] = {}
    for row in rows:
        known = sizes.setdefault(row.read, row.stratum_size)
        if known != row.stratum_size:
            raise DataError(
                f"row {row.row}: stratum_size of {row.read!r} is {row.stratum_size}, and {known} "
                "in a row above; leave the column as it is, and check one sheet at a time"
            )
    for name, size in sizes.items():
        n = sum(row.read == name for row in rows)
        if n > size:
            raise DataError(f"{n} rows are read as {name!r}, of {size}: a row stands there twice")
    return sizes


def _order(labels: set[str]) -> Callable[[str], tuple[bool, str]]:
    return lambda name: (name not in labels, name)


def _part(reviewed: Sequence[Reviewed], name: str, size: int, holds: Truth) -> _Total:
    """How many of the answers that were read so are so: their share times their number."""
    mine = [row for row in reviewed if row.read == name]
    n, k = len(mine), sum(map(holds, mine))
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
