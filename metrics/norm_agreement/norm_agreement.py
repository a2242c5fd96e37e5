"""Norms that models share as an `evaluate` module over `normscope.metrics.concordance`."""

from collections.abc import Mapping, Sequence
from typing import Any

from normscope.metrics import module
from normscope.metrics.concordance import norm_agreement
from normscope.metrics.majority import LABELS
from normscope.metrics.pivot import panels
from normscope.metrics.results import flat
from normscope.metrics.survey import agreement_with, rated_units, read_survey


class NormAgreement(module.Metric):
    """Agreement between models and with a survey, for one row per model and prompt."""

    paper = "llm_ci"
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
