"""The first answers of each benchmark, cut short, with the question and what was judged of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ..categorical import Bools, Categorical, combined, grouped
from ..messages import joined, message
from ..records.item import Item
from ..records.journal import Row
from ..records.judgements import Judgements
from ..untrusted import excerpt
from .blocks import Block, Cell, Details, Paragraph, Sample, Table, columns
from .criteria import shown_value
from .words import EN, Words

ROWS = 5
"""Shown per benchmark."""


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """One answer as it came, what was asked, and the verdicts by criterion."""

    item_id: str
    variant_id: str
    category: str
    question: str
    answer: str
    verdicts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SampleSection:
    """The first answers of one benchmark."""

    benchmark: str
    samples: tuple[JudgedAnswer, ...]


def sample_sections(
    responses: pa.Table, verdicts: Judgements, items: Sequence[Item] = (), words: Words = EN
) -> tuple[SampleSection, ...]:
    """The first `ROWS` responses of each benchmark, in the table's order."""
    asked = {(i.benchmark, i.item_id, i.variant_id, i.scale_order): i for i in items}
    names = ("benchmark", "item_id", "variant_id", "scale_order", "sample", "temperature", "text")
    rows = grouped(combined(Categorical.of(responses.column("benchmark"))))
    sections = []
    for first in (responses.select(names).take(every[:ROWS]).to_pylist() for every in rows):
        shown = []
        for response in first:
            about = verdicts[_about(response, verdicts)]
            item = asked.get(tuple(response[name] for name in names[:4]))
            answer = (response["item_id"], response["variant_id"], response["text"])
            shown.append(_sample(answer, about, item, words))
        sections.append(SampleSection(first[0]["benchmark"], tuple(shown)))
    return tuple(sections)


def _about(response: Row, verdicts: Judgements) -> Bools:
    """The rows that judge the response."""
    same: Bools = verdicts.sample == response["sample"]
    for name in ("benchmark", "item_id", "variant_id", "scale_order"):
        same &= getattr(verdicts, name).equals(response[name])
    heat, drawn = response["temperature"], verdicts.temperature
    same &= np.isnan(drawn) if heat is None else drawn == heat
    return same


def _sample(
    answer: tuple[str, str, str | None], verdicts: Judgements, item: Item | None, words: Words
) -> JudgedAnswer:
    item_id, variant, text = answer
    return JudgedAnswer(
        item_id=item_id,
        variant_id=variant,
        category="" if item is None or not item.category else words.name(item.category),
        question="" if item is None else excerpt(item.question),
        answer="" if text is None else excerpt(text),
        verdicts=tuple(
            (words.name(criterion or ""), words.told(shown_value(verdicts, row)))
            for row, criterion in enumerate(verdicts.criterion)
        ),
    )


def sample_blocks(sections: Sequence[SampleSection]) -> Iterator[Block]:
    """The answers, folded away and veiled."""
    if not sections:
        return
    tables = tuple(
        Table(
            columns(message("item"), message("verdicts"), message("question and answer"), texts=3),
            tuple(
                (
                    Cell(s.item_id, note=joined([t for t in (s.variant_id, s.category) if t], " ")),
                    "; ".join(f"{criterion} {said}" for criterion, said in s.verdicts),
                    Sample(
                        (
                            *([(message("question"), s.question)] if s.question else []),
                            (message("answer"), s.answer or message("no text")),
                        )
                    )
                    if s.question or s.answer
                    else message("no text"),
                )
                for s in section.samples
            ),
            title=section.benchmark,
            look="samples",
        )
        for section in sections
    )
    about = message(
        "Written by models or taken from the benchmark, cut at 200 characters, and shown as plain "
        "text. Open a row to read it."
    )
    yield Details(
        message("First answers of each benchmark"),
        (Paragraph(about, note=True), *tables),
        note=message("may contain harmful or offensive text"),
    )
