"""How the answers move with the variant of the same vignettes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..format import count, number
from ..messages import message
from ..metrics.norms import ACCEPTABILITY
from ..reasons import Origin
from ..records.judgements import Judgements
from .axis import Axis
from .blocks import Block, Chart, Column, Paragraph, Section, Table, Whisker
from .data import BenchmarkScores
from .distributions import shares_chart
from .scores import Line, line_of
from .tables import counted_columns, counts
from .words import EN, Words

ALIKE = ("flip_rate", "variant_variance", "raw_agreement", "alpha")


@dataclass(frozen=True, slots=True)
class Variant:
    """One variant: its answers, their mean and where that stands, and what was not answered."""

    label: str
    mean: str
    at: float | None
    valid: str
    silent: str
    lost: str


@dataclass(frozen=True, slots=True)
class VariantSection:
    """The variants of one benchmark, the lowest mean first; `lowest`, `highest` and their gap."""

    benchmark: str
    source: str
    lines: tuple[Line, ...]
    axis: Axis
    variants: tuple[Variant, ...]
    lowest: str
    highest: str
    spread: str
    shares: Chart


def variant_sections(
    scores: tuple[BenchmarkScores, ...], verdicts: Judgements, words: Words = EN
) -> tuple[VariantSection, ...]:
    """A section for each benchmark whose vignettes were asked in several variants.

    Where both the model's logits and its text were read, the logits are shown.
    """
    overall = {of.benchmark: [s for s in of.statistics if not s.group] for of in scores}
    found = []
    for (benchmark,), rows in verdicts.of_criterion("acceptability").by("benchmark"):
        source = min(rows.source.seen().names)
        of_source = rows[rows.source.equals(source)]
        groups = {variant: mine for (variant,), mine in of_source.by("variant_id")}
        if len(groups) < 2:  # noqa: PLR2004 - a spread is between two
            continue
        ordered = sorted(groups.items(), key=lambda pair: (_mean(pair[1]), pair[0]))
        means = [mean for mean in map(_mean, groups.values()) if np.isfinite(mean)]
        axis = Axis(*ACCEPTABILITY, step=1.0)
        found.append(
            VariantSection(
                benchmark=benchmark,
                source=words.name(source),
                lines=tuple(
                    line_of(words.name(s.name), s, words=words)
                    for s in overall.get(benchmark, [])
                    if s.name in ALIKE
                ),
                axis=axis,
                variants=tuple(_variant(label, every, axis) for label, every in ordered),
                lowest=number(min(means, default=None)),
                highest=number(max(means, default=None)),
                spread=number(max(means) - min(means) if means else None),
                shares=shares_chart(
                    "acceptability",
                    dict(ordered),
                    title=message("Shares of the answers in each prompt variant"),
                ),
            )
        )
    return tuple(found)


def _mean(rows: Judgements) -> float:
    values = rows.value[~rows.absent()]
    return float(np.mean(values)) if len(values) else np.inf


def _variant(label: str, rows: Judgements, axis: Axis) -> Variant:
    mean = _mean(rows)
    missing, silent = (int(of.sum()) for of in (rows.absent(), rows.absent(Origin.RESPONDENT)))
    return Variant(
        label=label,
        mean=number(mean),
        at=axis.at(mean),
        valid=count(len(rows) - missing),
        silent=count(silent),
        lost=count(missing - silent),
    )


def variant_blocks(sections: Sequence[VariantSection]) -> Iterator[Block]:
    """How the answers of each benchmark move with the variant."""
    if sections:
        yield Paragraph(
            message(
                "The same vignettes were put in several prompt variants. A model with a norm "
                "answers all of them alike."
            ),
            note=True,
        )
    for section in sections:
        yield Section(section.benchmark, _blocks(section))


def _blocks(section: VariantSection) -> tuple[Block, ...]:
    axis = section.axis
    return (
        Paragraph(
            message(
                "The mean answer of a prompt variant runs from {low} to {high}, a spread of "
                "{spread} (read from: {source}).",
                low=section.lowest,
                high=section.highest,
                spread=section.spread,
                source=section.source,
            )
        ),
        Table(
            counted_columns(message("statistic")),
            tuple(counts(line, hint=line.method) for line in section.lines),
            title=message("How alike the prompt variants are answered"),
        ),
        Table(
            (
                Column(message("prompt variant")),
                Column(message("mean"), "number", tone="strong"),
                Column("", "drawing", axis=tuple((t.at / axis.width, t.label) for t in axis.ticks)),
                Column(message("answers"), "number"),
                Column(message("no answer"), "number"),
                Column(message("unscored"), "number"),
            ),
            tuple(
                (
                    w.label,
                    w.mean,
                    Whisker(None if w.at is None else w.at / axis.width),
                    w.valid,
                    w.silent,
                    w.lost,
                )
                for w in section.variants
            ),
            title=message("Mean answer in each prompt variant"),
            look="scores",
        ),
        section.shares,
    )
