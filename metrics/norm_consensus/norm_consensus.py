"""Norms over variants, as an `evaluate` module over `normscope.metrics.norms`."""

from typing import Any

from normscope.metrics import module
from normscope.metrics.facets import facet_statistics
from normscope.metrics.norms import norm_consensus
from normscope.metrics.pivot import Panels
from normscope.metrics.results import flat


class NormConsensus(module.VignetteMetric):
    """Majorities over variants, for one row per prompt."""

    options = ("rule", "threshold", "min_valid", "variants", "orders", "population", "level")

    def _of_vignettes(
        self,
        table: Panels,
        groups: Any,
        *,
        variants: Any = None,
        orders: Any = None,
        level: float = 0.95,
        **options: Any,
    ) -> dict[str, Any]:
        (answers,) = table.answers.values()
        variant, order = table.named(variants), table.named(orders, "orders")
        rows = norm_consensus(answers, groups=groups, variants=variant, level=level, **options)
        if order is not None:
            rows += facet_statistics(answers, variant or table.variant_ids, order, level=level)
        result = flat(rows)
        if not answers.requested.all():
            pairs = zip(table.variant_ids, answers.requested, strict=True)
            result["variants_asked"] = [name for name, asked in pairs if asked]
        return result
