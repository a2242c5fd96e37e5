"""What a page of answers shows: a row of each, and what it comes to under each criterion."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..categorical import Codes
from ..records.item import Item
from ..untrusted import excerpt
from .columns import Change, Column, Columns
from .pairing import Paired, Side


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a judgement comes to: a label and a value, or the reason why there is none."""

    criterion: str
    label: str | None
    value: float | None
    reason: str | None
    coverage: float | None
    source: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What one run's model gave: its text, cut short or whole, or the reason why there is none.

    `outcomes` has every criterion that it was judged by.
    """

    run: str
    text: str | None
    reason: str | None
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One answer of a list; of two runs, the answers of both to the same prompt.

    `place` is where it stands among all answers, and `key` its short name, the same whenever the
    run is read. `question` is cut short, empty where it is not known. `changed` names the criteria
    whose label differs between the runs, and `moved` says how far, from 0 to 1; null of one run.
    """

    place: int
    key: str
    benchmark: str
    item_id: str
    variant: str
    order: str
    sample: int
    temperature: float | None
    area: str
    category: str
    language: str
    question: str
    answers: tuple[Answer, ...]
    changed: tuple[str, ...] = ()
    moved: float | None = None


def rows_of(
    places: Sequence[int],
    keys: Sequence[str],
    paired: Paired,
    columns: Sequence[Columns],
    change: Change | None,
) -> tuple[Row, ...]:
    """A row of each place; nothing else is made into Python objects."""
    at = np.array(places, dtype=np.intp)
    items = items_of(paired.sides[0], at)
    texts = [_cut(side.run.responses, side.response[at]) for side in paired.sides]
    return tuple(
        Row(
            place=place,
            key=keys[i],
            benchmark=paired.benchmark.name(place) or "",
            item_id=paired.item_id.name(place) or "",
            variant=paired.variant.name(place) or "",
            order=paired.order.name(place) or "",
            sample=int(paired.sample[place]),
            temperature=number(paired.temperature[place]),
            area=item.area if item else "",
            category=item.category if item else "",
            language=item.language if item else "",
            question=excerpt(item.question) if item else "",
            answers=tuple(
                Answer(side.run.name, *texts[s][i], outcomes_of(columns[s], place))
                for s, side in enumerate(paired.sides)
            ),
            changed=tuple(name for name, marks in change.changed.items() if marks[place])
            if change
            else (),
            moved=number(change.moved[place]) if change else None,
        )
        for i, (place, item) in enumerate(zip(at.tolist(), items, strict=True))
    )


def items_of(side: Side, at: Codes) -> list[Item | None]:
    """The run's item in each of these places, null where it is not there."""
    rows = side.item[at]
    known = iter(side.run.items.take(rows[rows >= 0]))
    return [next(known) if row >= 0 else None for row in rows.tolist()]


def outcomes_of(columns: Columns, place: int) -> tuple[Outcome, ...]:
    """What the answer in this place comes to under every criterion that it was judged by."""
    return tuple(
        _outcome(name, column, place) for name, column in columns.items() if column.at[place] >= 0
    )


def number(value: float) -> float | None:
    """The number as Python has it; null for NaN."""
    return None if np.isnan(value) else float(value)


def _outcome(criterion: str, column: Column, place: int) -> Outcome:
    return Outcome(
        criterion,
        label=column.label.name(place),
        value=number(column.value[place]),
        reason=column.reason.name(place),
        coverage=number(column.coverage[place]),
        source=column.source.name(place),
    )


def _cut(responses: pa.Table, at: Codes) -> list[tuple[str | None, str | None]]:
    """The beginning of each response, and why there is none."""
    places = pa.array(at, mask=at < 0)
    rows = responses.select(["text", "reason"]).take(places)
    # cut before they become Python objects
    texts = pc.utf8_slice_codeunits(rows["text"], 0, 201).to_pylist()
    short = [text if text is None else excerpt(text) for text in texts]
    return list(zip(short, rows["reason"].to_pylist(), strict=True))
