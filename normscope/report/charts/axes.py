"""What every chart stands on: one style, colours that everybody can tell apart, and its axes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import DataError, UsageError
from ...palette import ABSENT, PAGE, SERIES, places
from .labels import LATIN, families, in_lines, letters, shortened

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""So that a series is known without its colour, too: each stands at the place of its colour."""

INK, QUIET, FAINT, PAPER = (PAGE[name].light for name in ("ink", "muted", "line", "paper"))
"""The tones of every chart; it is drawn on paper on a dark page, too."""

ABSENCES: dict[str, dict[str, Any]] = {
    name: {"facecolor": PAPER, "edgecolor": QUIET, "hatch": pattern.hatch or None}
    for name, pattern in ABSENT.items()
}
"""How matplotlib draws why there is no value."""


_SIZE = 9
"""Points of our letters."""


_STYLE = {
    "figure.facecolor": PAPER,
    "axes.facecolor": "none",
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.titlesize": "large",
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "font.sans-serif": [LATIN, "Verdana"],
    "font.size": _SIZE,
    "grid.color": FAINT,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "text.color": INK,
    "text.usetex": False,
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "savefig.dpi": 150,
    "svg.fonttype": "none",
    # ids would otherwise be drawn at random
    "svg.hashsalt": "normscope",
    "pdf.fonttype": 42,
}

NAMES = 0.37
"""The share of a chart's width in which names of rows stand."""

_BETWEEN = 0.32
"""Inches between panels."""

_DRAWING = RLock()
"""matplotlib's settings are the process's own: one figure at a time."""


@contextmanager
def styled(fonts: Mapping[str, Any] = MappingProxyType({})) -> Iterator[None]:
    """The style of all figures while the block lasts, but for these `fonts` whatever the user's."""
    import matplotlib

    with _DRAWING, matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({**_STYLE, "font.family": families(), **fonts})
        yield


def fonts() -> dict[str, Any]:
    """What the caller's rcParams say of fonts and their sizes, where that is not the default."""
    from matplotlib import rcParams, rcParamsDefault

    theirs = {
        name: value
        for name, value in rcParams.items()
        if name.startswith("font.") or name.endswith(("titlesize", "labelsize", "fontsize"))
        if value != rcParamsDefault[name]
    }
    if "font.family" in theirs:
        # names in the data may need a Chinese font, too
        theirs["font.family"] = [*theirs["font.family"], *families()[1:-1]]
    return theirs


def points(size: float) -> float:
    """The size of letters that are so large where others have nine points."""
    from matplotlib import rcParams

    return size * float(rcParams["font.size"]) / _SIZE


