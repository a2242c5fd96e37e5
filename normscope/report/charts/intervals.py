"""Estimates of several kinds under one another, each with its interval, a scale for each kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DataError
from ...messages import Language
from ...palette import PAGE
from .canvas import FAINT, Floats, Plot, figure_of, name_rows, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _ROW, _TICKS = 2.7, 0.3, 0.42
"""Inches: narrow enough that on a phone no letter has to shrink below nine pixels."""

_BLUE, _SOFT = PAGE["blue"].light, PAGE["blue-soft"].light


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Intervals(Plot):
    """A row per estimate: a dot, a line for the interval, a light bar from lowest to highest case.

    `points` are rows of value, low, high, lowest, highest; NaN is none of it, and equal cases have
    no bar. `scales` says from where to where each row's values go, and `rates` which of them are
    shares, written in percent. Neighbouring rows of one scale share an axis.
    """

    points: ArrayLike
    rows: Sequence[str]
    scales: Sequence[tuple[float, float]]
    rates: Sequence[bool]

    def __post_init__(self) -> None:
        """Refuses points of another shape, and rows without a scale."""
        shape, n = np.shape(self.points), len(self.rows)
        if shape != (n, 5):
            raise DataError(f"points must be {n} rows of value, limits and cases, not {shape}")
        if not len(self.scales) == len(self.rates) == n:
            raise DataError(f"{n} rows need as many scales and rates")

    def _drawn(self, _language: Language) -> "Figure":
        """A panel per run of rows with one scale, the first on top."""
        table = np.asarray(self.points, dtype=float)
        kinds = list(zip(self.scales, self.rates, strict=True))
        panels = [list(rows) for _, rows in groupby(range(len(kinds)), key=kinds.__getitem__)]
        height = _ROW * len(panels[0])
        first = axes = new_axes(_WIDTH, height)
        down = 0.0
        for at, rows in enumerate(panels):
            if at:
                down += _TICKS + _ROW * len(rows)
                place = (0, -down / height, 1, _ROW * len(rows) / height)
                axes = figure_of(first).add_axes(place)
            self._panel(axes, table[rows], rows)
        axes.set_xlabel(self.xlabel)
        if self.title:
            first.set_title(self.title)
        return figure_of(first)

    def _panel(self, axes: "Axes", table: Floats, rows: Sequence[int]) -> None:
        places = name_rows(axes, [self.rows[row] for row in rows], 26)
        # the dot of a value at the low end must not touch its name
        axes.tick_params(axis="y", pad=7)
        value, low, high, lowest, highest = table.T
        axes.grid(visible=True, axis="x", color=FAINT)
        apart = lowest != highest
        axes.barh(
            places[apart], (highest - lowest)[apart], left=lowest[apart], height=0.5, color=_SOFT
        )
        axes.hlines(places, low, high, color=_BLUE, linewidth=1.6)
        axes.plot(value, places, "o", color=_BLUE, markersize=5)
        axes.set_xlim(*self.scales[rows[0]])
        # a dot at an end of the scale is drawn whole
        for mark in axes.lines:
            mark.set_clip_on(False)
        if self.rates[rows[0]]:
            from matplotlib.ticker import PercentFormatter

            axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
