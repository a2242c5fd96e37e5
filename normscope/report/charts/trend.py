"""A line over levels, such as temperatures, through estimates with their intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DataError
from ...messages import Language, message
from .canvas import FAINT, Plot, looks, new_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
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

    reading: ClassVar[str] = message("A mark is an estimate, its line the 95 % interval.")

    def __post_init__(self) -> None:
        """Refuses points of another shape."""
        shape, n = np.shape(np.asarray(self.points, dtype=float)), len(self.series)
        if shape != (n, 4):
            raise DataError(f"points must be {n} rows of place, value, low, high, not {shape}")

    def _drawn(self, _language: Language) -> "Figure":
        """The lines, those of one place beside one another."""
        table = np.asarray(self.points, dtype=float)
        names = list(dict.fromkeys(self.series))
        axes = new_axes(4.8, 3.0)
        axes.grid(visible=True, axis="y", color=FAINT)
        across = np.unique(table[:, 0]) if len(table) else np.zeros(1)
        step = float(np.diff(across).min()) if len(across) > 1 else 1.0
        for place, (name, look) in enumerate(zip(names, looks(names), strict=True)):
            rows = table[[of == name for of in self.series]]
            rows = rows[np.argsort(rows[:, 0], kind="stable")]
            # intervals at the same level would hide one another
            aside = (place - (len(names) - 1) / 2) * 0.05 * step
            axes.errorbar(
                rows[:, 0] + aside,
                rows[:, 1],
                yerr=np.abs(rows[:, 2:].T - rows[:, 1]),
                color=look.colour,
                linestyle=look.line,
                marker=look.marker,
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
            from matplotlib.ticker import PercentFormatter

            axes.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        return self._finished(axes)