def new_axes(width: float, height: float) -> "Axes":
    """Axes of so many inches that fill a figure of their own.

    Labels stand outside: files and pages are cut to what is drawn, so that long names make the
    picture larger and never the axes smaller.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from .figure import ChartFigure

    figure = ChartFigure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure.add_axes((0, 0, 1, 1))


def figure_of(axes: "Axes") -> "Figure":
    """The figure that the axes stand in, which lies in no other."""
    return axes.figure  # type: ignore[return-value]  # a figure within a figure has another type


def panels(axes: "Axes", places: Sequence[tuple[float, float, float, float]]) -> "list[Axes]":
    """Axes at these places within the axes: inches from the left and the top, width and height.

    The axes themselves are as large as all of them, and only hold them together.
    """
    width = max(left + across for left, _, across, _ in places)
    height = max(top + down for _, top, _, down in places)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    return [
        axes.inset_axes((left / width, 1 - (top + down) / height, across / width, down / height))
        for left, top, across, down in places
    ]


def line_letters(inches: float, size: float) -> int:
    """How many letters of so many points find room, each 0.56 as wide as high."""
    return max(10, int(inches * 72 / size / 0.56))


def room(axes: "Axes", share: float = 1.0, *, size: float = _SIZE) -> int:
    """How many letters, of a size as in `points`, a share of the width of the axes has room for."""
    return line_letters(share * axes.bbox.width / figure_of(axes).dpi, points(size))


class Look(NamedTuple):
    """How a series is drawn."""

    colour: str
    marker: str


def looks(series: Sequence[str]) -> tuple[Look, ...]:
    """How each series is drawn (`palette.places`); more than can be told apart are refused."""
    if len(set(series)) > len(SERIES):
        raise UsageError(
            f"{len(series)} models in one figure cannot be told apart; choose {len(SERIES)}"
        )
    of = places(series)
    return tuple(Look(SERIES[of[name]].light, MARKERS[of[name]]) for name in series)


def table_of(values: ArrayLike, rows: Sequence[str], columns: Sequence[str], name: str) -> Floats:
    """The values as an array of rows × columns, null as NaN; any other shape is refused."""
    table = np.asarray(values, dtype=float)
    if table.shape != (len(rows), len(columns)):
        expected = f"{len(rows)} × {len(columns)}"
        raise DataError(f"{name} must be {expected} as their names are, not {table.shape}")
    return table


def tidy(names: Mapping[str, Sequence[str]], **columns: ArrayLike) -> "pd.DataFrame":
    """A row for each combination of the names, with its values in arrays of that shape."""
    import pandas as pd

    index = pd.MultiIndex.from_product([[*map(str, of)] for of in names.values()], names=names)
    values = {name: np.ravel(column) for name, column in columns.items()}
    return pd.DataFrame(values, index=index).reset_index()


def entitle(panel: "Axes", name: str, *, pad: float) -> None:
    """The name over a panel, above which a title still finds its place."""
    panel.xaxis.set_label_position("top")
    panel.set_xlabel(name, loc="left", fontsize=points(8), fontweight="bold", labelpad=pad)


def series_size(series: Sequence[str], panel: tuple[float, float]) -> tuple[float, float]:
    """Inches of so many panels of one size beside one another."""
    return len(series) * (panel[0] + _BETWEEN) - _BETWEEN, panel[1]


def series_panels(axes: "Axes", series: Sequence[str], panel: tuple[float, float]) -> "list[Axes]":
    """A panel for each series with its name over it; of one the axes themselves."""
    if len(series) == 1:
        return [axes]
    # under the ticks of the panels
    axes.xaxis.labelpad = points(20)
    held = panels(axes, [(at * (panel[0] + _BETWEEN), 0, *panel) for at in range(len(series))])
    for one, name in zip(held, series, strict=True):
        entitle(one, shortened(name, room(one, 0.72, size=8)), pad=4)
    return held


def bare(axes: "Axes", *sides: str) -> None:
    """Takes away the ticks' strokes of the y axis, and the spines of these sides."""
    axes.tick_params(axis="y", length=0)
    for side in sides:
        axes.spines[side].set_visible(False)


def name_rows(
    axes: "Axes", names: Sequence[str], most: int, within: "Axes | None" = None
) -> NDArray[np.intp]:
    """Names rows under one another, the first on top; the place of each on the y axis.

    They take a part of the axes, or of those that these are `within`, and have at `most` so many
    letters in a line.
    """
    places = np.arange(len(names))[::-1]
    width = min(most, room(within or axes, NAMES))
    axes.set_yticks(places, [in_lines(name, width) for name in names], linespacing=0.95)
    axes.set_ylim(-0.6, len(names) - 0.4)
    bare(axes, "left")
    return places


def legend_below(axes: "Axes", swatches: "Sequence[Artist]" = ()) -> None:
    """The legend under all that is drawn, in as many columns as there is room for.

    It is of these swatches, else of what is drawn.
    """
    from matplotlib.transforms import ScaledTranslation

    handles, labels = axes.get_legend_handles_labels()
    if swatches:
        handles, labels = [*swatches], [str(swatch.get_label()) for swatch in swatches]
    drawn = axes.get_tightbbox() or axes.bbox
    dpi = figure_of(axes).dpi
    left, down = (axes.bbox.x0 - drawn.x0) / dpi, (axes.bbox.y0 - drawn.y0) / dpi + 0.08
    across = max(40, line_letters(drawn.width / dpi, points(8)))
    labels = [shortened(label, across - 6) for label in labels]
    # a handle and its spaces are as wide as six letters
    columns = across // (6 + max(map(letters, labels)))
    axes.legend(
        handles,
        labels,
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=axes.transAxes
        + ScaledTranslation(-left, -down, figure_of(axes).dpi_scale_trans),
        ncols=max(1, min(4, columns, len(labels))),
        fontsize=points(8),
        borderaxespad=0,
        borderpad=0,
    )
