"""From a file of labels and a judge to its cards, one per criterion."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ....errors import UsageError
from ....packages import packages
from ....records.config import RunConfig
from ....records.model_spec import ModelSpec
from ....records.work import journal_of
from ....report.trust.card_drawing import USUAL, Drawing
from ....rows import Rows
from ...bench import panel
from ...engine import Engine
from ...rubric import Rubric
from ..labels import Labelled, Wanted, labelled
from .asking import ask_judge
from .build import JudgedCriterion, card_of, judged_as, scale_of
from .card import LabelSource
from .training import declared_sets, training_data
from .write import Made, write_made


@dataclass(frozen=True, slots=True)
class LabelFile:
    """The rows with people's labels and where they are from.

    `titles` are the names of the set (or of its part, `SET:PART`) by which training data is told.
    """

    name: str
    sha256: str
    rows: Rows
    titles: tuple[str, ...] = ()


def validate(
    labels: LabelFile,
    used: Rubric,
    wanted: Wanted,
    *,
    asked: RunConfig,
    load: Callable[[ModelSpec], Engine],
    out: Path,
    date: str,
    harmful: Mapping[str, tuple[str, ...]] | None = None,
    drawing: Drawing = USUAL,
    figures: bool | None = None,
    trained_on: Sequence[str] = (),
) -> list[Made]:
    """Judges the rows under the rubric's criteria and writes a card for each into `out`.

    `trained_on` names sets that the judge learnt from, beside those that it declares itself;
    `harmful` names a criterion's labels of answers that do harm, `date` is the card's (UTC);
    figures are drawn where matplotlib is there, unless `figures` says whether.
    """
    asks = panel(used, tuple(wanted.criteria))
    scales = {
        criterion: scale_of(criterion, used.criteria[criterion], harmful or {})
        for criterion in asks.criteria
    }
    rows = labelled(labels.rows, used, wanted, name=labels.name)
    if asked.judge is None:
        raise UsageError("no judge is named: --judge PATH_OR_HUB_ID")
    engine = load(asked.judge)
    declared = tuple(dict.fromkeys((*declared_sets(asked.judge, engine.identity), *trained_on)))
    settings = {
        "label_orders": asked.label_orders,
        "min_coverage": asked.min_coverage,
        "unit_items": asked.unit_items,
    }
    task = {
        **settings,
        "judge": engine.identity,
        "rubric": asks.hash,
        "criteria": list(asks.criteria),
        "labels": labels.sha256,
        "rows": [[row.number, row.category, row.language] for row in rows],
        "packages": packages(),
    }
    out.mkdir(parents=True, exist_ok=True)
    with journal_of(task, out) as journal:
        judged = ask_judge(rows, asks, engine, asked, journal)
        made = []
        for criterion in asks.criteria:
            found = JudgedCriterion(used, criterion, rows, judged[criterion])
            card = card_of(
                found,
                identity={"model": engine.name, **engine.identity},
                source=_source(labels, wanted, criterion, [row for row, _ in found.labelled]),
                date=date,
                settings=settings,
                scale=scales[criterion],
                drawing=drawing,
                training=training_data(declared, (*labels.titles, wanted.benchmark)),
            )
            made.append(write_made(card, found, out, figures=figures))
    return made


def _source(
    labels: LabelFile, wanted: Wanted, criterion: str, rows: Sequence[Labelled]
) -> LabelSource:
    column = wanted.criteria[criterion]
    return LabelSource(
        benchmark=wanted.benchmark,
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
