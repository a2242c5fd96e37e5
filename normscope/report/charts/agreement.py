"""How a judge agrees with people: its reliability curve and its confusion matrix."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...messages import Language, message
from ...palette import COUNTS, on_colour
from .canvas import (
    QUIET,
    Floats,
    Plot,
    bare,
    entitle,
    figure_of,
    looks,
    new_axes,
    table_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Reliability(Plot):
    """Stated probabilities against the share that people see, a line per series.

    `points[series]` has rows of stated probability, observed share, low, high.
    """

    points: Sequence[ArrayLike]
    series: Sequence[str]

    reading: ClassVar[str] = message(
        "On the dotted line stated probabilities are as frequent as people say; the lines at the "
        "marks are intervals."
    )

    def _drawn(self, _language: Language) -> "Figure":
        """The lines beside the diagonal, on which a calibrated judge stands."""
        axes = new_axes(3.6, 3.6)
        axes.plot([0, 1], [0, 1], color=QUIET, linewidth=0.8, linestyle=":")
        for name, look, points in zip(self.series, looks(self.series), self.points, strict=True):
            x, y, low, high = np.asarray(points, dtype=float).reshape(-1, 4).T
            axes.errorbar(
                x,
                y,
                yerr=np.clip(np.abs(np.stack([low, high]) - y), 0, None),
                color=look.colour,
                marker=look.marker,
                linestyle=look.line,
                markersize=4,
                linewidth=1.2,
                elinewidth=0.8,
                label=name,
            )
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        return self._finished(axes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ConfusionTables(Plot):
    """Tables of counts side by side, each shaded by the shares of its rows; people's are the rows.

    `titles` names each table; all have the same rows and columns.
    """

    tables: Sequence[ArrayLike]
    titles: Sequence[str]
    rows: Sequence[str]
    columns: Sequence[str]

    reading: ClassVar[str] = message(
        "A cell is a number of answers, shaded by its share of the row: of people's label, how it "
        "was judged."
    )

    def __post_init__(self) -> None:
        """Refuses counts of another shape."""
        for counts in self.tables:
            table_of(counts, self.rows, self.columns, "counts")

    def _drawn(self, _language: Language) -> "Figure":
        """The tables, every count in its cell."""
        first = new_axes(0.8 * len(self.columns), 0.5 * len(self.rows))
        for place, (counts, title) in enumerate(zip(self.tables, self.titles, strict=True)):
            # each as far from the last as a table is wide and its labels need room
            left = place * (1 + 1.1 / len(self.columns))
            axes = first.figure.add_axes((left, 0, 1, 1)) if place else first
            self._table(axes, table_of(counts, self.rows, self.columns, "counts"))
            axes.set_xlabel(self.xlabel)
            axes.set_ylabel(self.ylabel)
            entitle(axes, title)
        return figure_of(first)

    def _table(self, axes: "Axes", counts: Floats) -> None:
        # of each row: how people's label was judged, however rare it is
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        from matplotlib import colormaps
        from matplotlib.colors import to_hex

        scale = colormaps[COUNTS]
        axes.pcolormesh(shares, cmap=scale, vmin=0, vmax=1)
        for (row, column), share in np.ndenumerate(shares):
            axes.text(
                column + 0.5,
                row + 0.5,
                f"{int(counts[row, column]):,}",
                ha="center",
                va="center",
                color=on_colour(to_hex(scale(float(share)))),
                fontsize=8,
            )
        axes.set_xticks(np.arange(len(self.columns)) + 0.5, self.columns)
        axes.set_yticks(np.arange(len(self.rows)) + 0.5, self.rows)
        axes.invert_yaxis()
        axes.tick_params(axis="x", length=0)
        bare(axes, "left", "bottom")
