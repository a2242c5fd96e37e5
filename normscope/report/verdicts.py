"""The judgements of a run as the sections of the report read them."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import pyarrow as pa

from ..categorical import Bools, Categorical, Codes, combined, first_rows
from ..reasons import Origin, Reason
from ..records.judgements import Floats, Judgements, read_judgements

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

_ORIGINS: dict[str | None, str] = {str(reason): str(reason.origin) for reason in Reason}


@dataclass(frozen=True, slots=True)
class Verdict:
    """One judgement that is shown by itself: what one criterion says about one response.

    `asked` tells the responses to one item apart: variant, order of the scale, sample, temperature.
    Without a `value` there is a `reason`. `favourite` is the label that the distribution favours,
    the first of equals; null without a distribution.
    """

    benchmark: str
    item_id: str
    asked: tuple[str, str, int, float | None]
    criterion: str
    source: str
    favourite: str | None
    value: float | None
    coverage: float | None
    reason: str | None


def read_verdicts(judgements: pa.Table) -> Judgements:
    """The rows of the table, in its order; what is not finite is read as null."""
    found = read_judgements(judgements)
    value, coverage = (np.where(np.isinf(c), np.nan, c) for c in (found.value, found.coverage))
    # the distributions, which no section reads, would be the widest column
    return replace(found, value=value, coverage=coverage, probs=pa.nulls(len(found)))


def verdict(judgements: Judgements, row: int) -> Verdict:
    """One row by itself."""
    text = {
        name: getattr(judgements, name).name(row) or ""
        for name in ("benchmark", "item_id", "variant_id", "scale_order", "criterion", "source")
    }
    sample, temperature = int(judgements.sample[row]), _known(judgements.temperature[row])
    return Verdict(
        asked=(text.pop("variant_id"), text.pop("scale_order"), sample, temperature),
        favourite=judgements.favourite.name(row),
        value=_known(judgements.value[row]),
        coverage=_known(judgements.coverage[row]),
        reason=judgements.reason.name(row),
        **text,
    )


def asked(judgements: Judgements) -> Codes:
    """The responses to one item told apart: variant, order of the scale, sample, temperature."""
    of = judgements
    return combined(of.variant_id, of.scale_order, of.sample, of.temperature)


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


def absent(judgements: Judgements, *origins: Origin) -> Bools:
    """The rows without a value by somebody's doing; by anybody's, or nobody's, if none is named."""
    missing: Bools = np.isnan(judgements.value)
    return missing & _of(judgements.reason, *origins) if origins else missing


def _of(reasons: Categorical, *origins: Origin) -> Bools:
    return reasons.marked(origin_of(name) in origins for name in reasons.names)


def products(judgements: Judgements) -> tuple[Codes, Floats]:
    """The score, moral × rating, of each response of a benchmark; NaN where either is absent.

    Beside them a row of each response, in their order.
    """
    response = combined(judgements.item_id, asked(judgements))
    values = {}
    for criterion in ("moral", "rating"):
        rows = np.flatnonzero(judgements.criterion.equals(criterion))
        values[criterion] = np.full(response.max(initial=-1) + 1, np.nan)
        values[criterion][response[rows]] = judgements.value[rows]
    moral = np.flatnonzero(judgements.criterion.equals("moral"))
    rows = moral[first_rows(combined(response[moral]))]
    scores: Floats = (values["moral"] * values["rating"])[response[rows]]
    return rows, scores


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
