"""Shifts of norms between conditions as an `evaluate` module over `normscope.metrics.shift`."""

from typing import Any

from normscope.metrics import module
from normscope.metrics.pivot import Panels
from normscope.metrics.results import plain, warn_undefined
from normscope.metrics.shift import norm_shift


class NormShift(module.VignetteMetric):
    """Differences between conditions, for one row per condition and prompt."""

    schemas = ({**module.VignetteMetric.prompts, "condition": module.NAME},)
    options = ("variants", "rule", "threshold", "level")

    def _of_vignettes(
        self, table: Panels, groups: Any, *, variants: Any = None, **options: Any
    ) -> dict[str, Any]:
        named = table.named(variants)
        value = norm_shift(table.answers, groups=groups, variants=named, **options)
        warn_undefined(
            (f"shift of {pair.second} from {pair.first}", pair.difference.method)
            for pair in value.pairs
            if pair.difference.value is None
        )
        result: dict[str, Any] = plain(value)
        shared = table.shared_variants()
        return {**result, "shared_variants": shared} if shared else result
