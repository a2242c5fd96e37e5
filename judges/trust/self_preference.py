"""Whether a judge favours the answers of its own family, from runs that two judges have judged.

A family may write better answers, so the judge's own scores alone say nothing. A second judge of
another family tells what the answers are worth: the shift is how much higher than the second the
judge puts its own family's answers, less the same of the other families' answers to the same items.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...records.model_spec import ModelSpec
from ..lineage import lineages
from .answers import BOUNDS, JudgedAnswer, JudgedAnswers, Key
from .shifts import PairedValues, Probe, shifts_of

NAME = "self-preference"
HOW = (
    "judge runs of its own family and of others, over the same items, with this judge and with one "
    "of another family (`normscope judge RUN --judge OTHER --out NEW`), and name all: --runs RUN …"
)

_QUESTION = "Does it favour answers of its own family?"
_Values = Mapping[Key, JudgedAnswer]


def self_preference(
    spec: ModelSpec, identity: Mapping[str, Any], runs: Sequence[JudgedAnswers], outcome: str
) -> Probe:
    """The shift, per item the mean over the models on either side; or what is missing for it."""
    if not runs:
        return Probe(NAME, _QUESTION, missing=f"no runs are named; {HOW}")
    mine = lineages(spec, identity)
    if not mine:
        told = f"the family of {spec.model} is not known; name it with --judge-lineage"
        return Probe(NAME, _QUESTION, missing=told)
    by_judge = _by_model([one for one in runs if _same(one, spec, identity)])
    seconds: dict[str, list[JudgedAnswers]] = {}
    for one in runs:
        kin = lineages(one.config.judge, one.config.provenance.judge) & mine
        if not _same(one, spec, identity) and not kin:
            seconds.setdefault(one.judge, []).append(one)
    # of several second judges, the one that has judged the most of these models
    second = max(
        seconds.values(), key=lambda every: len(set(by_judge) & _models(every)), default=[]
    )
    by_second = _by_model(second)
    both = [model for model in by_judge if model in by_second]
    own = [model for model in both if _lineages_of(by_judge[model]) & mine]
    rest = [model for model in both if model not in own]
    if not own or not rest:
        told = (
            f"{len(by_judge)} models were judged by {spec.model}, {len(both)} of them also by one "
            f"judge of another family, {len(own)} of these of its own family, {len(rest)} of others"
        )
        return Probe(NAME, _QUESTION, missing=f"{told}; {HOW}")
    gaps = {model: _gaps(by_judge[model], by_second[model], outcome) for model in both}
    keys = [key for key in gaps[own[0]] if all(key in one for one in gaps.values())]
    if not keys:
        return Probe(NAME, _QUESTION, missing=f"the runs have no item in common; {HOW}")
    told_of = {one.key: one for one in by_judge[own[0]].answers}
    bounds = BOUNDS.get(outcome)
    width = None if bounds is None else (bounds[0] - bounds[1], bounds[1] - bounds[0])
    column = PairedValues(
        outcome,
        [_mean([gaps[model][key] for model in own]) for key in keys],
        [_mean([gaps[model][key] for model in rest]) for key in keys],
        [told_of[key].cluster for key in keys],
        [told_of[key].language for key in keys],
        width,
    )
    variant = f"{', '.join(own)} less {', '.join(rest)}"
    return Probe(NAME, _QUESTION, shifts_of(NAME, [column], variant=variant))


def _by_model(runs: Sequence[JudgedAnswers]) -> dict[str, JudgedAnswers]:
    """The first run of each model that answered itself."""
    found: dict[str, JudgedAnswers] = {}
    for one in runs:
        if any(answer.by_model for answer in one.answers):
            found.setdefault(one.model, one)
    return found


def _models(runs: Sequence[JudgedAnswers]) -> set[str]:
    return {one.model for one in runs}


def _gaps(one: JudgedAnswers, other: JudgedAnswers, outcome: str) -> dict[Key, float | None]:
    """How much higher the one judge puts each answer than the other."""
    second = {answer.key: answer.value(outcome) for answer in other.answers}
    found: dict[Key, float | None] = {}
    for answer in one.answers:
        if answer.by_model and answer.key in second and answer.was_judged(outcome):
            mine, theirs = answer.value(outcome), second[answer.key]
            found[answer.key] = None if mine is None or theirs is None else mine - theirs
    return found


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if len(known) == len(values) else None


def _same(run: JudgedAnswers, spec: ModelSpec, identity: Mapping[str, Any]) -> bool:
    content = identity.get("content")
    theirs = (run.config.provenance.judge or {}).get("content")
    return bool(content and content == theirs) or run.judge == spec.model


def _lineages_of(run: JudgedAnswers) -> frozenset[str]:
    return lineages(run.config.model, run.config.provenance.model)
