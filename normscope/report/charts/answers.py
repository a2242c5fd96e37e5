"""Answer distributions: for every model how often it gave each answer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DataError
from ...format import MISSING, count
from .canvas import INK, QUIET, check_shape, entitle, legend_below, new_figure, styled, wrapped
from .words import say

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LIKERT = ("#D55E00", "#F2B48A", "#C9C9C9", "#93C6E8", "#0072B2")
"""Unacceptable to acceptable: orange to blue, neutral grey; told apart with any colour vision."""

DEGREES = ("#D55E00", "#E69F00", "#56B4E9", "#0072B2")
"""Risky to responsible refusal."""

LETTERS = ("#0072B2", "#56B4E9", "#009E73", "#E69F00", "#CC79A7", "#D55E00")

ABSENT = ("#FFFFFF", "#EFEFEF")
"""No answer and unscored: drawn without a colour, and hatched."""

_ROOM = 0.045


def answers(
    counts: ArrayLike,
    *,
    models: Sequence[str],
    classes: Sequence[str],
    palette: Sequence[str] = LIKERT,
    absent: int = 0,
    title: str = "",
    language: str = "en",
) -> "Figure":
    """The counts (models × classes) as bars of shares, one bar per model.

    A count that is NaN is a gap: it is not drawn and not in n, which is a dash where all are. The
    last `absent` classes are not answers (no answer, unscored): they are hatched and not
    coloured. A share is written where there is room for it.
    """
    table = np.asarray(counts, dtype=float)
    check_shape(table, models, classes, "counts")
    given = len(classes) - absent
    if given > len(palette):
        raise DataError(f"{given} classes need as many colours, not {len(palette)}")
    known = np.nan_to_num(table)
    totals = known.sum(axis=1)
    shares = known / np.where(totals > 0, totals, 1)[:, None]
    with styled(language) as chosen:
        figure = new_figure(7.6, 1.7 + 0.42 * len(models))
        axes = figure.add_subplot()
        places = np.arange(len(models))[::-1]
        left = np.zeros(len(models))
        for at, name in enumerate(classes):
            hollow = at >= given
            colour = ABSENT[(at - given) % 2] if hollow else palette[at]
            axes.barh(
                places,
                shares[:, at],
                left=left,
                height=0.7,
                color=colour,
                edgecolor=QUIET if hollow else "white",
                linewidth=0.6,
                hatch=("///", "xxx")[(at - given) % 2] if hollow else None,
                label=name,
            )
            ink = INK if hollow or _light(colour) else "white"
            for place, start, share in zip(places, left, shares[:, at], strict=True):
                if share >= _ROOM:
                    told = f"{share * 100:.0f} %"
                    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
                    axes.text(
                        start + share / 2,
                        place,
                        told,
                        ha="center",
                        va="center",
                        fontsize=7,
                        color=ink,
                        bbox=box if hollow else None,
                    )
            left += shares[:, at]
        for place, total, gap in zip(places, totals, np.isnan(table).all(axis=1), strict=True):
            told = f"n = {MISSING if gap else count(int(total))}"
            axes.text(1.01, place, told, va="center", fontsize=7, color=QUIET)
        axes.set_yticks(places, [wrapped(model, 24) for model in models])
        axes.set_xlim(0, 1)
        axes.set_xticks(np.linspace(0, 1, 5), [f"{tick} %" for tick in range(0, 101, 25)])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(say("share", chosen.language))
        entitle(axes, title, inches=6.0)
        legend_below(figure, axes)
    return figure


def _light(colour: str) -> bool:
    """Whether dark ink reads better on the colour (relative luminance, WCAG)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]  # noqa: PLR2004
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    # equal contrast against black and white is at √(1.05 · 0.05) − 0.05
    return luminance > 0.179  # noqa: PLR2004
