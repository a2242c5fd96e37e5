"""From a file of labels and a judge to its cards, one per criterion."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from ... import __version__
from ...errors import UsageError
from ...extras import packages
from ...files import typed
from ...languages import language_code
from ...reasons import Reason
from ...records.answered import spelt
from ...records.judgement import Judgement
from ...records.model_spec import ModelSpec
from ...records.response import Response
from ...records.settings import Settings
from ...records.units import journal_of
from ..engine import Engine
from ..judge import LoadedJudge, Questions, Work, counting_channel, judge_of
from ..rubric import Rubric
from .card import Card, JudgeIdentity, LabelSource, RubricUsed, Slice, as_read_back, today
from .labels import STAGE, LabelFile, Labelled, labelled
from .predictor import CriterionScale, Resampling, predictions_of, scale_of
from .slices import JudgedRows, keyword_predictions, slices_of
from .training_data import declared_sets, training_data, with_texts


def validate(
    labels: LabelFile,
    rubric: Rubric,
    requested: Settings,
    load: Callable[[ModelSpec], Engine],
    *,
    benchmark: str | None = None,
    columns: Mapping[str, str] | None = None,
    category: str | None = None,
    language: str | None = None,
    harmful: Sequence[str] = (),
    trained_on: Sequence[str] = (),
    limit: int | None = None,
    resamples: int = 1000,
    seed: int = 0,
    out: Path | None = None,
) -> list[Card]:
    """The judge's card for each criterion; stopped, it goes on from its journal in `out`, if any.

    `columns`, `category`, `language` and a `limit` by the `seed` are for the rows that are judged
    (`labelled`), `benchmark` is what the labels are called. `trained_on` names sets that the judge
    learnt from, beside those that it declares itself; `harmful` the criteria's labels of answers
    that do harm.
    """
    rows = labelled(
        labels,
        rubric,
        columns=columns,
        category=category or "",
        language=language_code(language or "") or None,
        limit=limit,
        seed=seed,
    )
    benchmark, resampling = benchmark or labels.titles[0], Resampling(resamples, seed)
    harmful = [spelt(each) for each in harmful]
    questions = Questions.of(rubric, labels.criteria)
    scales = {name: scale_of(name, rubric.criteria[name], harmful) for name in questions.criteria}
    if len(requested.judge_channels) > 1:
        raise UsageError(
            "a card is of one channel, since agreement in labels says nothing of text: "
            "--judge-channel labels, or --judge-channel text"
        )
    spec = judge_of(requested)
    engine = load(spec)
    declared = tuple(dict.fromkeys((*declared_sets(spec, engine.identity), *trained_on)))
    settings = {
        "label_orders": requested.label_orders,
        "min_coverage": requested.min_coverage,
        "channel": counting_channel(requested.judge_channels),
        "unit_items": requested.unit_items,
    }
    task = {
        **settings,
        "judge": engine.identity,
        "rubric": questions.hash,
        "criteria": list(questions.criteria),
        "labels": labels.sha256,
        "rows": [[row.number, row.item.category, row.item.language] for row in rows],
        "packages": packages(),
    }
    judge = LoadedJudge(
        engine,
        {STAGE: questions},
        requested.min_coverage,
        requested.label_orders,
        requested.judge_channels,
    )
    pairs = [(row.item, Response.to(row.item, row.response)) for row in rows]
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)

    def card(criterion: str, judgements: Sequence[Judgement]) -> Card:
        judged = [pair for pair in zip(rows, judgements, strict=True) if criterion in pair[0].human]
        categories = Counter(row.item.category for row, _ in judged)
        source = LabelSource(
            benchmark=benchmark,
            file=labels.name,
            sha256=labels.sha256,
            rows=len(labels.rows),
            taken=len(judged),
            judged_as=dict(categories.most_common()),
            **asdict(labels.criteria[criterion]),
        )
        built = Card(
            judge=_identity({"model": engine.name, **engine.identity}),
            rubric=_rubric_used(rubric, criterion, scales[criterion]),
            source=source,
            date=today(),
            normscope=__version__,
            slices=_slices(criterion, judged, scales[criterion], resampling),
            training=with_texts(
                training_data(declared, (*labels.titles, benchmark)),
                spec,
                ((row.item.messages[-1].content, row.response) for row, _ in judged),
            ),
            settings={**settings, **asdict(resampling)},
            packages=packages(),
        )
        return as_read_back(built)

    # the journal goes when the block ends: the cards are made before, so that nothing is lost
    with journal_of(task, out) if out is not None else nullcontext() as journal:
        judgements = judge.judge(pairs, Work(journal, unit_items=requested.unit_items))
        return [
            card(criterion, [each[at] for each in judgements])
            for at, criterion in enumerate(questions.criteria)
        ]


def _identity(engine: Mapping[str, Any]) -> JudgeIdentity:
    """What an engine says of itself, as the card keeps it."""
    facts = {field.name: engine.get(field.name) for field in fields(JudgeIdentity)}
    facts |= {name: str(engine.get(name, "unknown")) for name in ("model", "engine")}
    return typed(JudgeIdentity, {**facts, "all": engine})


def _rubric_used(rubric: Rubric, criterion: str, scale: CriterionScale) -> RubricUsed:
    return RubricUsed(
        name=rubric.name,
        version=rubric.version,
        hash=rubric.hash,
        criterion=criterion,
        labels=scale.labels,
        values=tuple(float(value) for value in scale.values),
        read=rubric.criteria[criterion].read,
        harmful=tuple(np.array(scale.labels)[scale.harmful].tolist()),
        languages=tuple(rubric.languages),
    )


def _slices(
    criterion: str,
    rows: Sequence[tuple[Labelled, Judgement]],
    scale: CriterionScale,
    resampling: Resampling,
) -> tuple[Slice, ...]:
    people, judged = [row for row, _ in rows], [judgement for _, judgement in rows]
    table = JudgedRows(
        truth=np.array([scale.labels.index(row.human[criterion]) for row in people], dtype=np.intp),
        clusters=tuple(row.item.cluster for row in people),
        judge=predictions_of(judged, scale),
        # a mean is a value at a tie as well, but no label
        reasons=tuple(row.reason if row.value is None else Reason.TIE for row in judged),
        keywords=keyword_predictions(criterion, [row.response for row in people], scale),
    )
    names = list(people[0].groups) if people else []
    columns = {name: [row.groups[name] for row in people] for name in names}
    # a dimension with one level would repeat all rows; the language stands for what a card covers
    groups = {n: column for n, column in columns.items() if n == "language" or len(set(column)) > 1}
    return slices_of(table, groups, scale, resampling)
