"""Estimates at each level of a factor, with their intervals: a dot per model in every row."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DataError
from ...messages import Language, message
from .canvas import FAINT, Plot, looks, name_rows, new_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROW, _SERIES = 0.22, 0.085
"""Inches of a row, and what each series adds to it."""

_HEIGHT = 0.68
"""The share of a row in which its dots stand."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Levels(Plot):
    """A row per level, in it a dot with its interval for each series.

    `points` are series × levels × (value, low, high); NaN is no value, or no interval.
    """

    points: ArrayLike
    series: Sequence[str]
    levels: Sequence[str]
    limits: tuple[float, float] = (-2.0, 2.0)

    reading: ClassVar[str] = message("A mark is an estimate, its line the 95 % interval.")

    def __post_init__(self) -> None:
        """Refuses points of another shape."""
        shape, expected = np.shape(self.points), (len(self.series), len(self.levels), 3)
        if shape != expected:
            raise DataError(f"points must be series × levels × 3, {expected}, not {shape}")

    def _drawn(self, _language: Language) -> "Figure":
        """The rows under one another; within a row the first series is on top."""
        table = np.asarray(self.points, dtype=float)
        many = len(self.series)
        axes = new_axes(4.6, (_ROW + _SERIES * many) * len(self.levels))
        places = name_rows(axes, self.levels, 44)
        axes.hlines(places[:-1] - 0.5, *self.limits, color=FAINT, linewidth=0.6)
        axes.axvline(float(np.mean(self.limits)), color=FAINT, zorder=0)
        down = np.linspace(_HEIGHT / 2, -_HEIGHT / 2, many) if many > 1 else np.zeros(1)
        for at, (name, look) in enumerate(zip(self.series, looks(self.series), strict=True)):
            value, low, high = table[at].T
            axes.hlines(places + down[at], low, high, color=look.colour, linewidth=1.1)
            axes.plot(
                value,
                places + down[at],
                color=look.colour,
                marker=look.marker,
                markersize=3.6,
                linestyle="",
                # a series alone needs no name: the title has it
                label=name if many > 1 else "_",
            )
        axes.set_xlim(*self.limits)
        return self._finished(axes)
