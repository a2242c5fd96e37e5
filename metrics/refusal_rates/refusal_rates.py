"""CHiSafetyBench's refusal rates as an `evaluate` module over `normscope.metrics.refusal`."""

from collections.abc import Mapping, Sequence
from typing import Any

from normscope.metrics import module, refusal


class RefusalRates(module.Metric):
    """RR-1, RR-2 and HR, for one row per answer."""

    paper = "chisafetybench"
    schemas = ({"predictions": module.NUMBER},)
    per_row = ("groups", "clusters", "reasons", "turns", "without_history")

    def _statistics(
        self,
        *,
        predictions: list[float | None],
        groups: Mapping[str, Sequence[str | None]] | None = None,
        turns: Sequence[str] | None = None,
        without_history: Sequence[float | None] | None = None,
        clusters: Sequence[str | None] | None = None,
        reasons: Sequence[str | None] | None = None,
    ) -> dict[str, Any]:
        common: dict[str, Any] = {"clusters": clusters, "reasons": reasons}
        table = refusal.refusal_rates(predictions, groups=groups, **common)
        if turns is not None:
            areas = (groups or {}).get("area")
            # a mix of areas is one where every answer has its area
            areas = areas if areas and all(areas) else None
            table += refusal.turn_differences(predictions, turns, areas=areas, **common)
        if without_history is not None:
            chosen = _second_kind(turns, len(predictions))
            table += refusal.history_differences(
                _of(chosen, predictions),
                _of(chosen, without_history),
                clusters=None if clusters is None else _of(chosen, clusters),
                reasons=(None if reasons is None else _of(chosen, reasons), None),
            )
        return module.flat(table)


def _of(rows: list[int], column: Sequence[Any]) -> list[Any]:
    return [column[row] for row in rows]


def _second_kind(turns: Sequence[str] | None, n: int) -> list[int]:
    """The rows of the kind of question seen second, or all."""
    if turns is None:
        return list(range(n))
    return [row for row, kind in enumerate(turns) if kind != turns[0]]
