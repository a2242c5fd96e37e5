"""Heatmaps of numbered cells: models and categories, or two factors of the vignettes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DataError
from ...format import number
from ...messages import Language
from ...palette import DIVERGING, EVEN, on_colour
from .axes import NAMES, PAPER, Floats, Size, figure_of, panels, room, size_of, table_of, tidy
from .canvas import Plot
from .labels import in_lines, letters

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_UPRIGHT = 10
"""Longer names than this stand upright over narrow columns."""

_STEPS = 40
"""Of the scale of colours."""

_ABREAST = 3
"""Panels beside one another."""

_CELL, _SMALL = (0.85, 0.36), (0.36, 0.32)
"""Inches of a cell, and of one with counts or in a panel of several."""

_SCALE = 0.13
"""Inches of the scale of colours."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Heatmap(Plot):
    """The values (rows × columns, NaN where there is none) as coloured, numbered cells.

    With `panels` they are panels × rows × columns: a map for each of these names, with one scale.
    The colours go over the whole of `limits`, so that two maps can be compared. Those of `even` get
    lighter evenly and keep their order in print without colour; `norms` has the colours of the
    answers to a vignette. `counts`, of the same shape × 2, are how many a value is the mean of, and
    of how many: its colour is as strong as that share.
    """

    values: ArrayLike
    rows: Sequence[str]
    columns: Sequence[str]
    limits: tuple[float, float]
    percent: bool = False
    palette: Literal["even", "norms"] = "even"
    counts: ArrayLike | None = None
    panels: Sequence[str] = ()

    _least: ClassVar[float] = 0.7

    def __post_init__(self) -> None:
        """Refuses values of another shape."""
        self._tables()

    def to_frame(self) -> "pd.DataFrame":
        """A row per cell: `panel` (of several), `row`, `column`, `value`, with counts `n`, `of`.

        >>> Heatmap(values=[[0.5]], rows=["a"], columns=["x"], limits=(0, 1)).to_frame()
          row column  value
        0   a      x    0.5
        """
        names = {"panel": self.panels} if self.panels else {}
        frame = tidy({**names, "row": self.rows, "column": self.columns}, value=self._tables())
        if self.counts is not None:
            frame[["n", "of"]] = np.reshape(self.counts, (-1, 2))
        return frame

    def _tables(self) -> list[Floats]:
        """The values of each panel."""
        tables = list(np.asarray(self.values, dtype=float)) if self.panels else [self.values]
        if self.panels and len(tables) != len(self.panels):
            raise DataError(f"values must be of {len(self.panels)} panels, not {len(tables)}")
        return [table_of(values, self.rows, self.columns, "values") for values in tables]

    @property
    def _cell(self) -> Size:
        return _SMALL if self.panels or self.counts is not None else _CELL

    @property
    def _panel(self) -> Size:
        return self._cell[0] * len(self.columns), self._cell[1] * len(self.rows)

    @property
    def _size(self) -> Size:
        return size_of(max(1, len(self.panels)), self._panel, _ABREAST)

    def _drawn(self, axes: "Axes", _language: Language) -> "Sequence[Artist]":
        """The maps, and their scale of colours beside them."""
        from matplotlib import colormaps
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import LinearSegmentedColormap, Normalize

        colours = (
            LinearSegmentedColormap.from_list("norms", DIVERGING)
            if self.palette == "norms"
            else colormaps[EVEN]
        )
        scale = ScalarMappable(Normalize(*self.limits), colours)
        values = np.array(self._tables())
        counts = None if self.counts is None else np.reshape(self.counts, (*values.shape, 2))
        for at, panel in enumerate(panels(axes, self.panels or [""], self._panel, _ABREAST)):
            self._cells(panel, values[at], None if counts is None else counts[at], scale)
            self._name(panel, axes, rows=not at % _ABREAST, columns=at < _ABREAST)
        self._scale(axes, scale)
        return ()

    def _cells(self, axes: "Axes", table: Floats, counts: Any, scale: Any) -> None:
        """One map: its cells with their numbers, and the counts under these."""
        from matplotlib.colors import to_hex, to_rgb

        colours = scale.to_rgba(table)
        if counts is not None:
            share = counts[..., :1] / np.maximum(counts[..., 1:], 1)
            colours[..., :3] = to_rgb(PAPER) + (colours[..., :3] - to_rgb(PAPER)) * share
        colours[np.isnan(table)] = 0
        axes.pcolormesh(colours, edgecolors=PAPER, linewidth=1.0)
        axes.invert_yaxis()
        for row, column in np.argwhere(~np.isnan(table)).tolist():
            colour = on_colour(to_hex(colours[row, column]))
            style: dict[str, Any] = {"ha": "center", "va": "center", "color": colour}
            value = float(table[row, column])
            text, down = number(value * 100 if self.percent else value), 0.5
            if counts is not None:
                # a rounded zero has no sign
                text, down = f"{round(value, 1) + 0.0:.1f}".replace("-", "−"), 0.32
                of_all = "{:.0f}/{:.0f}".format(*counts[row, column])
                axes.text(column + 0.5, row + 0.74, of_all, fontsize="x-small", **style)
            axes.text(column + 0.5, row + down, text, fontsize="small", **style)

    def _name(self, panel: "Axes", axes: "Axes", *, rows: bool, columns: bool) -> None:
        """The names of the rows on the left and of the columns on top, or room for them."""
        most, size = min(36, room(axes, NAMES)), "small"
        names = [in_lines(name, most) if rows else "" for name in self.rows]
        panel.set_yticks(np.arange(len(names)) + 0.5, names, fontsize=size)
        upright = max(map(letters, self.columns)) > _UPRIGHT and len(self.columns) > 1
        names = [in_lines(name, 28) if columns else "" for name in self.columns]
        panel.set_xticks(
            np.arange(len(names)) + 0.5, names, rotation=90 if upright else 0, fontsize=size
        )
        panel.xaxis.tick_top()
        panel.tick_params(axis="x", length=0)
        panel.spines[["left", "bottom"]].set_visible(False)

    def _scale(self, axes: "Axes", colours: Any) -> None:
        """The scale of colours, in so few steps that it is no raster image."""
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        unit, factor = (" %", 100) if self.percent else ("", 1)
        width, height = self._size
        tall = max(self._panel[1], 1.2) / height
        place = axes.inset_axes((1 + 0.2 / width, 1 - tall, _SCALE / width, tall))
        scale = figure_of(axes).colorbar(
            colours,
            cax=place,
            boundaries=np.linspace(*self.limits, _STEPS + 1),
            ticks=MaxNLocator(5, steps=[1, 2, 5, 10]),
            format=FuncFormatter(lambda at, _: f"{at * factor:.4g}{unit}".replace("-", "−")),
        )
        scale.outline.set_visible(False)
