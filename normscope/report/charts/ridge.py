"""Ridge plot: the distribution of a score in every category, the models over one another."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import DataError
from ...format import count
from .canvas import (
    FAINT,
    LINES,
    MARKERS,
    QUIET,
    colours,
    entitle,
    legend_below,
    new_figure,
    styled,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_GRID = 256
_HEIGHT = 1.15
_FEW = 8
"""Fewer values than this have no shape: each is drawn as a mark."""

_NARROWEST = 0.012
"""The least width of the kernel, as a share of the scale: equal values still have a shape."""


def ridge(
    samples: Sequence[Sequence[ArrayLike]],
    *,
    models: Sequence[str],
    categories: Sequence[str],
    limits: tuple[float, float],
    xlabel: str = "",
    title: str = "",
    language: str = "en",
) -> "Figure":
    """The densities of `samples[model][category]` on the scale `limits`; NaN is left out.

    Every ridge is as high as the others, so that one heap of equal values does not flatten the
    rest: compare shapes and places, not areas. A short stroke on the base line is the median. The
    number of values is on the right, of the models in their order if they differ. Fewer than 8
    values are drawn one by one.
    """
    values = [[_known(cell, limits) for cell in row] for row in samples]
    if [len(row) for row in values] != [len(categories)] * len(models):
        told = f"{len(models)} rows of {len(categories)}"
        raise DataError(f"samples must be {told}, as there are models and categories")
    grid = np.linspace(*limits, _GRID)
    curves = [[density(cell, grid) for cell in row] for row in values]
    with styled(language):
        figure = new_figure(7.2, 1.6 + 0.55 * len(categories))
        axes = figure.add_subplot()
        for row in range(len(categories)):
            base = float(len(categories) - 1 - row)
            axes.axhline(base, color=FAINT, linewidth=0.8, zorder=row * 10)
            for place, colour in enumerate(colours(models)):
                cell, curve = values[place][row], curves[place][row]
                if not len(cell):
                    continue
                style: dict[str, Any] = {"color": colour, "zorder": row * 10 + 2}
                label = models[place] if row == _first_row(values[place]) else None
                if len(cell) < _FEW:
                    lift = np.full(len(cell), base + 0.12 * (place + 1))
                    mark = MARKERS[place]
                    axes.plot(cell, lift, mark, markersize=3.5, label=label, **style)
                    continue
                height = base + curve / curve.max() * _HEIGHT
                axes.fill_between(
                    grid, base, height, color=colour, alpha=0.16, linewidth=0, zorder=row * 10 + 1
                )
                axes.plot(grid, height, LINES[place], linewidth=1.3, label=label, **style)
                middle = float(np.median(cell))
                axes.plot(
                    [middle, middle], [base, base + 0.16], color=colour, linewidth=2, zorder=999
                )
            told = "n = " + _counts([len(values[place][row]) for place in range(len(models))])
            axes.text(
                1.01,
                base,
                told,
                transform=axes.get_yaxis_transform(),
                fontsize=7,
                color=QUIET,
                va="bottom",
            )
        axes.set_yticks(
            np.arange(len(categories))[::-1], [wrapped(name, 26) for name in categories]
        )
        axes.set_ylim(-0.1, len(categories) - 1 + _HEIGHT + 0.1)
        axes.set_xlim(*limits)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(xlabel)
        entitle(axes, title, inches=5.0)
        legend_below(figure, axes)
    return figure


def density(values: NDArray[np.float64], grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """The Gaussian kernel density of the values on the grid, mirrored at its two ends.

    Mirroring keeps the mass on the scale: the area under the curve is 1. The width is Silverman's.

    >>> grid = np.linspace(0, 1, 256)
    >>> curve = density(np.array([0.0, 0.02, 1.0]), grid)
    >>> round(float(np.trapezoid(curve, grid)), 2)
    1.0
    """
    if not len(values):
        return np.zeros_like(grid)
    low, high = float(grid[0]), float(grid[-1])
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    quartiles = np.quantile(values, [0.25, 0.75])
    across = float(quartiles[1] - quartiles[0]) / 1.349
    narrow = min(spread, across) if across > 0 else spread
    width = max(0.9 * narrow * len(values) ** -0.2, _NARROWEST * (high - low))
    # counted on the grid first, so that the cost does not grow with the values
    edges = np.linspace(low, high, len(grid) + 1)
    middles = (edges[1:] + edges[:-1]) / 2
    weights = np.histogram(values, edges)[0] / len(values)
    curve = np.zeros_like(grid)
    for centre in (middles, 2 * low - middles, 2 * high - middles):
        z = (grid[:, None] - centre[None, :]) / width
        curve += np.exp(-0.5 * z * z) @ weights
    return np.asarray(curve / (width * np.sqrt(2 * np.pi)), dtype=np.float64)


def _known(cell: ArrayLike, limits: tuple[float, float]) -> NDArray[np.float64]:
    every = np.asarray(cell, dtype=float).ravel()
    values: NDArray[np.float64] = every[~np.isnan(every)]
    if len(values) and not (limits[0] <= values.min() and values.max() <= limits[1]):
        told = f"{values.min():g} … {values.max():g}"
        raise DataError(f"values {told} leave the scale {limits[0]:g} … {limits[1]:g}")
    return values


def _first_row(cells: list[NDArray[np.float64]]) -> int:
    return next((row for row, cell in enumerate(cells) if len(cell)), -1)


def _counts(numbers: list[int]) -> str:
    same = len(set(numbers)) == 1
    return count(numbers[0]) if same else ", ".join(count(number) for number in numbers)
