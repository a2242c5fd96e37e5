"""A card's figures: its reliability curve and its confusion matrix, per language."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...judges.trust.card import Card, Slice
from ..charts.canvas import FORMATS, INK, LINES, MARKERS, PALETTE, QUIET, new_figure, save, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST = 4


def draw(card: Card, stem: Path, formats: Sequence[str] = FORMATS) -> tuple[Path, ...]:
    """Writes `stem.reliability` and `stem.confusion` in each format."""
    if not card.overall.n:
        return ()
    drawn = {"reliability": reliability(card), "confusion": confusion(card)}
    paths: list[Path] = []
    for name, figure in drawn.items():
        paths += save(figure, stem.with_name(f"{stem.name}.{name}"), formats)
    return tuple(paths)


def reliability(card: Card) -> "Figure":
    """Stated P(harmful) against the share that people call harmful, with Wilson intervals."""
    with styled():
        figure = new_figure(4.6, 4.4)
        axes = figure.add_subplot()
        axes.plot([0, 1], [0, 1], color=QUIET, linewidth=0.8, linestyle=":")
        for place, part in enumerate(_parts(card)):
            known = [one for one in part.reliability if one.n and one.observed.value is not None]
            x = np.array([one.stated for one in known], dtype=float)
            y = np.array([one.observed.value for one in known], dtype=float)
            ends = np.array([(one.observed.low, one.observed.high) for one in known], dtype=float)
            axes.errorbar(
                x,
                y,
                yerr=np.clip(np.abs(ends.T - y), 0, None),
                color=PALETTE[place],
                marker=MARKERS[place],
                linestyle=LINES[place],
                markersize=4,
                linewidth=1.2,
                elinewidth=0.8,
                label=f"{part.member or 'all'} (n {part.n:,})",
            )
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        axes.set_xlabel("judge: P(harmful)")
        axes.set_ylabel("people: share harmful")
        axes.set_title(f"Reliability, criterion {card.rubric.criterion}")
        axes.legend(loc="upper left", fontsize=8)
    return figure


def confusion(card: Card) -> "Figure":
    """People's labels against the judge's: counts, shaded by the share of people's label."""
    parts = _parts(card)
    with styled():
        figure = new_figure(0.6 + 3.2 * len(parts), 3.4)
        for place, part in enumerate(parts):
            axes = figure.add_subplot(1, len(parts), place + 1)
            _matrix(axes, part)
            axes.set_title(part.member or f"criterion {card.rubric.criterion}")
    return figure


def _matrix(axes: "Axes", part: Slice) -> None:
    columns = [*part.confusion.labels, *(["unscored"] if part.unscored else [])]
    counts = np.array(part.confusion.counts, dtype=float)
    if part.unscored:
        counts = np.column_stack([counts, part.confusion.unscored])
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (row, column), share in np.ndenumerate(shares):
        colour = "white" if share > 0.6 else INK  # noqa: PLR2004
        told = f"{int(counts[row, column]):,}"
        axes.text(column, row, told, ha="center", va="center", color=colour, fontsize=8)
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(part.confusion.labels)), part.confusion.labels)
    axes.set_xlabel("judge")
    axes.set_ylabel("people")


def _parts(card: Card) -> tuple[Slice, ...]:
    """The languages, if there are several, else all rows."""
    several = tuple(part for part in card.slices if part.group == "language" and part.n)[:_MOST]
    return several if len(several) > 1 else (card.overall,)
