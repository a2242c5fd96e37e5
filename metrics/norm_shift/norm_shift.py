"""Shifts of norms between conditions as an `evaluate` module over `normscope.metrics.shift`."""

from collections.abc import Mapping, Sequence
from typing import Any

from normscope.metrics import module
from normscope.metrics.majority import LABELS
from normscope.metrics.pivot import panels
from normscope.metrics.results import plain, warn_undefined
from normscope.metrics.shift import norm_shift

_DESCRIPTION = """\
How norms move between conditions (models, checkpoints, temperatures): the difference of mean
acceptability with an interval and a test over variants, and the papers' tests over flows.
"""

_INPUTS = """\
Args:
    predictions: per prompt the answer, -2 strongly unacceptable to 2 strongly acceptable, or the
        words of the scale; null or NaN: unscored, unless reasons says that the model gave no
        answer.
    item_id: the vignette of the prompt.
    variant_id: the prompt variant.
    condition: what differs: the model, the checkpoint, the temperature. A pair's difference is the
        one seen later less the one seen first.
    reasons: why an answer is missing, one per prompt or one for all: "no_answer", ...
    groups: {"sender": [...]}, one level per prompt, the same for all of a vignette; adds levels.
    variants: {variant_id: prompt variant}, or one per prompt, where several ids (orders of the
        scale) are of one prompt variant.
    rule, threshold: what makes a norm, as in norm_consensus: "default" or "published"; "simple",
        "super" or a share.
    known: the levels that groups may have, {"recipient": [...]}; any by default.
    level: of the interval, 0.95.
Returns:
    pairs: for each two conditions first, second, difference (an estimate over variants),
        lowest_limit and highest_limit (the limits of its lowest and highest case), over_variants
        (the t test of its interval), holm (the p of over_variants over all pairs) and
        as_published: Wilcoxon's test of the vignettes' majority norms, equal ones left out. All are
        of the variants that both were asked.
    omnibus: with three conditions or more Friedman's test and the repeated-measures ANOVA of the
        majority norms, as published.
    levels: per level of groups and two conditions the same, and the p of over_variants over all
        levels (benjamini_hochberg): exploratory.
    shared_variants: where a condition was not asked every variant, those that all were asked, and
        each two. A variant was asked if any of its rows has an answer or a reason.
Examples:
    >>> metric = evaluate.load(normscope.metrics.path("norm_shift"))
    >>> result = metric.compute(
    ...     predictions=[0, 1, 1, 2],
    ...     item_id=["a"] * 4,
    ...     variant_id=["v0", "v1"] * 2,
    ...     condition=["base", "base", "tuned", "tuned"],
    ... )
    >>> result["pairs"][0]["difference"]["value"]
    1.0
"""


class NormShift(module.Metric):
    """Differences between conditions, for one row per condition and prompt."""

    summary, usage, paper = _DESCRIPTION, _INPUTS, module.LLM_CI
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
        asked = panels(predictions, item_id, variant_id, condition, reasons=reasons)
        value = norm_shift(
            asked.answers,
            groups=asked.whole.levels(groups),
            unscored=asked.unscored,
            asked=asked.asked,
            variants=asked.variants(variants),
            **options,
        )
        warn_undefined(
            (f"shift of {pair.second} from {pair.first}", pair.difference.method)
            for pair in value.pairs
            if pair.difference.value is None
        )
        result: dict[str, Any] = plain(value)
        shared = asked.shared_variants()
        return {**result, "shared_variants": shared} if shared else result
