"""Whether a judge favours the answers of its own lineage, from runs that two judges have judged.

A lineage may write better answers, so the judge's scores alone say nothing. A second judge of
another lineage tells what the answers are worth: the shift is how much higher than the second the
judge puts its own lineage's answers, less the same of the other lineages' answers to the same
items.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...messages import message
from ...records.item import ItemKey
from ...records.model_spec import ModelSpec
from ..lineage import lineages
from .answers import BOUNDS, JudgedAnswers
from .bias import Probed
from .shifts import PairedValues, shifts_of

HOW = message(
    "judge runs of its own lineage and of others, over the same items, with this judge and with "
    "one of another lineage (`normscope judge RUN --judge OTHER --out NEW`), and name all: "
    "--runs RUN …"
)


def self_preference(
    spec: ModelSpec, identity: Mapping[str, Any], runs: Sequence[JudgedAnswers], outcome: str
) -> Probed:
    """The shift, per item the mean over the models on either side; or what is missing for it."""
    if not runs:
        return message("no runs are named; {how}", how=HOW)
    lineage = lineages(spec, identity)
    if not lineage:
        return message(
            "the lineage of {model} is not known; name it with --judge-lineage", model=spec.model
        )
    by_judge = _by_model([run for run in runs if _same(run, spec, identity)])
    seconds: dict[str, list[JudgedAnswers]] = {}
    for run in runs:
        related = lineages(run.config.judge, run.config.provenance.judge) & lineage
        if not _same(run, spec, identity) and not related:
            seconds.setdefault(run.judge, []).append(run)
    # of several second judges, the one that has judged the most of these models
    second = max(
        seconds.values(),
        key=lambda judged: len(set(by_judge) & {run.model for run in judged}),
        default=[],
    )
    by_second = _by_model(second)
    both = [model for model in by_judge if model in by_second]
    related_models = [
        model
        for model in both
        if (run := by_judge[model])
        and lineages(run.config.model, run.config.provenance.model) & lineage
    ]
    others = [model for model in both if model not in related_models]
    if not related_models or not others:
        return message(
            "{n} models were judged by {model}, {both} of them also by one judge of another "
            "lineage, {related} of these of its own lineage, {others} of others; {how}",
            n=len(by_judge),
            model=spec.model,
            both=len(both),
            related=len(related_models),
            others=len(others),
            how=HOW,
        )
    gaps = {model: _gaps(by_judge[model], by_second[model], outcome) for model in both}
    first = related_models[0]
    # the same items on both sides: some are harder to answer well
    keys = [key for key in gaps[first] if all(key in of_model for of_model in gaps.values())]
    if not keys:
        return message("the runs have no item in common; {how}", how=HOW)
    answers = {answer.key: answer for answer in by_judge[first].answers}
    bounds = BOUNDS.get(outcome)
    pairs = PairedValues(
        outcome,
        [_mean([gaps[model][key] for model in related_models]) for key in keys],
        [_mean([gaps[model][key] for model in others]) for key in keys],
        [answers[key].item.cluster_or_id for key in keys],
        [answers[key].item.language for key in keys],
        None if bounds is None else (bounds[0] - bounds[1], bounds[1] - bounds[0]),
    )
    variant = f"{', '.join(related_models)} less {', '.join(others)}"
    return shifts_of("self-preference", [pairs], variant=variant)


def _by_model(runs: Sequence[JudgedAnswers]) -> dict[str, JudgedAnswers]:
    """The first run of each model that answered itself."""
    first: dict[str, JudgedAnswers] = {}
    for run in runs:
        if any(answer.by_model for answer in run.answers):
            first.setdefault(run.model, run)
    return first


def _gaps(
    first: JudgedAnswers, second: JudgedAnswers, outcome: str
) -> dict[tuple[ItemKey, int], float | None]:
    """How much higher the first judge puts each answer than the second."""
    values = {answer.key: answer.value(outcome) for answer in second.answers}
    gaps: dict[tuple[ItemKey, int], float | None] = {}
    for answer in first.answers:
        if answer.by_model and answer.key in values and answer.was_judged(outcome):
            high, low = answer.value(outcome), values[answer.key]
            gaps[answer.key] = None if high is None or low is None else high - low
    return gaps


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if len(known) == len(values) else None


def _same(run: JudgedAnswers, spec: ModelSpec, identity: Mapping[str, Any]) -> bool:
    content = identity.get("content")
    theirs = (run.config.provenance.judge or {}).get("content")
    return bool(content and content == theirs) or run.judge == spec.model
