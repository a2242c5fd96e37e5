"""Norms over variants, as an `evaluate` module over `normscope.metrics.norms`."""

from collections.abc import Mapping, Sequence
from typing import Any

from normscope.metrics import module
from normscope.metrics.facets import facet_statistics
from normscope.metrics.majority import LABELS
from normscope.metrics.norms import asked_columns, norm_consensus
from normscope.metrics.pivot import pivot
from normscope.metrics.results import flat


class NormConsensus(module.Metric):
    """Majorities over variants, for one row per prompt."""

    paper = "llm_ci"
    schemas = (module.PROMPTS,)
    labels = LABELS
    per_row = ("groups", "reasons")
    options = (
        *("rule", "threshold", "min_valid", "variants", "orders"),
        *("population", "known", "level"),
    )

    def _statistics(
        self,
        *,
        predictions: list[float | None],
        item_id: list[str],
        variant_id: list[str],
        groups: Mapping[str, Sequence[Any]] | None = None,
        reasons: Sequence[str | None] | str | None = None,
        variants: Mapping[str, str] | None = None,
        orders: Mapping[str, str] | None = None,
        level: float = 0.95,
        **options: Any,
    ) -> dict[str, Any]:
        table = pivot(item_id, variant_id)
        alike, order = table.variants(variants), table.variants(orders, "orders")
        why = table.reasons(reasons)
        answers = table.matrix(predictions, "predictions")
        options = {"groups": table.levels(groups), "variants": alike, **options}
        rows = norm_consensus(answers, reasons=why, level=level, **options)
        if order is not None:
            named = alike or table.variant_ids
            rows += facet_statistics(answers, named, order, reasons=why, level=level)
        result = flat(rows)
        asked_of = asked_columns(answers, why)
        if not asked_of.all():
            result["variants_asked"] = [
                name for name, kept in zip(table.variant_ids, asked_of, strict=True) if kept
            ]
        return result
