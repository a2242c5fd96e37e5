"""Radar: one spoke per category, one line per model (the papers' figure)."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DataError
from .canvas import (
    LINES,
    MARKERS,
    QUIET,
    check_shape,
    colours,
    entitle,
    legend_below,
    new_figure,
    styled,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEWEST, MOST = 3, 16
"""A radar of two spokes is a line; one of more than sixteen cannot be read."""


def radar(
    values: ArrayLike,
    *,
    models: Sequence[str],
    categories: Sequence[str],
    limits: tuple[float, float],
    percent: bool = False,
    title: str = "",
    language: str = "en",
) -> "Figure":
    """The values (models × categories, NaN where there is none) on spokes from `limits`.

    The centre is the lower limit. A missing value interrupts the line.
    """
    table = np.asarray(values, dtype=float)
    check_shape(table, models, categories, "values")
    if not FEWEST <= len(categories) <= MOST:
        raise DataError(
            f"a radar has {FEWEST} to {MOST} categories, not {len(categories)}; use `heatmap`"
        )
    angles = np.arange(len(categories)) * 2 * math.pi / len(categories)
    with styled(language):
        figure = new_figure(6.4, 6.2)
        axes = figure.add_subplot(projection="polar")
        axes.set_theta_zero_location("N")  # type: ignore[attr-defined]
        axes.set_theta_direction(-1)  # type: ignore[attr-defined]
        for place, (model, colour) in enumerate(zip(models, colours(models), strict=True)):
            axes.plot(
                [*angles, 2 * math.pi],
                [*table[place], table[place, 0]],
                color=colour,
                linestyle=LINES[place],
                marker=MARKERS[place],
                markersize=4,
                linewidth=1.6,
                label=model,
            )
        axes.set_ylim(*limits)
        rings = np.linspace(*limits, 6)[1:]
        told = [f"{ring * 100:.4g} %" if percent else f"{ring:.3g}" for ring in rings]
        axes.set_yticks(rings, told)
        axes.set_rlabel_position(180 / len(categories))  # type: ignore[attr-defined]
        axes.tick_params(axis="y", labelsize=7, labelcolor=QUIET)
        axes.spines["polar"].set_color(QUIET)
        axes.set_xticks(angles, [wrapped(name, 18) for name in categories])
        for label, angle in zip(axes.get_xticklabels(), angles, strict=True):
            across = math.sin(angle)
            label.set_horizontalalignment(
                "center" if abs(across) < 0.1 else "left" if across > 0 else "right"  # noqa: PLR2004
            )
        entitle(axes, title, inches=5.0, pad=14)
        legend_below(figure, axes)
    return figure
