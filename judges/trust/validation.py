"""From a file of labels and a judge to its cards, one per criterion."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

from ...errors import UsageError
from ...packages import packages
from ...records.config import RunConfig
from ...records.model_spec import ModelSpec
from ...records.response import Response
from ...records.units import journal_of
from ..engine import Engine
from ..judge import LoadedJudge, Questions, Work, counting_channel, judge_of
from ..rubric import Rubric
from .card import Card, LabelSource
from .card_building import card_of, judged_as, scale_of
from .labels import STAGE, LabelFile, Labelled
from .predictor import DEFAULT_RESAMPLING, Resampling
from .training_data import declared_sets, training_data, with_texts


def validate(
    labels: LabelFile,
    rows: Sequence[Labelled],
    rubric: Rubric,
    *,
    benchmark: str,
    requested: RunConfig,
    load: Callable[[ModelSpec], Engine],
    out: Path | None,
    date: str,
    harmful: Sequence[str] = (),
    resampling: Resampling = DEFAULT_RESAMPLING,
    trained_on: Sequence[str] = (),
) -> list[Card]:
    """The judge's card for each criterion; stopped, it goes on from its journal in `out`, if any.

    `rows` are the file's rows that are judged, `benchmark` is what the labels are called.
    `trained_on` names sets that the judge learnt from, beside those that it declares itself;
    `harmful` the criteria's labels of answers that do harm; `date` is the card's (UTC).
    """
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
    # the journal goes when the block ends: the cards are made before, so that nothing is lost
    with journal_of(task, out) if out is not None else nullcontext() as journal:
        judgements = judge.judge(pairs, Work(journal, unit_items=requested.unit_items))
        results = []
        for at, criterion in enumerate(questions.criteria):
            judged = [
                (row, each[at])
                for row, each in zip(rows, judgements, strict=True)
                if criterion in row.human
            ]
            column = labels.criteria[criterion]
            source = LabelSource(
                benchmark=benchmark,
                file=labels.name,
                sha256=labels.sha256,
                rows=len(labels.rows),
                taken=len(judged),
                column=column.column,
                meaning=column.meaning,
                mapping=dict(column.mapping),
                judged_as=judged_as([row for row, _ in judged]),
                notes=column.notes,
            )
            results.append(
                card_of(
                    rubric,
                    criterion,
                    judged,
                    identity={"model": engine.name, **engine.identity},
                    source=source,
                    date=date,
                    settings=settings,
                    scale=scales[criterion],
                    resampling=resampling,
                    training=with_texts(
                        training_data(declared, (*labels.titles, benchmark)),
                        spec,
                        ((row.item.messages[-1].content, row.response) for row, _ in judged),
                    ),
                )
            )
    return results
