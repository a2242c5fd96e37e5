"""CHiSafetyBench's refusal rates as an `evaluate` module over `normscope.metrics.refusal`."""

from collections.abc import Mapping, Sequence
from typing import Any

from normscope.metrics import module, refusal


class RefusalRates(module.Metric):
    """RR-1, RR-2 and HR, for one row per answer."""

    paper = "chisafetybench"
    schemas = ({"predictions": module.NUMBER},)
    per_row = ("groups", "clusters", "reasons", "turns")

    def _statistics(
        self,
        *,
        predictions: list[float | None],
        groups: Mapping[str, Sequence[str | None]] | None = None,
        turns: Sequence[str] | None = None,
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
        return module.flat(table)
