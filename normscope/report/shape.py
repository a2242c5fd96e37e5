"""The shape of a judge's scores: in how many heaps they lie, and what they fail to tell apart."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..format import MISSING, count
from ..messages import joined, known, message
from ..metrics.cfsafety import SCORE, open_prompts
from ..metrics.estimate import Statistic
from ..metrics.shape import SHAPE, signatures
from ..records.judgements import Judgements, headline
from .blocks import AnyCell, Block, Caveat, Cell, Chart, Paragraph, Section, Table, columns
from .data import ReportData
from .distributions import histogram
from .estimates import named, shown
from .names import name_of


def shape_blocks(data: ReportData, judgements: Judgements) -> Iterator[Section]:
    """Each benchmark whose scores have a shape: its failures, a histogram, the numbers."""
    for benchmark, statistics in data.scores.items():
        rows = [row for row in statistics if row.group == SHAPE]
        if not rows:
            continue
        blocks: tuple[Block, ...] = (
            *_failures(rows),
            *_drawn(judgements.of_benchmark(benchmark), benchmark),
            _table(rows),
            Paragraph(
                message(
                    "Two heaps are cleanly apart from an Ashman's D of 2 on; the dip test asks "
                    "whether there is more than one heap at all, but not of the score: a product "
                    "with a factor near 0 or 1 has two heaps by construction. A judge that puts "
                    "nearly all answers into one bin, or whose scores do not vary with the "
                    "category, tells little."
                ),
                note=True,
            ),
        )
        yield Section(benchmark, blocks)


def _table(rows: Sequence[Statistic]) -> Table:
    """The statistics under one another, a column per criterion."""
    members = list(dict.fromkeys(row.member for row in rows))
    names = list(dict.fromkeys(row.name for row in rows))
    places = {(row.name, row.member): row for row in rows}
    titles = (_titled(places[names[0], member]) for member in members)
    return Table(
        columns(message("statistic"), *titles),
        tuple(
            (
                named(replace(places[name, members[0]], member="")),
                *(_cell(places.get((name, member))) for member in members),
            )
            for name in names
        ),
        look="matrix",
    )


def _titled(statistic: Statistic) -> str:
    """The criterion with its counts."""
    estimate = statistic.estimate
    counts = [message("n = {n}", n=count(estimate.n))]
    if estimate.unscored:
        counts.append(message("{n} unscored", n=count(estimate.unscored)))
    return message("{name} ({of})", name=name_of(statistic.member), of=joined(counts))


def _cell(statistic: Statistic | None) -> AnyCell:
    """The value over its interval, or over its test where it has none."""
    if statistic is None:
        return Cell(MISSING, tone="muted")
    value, interval = shown(statistic)
    method = statistic.estimate.method
    if interval == MISSING:
        return Cell(value, note=known(method))
    return Cell(value, note="" if method == "exact" else interval, hint=known(method))


def _failures(rows: Sequence[Statistic]) -> Iterator[Caveat]:
    """What the numbers of each criterion show that the judge does not tell apart."""
    values = {(row.member, row.name): row.estimate.value for row in rows}
    for member in dict.fromkeys(row.member for row in rows):
        shares = (values.get((member, name)) for name in ("top_share", "between_categories"))
        for text in signatures(*shares):
            yield Caveat(text, about=name_of(member))


def _drawn(judgements: Judgements, benchmark: str) -> Iterator[Chart]:
    """The scores that the shape is of: those of the headline's prompts."""
    counted = headline(judgements)
    rows = counted[open_prompts(counted.facet("item_format"))]
    if "moral" not in rows.criterion.seen().names:
        return
    _, scores = rows.products()
    scored = scores[~np.isnan(scores)]
    if len(scored):
        what = message("{name} ({of})", name=name_of("score"), of=benchmark)
        yield histogram(scored, SCORE, what, xlabel=name_of("score"))
