"""Heatmap of models and categories: agreement, RR-1, RR-2, HR, or a score."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...format import MISSING, number
from .canvas import INK, QUIET, check_shape, entitle, new_figure, styled, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TURN = 10
"""Longer names of models than this stand upright over narrow columns."""

_COLUMN = 0.85
"""Inches."""


def heatmap(
    values: ArrayLike,
    *,
    models: Sequence[str],
    categories: Sequence[str],
    limits: tuple[float, float],
    percent: bool = False,
    title: str = "",
    language: str = "en",
) -> "Figure":
    """The values (models × categories, NaN where there is none) as coloured, numbered cells.

    Categories are the rows. The colours go over the whole of `limits`, so that two figures can be
    compared; they get lighter evenly and keep their order in print without colour.
    """
    table = np.asarray(values, dtype=float)
    check_shape(table, models, categories, "values")
    with styled(language):
        from matplotlib import colormaps
        from matplotlib.colors import Normalize

        colour, scale = colormaps["cividis"], Normalize(*limits)
        upright = max(map(len, models)) > _TURN and len(models) > 1
        figure = new_figure(
            3.6 + _COLUMN * len(models), 1.3 + 0.33 * len(categories) + (0.9 if upright else 0)
        )
        axes = figure.add_subplot()
        cells = np.ma.masked_invalid(table.T)
        image = axes.pcolormesh(cells, cmap=colour, norm=scale, edgecolors="white", linewidth=1.2)
        for row, column in np.ndindex(cells.shape):
            value = float(table[column, row])
            if np.isnan(value):
                told, ink = MISSING, QUIET
            else:
                told = number(value * 100 if percent else value)
                red, green, blue, _ = colour(scale(value))
                ink = INK if 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 else "white"  # noqa: PLR2004
            axes.text(
                column + 0.5, row + 0.5, told, ha="center", va="center", fontsize=7.5, color=ink
            )
        axes.set_yticks(
            np.arange(len(categories)) + 0.5, [wrapped(name, 44) for name in categories]
        )
        axes.set_xticks(
            np.arange(len(models)) + 0.5,
            [wrapped(model, 22) for model in models],
            rotation=60 if upright else 0,
            ha="left" if upright else "center",
            rotation_mode="anchor" if upright else "default",
        )
        axes.invert_yaxis()
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        bar = figure.colorbar(image, ax=axes, fraction=0.05, pad=0.03)
        bar.outline.set_visible(False)
        if percent:
            ticks = np.linspace(*limits, 5).tolist()
            bar.set_ticks(ticks, labels=[f"{tick * 100:.4g} %" for tick in ticks])
        entitle(axes, title, inches=1.2 + _COLUMN * len(models), pad=10)
    return figure
