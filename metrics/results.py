"""Statistics, tests and what holds them as the plain dictionary that `evaluate` returns."""

from dataclasses import fields, is_dataclass
from typing import Any

from .estimate import Statistic

_PARTS = ("low", "high", "worst", "best", "n", "unscored")


def flat(table: list[Statistic]) -> dict[str, Any]:
    """The overall statistics by name, and under `by_<group>` the same for each of its levels.

    A statistic `x` gives `x`, `x_low`, `x_high`, `x_worst`, `x_best`, `x_n` and `x_unscored`; `n`
    and `unscored` without a name are those of the first one. What is undefined is None.
    """
    result: dict[str, Any] = {}
    for row in table:
        if row.group:
            levels = result.setdefault(f"by_{row.group}", {})
            _put(levels.setdefault(row.member, {}), row)
        else:
            _put(result, row)
    return result


def plain(found: Any) -> Any:
    """A frozen dataclass, and what it holds, as dictionaries and lists.

    >>> from normscope.metrics.estimate import Estimate
    >>> plain((Estimate(0.5, 0.1, 0.9, 4, 0, 0.5, 0.5, "new wordings", "t"),))[0]["target"]
    'new wordings'
    """
    if is_dataclass(found):
        return {field.name: plain(getattr(found, field.name)) for field in fields(found)}
    if isinstance(found, dict):
        return {key: plain(value) for key, value in found.items()}
    return [plain(one) for one in found] if isinstance(found, list | tuple) else found


def _put(entry: dict[str, Any], row: Statistic) -> None:
    found = row.estimate
    entry[row.name] = found.value
    for part in _PARTS:
        entry[f"{row.name}_{part}"] = getattr(found, part)
    entry.setdefault("n", found.n)
    entry.setdefault("unscored", found.unscored)
