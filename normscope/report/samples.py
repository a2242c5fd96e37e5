"""The first answers of each benchmark, cut short, with the question and what was judged of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from ..datasets_builders.item import Item
from ..untrusted import excerpt
from .heads import class_name, reading_of
from .ridge import value_name
from .verdicts import Verdict, group_by
from .words import EN, Words

ROWS = 5
"""Shown per benchmark."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One answer as it came, what was asked, and the verdicts by head."""

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
    samples: tuple[Sample, ...]


def sample_sections(
    responses: pa.Table, verdicts: list[Verdict], items: Sequence[Item] = (), words: Words = EN
) -> tuple[SampleSection, ...]:
    """The first `ROWS` responses of each benchmark, in the table's order."""
    said = group_by(verdicts, lambda v: (v.benchmark, v.item_id, v.asked))
    asked = {(i.benchmark, i.item_id, i.variant_id, i.scale_order): i for i in items}
    names = ("benchmark", "item_id", "variant_id", "scale_order", "sample", "temperature", "text")
    columns = [responses.column(name).to_pylist() for name in names]
    sections: dict[str, list[Sample]] = {}
    for benchmark, item_id, variant, order, sample, temperature, text in zip(*columns, strict=True):
        shown = sections.setdefault(benchmark, [])
        if len(shown) < ROWS:
            about = said.get((benchmark, item_id, (variant, order, sample, temperature)), [])
            item = asked.get((benchmark, item_id, variant, order))
            shown.append(_sample((item_id, variant, text), about, item, words))
    return tuple(SampleSection(name, tuple(shown)) for name, shown in sections.items())


def _sample(
    answer: tuple[str, str, str | None], verdicts: list[Verdict], item: Item | None, words: Words
) -> Sample:
    item_id, variant, text = answer
    return Sample(
        item_id=item_id,
        variant_id=variant,
        category="" if item is None or not item.category else words.name(item.category),
        question="" if item is None else excerpt(item.question),
        answer="" if text is None else excerpt(text),
        verdicts=tuple((words.name(verdict.head), _said(verdict, words)) for verdict in verdicts),
    )


def _said(verdict: Verdict, words: Words) -> str:
    if verdict.value is None:
        return words.name(verdict.reason or "no reason recorded")
    reading = reading_of(verdict.head, [verdict.value])
    if reading.range is None and reading.classes is None:
        return class_name(reading, verdict.value, verdict.favourite) or ""
    return value_name(verdict.head, verdict.value, words)
