"""Estimates under one another, each with its interval; of several runs a mark for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DataError
from ...messages import Language, message
from ...palette import PAGE
from .canvas import FAINT, Floats, Look, Plot, figure_of, looks, name_rows, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _ROW, _SERIES, _TICKS = 2.7, 0.22, 0.08, 0.42
"""Inches of the axes, of a row and what each series adds to it, and between two panels."""

_SPREAD = 0.68
"""The share of a row in which the marks of several series stand."""

_ALONE = Look(PAGE["blue"].light, "o", "-")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Intervals(Plot):
    """A row per estimate: a mark and a line for its interval, for each series.

    `points` are series × rows × (value, low, high), or of one series rows alone; NaN is none of it.
    The lowest and the highest case may stand behind these three: a light bar, where they differ.
    `scales` says from where to where each row's values go, and `rates` which of them are shares,
    written in percent. Neighbouring rows of one scale share an axis.
    """

    points: ArrayLike
    rows: Sequence[str]
    scales: Sequence[tuple[float, float]]
    rates: Sequence[bool]
    series: Sequence[str] = ("",)

    reading: ClassVar[str] = message("A mark is an estimate, its line the 95 % interval.")

    def __post_init__(self) -> None:
        """Refuses points of another shape, and rows without a scale."""
        n = len(self.rows)
        if self._table().shape[:2] != (len(self.series), n):
            shape = np.shape(self.points)
            raise DataError(f"points must be {len(self.series)} series × {n} rows, not {shape}")
        if not len(self.scales) == len(self.rates) == n:
            raise DataError(f"{n} rows need as many scales and rates")

    def _table(self) -> Floats:
        table = np.asarray(self.points, dtype=float)
        return table[None] if table.ndim == 2 else table  # noqa: PLR2004 - one series

    def _drawn(self, _language: Language) -> "Figure":
        """A panel per run of rows with one scale, the first on top."""
        kinds = list(zip(self.scales, self.rates, strict=True))
        panels = [list(rows) for _, rows in groupby(range(len(kinds)), key=kinds.__getitem__)]
        row = _ROW + _SERIES * len(self.series)
        height = row * len(panels[0])
        width = _WIDTH if len(self.series) == 1 else 1.7 * _WIDTH
        axes = first = new_axes(width, height)
        down = 0.0
        for at, rows in enumerate(panels):
            if at:
                down += _TICKS + row * len(rows)
                place = (0, -down / height, 1, row * len(rows) / height)
                axes = figure_of(first).add_axes(place)
            self._panel(axes, rows)
        if len(panels) == 1:
            return self._finished(first)
        axes.set_xlabel(self.xlabel)
        first.set_title(self.title)
        return figure_of(first)

    def _panel(self, axes: "Axes", rows: Sequence[int]) -> None:
        several = len(self.series) > 1
        places = name_rows(axes, [self.rows[row] for row in rows], 44 if several else 26)
        # the mark of a value at the low end must not touch its name
        axes.tick_params(axis="y", pad=7)
        axes.grid(visible=True, axis="x", color=FAINT)
        if several:
            axes.hlines(places[:-1] - 0.5, *self.scales[rows[0]], color=FAINT, linewidth=0.6)
        ends = (_SPREAD / 2, -_SPREAD / 2) if several else (0.0, 0.0)
        aside = np.linspace(*ends, len(self.series))
        styles = looks(self.series) if several else (_ALONE,)
        for table, look, name, up in zip(self._table(), styles, self.series, aside, strict=True):
            value, low, high, *cases = table[rows].T
            if cases:
                lowest, highest = (of[cases[0] != cases[1]] for of in cases)
                apart = places[cases[0] != cases[1]] + up
                soft = PAGE["blue-soft"].light
                axes.barh(apart, highest - lowest, left=lowest, height=0.5, color=soft)
            axes.hlines(places + up, low, high, color=look.colour, linewidth=1.3)
            (mark,) = axes.plot(
                value,
                places + up,
                color=look.colour,
                marker=look.marker,
                markersize=4 if several else 5,
                linestyle="",
                # a series alone needs no name: the title has it
                label=name if several else "_",
            )
            # a mark at an end of the scale is drawn whole
            mark.set_clip_on(False)
        axes.set_xlim(*self.scales[rows[0]])
        if self.rates[rows[0]]:
            from matplotlib.ticker import PercentFormatter

            axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
