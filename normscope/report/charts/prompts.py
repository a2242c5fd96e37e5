"""The spread between prompts: how much the variant of a question moves a model's mean answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from ...messages import Language, message, translate
from ...palette import SERIES
from ..names import name_of
from .canvas import FAINT, QUIET, Floats, Plot, looks, name_rows, new_axes, table_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NUDGE = 0.11


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PromptSpread(Plot):
    """A box per model over its means in each prompt variant (models × variants, NaN where none).

    The box has the quartiles and the median, the whiskers reach to the extremes, and every variant
    is a dot; the lowest and the highest are named.
    """

    means: ArrayLike
    models: Sequence[str]
    variants: Sequence[str]
    limits: tuple[float, float] = (-2.0, 2.0)
    xlabel: str = message("mean answer to each prompt variant")

    reading: ClassVar[str] = message(
        "A dot is the mean answer to one prompt variant; the box has the quartiles and the median "
        "of these means, the whiskers reach to the lowest and the highest, which are named."
    )

    def __post_init__(self) -> None:
        """Refuses means of another shape."""
        table_of(self.means, self.models, self.variants, "means")

    def _drawn(self, language: Language) -> "Figure":
        """The boxes under one another, the first model on top."""
        table = table_of(self.means, self.models, self.variants, "means")
        axes = new_axes(4.8, 0.2 + 0.7 * len(self.models))
        middle = float(np.mean(self.limits))
        # every row bears its name: models beyond those that other figures show need no colour
        of = [look.colour for look in looks(self.models[: len(SERIES)])]
        shades = (*of, *repeat(QUIET, len(self.models) - len(of)))
        rows = zip(name_rows(axes, self.models, 30), table, shades, strict=True)
        for base, means, colour in rows:
            known = np.flatnonzero(~np.isnan(means))
            if len(known):
                names = [
                    translate(message("variant {name}", name=self.variants[at]), language)
                    for at in known.tolist()
                ]
                self._box(axes, base, means[known], colour)
                self._extremes(axes, base, means[known], names)
            else:
                axes.text(middle, base, translate(name_of("no answer"), language))
        axes.axvline(middle, color=FAINT, zorder=0)
        axes.set_xlim(*self.limits)
        return self._finished(axes)

    def _box(self, axes: "Axes", base: float, values: Floats, colour: str) -> None:
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
        )
        offsets = _spread(values, self.limits)
        axes.scatter(values, base + offsets, s=13, color=colour, alpha=0.75, linewidth=0)

    def _extremes(self, axes: "Axes", base: float, values: Floats, names: list[str]) -> None:
        if len(values) < 2:  # noqa: PLR2004 - a lowest and a highest
            return
        order = np.argsort(values, kind="stable")
        # over and under the box: beside it they would run into the names of the models
        for at, lift in ((int(order[0]), -0.28), (int(order[-1]), 0.28)):
            axes.text(
                float(values[at]),
                base + lift,
                names[at],
                ha=_side(float(values[at]), self.limits),
                va="top" if lift < 0 else "bottom",
                fontsize=7,
                color=QUIET,
            )


def _side(value: float, limits: tuple[float, float]) -> Literal["left", "center", "right"]:
    """Which end of a text stands at the value, so that the text stays between the limits."""
    share = (value - limits[0]) / (limits[1] - limits[0])
    return "left" if share < 1 / 3 else "right" if share > 2 / 3 else "center"


def _spread(values: Floats, limits: tuple[float, float]) -> Floats:
    """Steps up and down for dots that would lie on one another."""
    near = 0.012 * (limits[1] - limits[0])
    order = np.argsort(values, kind="stable")
    offsets = np.zeros(len(values))
    run = 0
    for before, at in pairwise(order):
        run = run + 1 if values[at] - values[before] < near else 0
        offsets[at] = _NUDGE * ((run + 1) // 2) * (-1) ** run
    # within the box: its names stand above and below
    return np.clip(offsets, -0.24, 0.24)
