"""Statistics as the plain dictionary that `evaluate` returns.

A number that is undefined is null in our own types, and NaN with a warning here: who formats or
averages a result should not meet an object that is no number.
"""

import math
import warnings
from typing import Any

from .estimate import Statistic

_FIELDS = ("low", "high", "lowest", "highest", "n", "unscored")
_MOST = 5


class UndefinedWarning(UserWarning):
    """A statistic has no value for these rows."""


def flat(table: list[Statistic]) -> dict[str, Any]:
    """The overall statistics by name, and under `by_<group>` the same for each of its levels.

    A statistic `x` gives `x`, `x_low`, `x_high`, `x_lowest`, `x_highest`, `x_n` and `x_unscored`;
    `n` and `unscored` without a name are those of the first one. What is undefined is NaN, and an
    `UndefinedWarning` names it with the reason.
    """
    result: dict[str, Any] = {}
    for row in table:
        if row.group:
            levels = result.setdefault(f"by_{row.group}", {})
            _put(levels.setdefault(row.member, {}), row)
        else:
            _put(result, row)
    undefined = [
        f"{row.name} of {row.group} {row.member!r}".removesuffix(" of  ''")
        + f" ({row.estimate.method})"
        for row in table
        if row.estimate.value is None
    ]
    if undefined:
        more = f" and {len(undefined) - _MOST} more" if len(undefined) > _MOST else ""
        visible = ", ".join(undefined[:_MOST])
        warnings.warn(f"undefined, NaN: {visible}{more}", UndefinedWarning, stacklevel=2)
    return result


def _put(entry: dict[str, Any], row: Statistic) -> None:
    result = row.estimate
    entry[row.name] = _number(result.value)
    for field in _FIELDS:
        entry[f"{row.name}_{field}"] = _number(getattr(result, field))
    entry.setdefault("n", result.n)
    entry.setdefault("unscored", result.unscored)


def _number(value: float | None) -> float:
    return math.nan if value is None else value
