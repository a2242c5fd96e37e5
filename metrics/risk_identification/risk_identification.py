"""Agreement with an answer key as an `evaluate` module over `normscope.metrics.options`."""

from collections.abc import Sequence
from typing import Any

from normscope.metrics import module
from normscope.metrics.options import agreement, risk_identification


class RiskIdentification(module.Metric):
    """Agreement with a key, for one row per question."""

    paper = "chisafetybench"
    schemas = ({"predictions": module.NAME, "references": module.NAME},)
    per_row = ("groups", "clusters", "reasons", "orders_of")
    options = ("key",)

    def _statistics(
        self,
        *,
        predictions: list[str | None],
        references: list[str | None],
        reasons: Sequence[str | None] | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        verdicts, why = agreement(predictions, references, reasons)
        table = risk_identification(verdicts, reasons=why, answers=references, **options)
        return module.flat(table)
