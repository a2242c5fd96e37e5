"""Norms that models share as an `evaluate` module over `normscope.metrics.concordance`."""

from typing import Any

from normscope.metrics import module
from normscope.metrics.concordance import norm_agreement
from normscope.metrics.pivot import Panels
from normscope.metrics.results import flat


class NormAgreement(module.VignetteMetric):
    """Agreement between models, for one row per model and prompt."""

    schemas = ({**module.VignetteMetric.prompts, "model": module.NAME},)
    options = ("rule", "threshold", "min_valid", "prompts")

    def _of_vignettes(self, table: Panels, groups: Any, **options: Any) -> dict[str, Any]:
        result = flat(norm_agreement(table.answers, groups=groups, **options))
        shared = table.shared_variants()
        return {**result, "shared_variants": shared} if shared else result
