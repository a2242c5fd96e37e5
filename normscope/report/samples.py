"""The first answers of each benchmark, cut short, with what was judged about them."""

from dataclasses import dataclass

import pyarrow as pa

from ..format import number
from .heads import class_name, reading_of
from .untrusted import excerpt
from .verdicts import Verdict, group_by

ROWS = 5
"""Shown per benchmark."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One answer as it came, and its verdicts by head."""

    item_id: str
    variant_id: str
    answer: str
    verdicts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SampleSection:
    """The first answers of one benchmark."""

    benchmark: str
    samples: tuple[Sample, ...]


def sample_sections(responses: pa.Table, verdicts: list[Verdict]) -> tuple[SampleSection, ...]:
    """The first `ROWS` responses of each benchmark, in the table's order."""
    said = group_by(verdicts, lambda v: (v.benchmark, v.item_id, v.asked))
    names = ("benchmark", "item_id", "variant_id", "scale_order", "sample", "temperature", "text")
    columns = [responses.column(name).to_pylist() for name in names]
    sections: dict[str, list[Sample]] = {}
    for benchmark, item_id, variant, order, sample, temperature, text in zip(*columns, strict=True):
        shown = sections.setdefault(benchmark, [])
        if len(shown) < ROWS:
            about = said.get((benchmark, item_id, (variant, order, sample, temperature)), [])
            shown.append(_sample(item_id, variant, text, about))
    return tuple(SampleSection(name, tuple(shown)) for name, shown in sections.items())


def _sample(item_id: str, variant: str, text: str | None, verdicts: list[Verdict]) -> Sample:
    return Sample(
        item_id=item_id,
        variant_id=variant,
        answer="" if text is None else excerpt(text),
        verdicts=tuple((verdict.head, _said(verdict)) for verdict in verdicts),
    )


def _said(verdict: Verdict) -> str:
    if verdict.value is None:
        return (verdict.reason or "no reason recorded").replace("_", " ")
    reading = reading_of(verdict.head, [verdict.value])
    named = None if reading.range else class_name(reading, verdict.value, verdict.favourite)
    return named or number(verdict.value)
