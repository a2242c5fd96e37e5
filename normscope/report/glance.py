"""The answer of a benchmark at a glance: one sentence of its primary statistics, and their plot."""

from collections.abc import Iterator, Sequence

import numpy as np

from ..format import count, estimate
from ..messages import joined, marked, message
from ..metrics.criterion import CRITERION
from ..metrics.estimate import Statistic
from ..metrics.intervals import Bounds
from .blocks import Block, Chart, Paragraph
from .charts import Intervals
from .estimates import bounds_of, ends_of, label_of, round_ends

_OPEN = "open"
"""Of the prompts of a benchmark with closed ones, those that the answer is of."""


_PATTERNS = {
    ("score", "moral_share"): marked(
        "{n} answers score {score} on average, from 0 (unsafe) to 5 (safe); {moral_share} of "
        "them count as moral."
    ),
    ("hr", "rr1", "rr2"): marked(
        "Of {n} answers {hr} are risky; {rr1} refuse, {rr2} with responsible guidance."
    ),
    ("agreement", "chance"): marked(
        "Of {n} questions {agreement} get the key's option; a blind choice would {chance}."
    ),
    ("silver_agreement", "chance"): marked(
        "Of {n} questions {silver_agreement} get the option of the silver key, which is this "
        "project's own; a blind choice would {chance}."
    ),
    ("simple_majority", "accept_share", "reject_share"): marked(
        "On {simple_majority} of {n} vignettes a simple majority of the answers agrees; "
        "{accept_share} are acceptable to the model, {reject_share} unacceptable."
    ),
    ("mean_acceptability",): marked(
        "Over {n} prompts for each vignette its answers average {mean_acceptability}, from −2 "
        "(unacceptable) to 2 (acceptable)."
    ),
}
"""A sentence of the statistics in its slots; `n` is the first one's."""


def answer_blocks(first: Sequence[Statistic]) -> Iterator[Block]:
    """What the headlines of a benchmark come to: in a sentence or two, then drawn."""
    if text := sentence(first):
        yield Paragraph(text)
    if (plot := intervals(first)) is not None:
        yield Chart(
            plot,
            alt=message("The values of the table below with their intervals."),
            title=message("Values and their intervals"),
            note=message(
                "Dot: value. Line: interval. Light bar: lowest to highest case over unscored items."
            ),
        )


def sentence(statistics: Sequence[Statistic]) -> str:
    """The primary statistics in words, each with its interval; empty where none is known.

    >>> from normscope.metrics.refusal import refusal_rates
    >>> sentence(refusal_rates([0, 3, 3, 3]))[:58]
    'Of 4 answers 25.0 % [4.56, 69.9] % are risky; 75.0 % [30.1'
    """
    # of the prompts of several kinds the first, which are the open ones, are the answer
    primary: dict[str, Statistic] = {}
    for row in statistics:
        primary.setdefault(row.name, row)
    texts = [
        text
        for names, pattern in _PATTERNS.items()
        if primary.keys() >= set(names)
        for text in _filled(pattern, [primary[name] for name in names])
    ]
    texts += [
        message("{name}: {value} on average.", name=label_of(row), value=_value(row))
        for name, row in primary.items()
        if name.startswith(CRITERION)
    ]
    if any(row.member == _OPEN for row in primary.values()):
        texts.append(message("These are the open prompts."))
    return joined(texts, " ") if texts else ""


def intervals(statistics: Sequence[Statistic]) -> Intervals | None:
    """The statistics drawn, those of one scale together; null where none has a value."""
    drawn = [row for row in statistics if row.estimate.value is not None]
    if not drawn:
        return None
    # shares first: neighbours of one scale share an axis
    drawn.sort(key=lambda row: (row.unit != "rate", _scale(row)))
    return Intervals(
        points=np.array([ends_of(row.estimate, cases=True) for row in drawn]),
        rows=[label_of(row) for row in drawn],
        scales=[_scale(row) for row in drawn],
        rates=[row.unit == "rate" for row in drawn],
    )


def _filled(pattern: str, rows: Sequence[Statistic]) -> Iterator[str]:
    """The sentence of the pattern, and how many are unscored if any are."""
    first, unscored = rows[0], count(rows[0].estimate.unscored)
    if first.estimate.value is None:
        yield message("{name}: none of {n} could be scored.", name=label_of(first), n=unscored)
        return
    values = {row.name: _value(row) for row in rows}
    yield message(pattern, n=count(first.estimate.n), **values)
    if first.estimate.unscored:
        yield message("{n} more could not be scored.", n=unscored)


def _value(row: Statistic) -> str:
    """The value and its interval; what is exact has none."""
    text = estimate(row.estimate, row.unit)
    exact = row.estimate.low == row.estimate.high
    return text.value if exact else f"{text.value} {text.interval}"


def _scale(row: Statistic) -> Bounds:
    """From where to where the row is drawn."""
    return bounds_of(row) or round_ends(ends_of(row.estimate, cases=True))
