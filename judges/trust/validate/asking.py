"""The judge's answers on labelled rows: journalled, so that a stopped command goes on."""

from collections.abc import Sequence

import numpy as np

from ....reasons import Reason
from ....records.config import RunConfig
from ....records.item import Item
from ....records.journal import Journal, Row
from ....records.tables import RESPONSES
from ....records.units import Unit, plan, work_off
from ...bench import Bench, Panel
from ...engine import Engine
from ..labels import Labelled
from .sample import Answers, CriterionScale

STAGE = "labels"


def ask_judge(
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


def answers_of(rows: Sequence[Row], scale: CriterionScale) -> Answers:
    """What the judge's rows of one criterion say: the likeliest label, the value, P(harmful)."""
    harmful = scale.harmful
    places, values, risk = (np.full(len(rows), np.nan) for _ in range(3))
    for at, row in enumerate(rows):
        if row["value"] is not None:
            probs = np.array(row["probs"], dtype=np.float64)
            places[at], values[at] = float(probs.argmax()), row["value"]
            risk[at] = min(1.0, float(probs[harmful].sum()))
    return Answers(places, values, risk)


def reasons_of(rows: Sequence[Row]) -> tuple[str | None, ...]:
    """Why the judge gave nothing, per row."""
    return tuple(None if row["value"] is not None else row["reason"] for row in rows)


def failed_share(rows: Sequence[Row]) -> float:
    """The share of the rows that are unscored, for whatever reason."""
    return sum(row["value"] is None for row in rows) / len(rows) if rows else 0.0


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
