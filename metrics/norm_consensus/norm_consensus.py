"""Norms over variants, as an `evaluate` module over `normscope.metrics.norms`."""

from collections.abc import Sequence
from typing import Any

from normscope.metrics import module
from normscope.metrics.answers import Answers
from normscope.metrics.facets import facet_statistics
from normscope.metrics.inputs import same_length
from normscope.metrics.norms import norm_consensus
from normscope.metrics.pivot import pivot


class NormConsensus(module.Metric):
    """Majorities over variants, for one row per prompt."""

    paper = "llm_ci"
    schemas = ({"predictions": module.NUMBER, "item_id": module.NAME, "variant_id": module.NAME},)
    per_row = ("groups", "reasons")
    options = ("rule", "threshold", "min_valid", "variants", "orders", "population")

    def _statistics(
        self,
        *,
        predictions: list[float | None],
        item_id: list[str],
        variant_id: list[str],
        groups: Any = None,
        reasons: Sequence[str | None] | str | None = None,
        variants: Any = None,
        orders: Any = None,
        **options: Any,
    ) -> dict[str, Any]:
        table = pivot(item_id, variant_id)
        why: Any = reasons
        if reasons is not None and not isinstance(reasons, str):
            same_length({"predictions": predictions, "reasons": reasons})
            why = table.names(reasons)
        answers = Answers.of(table.matrix(predictions, "predictions"), why, "predictions")
        variant, order = table.named(variants), table.named(orders, "orders")
        groups = table.levels(groups)
        rows = norm_consensus(answers, groups=groups, variants=variant, **options)
        if order is not None:
            rows += facet_statistics(answers, variant or table.variant_ids, order)
        result = module.flat(rows)
        if not answers.requested.all():
            pairs = zip(table.variant_ids, answers.requested, strict=True)
            result["variants_asked"] = [name for name, asked in pairs if asked]
        return result
