"""Points of two scales: what a model says of each flow, against what people said of it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DataError
from ...messages import Language, message
from ...palette import SERIES
from .canvas import FAINT, QUIET, Plot, new_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PLACES = 40
"""Points are drawn at so many places of either scale: nearer ones are one, larger point."""

_SMALLEST = 7.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Scatter(Plot):
    """Points (rows of x, y; those with NaN are left out) on two scales, each from end to end.

    The dotted line joins the ends of the scales: on it stands what is at the same place of both.
    Points that fall together are one whose area is their number, so that thousands stay readable
    and a page small.
    """

    points: ArrayLike
    xlimits: tuple[float, float]
    ylimits: tuple[float, float]

    reading: ClassVar[str] = message(
        "The area of a square is how many stand there; on the dotted line both are at the same "
        "place of their scale."
    )

    def __post_init__(self) -> None:
        """Refuses points of another shape."""
        shape = np.shape(np.asarray(self.points, dtype=float))
        if len(shape) != 2 or shape[1] != 2:  # noqa: PLR2004 - rows of x and y
            raise DataError(f"points must be rows of x, y, not {shape}")

    def _drawn(self, _language: Language) -> "Figure":
        """The points over the dotted line."""
        table = np.asarray(self.points, dtype=float)
        table = table[~np.isnan(table).any(axis=1)]
        limits = np.array([self.xlimits, self.ylimits], dtype=float)
        low, step = limits[:, 0], (limits[:, 1] - limits[:, 0]) / _PLACES
        places, counts = np.unique(np.round((table - low) / step), axis=0, return_counts=True)
        axes = new_axes(3.8, 3.8)
        axes.grid(visible=True, color=FAINT)
        axes.plot(*limits, color=QUIET, linewidth=0.8, linestyle=":")
        x, y = (low + places * step).T
        # squares: a circle's outline would take four times the room in a page
        axes.scatter(x, y, s=_SMALLEST * counts, marker="s", color=SERIES[0].light, alpha=0.8, lw=0)
        for (first, last), limit in ((self.xlimits, axes.set_xlim), (self.ylimits, axes.set_ylim)):
            room = 0.04 * (last - first)
            limit(first - room, last + room)
        return self._finished(axes)
