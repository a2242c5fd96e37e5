"""What moves a norm as an `evaluate` module over `normscope.metrics.factors`."""

from typing import Any

from normscope.metrics import module
from normscope.metrics.factors import factor_effects
from normscope.metrics.pivot import Panels
from normscope.metrics.results import flat, plain, warn_undefined


class FactorEffects(module.VignetteMetric):
    """Marginal means and shares of variance, for one row per prompt."""

    options = ("variants", "level")

    def _of_vignettes(
        self, table: Panels, groups: Any, *, variants: Any = None, **options: Any
    ) -> dict[str, Any]:
        (answers,) = table.answers.values()
        result = factor_effects(answers, groups, variants=table.named(variants), **options)
        warn_undefined(
            (f"share of {' × '.join(one.factors)}", one.share.method)
            for one in result.terms
            if one.share.value is None
        )
        rest = {name: value for name, value in plain(result).items() if name != "means"}
        return {**flat(list(result.means)), **rest}
