"""A gate on the page of a comparison: its outcome, and every statistic against its margin."""

from collections.abc import Iterator

from ... import format as fmt
from ...comparison.result import Gate, Gated, Outcome
from ...messages import message
from ...metrics.definitions import Better
from ..blocks import Block, Caveat, Cell, Column, Paragraph, Record, Section, Table
from ..estimates import LEVELS, legend

_OUTCOMES: dict[Outcome, str] = {
    "pass": message("pass"),
    "worse": message("worse"),
    "inconclusive": message("inconclusive"),
}
_WORSE: dict[Better, str] = {
    "higher": message("worse is lower"),
    "lower": message("worse is higher"),
}
_ANY_SHIFT = message("worse is any shift")


def gate_section(gate: Gate | None) -> Iterator[Section]:
    """The section, none where nobody stated a margin."""
    if gate is not None:
        yield Section(message("Gate"), tuple(_blocks(gate)), id="gate")


def _blocks(gate: Gate) -> Iterator[Block]:
    if gate.outcome == "pass":
        yield Paragraph(gate.text)
    else:
        yield Caveat(gate.text, warns=True)
    yield Table.of(map(_record, gate.rows), texts=3, look="differences")
    yield legend(row.statistic for row in gate.rows)
    yield Paragraph(
        message(
            "A row passes where the worse end of its interval is better than the margin, and is "
            "worse where the whole interval lies beyond it; any other is inconclusive. Unscored "
            "pairs stand at their lowest for the one end and at their highest for the other, and "
            "so do questions that one of the runs lacks: with any of these no row passes. Each of "
            "{n} one-sided bounds is at the level 1 − {alpha}/{n} (Bonferroni), so that all hold "
            "together with a chance of at least {level} %.",
            n=gate.bounds,
            alpha=f"{gate.alpha:g}",
            level=fmt.scale_end(100 * (1 - gate.alpha)),
        ),
        note=True,
    )


def _record(row: Gated) -> Record:
    text = fmt.estimate(row.estimate, row.unit, signs=True)
    level = LEVELS[row.unit]
    return {
        message("statistic"): Cell(row.name, note=_WORSE.get(row.better, _ANY_SHIFT)),
        message("benchmark"): row.benchmark,
        message("compared"): f"{row.second} − {row.first}",
        message("values"): f"{level(row.first_value)} → {level(row.second_value)}",
        Column(message("difference"), "number", tone="strong"): text.value,
        message("simultaneous interval"): text.interval,
        message("margin"): row.margin_text,
        "n": text.n,
        message("unscored"): text.unscored,
        Column(message("outcome"), tone="strong"): Cell(_OUTCOMES[row.outcome], note=row.notes),
    }
