"""Lines and marks: estimates with their intervals, and a judge's reliability curve."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DataError
from ...messages import Language, message
from .canvas import FAINT, QUIET, Floats, Plot, looks, name_rows, new_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH, _ROW, _SERIES = 4.6, 0.22, 0.08
"""Inches of the axes, of a row, and what each series adds to it."""

_SPREAD = 0.68
"""The share of a row in which the marks of several series stand."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Intervals(Plot):
    """A row per estimate: a mark and a line for its interval, for each series.

    `points` are series × rows × (value, low, high); NaN is none of it. The values of all rows go
    over `limits`.
    """

    points: Sequence[Any]
    rows: Sequence[str]
    limits: tuple[float, float]
    series: Sequence[str]

    reading: ClassVar[str] = message("A mark is an estimate, its line the 95 % interval.")

    def __post_init__(self) -> None:
        """Refuses points of another shape."""
        if self._table().shape != (len(self.series), len(self.rows), 3):
            shape, expected = np.shape(self.points), f"{len(self.series)} × {len(self.rows)} × 3"
            raise DataError(f"points must be {expected} (series × rows × ends), not {shape}")

    def _table(self) -> Floats:
        return np.asarray(self.points, dtype=float)

    def _drawn(self, _language: Language) -> "Figure":
        """The rows under one another, in each the series in their order."""
        axes = new_axes(_WIDTH, (_ROW + _SERIES * len(self.series)) * len(self.rows))
        places = name_rows(axes, self.rows, 44)
        # the mark of a value at the low end must not touch its name
        axes.tick_params(axis="y", pad=7)
        axes.grid(visible=True, axis="x", color=FAINT)
        axes.hlines(places[:-1] - 0.5, *self.limits, color=FAINT, linewidth=0.6)
        aside = np.linspace(_SPREAD / 2, -_SPREAD / 2, len(self.series) + 2)[1:-1]
        for table, look, name, up in zip(
            self._table(), looks(self.series), self.series, aside, strict=True
        ):
            value, low, high = table.T
            axes.hlines(places + up, low, high, color=look.colour, linewidth=1.3)
            (mark,) = axes.plot(
                value,
                places + up,
                color=look.colour,
                marker=look.marker,
                markersize=4,
                linestyle="",
                label=name,
            )
            # a mark at an end of the scale is drawn whole
            mark.set_clip_on(False)
        axes.set_xlim(*self.limits)
        return self._finished(axes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Reliability(Plot):
    """Stated probabilities against the share that people see.

    `points` has rows of stated probability, observed share, low, high.
    """

    points: ArrayLike

    reading: ClassVar[str] = message(
        "On the dotted line stated probabilities are as frequent as people say; the lines at the "
        "marks are intervals."
    )

    def _drawn(self, _language: Language) -> "Figure":
        """The line beside the diagonal, on which a calibrated judge stands."""
        axes = new_axes(3.6, 3.6)
        axes.plot([0, 1], [0, 1], color=QUIET, linewidth=0.8, linestyle=":")
        x, y, low, high = np.asarray(self.points, dtype=float).reshape(-1, 4).T
        error = np.clip(np.abs(np.stack([low, high]) - y), 0, None)
        (look,) = looks([""])
        axes.errorbar(x, y, error, color=look.colour, marker=look.marker, linewidth=1.2)
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        return self._finished(axes)
