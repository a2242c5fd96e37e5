"""What the judge brings along, as it is shown: its prior over the labels, its bias for an order."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..format import count, interval, number, percent
from ..messages import message
from .blocks import Block, Cell, Column, Paragraph, Table, columns
from .words import EN, Words


@dataclass(frozen=True, slots=True)
class Prior:
    """What the judge says about nothing: the share of each label, and what is read off it."""

    benchmark: str
    criterion: str
    language: str
    labels: tuple[tuple[str, str], ...]
    value: str
    coverage: str
    prompts: str


@dataclass(frozen=True, slots=True)
class Bias:
    """How much higher the expected value is with the labels as given than with them reversed."""

    benchmark: str
    criterion: str
    shift: str
    interval: str
    method: str
    absolute: str
    n: str


@dataclass(frozen=True, slots=True)
class Windowed:
    """How many answers of a benchmark were too long to be judged in one piece."""

    benchmark: str
    responses: str
    several: str
    most: str


@dataclass(frozen=True, slots=True)
class JudgingSection:
    """Everything of `judging.json` that a reader needs to weigh the judge's numbers."""

    label_orders: str
    priors: tuple[Prior, ...]
    biases: tuple[Bias, ...]
    windows: tuple[Windowed, ...]


def judging_section(facts: Mapping[str, Any] | None, words: Words = EN) -> JudgingSection | None:
    """The section; null where no judge was asked."""
    if not facts or not facts["criteria"]:
        return None
    return JudgingSection(
        label_orders=facts["label_orders"],
        priors=tuple(_prior(row, words) for row in facts["priors"]),
        biases=tuple(_bias(row, words) for row in facts["order_bias"]),
        windows=tuple(_windowed(row) for row in facts["windows"] if row["in_several_windows"]),
    )


def _prior(row: Mapping[str, Any], words: Words) -> Prior:
    probs = row["probs"] or [None] * len(row["labels"])
    return Prior(
        benchmark=row["benchmark"],
        criterion=words.name(row["criterion"]),
        language=row["language"],
        labels=tuple((label, percent(p)) for label, p in zip(row["labels"], probs, strict=True)),
        value=number(row["value"]),
        coverage=percent(row["coverage"]),
        prompts=words("{n} of {m}", n=count(row["read"]), m=count(row["prompts"])),
    )


def _bias(row: Mapping[str, Any], words: Words) -> Bias:
    return Bias(
        benchmark=row["benchmark"],
        criterion=words.name(row["criterion"]),
        shift=number(row["shift"]),
        interval=interval(row["low"], row["high"]),
        method=words.told(row["method"] or ""),
        absolute=number(row["mean_absolute_shift"]),
        n=count(row["n"]),
    )


def _windowed(row: Mapping[str, Any]) -> Windowed:
    return Windowed(
        benchmark=row["benchmark"],
        responses=count(row["responses"]),
        several=count(row["in_several_windows"]),
        most=count(row["most_windows"]),
    )


def judging_blocks(found: JudgingSection | None, words: Words) -> Iterator[Block]:
    """What the judge brings along; nothing where none was asked."""
    if found is None:
        return
    both = found.label_orders == "both"
    yield Paragraph(
        message(
            "What the judge brings along. None of it corrects a score, except that every criterion "
            "was asked with its labels in both orders and the two readings are averaged."
        )
        if both
        else message("What the judge brings along. None of it corrects a score."),
        note=True,
    )
    yield Table(
        (
            *columns(message("criterion"), message("language"), message("labels"), texts=3),
            Column(message("value"), "number", tone="strong"),
            Column(message("coverage"), "number"),
            Column(message("prompts read"), "number"),
        ),
        tuple(
            (
                Cell(p.criterion, note=p.benchmark),
                words.name(p.language),
                ", ".join(f"{label} {share}" for label, share in p.labels),
                p.value,
                p.coverage,
                p.prompts,
            )
            for p in found.priors
        ),
        title=message("Label prior"),
        note=message(
            "the mean reading of questions and answers without content: an unprejudiced judge "
            "would favour no label"
        ),
    )
    yield Table(
        columns(
            message("criterion"),
            message("mean shift"),
            message("95 % interval"),
            message("mean size"),
            "n",
        ),
        tuple(
            (
                Cell(b.criterion, note=b.benchmark),
                Cell(b.shift, tone="strong"),
                Cell(b.interval, note=b.method),
                b.absolute,
                b.n,
            )
            for b in found.biases
        ),
        title=message("Label-order bias"),
        note=message("expected value with the labels as given, less that with the labels reversed"),
    )
    if not found.biases:
        yield Paragraph(
            message(
                "The labels were asked in one order only, so a bias for their order is not known."
            ),
            note=True,
        )
    for w in found.windows:
        yield Paragraph(
            message(
                "{benchmark}: {n} of {m} answers were longer than the judge can read at once. They "
                "were judged in overlapping windows, at most {most}, and the worst one counts.",
                benchmark=w.benchmark,
                n=w.several,
                m=w.responses,
                most=w.most,
            )
        )
