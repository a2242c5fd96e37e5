"""Radar: one spoke per category, one line per model or statistic (the papers' figure)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DataError
from ...messages import Language, message
from .canvas import FAINT, QUIET, Plot, looks, new_axes, table_of
from .labels import in_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEWEST, MOST = 3, 18
"""A radar of two spokes is a line; one of more than eighteen cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Radar(Plot):
    """The values (series × categories, NaN where there is none) on spokes from `limits`.

    The centre is the lower limit. A missing value interrupts the line.
    """

    values: ArrayLike
    series: Sequence[str]
    categories: Sequence[str]
    limits: tuple[float, float]
    percent: bool = False

    reading: ClassVar[str] = message(
        "The centre is the least that there can be; a line is interrupted where there is no value."
    )

    def __post_init__(self) -> None:
        """Refuses values of another shape, and too few or too many categories."""
        table_of(self.values, self.series, self.categories, "values")
        if not FEWEST <= len(self.categories) <= MOST:
            n = len(self.categories)
            raise DataError(f"a radar has {FEWEST} to {MOST} categories, not {n}; use `Heatmap`")

    def _drawn(self, _language: Language) -> "Figure":
        """The lines over rings that are numbered."""
        table = table_of(self.values, self.series, self.categories, "values")
        n = len(self.categories)
        angles = np.arange(n) * 2 * math.pi / n
        axes = new_axes(4.6, 4.6, projection="polar")
        axes.set_theta_zero_location("N")  # type: ignore[attr-defined]
        axes.set_theta_direction(-1)  # type: ignore[attr-defined]
        axes.grid(color=FAINT)
        for place, (name, look) in enumerate(zip(self.series, looks(self.series), strict=True)):
            # back to the first spoke, so that the line closes
            axes.plot(
                [*angles, 2 * math.pi],
                [*table[place], table[place, 0]],
                color=look.colour,
                linestyle=look.line,
                marker=look.marker,
                markersize=4,
                linewidth=1.6,
                label=name,
                clip_on=False,
            )
        axes.set_ylim(*self.limits)
        rings = np.linspace(*self.limits, 6)[1:]
        labels = [f"{ring * 100:.4g} %" if self.percent else f"{ring:.3g}" for ring in rings]
        axes.set_yticks(rings, labels)
        axes.set_rlabel_position(180 / n)  # type: ignore[attr-defined]
        axes.tick_params(axis="y", labelsize=7, labelcolor=QUIET)
        axes.spines["polar"].set_color(QUIET)
        axes.set_xticks(angles, [in_lines(name, 22) for name in self.categories])
        # a line of a label takes eleven points
        return self._finished(axes, pad=12 + 11 * _align(axes, angles))


def _align(axes: "Axes", angles: np.ndarray) -> int:
    """Turns every label away from the circle; how many lines the longest has."""
    lines = 1
    for label, angle in zip(axes.get_xticklabels(), angles, strict=True):
        across = math.sin(angle)
        upright = abs(across) < 0.1  # noqa: PLR2004 - near the top and the bottom
        label.set_horizontalalignment("center" if upright else "left" if across > 0 else "right")
        lines = max(lines, label.get_text().count("\n") + 1)
    return lines
