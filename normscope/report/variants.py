"""How the answers move with the prompt variant of the same vignettes."""

import math
from collections.abc import Iterator, Mapping

from ..format import count, number
from ..messages import message
from ..metrics.norms import ACCEPTABILITY
from ..reasons import Origin
from ..records.judgements import Judgements, headline
from .blocks import Block, Column, Paragraph, Section, Table, Whisker
from .data import ReportData
from .distributions import shares_chart
from .estimates import Axis, counted_table, named
from .facets import facet_blocks, mean_of
from .names import name_of

# what says how far the answers to one vignette agree; the scores themselves stand at the head
ALIKE = ("flip_rate", "variant_variance", "raw_agreement", "alpha")

_AXIS = Axis(*ACCEPTABILITY, step=1.0)


def by_variant(judgements: Judgements) -> dict[str, Judgements]:
    """A benchmark's acceptabilities under each prompt variant, the lowest mean first.

    Of labels and text those that count. Empty unless there are several variants.
    """
    rows = judgements.of_criterion("acceptability")
    if not len(rows):
        return {}
    rows = headline(rows)
    variants = {variant: of for (variant,), of in rows.by("variant_id")}
    if len(variants) < 2:  # noqa: PLR2004 - a spread is between two
        return {}

    def place(pair: tuple[str, Judgements]) -> tuple[bool, float, str]:
        mean = mean_of(pair[1])
        # a variant without a mean comes last, and ties go by name: the same page every time
        return math.isnan(mean), mean, pair[0]

    return dict(sorted(variants.items(), key=place))


def extremes(variants: Mapping[str, Judgements]) -> tuple[float, float]:
    """The lowest and the highest mean of a variant; NaN where none has one."""
    means = [mean for mean in map(mean_of, variants.values()) if not math.isnan(mean)]
    return (means[0], means[-1]) if means else (math.nan, math.nan)


def variant_blocks(data: ReportData, judgements: Judgements) -> Iterator[Block]:
    """How the answers of each benchmark move with the prompt variant."""
    benchmarks = {name: by_variant(rows) for (name,), rows in judgements.by("benchmark")}
    if any(benchmarks.values()):
        yield Paragraph(
            message(
                "The same vignettes were put in several prompt variants. A model with a norm "
                "answers all of them alike."
            ),
            note=True,
        )
    for benchmark, variants in benchmarks.items():
        if variants:
            yield Section(benchmark, tuple(_blocks(data, benchmark, variants)))


def _blocks(
    data: ReportData, benchmark: str, variants: Mapping[str, Judgements]
) -> Iterator[Block]:
    low, high = extremes(variants)
    source = next(iter(variants.values())).source.name(0) or ""
    if not math.isnan(low):
        yield Paragraph(
            message(
                "The mean answer of a prompt variant runs from {low} to {high}, a spread of "
                "{spread} (read from: {source}).",
                low=number(low),
                high=number(high),
                spread=number(high - low),
                source=name_of(source),
            )
        )
    alike = (
        (named(row), row)
        for row in data.scores.get(benchmark, ())
        if not row.group and row.name in ALIKE
    )
    yield counted_table(
        message("statistic"),
        alike,
        title=message("How alike the prompt variants are answered"),
    )
    yield _means(variants)
    title = message("Shares of the answers in each prompt variant")
    yield shares_chart("acceptability", variants, title=title)
    yield from facet_blocks(
        data.name,
        data.scores.get(benchmark, ()),
        variants,
        imported=data.config.provenance.imported is not None,
    )


def _means(variants: Mapping[str, Judgements]) -> Table:
    rows = []
    for variant, judgements in variants.items():
        mean = mean_of(judgements)
        missing = int(judgements.absent().sum())
        # the answers and these two columns add up to what was asked: who is silent is not unscored
        silent = int(judgements.absent(Origin.RESPONDENT).sum())
        rows.append(
            (
                variant,
                number(mean),
                Whisker(_AXIS.share(mean)),
                count(len(judgements) - missing),
                count(silent),
                count(missing - silent),
            )
        )
    return Table(
        (
            Column(message("prompt variant")),
            Column(message("mean"), "number", tone="strong"),
            Column("", "drawing", axis=_AXIS.ticks()),
            Column(message("answers"), "number"),
            Column(message("no answer"), "number"),
            Column(message("unscored"), "number"),
        ),
        tuple(rows),
        title=message("Mean answer in each prompt variant"),
        look="scores",
    )
