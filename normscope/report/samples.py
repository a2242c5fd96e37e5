"""The first answers of each benchmark, cut short, and how to see all of them."""

from collections.abc import Iterator

import numpy as np
import pyarrow.compute as pc

from ..categorical import Categorical, combined, grouped
from ..messages import joined, message
from ..records.item import Item, ItemKey
from ..records.journal import Row as Response
from ..records.judgements import Judgements
from ..records.tables import joined as joined_columns
from ..untrusted import excerpt
from .blocks import Block, Cell, Code, Details, Paragraph, Row, Sample, Table, columns
from .criteria import shown_value
from .data import ReportData
from .names import name_of

ROWS = 5
"""Shown per benchmark."""

_ITEM = ItemKey._fields


def sample_blocks(data: ReportData, judgements: Judgements) -> Iterator[Block]:
    """The first `ROWS` responses of each benchmark, folded away and veiled, and where all are."""
    tables = []
    for places in grouped(combined(Categorical.of(data.responses.column("benchmark")))):
        # cut before they become Python objects: a run has thousands of long texts
        first = data.responses.select([*_ITEM, "sample", "temperature", "text"])
        first = first.take(places[:ROWS])
        at = pc.index_in(joined_columns(first, _ITEM), value_set=data.items.keys).to_pylist()
        asked = iter(data.items.take([place for place in at if place is not None]))
        items = [None if place is None else next(asked) for place in at]
        responses = first.to_pylist()
        tables.append(
            Table(
                columns(
                    message("item"), message("verdicts"), message("question and answer"), texts=3
                ),
                tuple(
                    _row(response, item, judgements)
                    for response, item in zip(responses, items, strict=True)
                ),
                title=responses[0]["benchmark"],
                look="samples",
            )
        )
    if tables:
        about = message(
            "Written by models or taken from the benchmark, cut at 200 characters, and shown as "
            "plain text. Open a row to read it."
        )
        yield Details(
            message("First answers of each benchmark"),
            (Paragraph(about, note=True), *tables),
            note=message("may contain harmful or offensive text"),
        )
        yield Paragraph(
            (
                message("Every answer, with search and drop-downs:"),
                " ",
                Code("normscope view RUN"),
            ),
            note=True,
        )


def _row(response: Response, item: Item | None, judgements: Judgements) -> Row:
    rows = _about(response, judgements)
    verdicts = (
        message(
            "{criterion} {value}", criterion=name_of(criterion or ""), value=shown_value(rows, at)
        )
        for at, criterion in enumerate(rows.criterion)
    )
    question = excerpt(item.question) if item else ""
    answer = excerpt(response["text"] or "") or message("no text")
    texts = ((message("question"), question), (message("answer"), answer))
    about = filter(None, (response["variant_id"], name_of(item.category) if item else ""))
    return (
        Cell(response["item_id"], note=joined(about, " ")),
        joined(verdicts, "; "),
        Sample(texts if question else texts[1:]) if question or response["text"] else answer,
    )


def _about(response: Response, judgements: Judgements) -> Judgements:
    """The judgements of the response."""
    same = judgements.sample == response["sample"]
    for name in _ITEM:
        same &= getattr(judgements, name).equals(response[name])
    drawn = judgements.temperature
    # a distribution over labels has no temperature, here and there
    same &= np.isnan(drawn) if (t := response["temperature"]) is None else drawn == t
    return judgements[same]
