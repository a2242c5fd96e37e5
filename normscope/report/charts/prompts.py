"""The spread between prompts: how much the wording of a question moves a model's mean answer."""

from collections.abc import Sequence
from itertools import cycle, pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from .canvas import FAINT, INK, PALETTE, QUIET, check_shape, entitle, new_figure, styled, wrapped
from .words import say

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NUDGE = 0.11


def prompt_spread(
    means: ArrayLike,
    *,
    models: Sequence[str],
    wordings: Sequence[str],
    limits: tuple[float, float] = (-2.0, 2.0),
    xlabel: str = "",
    title: str = "",
    language: str = "en",
) -> "Figure":
    """A box per model over its means in each wording (models × wordings, NaN where none).

    The box has the quartiles and the median, the whiskers reach to the extremes, and every wording
    is a dot; the lowest and the highest are named.
    """
    table = np.asarray(means, dtype=float)
    check_shape(table, models, wordings, "means")
    with styled(language) as chosen:
        figure = new_figure(7.2, 1.5 + 0.75 * len(models))
        axes = figure.add_subplot()
        # every row bears its name, so that a colour may come twice
        for row, (model, colour) in enumerate(zip(models, cycle(PALETTE), strict=False)):
            base = float(len(models) - 1 - row)
            there = np.flatnonzero(~np.isnan(table[row]))
            if not len(there):
                axes.text(float(np.mean(limits)), base, say("no answer", chosen.language))
                continue
            values = table[row, there]
            axes.boxplot(
                [values],
                positions=[base],
                orientation="horizontal",
                widths=0.5,
                whis=(0, 100),
                manage_ticks=False,
                patch_artist=True,
                boxprops={"facecolor": "none", "edgecolor": colour, "linewidth": 1.3},
                medianprops={"color": colour, "linewidth": 2.2},
                whiskerprops={"color": colour},
                capprops={"color": colour},
                label=model,
            )
            axes.scatter(
                values, base + _spread(values, limits), s=13, color=colour, alpha=0.75, linewidth=0
            )
            order = np.argsort(values, kind="stable")
            # over and under the box: beside it they would run into the names of the models
            for at, lift in ((order[0], -0.28), (order[-1], 0.28)):
                if len(values) > 1:
                    axes.text(
                        float(values[at]),
                        base + lift,
                        f"{say('wording', chosen.language)} {wordings[there[at]]}",
                        ha=_side(float(values[at]), limits),
                        va="top" if lift < 0 else "bottom",
                        fontsize=7,
                        color=QUIET,
                    )
        axes.axvline(float(np.mean(limits)), color=FAINT, zorder=0)
        axes.set_yticks(np.arange(len(models))[::-1], [wrapped(model, 24) for model in models])
        axes.set_ylim(-0.6, len(models) - 0.4)
        axes.set_xlim(*limits)
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(xlabel or say("wordings", chosen.language))
        entitle(axes, title, inches=5.0)
    return figure


def _side(value: float, limits: tuple[float, float]) -> Literal["left", "center", "right"]:
    """Which end of a text stands at the value, so that the text stays between the limits."""
    share = (value - limits[0]) / (limits[1] - limits[0])
    return "left" if share < 1 / 3 else "right" if share > 2 / 3 else "center"


def _spread(values: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    """Steps up and down for dots that would lie on one another."""
    near = 0.012 * (limits[1] - limits[0])
    order = np.argsort(values, kind="stable")
    offsets = np.zeros(len(values))
    run = 0
    for before, at in pairwise(order):
        run = run + 1 if values[at] - values[before] < near else 0
        offsets[at] = _NUDGE * ((run + 1) // 2) * (-1) ** run
    return np.clip(offsets, -0.33, 0.33)
