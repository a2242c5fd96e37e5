"""What moves a norm as an `evaluate` module over `normscope.metrics.factors`."""

from collections.abc import Mapping, Sequence
from typing import Any

from normscope.metrics import module
from normscope.metrics.factors import factor_effects
from normscope.metrics.majority import LABELS
from normscope.metrics.pivot import pivot
from normscope.metrics.results import flat, plain, warn_undefined

_DESCRIPTION = """\
Which parameter of an information flow moves a model's norm: the mean acceptability at each level
of sender, recipient, attribute and transmission principle, and the share of the variance that each
of them, and each pair, explains.
"""

_INPUTS = """\
Args:
    predictions: per prompt the answer, -2 strongly unacceptable to 2 strongly acceptable, or the
        words of the scale; null or NaN: unscored, unless reasons says that the model gave no
        answer.
    item_id: the vignette of the prompt.
    variant_id: the prompt variant.
    groups: the factors, {"sender": [...], "recipient": [...]}, one level per prompt, the same for
        all of a vignette.
    reasons: why an answer is missing, one per prompt or one for all: "no_answer", ...
    variants: {variant_id: prompt variant}, or one per prompt, where several ids (orders of the
        scale) are of one prompt variant.
    known: the levels that groups may have, {"sender": [...]}; any by default.
    level: of the intervals, 0.95.
Returns:
    by_<group>: per level mean_acceptability with its suffixes; terms: per factor and pair of
    factors degrees, squares and share (an estimate over variants); residual_share, balanced, flows.
Examples:
    >>> metric = evaluate.load(normscope.metrics.path("factor_effects"))
    >>> metric.compute(
    ...     predictions=[2, 0, 0, -2],
    ...     item_id=["a", "b", "c", "d"],
    ...     variant_id=["v0"] * 4,
    ...     groups={"sender": list("xxyy"), "recipient": list("pqpq")},
    ... )["by_sender"]["x"]["mean_acceptability"]
    1.0
"""


class FactorEffects(module.Metric):
    """Marginal means and shares of variance, for one row per prompt."""

    summary, usage, paper = _DESCRIPTION, _INPUTS, module.LLM_CI
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
