"""From a file of labels and a judge to its cards, one per criterion."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import UsageError
from ...packages import packages
from ...reasons import Reason
from ...records.config import RunConfig
from ...records.item import Item
from ...records.journal import Journal, Row
from ...records.model_spec import ModelSpec
from ...records.tables import RESPONSES
from ...records.units import Unit, plan, work_off
from ...records.work import journal_of
from ...rows import Rows
from ..bench import Bench, Panel, panel
from ..engine import Engine
from ..rubric import Rubric
from .card import LabelSource
from .card_building import CardResult, JudgedCriterion, card_of, judged_as, scale_of
from .labels import Labelled, Wanted, labelled
from .predictor import DEFAULT_RESAMPLING, Resampling
from .training_data import declared_sets, training_data

STAGE = "labels"


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
    rubric: Rubric,
    wanted: Wanted,
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
    asks = panel(rubric, tuple(wanted.criteria))
    scales = {name: scale_of(name, rubric.criteria[name], harmful) for name in asks.criteria}
    rows = labelled(labels.rows, rubric, wanted, name=labels.name)
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
        "rubric": asks.hash,
        "criteria": list(asks.criteria),
        "labels": labels.sha256,
        "rows": [[row.number, row.category, row.language] for row in rows],
        "packages": packages(),
    }
    out.mkdir(parents=True, exist_ok=True)
    with journal_of(task, out) as journal:
        judgements = _judge(rows, asks, engine, requested, journal)
        results = []
        for criterion in asks.criteria:
            judged = JudgedCriterion(rubric, criterion, rows, judgements[criterion])
            results.append(
                card_of(
                    judged,
                    identity={"model": engine.name, **engine.identity},
                    source=_source(labels, wanted, criterion, [row for row, _ in judged.labelled]),
                    date=date,
                    settings=settings,
                    scale=scales[criterion],
                    resampling=resampling,
                    training=training_data(declared, (*labels.titles, wanted.benchmark)),
                )
            )
    return results


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


def _judge(
    rows: Sequence[Labelled], asks: Panel, engine: Engine, asked: RunConfig, journal: Journal
) -> dict[str, list[Row]]:
    """Per criterion the judge's row about each labelled one, from the journal where it is done."""
    bench = Bench(engine, {STAGE: asks}, asked.min_coverage, asked.label_orders)
    pairs = [_pair(row) for row in rows]

    def do(unit: Unit) -> list[Row]:
        return [{"criteria": made} for made in bench.judge([pairs[at] for at in unit])]

    units = plan([bench.sort_key(*pair) for pair in pairs], size=asked.unit_items)
    made = work_off(journal, STAGE, units, do, label="judge")
    return {
        criterion: [row["criteria"][at] for row in made]
        for at, criterion in enumerate(asks.criteria)
    }


def _pair(row: Labelled) -> tuple[Item, Row]:
    item = Item(
        benchmark=STAGE,
        item_id=str(row.number),
        messages=row.messages,
        language=row.language,
        category=row.category,
        cluster=row.cluster,
    )
    keys: Row = dict.fromkeys(RESPONSES.names)
    silent = None if row.response.strip() else str(Reason.NO_ANSWER)
    return item, keys | {
        "benchmark": STAGE,
        "item_id": item.item_id,
        "text": row.response,
        "reason": silent,
    }
