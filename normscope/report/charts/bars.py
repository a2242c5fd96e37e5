"""Bars of shares: for every model, category or variant how often each answer was given."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DataError
from ...format import MISSING, count
from ...messages import Language, message, translate
from ...palette import DIVERGING, on_colour
from ..names import name_of
from .canvas import (
    ABSENCES,
    INK,
    PAPER,
    QUIET,
    Floats,
    Plot,
    name_rows,
    new_axes,
    table_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROOM = 0.045
"""The least share that has room for its number."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Bars(Plot):
    """The counts (rows × classes) as bars of shares, one bar per row.

    A count that is NaN is a gap: it is not drawn and not in n, which is a dash where all are. The
    last classes may be `absent` ones (`no answer`, `unscored`), which are no answers: they are
    hatched and keep their look in every chart. A share is written where there is room for it.
    """

    counts: ArrayLike
    rows: Sequence[str]
    classes: Sequence[str]
    absent: Sequence[str] = ()
    palette: Sequence[str] = DIVERGING
    xlabel: str = message("share of answers")

    reading: ClassVar[str] = message("Every bar is the whole: its parts are shares of it.")

    def __post_init__(self) -> None:
        """Refuses counts of another shape, and more classes than colours."""
        table_of(self.counts, self.rows, (*self.classes, *self.absent), "counts")
        if len(self.classes) > len(self.palette):
            n = len(self.classes)
            raise DataError(f"{n} classes need as many colours, not {len(self.palette)}")

    def _drawn(self, language: Language) -> "Figure":
        """The bars under one another, the first row on top."""
        table = table_of(self.counts, self.rows, (*self.classes, *self.absent), "counts")
        counts = np.nan_to_num(table)
        totals = counts.sum(axis=1)
        shares = counts / np.where(totals > 0, totals, 1)[:, None]
        axes = new_axes(5.4, 0.05 + 0.27 * len(self.rows))
        places = name_rows(axes, self.rows, 40)
        starts = np.cumsum(shares, axis=1) - shares
        names = [*self.classes, *(translate(name_of(name), language) for name in self.absent)]
        for at, name in enumerate(names):
            # a legend of what never happened would take the room of what did
            if at < len(self.classes) or counts[:, at].any():
                self._class(axes, at, name, starts[:, at], shares[:, at])
        for row, total in enumerate(totals.tolist()):
            n = MISSING if np.isnan(table[row]).all() else count(int(total))
            axes.text(1.01, places[row], f"n = {n}", va="center", fontsize=7, color=QUIET)
        axes.set_xlim(0, 1)
        axes.set_xticks(np.linspace(0, 1, 5), [f"{tick} %" for tick in range(0, 101, 25)])
        return self._finished(axes)

    def _class(self, axes: "Axes", at: int, name: str, starts: Floats, shares: Floats) -> None:
        """The stretch of each bar that is the class's."""
        style: dict[str, Any]
        if at < len(self.classes):
            style = {"facecolor": self.palette[at], "edgecolor": QUIET}
            label: dict[str, Any] = {"color": on_colour(self.palette[at])}
        else:
            style = ABSENCES[self.absent[at - len(self.classes)]]
            label = {"color": INK, "bbox": {"facecolor": PAPER, "edgecolor": "none", "pad": 0.8}}
        bars = axes.barh(
            np.arange(len(self.rows))[::-1],
            shares,
            left=starts,
            height=0.74,
            linewidth=[0.6 if share else 0 for share in shares],
            **style,
        )
        # the legend takes its swatch from the bar of the label, which must have an edge
        bars[int(np.argmax(shares))].set_label(name)
        texts = [f"{share * 100:.0f} %" if share >= _ROOM else "" for share in shares]
        axes.bar_label(bars, texts, label_type="center", fontsize=7, **label)
