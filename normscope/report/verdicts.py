"""The judgements of a run as rows that the sections of the report read."""

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow as pa

from ..reasons import Reason

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

_ORIGINS: dict[str | None, str] = {str(reason): str(reason.origin) for reason in Reason}
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
    # column by column: the table's widest, `raw_top`, is never unpacked
    columns = [judgements.column(name).to_pylist() for name in _COLUMNS]
    return [_verdict(dict(zip(_COLUMNS, row, strict=True))) for row in zip(*columns, strict=True)]


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
    return _ORIGINS.get(reason, "unknown")


def products(verdicts: list[Verdict]) -> dict[tuple[str, Hashable], float | None]:
    """The score, moral × rating, of each response; null where either is absent."""
    values = {
        head: {(v.item_id, v.asked): v.value for v in verdicts if v.head == head}
        for head in ("moral", "rating")
    }
    found: dict[tuple[str, Hashable], float | None] = {}
    for key, moral in values["moral"].items():
        rating = values["rating"].get(key)
        found[key] = None if moral is None or rating is None else moral * rating
    return found


def _verdict(row: dict[str, Any]) -> Verdict:
    labels, probs = row["labels"], row["probs"]
    return Verdict(
        benchmark=row["benchmark"],
        item_id=row["item_id"],
        asked=(row["variant_id"], row["scale_order"], row["sample"], row["temperature"]),
        head=row["head"],
        source=row["source"],
        favourite=labels[probs.index(max(probs))] if labels and probs else None,
        value=_finite(row["value"]),
        coverage=_finite(row["coverage"]),
        reason=row["reason"],
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
