"""What every chart stands on: one style, colours that everybody can tell apart, and its axes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

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
Size = tuple[float, float]
"""Inches across and down."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""So that a series is known without its colour, too: each stands at the place of its colour."""

INK, QUIET, FAINT, PAPER = (PAGE[name].light for name in ("ink", "muted", "line", "paper"))
"""The tones of every chart; it is drawn on paper on a dark page, too."""

ABSENCES: dict[str, dict[str, Any]] = {
    name: {"facecolor": PAPER, "edgecolor": QUIET, "hatch": pattern.hatch or None}
    for name, pattern in ABSENT.items()
}
"""How matplotlib draws why there is no value."""


SIZE = 9
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
    "font.size": SIZE,
    "grid.color": FAINT,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "text.color": INK,
    # as wide as a browser draws them
    "text.hinting": "none",
    "text.usetex": False,
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "ytick.major.size": 0,
    "savefig.dpi": 150,
    "svg.fonttype": "none",
    # ids would otherwise be drawn at random
    "svg.hashsalt": "normscope",
    "pdf.fonttype": 42,
}

NAMES = 0.37
"""The share of a chart's width in which names of rows stand."""

_BESIDE, UNDER = 0.25, 0.3
"""Inches between panels beside one another, and under one another."""

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


def figure_of(axes: "Axes") -> "Figure":
    """The figure that the axes stand in, which lies in no other."""
    return axes.figure  # type: ignore[return-value]  # a figure within a figure has another type


def line_letters(inches: float, size: float) -> int:
    """How many letters of so many points find room, each 0.56 as wide as high."""
    return max(10, int(inches * 72 / size / 0.56))


def room(axes: "Axes", share: float = 1.0) -> int:
    """How many letters a share of the width of the axes has room for."""
    from matplotlib import rcParams

    inches = share * axes.bbox.width / figure_of(axes).dpi
    return line_letters(inches, float(rcParams["font.size"]))


def looks(series: Sequence[str]) -> list[tuple[str, str]]:
    """Colour and marker of each series (`palette.places`); more than eight are refused."""
    if len(set(series)) > len(SERIES):
        raise UsageError(
            f"{len(series)} models in one figure cannot be told apart; choose {len(SERIES)}"
        )
    of = places(series)
    return [(SERIES[of[name]].light, MARKERS[of[name]]) for name in series]


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


def size_of(n: int, panel: Size, abreast: int = len(SERIES), under: float = UNDER) -> Size:
    """Inches of `n` panels in lines of so many, with so much under each line."""
    width, height = min(n, abreast) * (panel[0] + _BESIDE), -(-n // abreast) * (panel[1] + under)
    return width - _BESIDE, height - under


def panels(
    axes: "Axes",
    names: Sequence[str],
    panel: Size,
    abreast: int = len(SERIES),
    under: float = UNDER,
) -> "list[Axes]":
    """A panel of that size within the axes for each name, which stands over it; see `size_of`.

    Of one name it is the axes themselves.
    """
    if len(names) == 1:
        return [axes]
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    # under the ticks of the panels
    axes.xaxis.labelpad = 20
    width, height = size_of(len(names), panel, abreast, under)
    held = []
    for at, name in enumerate(names):
        left = at % abreast * (panel[0] + _BESIDE)
        low = height - panel[1] - at // abreast * (panel[1] + under)
        place = (left / width, low / height, panel[0] / width, panel[1] / height)
        inset = axes.inset_axes(place)
        # a label, no title: a title of the axes finds its place above it
        inset.xaxis.set_label_position("top")
        text = shortened(name, room(inset, 0.9))
        inset.set_xlabel(text, loc="left", fontsize="small", fontweight="bold")
        held.append(inset)
    return held


def name_rows(
    axes: "Axes", names: Sequence[str], most: int, within: "Axes | None" = None
) -> NDArray[np.intp]:
    """Names rows under one another, the first on top; the place of each on the y axis.

    They take a part of the axes, or of those that these are `within`, and have at `most` so many
    letters in a line.
    """
    places = np.arange(len(names))[::-1]
    width = min(most, room(within or axes, NAMES))
    axes.set_yticks(places, [in_lines(name, width) for name in names], linespacing=1.0)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.spines["left"].set_visible(False)
    return places


def legend_below(axes: "Axes", swatches: "Sequence[Artist]" = ()) -> None:
    """The legend under all that is drawn, in as many columns as there is room for.

    It is of these swatches, else of what is drawn.
    """
    handles, labels = axes.get_legend_handles_labels()
    if swatches:
        handles, labels = [*swatches], [str(swatch.get_label()) for swatch in swatches]
    drawn = axes.get_tightbbox() or axes.bbox
    # as many letters of the legend; a handle and its spaces are as wide as six
    across = max(40, room(axes, 1.2 * drawn.width / axes.bbox.width))
    labels = [shortened(label, across - 6) for label in labels]
    columns = across // (6 + max(map(letters, labels)))
    axes.legend(
        handles,
        labels,
        loc="upper left",
        bbox_to_anchor=axes.transAxes.inverted().transform((drawn.x0, drawn.y0)),
        ncols=max(1, min(4, columns, len(labels))),
        fontsize="small",
        borderaxespad=0.8,
        borderpad=0,
    )
