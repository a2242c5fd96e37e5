"""Shifts of norms between conditions as an `evaluate` module over `normscope.metrics.shift`."""

from collections.abc import Mapping, Sequence
from typing import Any

from normscope.metrics import module
from normscope.metrics.majority import LABELS
from normscope.metrics.pivot import panels
from normscope.metrics.results import plain, warn_undefined
from normscope.metrics.shift import norm_shift


class NormShift(module.Metric):
    """Differences between conditions, for one row per condition and prompt."""

    paper = "llm_ci"
    schemas = ({**module.PROMPTS, "condition": module.NAME},)
    labels = LABELS
    per_row = ("groups", "reasons")
    options = ("variants", "rule", "threshold", "known", "level")

    def _statistics(
        self,
        *,
        predictions: list[float | None],
        item_id: list[str],
        variant_id: list[str],
        condition: list[str],
        groups: Mapping[str, Sequence[Any]] | None = None,
        reasons: Sequence[str | None] | str | None = None,
        variants: Mapping[str, str] | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        requested = panels(predictions, item_id, variant_id, condition, reasons=reasons)
        value = norm_shift(
            requested.answers,
            groups=requested.whole.levels(groups),
            unscored=requested.unscored,
            asked=requested.asked,
            variants=requested.variants(variants),
            **options,
        )
        warn_undefined(
            (f"shift of {pair.second} from {pair.first}", pair.difference.method)
            for pair in value.pairs
            if pair.difference.value is None
        )
        result: dict[str, Any] = plain(value)
        shared = requested.shared_variants()
        return {**result, "shared_variants": shared} if shared else result
