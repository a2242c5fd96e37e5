"""The judgements of a run as rows that the sections of the report read."""

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar

import pyarrow as pa

from ..reasons import Reason

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

_COLUMNS = (
    "benchmark",
    "item_id",
    "variant_id",
    "scale_order",
    "sample",
    "temperature",
    "head",
    "source",
    "labels",
    "probs",
    "value",
    "coverage",
    "reason",
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One judgement: what one head says about one response.

    `asked` tells the responses to one item apart: variant, order of the scale, sample, temperature.
    Without a `value` there is a `reason`. `favourite` is the label that the distribution favours,
    the first of equals; null without a distribution.
    """

    benchmark: str
    item_id: str
    asked: tuple[str, str, int, float | None]
    head: str
    source: str
    favourite: str | None
    value: float | None
    coverage: float | None
    reason: str | None


def read_verdicts(judgements: pa.Table) -> list[Verdict]:
    """The rows of the table, in its order; NaN is read as null."""
    columns = [judgements.column(name).to_pylist() for name in _COLUMNS]
    return [_verdict(*row) for row in zip(*columns, strict=True)]


def group_by(rows: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """The rows under their keys, both in the order in which they came.

    >>> group_by(["pear", "fig", "plum"], len)
    {4: ['pear', 'plum'], 3: ['fig']}
    """
    groups: dict[K, list[T]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def origin_of(reason: str | None) -> str:
    """Whose doing an absent judgement is; `unknown` for a reason that is not on the list.

    >>> origin_of("off_scale"), origin_of("low_coverage"), origin_of(None)
    ('respondent', 'judge', 'unknown')
    """
    known = reason is not None and reason in Reason.__members__.values()
    return Reason(reason).origin.value if known else "unknown"


def _verdict(
    benchmark: str,
    item_id: str,
    variant_id: str,
    scale_order: str,
    sample: int,
    temperature: float | None,
    head: str,
    source: str,
    labels: list[str] | None,
    probs: list[float] | None,
    value: float | None,
    coverage: float | None,
    reason: str | None,
) -> Verdict:
    return Verdict(
        benchmark=benchmark,
        item_id=item_id,
        asked=(variant_id, scale_order, sample, temperature),
        head=head,
        source=source,
        favourite=labels[probs.index(max(probs))] if labels and probs else None,
        value=_finite(value),
        coverage=_finite(coverage),
        reason=reason,
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
