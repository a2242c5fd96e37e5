"""Heatmaps of numbered cells: models and categories, or two factors of the vignettes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DataError
from ...format import number
from ...messages import Language, message
from ...palette import DIVERGING, EVEN, on_colour
from .axes import NAMES, PAPER, Floats, bare, panels, points, room, table_of, tidy
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

_ABREAST, _NARROW = 3, 4.5
"""Panels beside one another, and inches of a map that finds room in half a page."""

_CELL, _SMALL = (0.85, 0.36), (0.36, 0.32)
"""Inches of a cell, and of one with counts or in a panel of several."""

_NOTE = 6.2
"""Points of the small print in a cell."""

_BETWEEN, _UNDER, _SCALE = 0.15, 0.42, 0.13
"""Inches between panels beside and under one another, and of the scale of colours."""


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

    reading: ClassVar[str] = message("A gap is no value.")
    _least: ClassVar[float] = 0.7

    def __post_init__(self) -> None:
        """Refuses values of another shape."""
        self._tables()

    @property
    def wide(self) -> bool:
        """Whether it needs the whole width of a page to be read."""
        return len(self.panels) > 1 or self._cell[0] * len(self.columns) > _NARROW

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
    def _cell(self) -> tuple[float, float]:
        return _SMALL if self.panels or self.counts is not None else _CELL

    def _places(self) -> list[tuple[float, float, float, float]]:
        """Where the maps stand, in lines of up to three, and beside them their scale of colours."""
        cell = self._cell
        width, height = cell[0] * len(self.columns), cell[1] * len(self.rows)
        abreast = min(_ABREAST, max(1, len(self.panels)))
        maps = [
            (at % abreast * (width + _BETWEEN), at // abreast * (height + _UNDER), width, height)
            for at in range(max(1, len(self.panels)))
        ]
        aside = abreast * (width + _BETWEEN) + 0.05
        return [*maps, (aside, 0.0, _SCALE, max(height, 1.2))]

    @property
    def _size(self) -> tuple[float, float]:
        places = self._places()
        return places[-1][0] + _SCALE, max(top + height for _, top, _, height in places)

    def _drawn(self, axes: "Axes", _language: Language) -> "Sequence[Artist]":
        """The maps, and their scale of colours beside them."""
        from matplotlib import colormaps
        from matplotlib.colors import LinearSegmentedColormap, Normalize

        colours = (
            LinearSegmentedColormap.from_list("norms", DIVERGING)
            if self.palette == "norms"
            else colormaps[EVEN]
        )
        look: dict[str, Any] = {"cmap": colours, "norm": Normalize(*self.limits)}
        tables = self._tables()
        *maps, scale = panels(axes, self._places())
        counts: Any = [None] * len(tables)
        if self.counts is not None:
            counts = np.reshape(self.counts, (len(tables), *tables[0].shape, 2))
        for place, (panel, table) in enumerate(zip(maps, tables, strict=True)):
            self._cells(panel, table, counts[place], look)
            names = min(36, room(axes, NAMES, size=8 if self.panels else 9))
            first, top = not place % _ABREAST, place < _ABREAST
            self._name(panel, names, rows=first, columns=top)
            if self.panels:
                # under the panel: over it stand the names of the columns
                label = in_lines(self.panels[place], 34)
                panel.set_xlabel(label, fontweight="bold", fontsize=points(8), labelpad=4)
                panel.xaxis.set_label_position("bottom")
        self._scale(scale, look)
        return ()

    def _cells(self, axes: "Axes", table: Floats, counts: Any, look: dict[str, Any]) -> None:
        """One map: its cells with their numbers, and the counts under these."""
        from matplotlib.colors import to_hex, to_rgb

        paper = np.array(to_rgb(PAPER))
        axes.set(xlim=(0, table.shape[1]), ylim=(table.shape[0], 0))
        for row, column in np.argwhere(~np.isnan(table)).tolist():
            value = float(table[row, column])
            n, of = (1, 1) if counts is None else counts[row][column]
            full = np.array(look["cmap"](look["norm"](value))[:3])
            colour = to_hex(paper + (full - paper) * (n / of))
            x, y = [column, column + 1, column + 1, column], [row, row, row + 1, row + 1]
            axes.fill(x, y, facecolor=colour, edgecolor=PAPER, linewidth=1.0)
            text = number(value * 100 if self.percent else value)
            style: dict[str, Any] = {"ha": "center", "va": "center", "color": on_colour(colour)}
            if counts is not None:
                # a rounded zero has no sign
                text = f"{round(value, 1) + 0.0:.1f}".replace("-", "−")
                of_all = f"{n:.0f}/{of:.0f}"
                axes.text(column + 0.5, row + 0.76, of_all, fontsize=points(_NOTE), **style)
            down = 0.5 if counts is None else 0.36
            axes.text(column + 0.5, row + down, text, fontsize=points(7.5), **style)

    def _name(self, axes: "Axes", most: int, *, rows: bool, columns: bool) -> None:
        """The names of the rows on the left and of the columns on top, or room for them."""
        size = points(8 if self.panels else 9)
        axes.set_yticks(
            np.arange(len(self.rows)) + 0.5,
            [in_lines(name, most) if rows else "" for name in self.rows],
            fontsize=size,
            linespacing=0.95,
        )
        upright = max(map(letters, self.columns)) > _UPRIGHT and len(self.columns) > 1
        axes.set_xticks(
            np.arange(len(self.columns)) + 0.5,
            [in_lines(name, 28) if columns else "" for name in self.columns],
            rotation=90 if upright else 0,
            fontsize=size,
            linespacing=0.95,
        )
        axes.xaxis.tick_top()
        axes.tick_params(axis="x", length=0)
        bare(axes, "left", "bottom")

    def _scale(self, axes: "Axes", look: dict[str, Any]) -> None:
        """The scale of colours, in so few steps that it is no raster image."""
        from matplotlib.cm import ScalarMappable
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        unit, factor = (" %", 100) if self.percent else ("", 1)
        scale = axes.figure.colorbar(
            ScalarMappable(**look),
            cax=axes,
            boundaries=np.linspace(*self.limits, _STEPS + 1),
            ticks=MaxNLocator(5, steps=[1, 2, 5, 10]),
            format=FuncFormatter(lambda at, _: f"{at * factor:.4g}{unit}".replace("-", "−")),
        )
        scale.outline.set_visible(False)
        bare(axes)
