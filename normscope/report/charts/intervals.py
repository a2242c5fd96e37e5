"""Estimates with their intervals: a forest of rows, or a line over levels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DataError
from .canvas import (
    FAINT,
    LINES,
    MARKERS,
    PALETTE,
    Plot,
    bare,
    colours,
    entitle,
    legend_below,
    new_axes,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_WITHIN = "#BCD6EE"
"""From the worst to the best case."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Forest(Plot):
    """Rows of value, low, high, worst, best (NaN: not known, not drawn) on one scale.

    A dot, the interval as a line, and behind it the reach from the worst to the best case over the
    unscored items.
    """

    estimates: ArrayLike
    rows: Sequence[str]
    limits: tuple[float, float] | None = None
    percent: bool = False
    xlabel: str = ""

    def __post_init__(self) -> None:
        """Refuses estimates of another shape."""
        _five(self.estimates, self.rows)

    def _drawn(self) -> "Figure":
        """The rows under one another, the first on top."""
        table = _five(self.estimates, self.rows)
        places = np.arange(len(self.rows))[::-1]
        figure, axes = new_axes(4.4, 0.1 + 0.2 * len(self.rows))
        value, low, high, worst, best = table.T
        axes.grid(visible=True, axis="x", color=FAINT)
        reach = np.fmin(worst, best), np.abs(best - worst)
        axes.barh(places, np.nan_to_num(reach[1]), left=reach[0], height=0.5, color=_WITHIN)
        axes.hlines(places, low, high, color=PALETTE[0], linewidth=1.6)
        axes.plot(value, places, "o", color=PALETTE[0], markersize=4.5)
        axes.set_yticks(places, [wrapped(name, 44) for name in self.rows])
        axes.set_ylim(-0.6, len(self.rows) - 0.4)
        if self.limits is not None:
            axes.set_xlim(*self.limits)
        if self.percent:
            _in_percent(axes.xaxis)
        bare(axes, "left")
        axes.set_xlabel(self.xlabel)
        entitle(axes, self.title)
        return figure


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trend(Plot):
    """A line per series through its results at each level, with their intervals.

    `points` are rows of place, value, low, high (NaN limits: no interval); `series` names the line
    of each row. `levels` names the places 0, 1, …, which are else written as the numbers they are:
    temperatures.
    """

    points: ArrayLike
    series: Sequence[str]
    levels: Sequence[str] = ()
    limits: tuple[float, float] | None = None
    percent: bool = False
    xlabel: str = ""
    ylabel: str = ""

    def __post_init__(self) -> None:
        """Refuses points of another shape."""
        shape, n = np.shape(np.asarray(self.points, dtype=float)), len(self.series)
        if shape != (n, 4):
            raise DataError(f"points must be {n} rows of place, value, low, high, not {shape}")

    def _drawn(self) -> "Figure":
        """The lines, those of one place beside one another."""
        table = np.asarray(self.points, dtype=float)
        names = list(dict.fromkeys(self.series))
        figure, axes = new_axes(4.8, 3.0)
        axes.grid(visible=True, axis="y", color=FAINT)
        across = np.unique(table[:, 0]) if len(table) else np.zeros(1)
        step = float(np.diff(across).min()) if len(across) > 1 else 1.0
        for place, (name, colour) in enumerate(zip(names, colours(names), strict=True)):
            rows = table[[of == name for of in self.series]]
            rows = rows[np.argsort(rows[:, 0], kind="stable")]
            aside = (place - (len(names) - 1) / 2) * 0.05 * step
            axes.errorbar(
                rows[:, 0] + aside,
                rows[:, 1],
                yerr=np.abs(rows[:, 2:].T - rows[:, 1]),
                color=colour,
                linestyle=LINES[place],
                marker=MARKERS[place],
                markersize=5,
                capsize=3,
                label=name,
            )
        if self.levels:
            across = np.arange(len(self.levels), dtype=float)
        axes.set_xticks(across, self.levels or [f"{at:g}" for at in across])
        axes.set_xlim(across[0] - 0.3 * step, across[-1] + 0.3 * step)
        if self.limits is not None:
            axes.set_ylim(*self.limits)
        if self.percent:
            _in_percent(axes.yaxis)
        axes.set_xlabel(self.xlabel)
        axes.set_ylabel(self.ylabel)
        entitle(axes, self.title)
        legend_below(axes, below=40)
        return figure


def _five(estimates: ArrayLike, rows: Sequence[str]) -> np.ndarray:
    table = np.asarray(estimates, dtype=float)
    if table.shape != (len(rows), 5):
        raise DataError(
            f"estimates must be {len(rows)} rows of value, low, high, worst, best, "
            f"not {table.shape}"
        )
    return table


def _in_percent(axis: "Axis") -> None:
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda tick, _: f"{tick * 100:.4g} %"))
