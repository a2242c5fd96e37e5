"""What moves a norm as an `evaluate` module over `normscope.metrics.factors`."""

from collections.abc import Mapping, Sequence
from typing import Any

from normscope.metrics import module
from normscope.metrics.factors import factor_effects
from normscope.metrics.majority import LABELS
from normscope.metrics.pivot import pivot
from normscope.metrics.results import flat, plain, warn_undefined


class FactorEffects(module.Metric):
    """Marginal means and shares of variance, for one row per prompt."""

    paper = "llm_ci"
    schemas = (module.PROMPTS,)
    labels = LABELS
    per_row = ("groups", "reasons")
    options = ("variants", "known", "level")

    def _statistics(
        self,
        *,
        predictions: list[float | None],
        item_id: list[str],
        variant_id: list[str],
        groups: Mapping[str, Sequence[Any]] | None = None,
        reasons: Sequence[str | None] | str | None = None,
        variants: Mapping[str, str] | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        table = pivot(item_id, variant_id)
        options = {
            "reasons": table.reasons(reasons),
            "variants": table.variants(variants),
            **options,
        }
        result = factor_effects(
            table.matrix(predictions, "predictions"), table.levels(groups), **options
        )
        warn_undefined(
            (f"share of {' × '.join(one.factors)}", one.share.method)
            for one in result.terms
            if one.share.value is None
        )
        rest = {name: value for name, value in plain(result).items() if name != "means"}
        return {**flat(list(result.means)), **rest}
