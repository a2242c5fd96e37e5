"""Norms that models share as an `evaluate` module over `normscope.metrics.concordance`."""

from collections.abc import Mapping, Sequence
from typing import Any

from normscope.metrics import module
from normscope.metrics.concordance import norm_agreement
from normscope.metrics.majority import LABELS
from normscope.metrics.pivot import panels
from normscope.metrics.results import flat
from normscope.metrics.survey import agreement_with, rated_units, read_survey

_DESCRIPTION = """\
On which share of information flows models hold the same norm, by majority over variants, and how a
model's mean acceptability goes with people's ratings in a survey.
"""

_INPUTS = """\
Args:
    predictions: per prompt the answer, -2 strongly unacceptable to 2 strongly acceptable, or the
        words of the scale; null or NaN: unscored, unless reasons says that the model gave no
        answer.
    item_id: the vignette of the prompt.
    variant_id: the prompt variant; the order of first appearance is the column order.
    model: the model that answered.
    groups: {"recipient": [...]}, one level per prompt, the same for all of a vignette.
    reasons: why an answer is missing, one per prompt or one for all: "no_answer", ...
    survey: people's ratings, {"ratings": {"flow 1": 40.0}, "low": -100, "high": 100, "level":
        "item_id"}: means from low to high, each of one vignette; or of the groups that level names,
        such as ["sender", "recipient"], with their levels as keys. Adds survey.
    rule, threshold, min_valid: of the majority, as in norm_consensus.
    prompts: "shared", norms over the variants that all models were asked; "own", as published:
        each model's over those that it was asked.
    known: the levels that groups may have, {"recipient": [...]}; any by default.
    level: of the survey's intervals, 0.95.
Returns:
    all_agree, all_have_norm, all_agree_given and for each two models "agree: a, b": the share of
    vignettes, with the suffixes _low, _high, _lowest, _highest, _n and _unscored; n and unscored of
    all_agree. shared_variants: where a model was not asked every variant, those that all were
        asked, and each two, which are what is compared. A variant was asked if any of its rows has
        an answer or a reason.
    survey: with a survey, per model pearson, spearman, kendall and bias with their suffixes, over
        the units that were rated; bias in steps of the answers, -4 to 4.
Examples:
    >>> metric = evaluate.load(normscope.metrics.path("norm_agreement"))
    >>> metric.compute(
    ...     predictions=[1, 1, 2, -1],
    ...     item_id=["a", "a", "b", "b"],
    ...     variant_id=["v0"] * 4,
    ...     model=["x", "y", "x", "y"],
    ... )["all_agree"]
    0.5
"""


class NormAgreement(module.Metric):
    """Agreement between models and with a survey, for one row per model and prompt."""

    summary, usage, paper = _DESCRIPTION, _INPUTS, module.LLM_CI
    schemas = ({**module.PROMPTS, "model": module.NAME},)
    labels = LABELS
    per_row = ("groups", "reasons")
    options = ("survey", "rule", "threshold", "min_valid", "prompts", "known", "level")

    def _statistics(
        self,
        *,
        predictions: list[float | None],
        item_id: list[str],
        variant_id: list[str],
        model: list[str],
        groups: Mapping[str, Sequence[Any]] | None = None,
        reasons: Sequence[str | None] | str | None = None,
        survey: Mapping[str, Any] | None = None,
        level: float = 0.95,
        **options: Any,
    ) -> dict[str, Any]:
        table = panels(predictions, item_id, variant_id, model, reasons=reasons)
        levels = table.whole.levels(groups)
        if len(table.answers) > 1 or survey is None:
            statistics = norm_agreement(
                table.answers,
                groups=levels,
                unscored=table.unscored,
                asked=table.asked,
                **options,
            )
            result = flat(statistics)
            if shared := table.shared_variants():
                result["shared_variants"] = shared
        else:
            result = {}
        if survey is not None:
            units, ratings = rated_units(read_survey(survey), table.whole.items, levels)
            result["survey"] = {
                name: flat(
                    agreement_with(answers, table.unscored[name], units, ratings, level=level)
                )
                for name, answers in table.answers.items()
            }
        return result
