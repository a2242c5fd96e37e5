"""Temperature comparison: what the temperature of sampling does to a model's result."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DataError
from .canvas import FAINT, LINES, MARKERS, colours, entitle, legend_below, new_figure, styled
from .words import say

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def temperatures(
    points: ArrayLike,
    *,
    models: Sequence[str],
    limits: tuple[float, float] | None = None,
    percent: bool = False,
    ylabel: str = "",
    title: str = "",
    language: str = "en",
) -> "Figure":
    """A line per model through its results at each temperature, with their intervals.

    `points` are rows of temperature, value, low, high (NaN limits: no interval); `models` names the
    model of each row.
    """
    table = np.asarray(points, dtype=float)
    if table.ndim != 2 or table.shape != (len(models), 4):  # noqa: PLR2004 - four columns
        raise DataError(
            f"points must be {len(models)} rows of temperature, value, low, high, not {table.shape}"
        )
    names = list(dict.fromkeys(models))
    with styled(language) as chosen:
        figure = new_figure(6.0, 4.2)
        axes = figure.add_subplot()
        axes.grid(visible=True, axis="y", color=FAINT)
        across = np.unique(table[:, 0])
        step = float(np.diff(across).min()) if len(across) > 1 else 1.0
        for place, (name, colour) in enumerate(zip(names, colours(names), strict=True)):
            mine = table[[model == name for model in models]]
            mine = mine[np.argsort(mine[:, 0], kind="stable")]
            arms = np.abs(mine[:, 2:].T - mine[:, 1])
            # models at one temperature stand side by side
            aside = (place - (len(names) - 1) / 2) * 0.05 * step
            axes.errorbar(
                mine[:, 0] + aside,
                mine[:, 1],
                yerr=arms,
                color=colour,
                linestyle=LINES[place],
                marker=MARKERS[place],
                markersize=5,
                capsize=3,
                label=name,
            )
        axes.set_xticks(across, [f"{value:g}" for value in across])
        axes.set_xlim(across[0] - 0.3 * step, across[-1] + 0.3 * step)
        if limits is not None:
            axes.set_ylim(*limits)
        if percent:
            from matplotlib.ticker import FuncFormatter

            axes.yaxis.set_major_formatter(FuncFormatter(lambda tick, _: f"{tick * 100:.4g} %"))
        axes.set_xlabel(say("temperature", chosen.language))
        axes.set_ylabel(ylabel)
        entitle(axes, title, inches=5.0)
        legend_below(figure, axes)
    return figure
