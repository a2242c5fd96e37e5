"""Norms over variants, as an `evaluate` module over `normscope.metrics.norms`."""

from collections.abc import Mapping, Sequence
from typing import Any

from normscope.metrics import module
from normscope.metrics.facets import facet_statistics
from normscope.metrics.majority import LABELS
from normscope.metrics.norms import asked_columns, norm_consensus
from normscope.metrics.pivot import pivot
from normscope.metrics.results import flat

_DESCRIPTION = """\
Whether a model's answers to the variants of one vignette agree on a norm: shares of vignettes with
a simple and a super majority, undecided, unanswered, accepted and rejected, and the mean
acceptability with an interval over variants.
"""

_INPUTS = """\
Args:
    predictions: per prompt the answer, -2 strongly unacceptable to 2 strongly acceptable, or the
        words of the scale; null or NaN: unscored, unless reasons says that the model gave no
        answer.
    item_id: the vignette of the prompt.
    variant_id: the prompt variant; the order of first appearance is the column order.
    groups: {"recipient": [...]}, one level per prompt, the same for all of a vignette.
    reasons: why an answer is missing, one per prompt or one for all: "no_answer", ...
    rule: "default", or "published" for the authors' majority.
    threshold: the majority behind accept_share, reject_share and neutral_share, "simple" or
        "super" or a number.
    min_valid: how many valid answers a vignette needs; by default 10 of 11 of the variants that the
        model was asked, 1 if published.
    variants: {variant_id: prompt variant}, or one per prompt, where several ids (orders of the
        scale) are of one prompt variant.
    orders: {variant_id: order of the scale}, or one per prompt: adds by_facet, what moves an answer
        (facet_statistics), beside variants.
    population: how many vignettes the context has, if these are a slice of them: the intervals of
        the shares are then for all. Without it they are exact, for these vignettes.
    known: the levels that groups may have, {"recipient": [...]}; any by default.
    level: of the interval, 0.95.
Returns:
    For each statistic: its value, and with the suffixes _low, _high, _lowest, _highest, _n and
    _unscored its limits, cases and counts; n and unscored of simple_majority, in vignettes.
    variants_asked: those that were, where some were not: a variant in which no row has an answer or
        a reason was not asked, and min_valid is of the others. Give failures their reasons.
Examples:
    >>> metric = evaluate.load(normscope.metrics.path("norm_consensus"))
    >>> metric.compute(
    ...     predictions=[1, 1, 2, -1, 0, 1],
    ...     item_id=["a", "a", "a", "b", "b", "b"],
    ...     variant_id=["v0", "v1", "v2", "v0", "v1", "v2"],
    ... )["simple_majority"]
    0.5
"""


class NormConsensus(module.Metric):
    """Majorities over variants, for one row per prompt."""

    summary, usage, paper = _DESCRIPTION, _INPUTS, module.LLM_CI
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
