"""From a file of labels and a judge to its cards, one per criterion."""

from collections.abc import Callable, Sequence
from pathlib import Path

from ...errors import UsageError
from ...packages import packages
from ...records.config import RunConfig
from ...records.item import Item
from ...records.journal import Journal
from ...records.judgement import Judgement
from ...records.model_spec import ModelSpec
from ...records.response import Response
from ...records.units import journal_of
from ..engine import Engine
from ..judge import Judge, Pair, Questions, Work
from ..rubric import Rubric
from .card import LabelSource
from .card_building import CardResult, JudgedCriterion, card_of, judged_as, scale_of
from .labels import LabelFile, LabelLayout, Labelled, labelled
from .predictor import DEFAULT_RESAMPLING, Resampling
from .training_data import declared_sets, training_data

STAGE = "labels"


def validate(
    labels: LabelFile,
    rubric: Rubric,
    layout: LabelLayout,
    *,
    requested: RunConfig,
    load: Callable[[ModelSpec], Engine],
    out: Path,
    date: str,
    harmful: Sequence[str] = (),
    resampling: Resampling = DEFAULT_RESAMPLING,
    trained_on: Sequence[str] = (),
) -> list[CardResult]:
    """The judge's card for each criterion; stopped, it goes on from its journal in `out`.

    `trained_on` names sets that the judge learnt from, beside those that it declares itself;
    `harmful` the criteria's labels of answers that do harm; `date` is the card's (UTC).
    """
    questions = Questions.of(rubric, layout.criteria)
    scales = {name: scale_of(name, rubric.criteria[name], harmful) for name in questions.criteria}
    rows = labelled(labels.rows, rubric, layout, name=labels.name)
    if requested.judge is None:
        raise UsageError("no judge is named: --judge PATH_OR_HUB_ID")
    engine = load(requested.judge)
    declared = tuple(dict.fromkeys((*declared_sets(requested.judge, engine.identity), *trained_on)))
    settings = {
        "label_orders": requested.label_orders,
        "min_coverage": requested.min_coverage,
        "unit_items": requested.unit_items,
    }
    task = {
        **settings,
        "judge": engine.identity,
        "rubric": questions.hash,
        "criteria": list(questions.criteria),
        "labels": labels.sha256,
        "rows": [[row.number, row.category, row.language] for row in rows],
        "packages": packages(),
    }
    out.mkdir(parents=True, exist_ok=True)
    with journal_of(task, out) as journal:
        judgements = _judge(rows, questions, engine, requested, journal)
        results = []
        for criterion in questions.criteria:
            judged = JudgedCriterion(rubric, criterion, rows, judgements[criterion])
            results.append(
                card_of(
                    judged,
                    identity={"model": engine.name, **engine.identity},
                    source=_source(labels, layout, criterion, [row for row, _ in judged.labelled]),
                    date=date,
                    settings=settings,
                    scale=scales[criterion],
                    resampling=resampling,
                    training=training_data(declared, (*labels.titles, layout.benchmark)),
                )
            )
    return results


def _source(
    labels: LabelFile, layout: LabelLayout, criterion: str, rows: Sequence[Labelled]
) -> LabelSource:
    column = layout.criteria[criterion]
    return LabelSource(
        benchmark=layout.benchmark,
        file=labels.name,
        sha256=labels.sha256,
        rows=len(labels.rows),
        taken=len(rows),
        column=column.column,
        meaning=column.meaning,
        mapping=dict(column.mapping),
        judged_as=judged_as(rows),
        notes=column.notes,
    )


def _judge(
    rows: Sequence[Labelled],
    questions: Questions,
    engine: Engine,
    requested: RunConfig,
    journal: Journal,
) -> dict[str, list[Judgement]]:
    """Per criterion the judgement of each labelled row, from the journal where it is made."""
    judge = Judge(engine, {STAGE: questions}, requested.min_coverage, requested.label_orders)
    work = Work(journal, unit_items=requested.unit_items)
    judgements = judge.judge([_pair(row) for row in rows], work)
    return {
        criterion: [each[at] for each in judgements]
        for at, criterion in enumerate(questions.criteria)
    }


def _pair(row: Labelled) -> Pair:
    item = Item(
        benchmark=STAGE,
        item_id=str(row.number),
        messages=row.messages,
        language=row.language,
        category=row.category,
        cluster=row.cluster,
    )
    return item, Response.to(item, row.response)
