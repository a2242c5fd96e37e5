"""Agreement with an answer key as an `evaluate` module over `normscope.metrics.options`."""

from collections.abc import Sequence
from typing import Any

from normscope.metrics import module
from normscope.metrics.options import agreement, blind_choice, risk_identification


class RiskIdentification(module.Metric):
    """Agreement with a key, for one row per question."""

    paper = "chisafetybench"
    schemas = ({"predictions": module.NAME, "references": module.NAME},)
    per_row = ("groups", "clusters", "reasons", "n_options", "orders_of")
    options = ("key",)

    def _statistics(
        self,
        *,
        predictions: list[str | None],
        references: list[str | None],
        reasons: Sequence[str | None] | None = None,
        n_options: int | Sequence[int] | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        verdicts, why = agreement(predictions, references, reasons, n_options=n_options)
        chance = None if n_options is None else blind_choice(n_options, len(verdicts))
        columns: dict[str, Any] = {"reasons": why, "chance": chance, "answers": references}
        return module.flat(risk_identification(verdicts, **columns, **options))
