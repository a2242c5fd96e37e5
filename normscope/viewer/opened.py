"""One answer in full: what was asked, what each run's model gave, and every judgement of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pyarrow as pa

from ..records.item import Item
from ..records.judgement import Judgement
from ..records.judgement import from_table as judgements_of
from ..records.response import Response
from ..records.response import from_table as responses_of
from .answers import Answers


@dataclass(frozen=True, slots=True)
class Judged:
    """A judgement with the label that it comes to, and whether it counts in the scores."""

    judgement: Judgement
    label: str | None
    counts: bool


@dataclass(frozen=True, slots=True)
class Given:
    """One run's share of an answer: the item as it was asked, the response, its judgements."""

    run: str
    item: Item | None
    response: Response
    judgements: tuple[Judged, ...]


def opened(answers: Answers, rows: Sequence[Mapping[str, Any]]) -> list[tuple[Given, ...]]:
    """Return what each run gave, for each of these rows (`Answers.rows`)."""
    of_runs = [_given(answers, rows, at) for at in range(len(answers.runs))]
    return list(zip(*of_runs, strict=True))


def _given(answers: Answers, rows: Sequence[Mapping[str, Any]], at: int) -> Iterator[Given]:
    run, end = answers.runs[at], "_2" if at else ""
    responses = responses_of(run.responses.take(pa.array([row["_response" + end] for row in rows])))
    places = pa.array([row["_item" + end] for row in rows], pa.int64())
    items = iter(run.items.take(places.drop_null()))
    judged = answers.judged([row["place"] for row in rows], at)
    judgements = judgements_of(run.judgements.take(pa.array([each["row"] for each in judged])))
    beside = groupby(zip(judged, judgements, strict=True), key=lambda pair: pair[0]["place"])
    by_place = {place: list(pairs) for place, pairs in beside}
    for row, response, place in zip(rows, responses, places, strict=True):
        item = next(items) if place.is_valid else None
        yield Given(
            run.name,
            item,
            response,
            tuple(
                Judged(judgement, told["label"], told["counts"])
                for told, judgement in by_place.get(row["place"], ())
            ),
        )
