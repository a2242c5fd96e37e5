"""Heatmaps of numbered cells: models and categories, or two factors of the vignettes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DataError
from ...format import MISSING, number
from ...messages import Language, message
from ...palette import DIVERGING, EVEN, on_colour
from .canvas import PAPER, QUIET, Floats, Plot, bare, figure_of, new_axes, table_of
from .labels import in_lines, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_UPRIGHT = 10
"""Longer names than this stand upright over narrow columns."""

_STEPS = 40
"""Of the scale of colours."""

_ABREAST = 3
"""Panels beside one another: more would not be legible across a page."""

_CELL, _SMALL = (0.85, 0.33), (0.31, 0.25)
"""Inches of a cell, and of one in a panel of several without notes."""

_BETWEEN, _UNDER = 0.2, 0.42
"""Inches between panels beside and under one another."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Heatmap(Plot):
    """The values (rows × columns, NaN where there is none) as coloured, numbered cells.

    With `panels` they are panels × rows × columns: a map for each of these names, with one scale.
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
    notes: Sequence[Any] = ()
    panels: Sequence[str] = ()

    reading: ClassVar[str] = message("A dash is no value.")

    def __post_init__(self) -> None:
        """Refuses values of another shape."""
        self._tables()

    @property
    def wide(self) -> bool:
        """Whether it needs the whole width of a page to be read."""
        return len(self.panels) > 1

    def _tables(self) -> list[Floats]:
        """The values of each panel."""
        tables = list(np.asarray(self.values, dtype=float)) if self.panels else [self.values]
        if self.panels and len(tables) != len(self.panels):
            raise DataError(f"values must be of {len(self.panels)} panels, not {len(tables)}")
        return [table_of(values, self.rows, self.columns, "values") for values in tables]

    @property
    def _is_small(self) -> bool:
        return bool(self.panels) and not len(self.notes)

    def _drawn(self, _language: Language) -> "Figure":
        """The maps in lines of up to three, and their scale of colours beside them."""
        from matplotlib import colormaps
        from matplotlib.colors import LinearSegmentedColormap, Normalize

        colours = (
            LinearSegmentedColormap.from_list("norms", DIVERGING)
            if self.palette == "norms"
            else colormaps[EVEN]
        )
        look: dict[str, Any] = {"cmap": colours, "norm": Normalize(*self.limits)}
        cell = _SMALL if self._is_small else _CELL
        size = cell[0] * len(self.columns), cell[1] * len(self.rows)
        tables = self._tables()
        abreast = min(_ABREAST, len(tables))
        first = new_axes(*size)
        for place, table in enumerate(tables):
            line, at = divmod(place, abreast)
            left, down = at * (1 + _BETWEEN / size[0]), line * (1 + _UNDER / size[1])
            axes = figure_of(first).add_axes((left, -down, 1, 1)) if place else first
            notes = (self.notes[place] if self.panels else self.notes) if self.notes else None
            self._cells(axes, table, notes, look)
            self._name(axes, rows=not at, columns=not line)
            if self.panels:
                # under the panel: over it stand the names of the columns
                label = in_lines(self.panels[place], 34)
                axes.set_xlabel(label, fontweight="bold", fontsize=8, labelpad=4)
                axes.xaxis.set_label_position("bottom")
        self._scale(first, look, aside=(abreast - 1) * (size[0] + _BETWEEN))
        if not self.panels:
            return self._finished(first, pad=10)
        whole = abreast * size[0] + (abreast - 1) * _BETWEEN
        first.set_title(wrapped(self.title, max(32, int(whole * 10))), pad=10)
        return figure_of(first)

    def _cells(self, axes: "Axes", table: Floats, notes: Any, look: dict[str, Any]) -> None:
        """One map: its cells with their numbers, and the notes under these."""
        from matplotlib.colors import to_hex

        axes.pcolormesh(np.ma.masked_invalid(table), edgecolors=PAPER, linewidth=1.0, **look)
        for row, column in np.ndindex(table.shape):
            value = float(table[row, column])
            text, ink = MISSING, QUIET
            if not np.isnan(value):
                ink = on_colour(to_hex(look["cmap"](look["norm"](value))))
                text = number(value * 100 if self.percent else value)
                if self._is_small:
                    # a rounded zero has no sign
                    text = f"{round(value, 1) + 0.0:.1f}"
            note = notes[row][column] if notes is not None else ""
            options: dict[str, Any] = {"ha": "center", "va": "center", "color": ink}
            size = 6 if self._is_small else 7.5
            down = 0.38 if note else 0.5
            axes.text(column + 0.5, row + down, text.replace("-", "−"), fontsize=size, **options)
            if note:
                axes.text(column + 0.5, row + 0.77, note, fontsize=5.5, **options)

    def _name(self, axes: "Axes", *, rows: bool, columns: bool) -> None:
        """The names of the rows on the left and of the columns on top, or room for them."""
        axes.set_yticks(
            np.arange(len(self.rows)) + 0.5,
            [in_lines(name, 44) if rows else "" for name in self.rows],
            fontsize=7 if self._is_small else 9,
        )
        upright = max(map(len, self.columns)) > _UPRIGHT and len(self.columns) > 1
        # slanted names would stand over the next panel
        angle = 90 if self._is_small else 60 if upright else 0
        axes.set_xticks(
            np.arange(len(self.columns)) + 0.5,
            [in_lines(name, 30) if columns else "" for name in self.columns],
            rotation=angle,
            ha="left" if angle == 60 else "center",  # noqa: PLR2004 - slanted
            rotation_mode="anchor" if angle == 60 else "default",  # noqa: PLR2004 - slanted
            fontsize=7.5 if self._is_small else 9,
        )
        axes.invert_yaxis()
        axes.xaxis.tick_top()
        axes.tick_params(axis="x", length=0)
        bare(axes, "left", "bottom")

    def _scale(self, beside: "Axes", look: dict[str, Any], *, aside: float) -> None:
        """The scale of colours beside the maps, in so few steps that it is no raster image."""
        from matplotlib.cm import ScalarMappable
        from matplotlib.ticker import FuncFormatter

        figure = figure_of(beside)
        width, height = figure.get_size_inches()
        tall = max(float(height), 1.6)
        axes = figure.add_axes(
            (1 + (aside + 0.2) / width, 1 - tall / height, 0.13 / width, tall / height)
        )
        unit, factor = (" %", 100) if self.percent else ("", 1)
        scale = figure.colorbar(
            ScalarMappable(**look),
            cax=axes,
            boundaries=np.linspace(*self.limits, _STEPS + 1),
            ticks=np.linspace(*self.limits, 5),
            format=FuncFormatter(lambda at, _: f"{at * factor:.4g}{unit}".replace("-", "−")),
        )
        scale.outline.set_visible(False)
        bare(axes)
