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
from .canvas import PAPER, QUIET, Plot, bare, figure_of, new_axes, table_of
from .labels import in_lines, wrapped

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

_ABREAST = 3
"""Panels beside one another: more would not be legible across a page."""

_SMALL_COLUMN, _SMALL_ROW = 0.31, 0.25
"""Inches of a cell in one panel of several."""

_BETWEEN, _UNDER = 0.2, 0.42
"""Inches between panels beside and under one another."""

Palette = Literal["even", "norms"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
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
    palette: Palette = "even"
    notes: Sequence[Sequence[str]] = ()

    reading: ClassVar[str] = message("A dash is no value.")

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
        axes.set_yticks(np.arange(len(self.rows)) + 0.5, [in_lines(name, 44) for name in self.rows])
        upright = max(map(len, self.columns)) > _UPRIGHT and len(self.columns) > 1
        axes.set_xticks(
            np.arange(len(self.columns)) + 0.5,
            [in_lines(name, 30) for name in self.columns],
            rotation=60 if upright else 0,
            ha="left" if upright else "center",
            rotation_mode="anchor" if upright else "default",
        )
        axes.invert_yaxis()
        axes.xaxis.tick_top()
        axes.tick_params(axis="x", length=0)
        bare(axes, "left", "bottom")
        _scale(axes, look, self.limits, percent=self.percent)
        return self._finished(axes, pad=10)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Heatmaps(Plot):
    """Small heatmaps of the same rows and columns (panels × rows × columns), one scale for all.

    `panels` names each. The values have one decimal, and NaN is a gap.
    """

    values: Sequence[ArrayLike]
    panels: Sequence[str]
    rows: Sequence[str]
    columns: Sequence[str]
    limits: tuple[float, float]
    palette: Palette = "even"

    wide: ClassVar[bool] = True
    reading: ClassVar[str] = message("A gap is no value.")

    def __post_init__(self) -> None:
        """Refuses values of another shape, and no panel at all."""
        if not self.panels or len(self.values) != len(self.panels):
            raise DataError(f"values must be of {len(self.panels)} panels, not {len(self.values)}")
        for values in self.values:
            table_of(values, self.rows, self.columns, "values")

    def _drawn(self, _language: Language) -> "Figure":
        """The panels in lines of up to three; rows are named on the left, columns on top."""
        from matplotlib.colors import Normalize, to_hex

        colours, scale = _colours(self.palette), Normalize(*self.limits)
        look: dict[str, Any] = {"cmap": colours, "norm": scale}
        abreast = min(_ABREAST, len(self.panels))
        size = (_SMALL_COLUMN * len(self.columns), _SMALL_ROW * len(self.rows))
        first = new_axes(*size)
        for place, (panel, values) in enumerate(zip(self.panels, self.values, strict=True)):
            line, at = divmod(place, abreast)
            left, down = at * (1 + _BETWEEN / size[0]), line * (1 + _UNDER / size[1])
            axes = figure_of(first).add_axes((left, -down, 1, 1)) if place else first
            table = table_of(values, self.rows, self.columns, "values")
            axes.pcolormesh(np.ma.masked_invalid(table), edgecolors=PAPER, linewidth=0.8, **look)
            for row, column in np.argwhere(~np.isnan(table)).tolist():
                value = float(table[row, column])
                # a rounded zero has no sign
                text = f"{round(value, 1) + 0.0:.1f}".replace("-", "−")
                ink = on_colour(to_hex(colours(scale(value))))
                middle: dict[str, Any] = {"ha": "center", "va": "center", "color": ink}
                axes.text(column + 0.5, row + 0.5, text, fontsize=6, **middle)
            axes.set_yticks(
                np.arange(len(self.rows)) + 0.5,
                ["" if at else in_lines(name, 44) for name in self.rows],
                fontsize=7,
                linespacing=1.0,
            )
            axes.set_xticks(
                np.arange(len(self.columns)) + 0.5,
                ["" if line else in_lines(name, 30) for name in self.columns],
                # upright: slanted ones would stand over the next panel
                rotation=90,
                fontsize=7.5,
            )
            axes.invert_yaxis()
            axes.xaxis.tick_top()
            axes.tick_params(axis="x", length=0)
            bare(axes, "left", "bottom")
            # under the panel: over it stand the names of the columns
            axes.set_xlabel(in_lines(panel, 34), fontweight="bold", fontsize=8, labelpad=4)
            axes.xaxis.set_label_position("bottom")
        _scale(first, look, self.limits, aside=(abreast - 1) * (size[0] + _BETWEEN))
        whole = abreast * size[0] + (abreast - 1) * _BETWEEN
        first.set_title(wrapped(self.title, max(32, int(whole * 10))), pad=10)
        return figure_of(first)


def _scale(
    beside: "Axes",
    look: dict[str, Any],
    limits: tuple[float, float],
    *,
    percent: bool = False,
    aside: float = 0.0,
) -> None:
    """The scale of colours beside the map, in steps: matplotlib's is a raster image."""
    figure = figure_of(beside)
    width, height = figure.get_size_inches()
    tall = max(float(height), 1.6)
    axes = figure.add_axes(
        (1 + (aside + 0.2) / width, 1 - tall / height, 0.13 / width, tall / height)
    )
    edges = np.linspace(*limits, _STEPS + 1)
    middles = (edges[1:] + edges[:-1]) / 2
    axes.pcolormesh([0, 1], edges, middles[:, None], **look)
    ticks = np.linspace(*limits, 5).tolist()
    unit, factor = (" %", 100) if percent else ("", 1)
    labels = [f"{tick * factor:.4g}{unit}".replace("-", "−") for tick in ticks]
    axes.set_yticks(ticks, labels)
    axes.set_xticks([])
    axes.yaxis.tick_right()
    bare(axes, "left", "bottom")


def _colours(palette: str) -> "Colormap":
    from matplotlib import colormaps
    from matplotlib.colors import LinearSegmentedColormap

    if palette == "norms":
        return LinearSegmentedColormap.from_list("norms", DIVERGING)
    return colormaps[EVEN]
