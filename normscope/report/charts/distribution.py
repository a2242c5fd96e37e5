"""Distributions of a score: ridges over the categories."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DataError
from ...format import count
from ...messages import Language, message
from .canvas import (
    FAINT,
    QUIET,
    Floats,
    Plot,
    looks,
    name_rows,
    new_axes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_POINTS = 80
_HEIGHT = 1.15
_FEW = 8
"""Fewer values than this have no shape: each is drawn as a mark."""

_NARROWEST = 0.012
"""The least width of the kernel, as a share of the scale: equal values still have a shape."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Ridges(Plot):
    """The densities of `samples[series][category]` on the scale `limits`; NaN is left out.

    Every ridge is as high as the others, so that one heap of equal values does not flatten the
    rest: compare shapes and places, not areas. A short stroke on the base line is the median. The
    number of values is on the right, of the series in their order if they differ. Fewer than 8
    values are drawn one by one.
    """

    samples: Sequence[Sequence[ArrayLike]]
    series: Sequence[str]
    categories: Sequence[str]
    limits: tuple[float, float]

    reading: ClassVar[str] = message(
        "Densities, all of one height: compare shapes and places, not areas. A stroke on the base "
        "line is the median; fewer than 8 values are drawn one by one; n stands on the right."
    )

    def __post_init__(self) -> None:
        """Refuses samples of another shape, and values that leave the scale."""
        if [len(row) for row in self.samples] != [len(self.categories)] * len(self.series):
            expected = f"{len(self.series)} rows of {len(self.categories)}"
            raise DataError(f"samples must be {expected}, as there are series and categories")
        for row in self.samples:
            for cell in row:
                _known(cell, self.limits)

    def _drawn(self, _language: Language) -> "Figure":
        """The ridges over one another, the first category on top."""
        values = [[_known(cell, self.limits) for cell in row] for row in self.samples]
        rows = len(self.categories)
        axes = new_axes(4.8, 0.25 + 0.42 * rows)
        for row, base in enumerate(name_rows(axes, self.categories, 30)):
            axes.axhline(base, color=FAINT, linewidth=0.8, zorder=row * 10)
            for place in range(len(self.series)):
                self._ridge(axes, place, row, values[place])
            axes.text(
                1.01,
                base,
                "n = " + _counts([len(cells[row]) for cells in values]),
                transform=axes.get_yaxis_transform(),
                fontsize=7,
                color=QUIET,
                va="bottom",
            )
        axes.set_ylim(-0.1, rows - 1 + _HEIGHT + 0.1)
        axes.set_xlim(*self.limits)
        return self._finished(axes)

    def _ridge(self, axes: "Axes", place: int, row: int, cells: list[Floats]) -> None:
        """One series in one category, which stands in the legend where it first has values."""
        cell = cells[row]
        if not len(cell):
            return
        base = float(len(self.categories) - 1 - row)
        look = looks(self.series)[place]
        style: dict[str, Any] = {"color": look.colour, "zorder": row * 10 + 2}
        if len(self.series) > 1 and row == next(at for at, of in enumerate(cells) if len(of)):
            style["label"] = self.series[place]
        middle = float(np.median(cell))
        if len(cell) < _FEW:
            lift = np.full(len(cell), base + 0.12 * (place + 1))
            axes.plot(cell, lift, look.marker, markersize=3.5, **style)
            return
        grid = np.linspace(*self.limits, _POINTS)
        curve = density(cell, grid)
        height = base + curve / curve.max() * _HEIGHT
        axes.fill(
            [grid[0], *grid, grid[-1]],
            [base, *height, base],
            color=look.colour,
            alpha=0.35 if len(self.series) == 1 else 0.14,
            linewidth=0,
            zorder=row * 10 + 1,
        )
        axes.plot(grid, height, look.line, linewidth=1.3, **style)
        axes.plot([middle, middle], [base, base + 0.2], color=look.colour, linewidth=2, zorder=999)


def density(values: Floats, grid: Floats) -> Floats:
    """The Gaussian kernel density of the values on the grid, mirrored at its two ends.

    Mirroring keeps the mass on the scale: the area under the curve is 1. The width is Silverman's.

    >>> grid = np.linspace(0, 1, 256)
    >>> curve = density(np.array([0.0, 0.02, 1.0]), grid)
    >>> round(float(np.trapezoid(curve, grid)), 2)
    1.0
    """
    from scipy.stats import gaussian_kde, iqr

    low, high = float(grid[0]), float(grid[-1])
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    across = float(iqr(values)) / 1.349
    narrow = min(spread, across) if across > 0 else spread
    width = max(0.9 * narrow * len(values) ** -0.2, _NARROWEST * (high - low))
    # counted on the grid first, so that the cost does not grow with the values
    counts, edges = np.histogram(values, np.linspace(low, high, len(grid) + 1))
    middles = (edges[1:] + edges[:-1]) / 2
    mirrored = np.concatenate([middles, 2 * low - middles, 2 * high - middles])
    kernel = gaussian_kde(mirrored, weights=np.tile(counts, 3))
    kernel.set_bandwidth(width / np.sqrt(kernel.covariance[0, 0]) * kernel.factor)
    return np.asarray(3 * kernel(grid), dtype=np.float64)


def _known(cell: ArrayLike, limits: tuple[float, float]) -> Floats:
    values: Floats = np.asarray(cell, dtype=float).ravel()
    values = values[~np.isnan(values)]
    if len(values) and not (limits[0] <= values.min() and values.max() <= limits[1]):
        between = f"{values.min():g} … {values.max():g}"
        raise DataError(f"values {between} leave the scale {limits[0]:g} … {limits[1]:g}")
    return values


def _counts(numbers: list[int]) -> str:
    same = len(set(numbers)) == 1
    return count(numbers[0]) if same else ", ".join(count(number) for number in numbers)
