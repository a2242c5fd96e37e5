"""Heatmap of numbered cells: models and categories, or two factors of the vignettes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ...format import MISSING, number
from ...messages import Language
from .canvas import (
    LIKERT,
    PAPER,
    QUIET,
    Plot,
    bare,
    figure_of,
    new_axes,
    on_colour,
    table_of,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

_UPRIGHT = 10
"""Longer names than this stand upright over narrow columns."""

_STEPS = 40
"""Of the scale of colours."""

_COLUMN, _ROW = 0.85, 0.33
"""Inches."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Heatmap(Plot):
    """The values (rows × columns, NaN where there is none) as coloured, numbered cells.

    The colours go over the whole of `limits`, so that two maps can be compared. Those of `even` get
    lighter evenly and keep their order in print without colour; `norms` has the colours of the
    answers to a vignette. `notes`, of the same shape, stand small under the values.
    """

    values: ArrayLike
    rows: Sequence[str]
    columns: Sequence[str]
    limits: tuple[float, float]
    percent: bool = False
    palette: Literal["even", "norms"] = "even"
    notes: Sequence[Sequence[str]] = ()

    def __post_init__(self) -> None:
        """Refuses values of another shape."""
        table_of(self.values, self.rows, self.columns, "values")

    def _drawn(self, _language: Language) -> "Figure":
        """The map with its scale of colours beside it."""
        table = table_of(self.values, self.rows, self.columns, "values")
        from matplotlib.colors import Normalize, to_hex

        colours, scale = _colours(self.palette), Normalize(*self.limits)
        axes = new_axes(_COLUMN * len(self.columns), _ROW * len(self.rows))
        cells = np.ma.masked_invalid(table)
        look: dict[str, Any] = {"cmap": colours, "norm": scale}
        axes.pcolormesh(cells, edgecolors=PAPER, linewidth=1.2, **look)
        for row, column in np.ndindex(table.shape):
            value = float(table[row, column])
            if np.isnan(value):
                text, ink = MISSING, QUIET
            else:
                text = number(value * 100 if self.percent else value).replace("-", "−")
                ink = on_colour(to_hex(colours(scale(value))))
            note = self.notes[row][column] if self.notes else ""
            at = column + 0.5
            options: dict[str, Any] = {"ha": "center", "va": "center", "color": ink}
            axes.text(at, row + (0.38 if note else 0.5), text, fontsize=7.5, **options)
            if note:
                axes.text(at, row + 0.77, note, fontsize=5.5, **options)
        axes.set_yticks(np.arange(len(self.rows)) + 0.5, [wrapped(name, 44) for name in self.rows])
        upright = max(map(len, self.columns)) > _UPRIGHT and len(self.columns) > 1
        axes.set_xticks(
            np.arange(len(self.columns)) + 0.5,
            [wrapped(name, 30) for name in self.columns],
            rotation=60 if upright else 0,
            ha="left" if upright else "center",
            rotation_mode="anchor" if upright else "default",
        )
        axes.invert_yaxis()
        axes.xaxis.tick_top()
        axes.tick_params(axis="x", length=0)
        bare(axes, "left", "bottom")
        self._bar(axes, look)
        return self._finished(axes, pad=10)

    def _bar(self, beside: "Axes", look: dict[str, Any]) -> None:
        """The scale of colours beside the map, in steps: matplotlib's is a raster image."""
        figure = figure_of(beside)
        width, height = figure.get_size_inches()
        tall = max(float(height), 1.6)
        axes = figure.add_axes((1 + 0.2 / width, 1 - tall / height, 0.13 / width, tall / height))
        edges = np.linspace(*self.limits, _STEPS + 1)
        middles = (edges[1:] + edges[:-1]) / 2
        axes.pcolormesh([0, 1], edges, middles[:, None], **look)
        ticks = np.linspace(*self.limits, 5).tolist()
        unit, factor = (" %", 100) if self.percent else ("", 1)
        labels = [f"{tick * factor:.4g}{unit}".replace("-", "−") for tick in ticks]
        axes.set_yticks(ticks, labels)
        axes.set_xticks([])
        axes.yaxis.tick_right()
        bare(axes, "left", "bottom")


def _colours(palette: str) -> "Colormap":
    from matplotlib import colormaps
    from matplotlib.colors import LinearSegmentedColormap

    if palette == "norms":
        return LinearSegmentedColormap.from_list("norms", LIKERT)
    return colormaps["cividis"]
