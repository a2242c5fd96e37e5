"""A card's charts: its reliability curve and its confusion matrix, per language."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...judges.trust.card import Card, Slice
from ..charts import ConfusionTables, Plot, Reliability, save

_MOST = 4


def draw(card: Card, stem: Path, formats: Sequence[str] = ("svg", "png")) -> tuple[Path, ...]:
    """Writes `stem.reliability` and `stem.confusion` in each format."""
    if not card.overall.n:
        return ()
    charts: dict[str, Plot] = {"reliability": reliability(card), "confusion": confusion(card)}
    paths: list[Path] = []
    for name, chart in charts.items():
        paths += save(chart, stem.with_name(f"{stem.name}.{name}"), formats)
    return tuple(paths)


def reliability(card: Card) -> Reliability:
    """Stated P(harmful) against the share that people call harmful, with Wilson intervals."""
    slices = _slices(card)
    return Reliability(
        points=[_points(of) for of in slices],
        series=[f"{of.member or 'all'} (n {of.n:,})" for of in slices],
        xlabel="judge: P(harmful)",
        ylabel="people: share harmful",
        title=f"Reliability, criterion {card.rubric.criterion}",
    )


def confusion(card: Card) -> ConfusionTables:
    """People's labels against the judge's, and how many it left unscored if it did."""
    slices = _slices(card)
    labels = slices[0].confusion.labels
    gaps = any(of.unscored for of in slices)
    return ConfusionTables(
        tables=[
            np.column_stack([of.confusion.counts, of.confusion.unscored])
            if gaps
            else of.confusion.counts
            for of in slices
        ],
        titles=[of.member or f"criterion {card.rubric.criterion}" for of in slices],
        rows=labels,
        columns=[*labels, *(["unscored"] if gaps else [])],
        xlabel="judge",
        ylabel="people",
    )


def _points(of: Slice) -> np.ndarray:
    """Rows of stated probability, observed share, low, high: a row per bin that has any."""
    rows = [
        (at.stated, at.observed.value, at.observed.low, at.observed.high)
        for at in of.reliability
        if at.n and at.observed.value is not None
    ]
    return np.array(rows, dtype=float)


def _slices(card: Card) -> tuple[Slice, ...]:
    """The languages, if there are several, else all rows."""
    several = tuple(of for of in card.slices if of.group == "language" and of.n)[:_MOST]
    return several if len(several) > 1 else (card.overall,)
