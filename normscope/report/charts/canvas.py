"""What every chart stands on: one style, colours that everybody can tell apart, stable files.

A chart is a frozen dataclass with its data and one method, `draw`, which gives a matplotlib
figure; `save` writes it to files and `image` puts it into a page. Nothing here touches pyplot.
"""

import base64
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from io import StringIO
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from markupsafe import escape
from numpy.typing import ArrayLike, NDArray

from ...errors import DataError, UsageError, nearest
from ...files import replacing, write_text
from ...messages import LANGUAGES, Joined, Language, Message, joined, translate
from ...palette import ABSENT, PAGE, SERIES, places
from ...untrusted import visible
from .labels import LATIN, families, in_lines, letters, shortened, wrapped

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", "-.", ":", "-", "--", "-.", ":")
"""So that a series is known without its colour, too: each stands at the place of its colour."""

INK, QUIET, FAINT, PAPER = (PAGE[name].light for name in ("ink", "muted", "line", "paper"))
"""The tones of every chart; it is drawn on paper on a dark page, too."""

ABSENCES: dict[str, dict[str, Any]] = {
    name: {"facecolor": PAPER, "edgecolor": QUIET, "hatch": pattern.hatch or None}
    for name, pattern in ABSENT.items()
}
"""How matplotlib draws why there is no value."""

Format = Literal["svg", "png", "pdf"]
FORMATS: tuple[Format, ...] = ("svg", "png", "pdf")

_ID = re.compile(r"\b[a-z]+[0-9a-f]{10}\b")
_COORDINATES = re.compile(r' (?:d|points|transform|x|y)="[^"]*"')
_LONG = re.compile(r"-?\d+\.\d{2,}")

_NO_GLYPH = ".*missing from font"
_TITLE_SIZE = 11

_STYLE = {
    "figure.facecolor": PAPER,
    "axes.facecolor": "none",
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.titlesize": _TITLE_SIZE,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "font.sans-serif": [LATIN, "Verdana"],
    "font.size": 9,
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

_DRAWING = RLock()
"""matplotlib's settings are the process's own: one figure at a time."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Plot(ABC):
    """Data that can be drawn. Labels of ours are messages; names in the data stay as they are.

    The `caveat` is what a reader must know before looking: it stands above everything else. The
    `caption` stands below: what is shown, of how many and of which runs, with what interval.
    """

    title: str = ""
    xlabel: str = ""
    ylabel: str = ""
    caveat: str = ""
    caption: str = ""

    reading: ClassVar[str] = ""
    """How a chart of this kind is read, where that does not go without saying."""

    def draw(self, language: Language = "en") -> "Figure":
        """The figure, in the style of all, with its labels in the language."""
        if language not in LANGUAGES:
            raise UsageError(f"there are no labels in {language!r}; {nearest(language, LANGUAGES)}")
        with styled(), warnings.catch_warnings():
            # the layout looks up every letter; saving the figure warns of those that no font has
            warnings.filterwarnings("ignore", message=_NO_GLYPH)
            labels = {f.name: _in_language(getattr(self, f.name), language) for f in fields(self)}
            figure = replace(self, **labels)._drawn(language)
            if labels["caption"]:
                _write(figure, labels["caption"], above=False)
            if labels["caveat"]:
                _write(figure, labels["caveat"], above=True)
            return figure

    def save(
        self,
        path: str | Path,
        formats: Sequence[str] = (),
        *,
        language: Language = "en",
    ) -> tuple[Path, ...]:
        """Writes `path.svg`, `path.png` … and returns the files; the same chart gives equal bytes.

        Without `formats` they are svg and png, or the one by which the path ends: `norms.pdf`.
        """
        stem = Path(path)
        if not formats and stem.suffix[1:] in FORMATS:
            stem, formats = stem.with_suffix(""), (stem.suffix[1:],)
        formats = (formats,) if isinstance(formats, str) else formats or FORMATS[:2]
        for name in formats:
            if name not in FORMATS:
                raise UsageError(f"there is no figure format {name!r}; {nearest(name, FORMATS)}")
        figure = self.draw(language)
        paths = tuple(stem.with_name(f"{stem.name}.{name}") for name in formats)
        for name, file in zip(formats, paths, strict=True):
            if name == "svg":
                write_text(file, _source(figure))
                continue
            # a date or a version would make the bytes of a chart differ from day to day
            stamps = {"CreationDate": None} if name == "pdf" else {"Software": None}
            with styled(), replacing(file) as temporary:
                figure.savefig(temporary, format=name, metadata=stamps)
        return paths

    def __repr__(self) -> str:
        """Its kind and title; of the data, which may be thousands of cells, nothing."""
        return f"{type(self).__name__}({translate(self.title, 'en')!r})"

    def _repr_html_(self) -> str:
        """The picture in a notebook."""
        return image(self, alt=joined(filter(None, (self.title, self.caption)), ": "))

    @property
    def wide(self) -> bool:
        """Whether it needs the whole width of a page to be read."""
        return False

    @abstractmethod
    def _drawn(self, language: Language) -> "Figure": ...

    def _finished(self, axes: "Axes", *, pad: float = 8.0) -> "Figure":
        """The figure of the axes, with their labels, the title over them and the legend below."""
        axes.set_xlabel(self.xlabel)
        axes.set_ylabel(self.ylabel)
        entitle(axes, self.title, pad=pad)
        if axes.get_legend_handles_labels()[1]:
            legend_below(axes)
        return figure_of(axes)


def _in_language(value: Any, language: Language) -> Any:
    """A label or several in the language; numbers as they are."""
    if isinstance(value, Message | Joined):
        return translate(value, language)
    if isinstance(value, list | tuple) and all(isinstance(label, str) for label in value):
        return [_in_language(label, language) for label in value]
    return value


@contextmanager
def styled() -> Iterator[None]:
    """The style of all figures while the block lasts, whatever the user's own is."""
    import matplotlib

    with _DRAWING, matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({**_STYLE, "font.family": families()})
        yield


def new_axes(width: float, height: float, **options: Any) -> "Axes":
    """Axes of so many inches that fill a figure of their own.

    Labels stand outside: files and pages are cut to what is drawn, so that long names make the
    picture larger and never the axes smaller.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from .figure import ChartFigure

    figure = ChartFigure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure.add_axes((0, 0, 1, 1), **options)


def figure_of(axes: "Axes") -> "Figure":
    """The figure that the axes stand in, which lies in no other."""
    return axes.figure  # type: ignore[return-value]  # a figure within a figure has another type


def image(chart: Plot, *, alt: str, language: Language = "en") -> str:
    """The chart as an `<img>` element that holds its SVG; `alt` is read out in its place.

    What an SVG in an image names, it can neither run nor fetch.
    """
    figure = chart.draw(language)
    with warnings.catch_warnings():
        # the browser has other fonts than this machine
        warnings.filterwarnings("ignore", message=_NO_GLYPH)
        source = _source(figure)
    data = base64.b64encode(source.encode()).decode()
    # at its own size a point is four thirds of a pixel
    width = round(float(source.partition('width="')[2].partition("pt")[0]) * 4 / 3)
    text = escape(visible(translate(alt, language)))
    return (
        f'<img class="chart" alt="{text}" width="{width}" src="data:image/svg+xml;base64,{data}">'
    )


def _source(figure: "Figure") -> str:
    """The figure as SVG: the same one gives the same text, with short numbers."""
    drawn = StringIO()
    with styled():
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    # every text stands in a comment, too: one NUL in a name, and no reader opens it
    source = visible(drawn.getvalue())
    # numbered as they come: the ids that matplotlib gives are not the same in every process
    ids = {old: f"i{at}" for at, old in enumerate(dict.fromkeys(_ID.findall(source)))}
    source = _ID.sub(lambda match: ids[match[0]], source)
    return _COORDINATES.sub(
        lambda match: " " + " ".join(_LONG.sub(_shorter, match[0]).split()), source
    )


def _shorter(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 1) + 0.0:g}"


def entitle(axes: "Axes", title: str, *, pad: float = 8.0) -> None:
    """The title over the axes, in lines as wide as they are."""
    # a bold letter of the title's size takes a tenth of an inch
    axes.set_title(wrapped(title, max(32, int(_inches(axes) * 10))), pad=pad)


def _write(figure: "Figure", text: str, *, above: bool) -> None:
    """Writes a caveat above everything else in the figure, or a caption below."""
    box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    figure.text(
        box.x0 / width,
        (box.y1 + 0.08 if above else box.y0 - 0.12) / height,
        wrapped(text, int(max(box.width, 4) * 14)),
        fontsize=8,
        color=PAGE["orange"].light if above else QUIET,
        va="bottom" if above else "top",
    )


class Look(NamedTuple):
    """How a series is drawn: its colour, mark and line."""

    colour: str
    marker: str
    line: str


def looks(series: Sequence[str]) -> tuple[Look, ...]:
    """How each series is drawn (`palette.places`); more than can be told apart are refused."""
    if len(set(series)) > len(SERIES):
        raise UsageError(
            f"{len(series)} models in one figure cannot be told apart; choose {len(SERIES)}"
        )
    of = places(series)
    return tuple(
        Look(SERIES[at].light, MARKERS[at], LINES[at]) for at in (of[name] for name in series)
    )


def table_of(values: ArrayLike, rows: Sequence[str], columns: Sequence[str], name: str) -> Floats:
    """The values as an array of rows × columns, null as NaN; any other shape is refused."""
    table = np.asarray(values, dtype=float)
    if table.shape != (len(rows), len(columns)):
        expected = f"{len(rows)} × {len(columns)}"
        raise DataError(f"{name} must be {expected} as their names are, not {table.shape}")
    return table


def bare(axes: "Axes", *sides: str) -> None:
    """Takes away the ticks' strokes of the y axis, and the spines of these sides."""
    axes.tick_params(axis="y", length=0)
    for side in sides:
        axes.spines[side].set_visible(False)


def name_rows(axes: "Axes", names: Sequence[str], width: int) -> NDArray[np.intp]:
    """Names rows under one another, the first on top; the place of each on the y axis."""
    places = np.arange(len(names))[::-1]
    axes.set_yticks(places, [in_lines(name, width) for name in names])
    axes.set_ylim(-0.6, len(names) - 0.4)
    bare(axes, "left")
    return places


def legend_below(axes: "Axes", swatches: "Sequence[Artist]" = ()) -> None:
    """The legend under the axes and their labels, in as many columns as there is room for.

    It is of these swatches, else of what is drawn.
    """
    from matplotlib.transforms import ScaledTranslation

    handles, labels = axes.get_legend_handles_labels()
    if swatches:
        handles, labels = [*swatches], [str(swatch.get_label()) for swatch in swatches]
    labels = [shortened(label, max(32, int(_inches(axes) * 12) - 6)) for label in labels]
    # a handle and its spaces take half an inch, a letter of this size a twelfth
    widest = 0.5 + max(letters(label) for label in labels) / 12
    room = max(1, int(_inches(axes) / widest))
    drawn = axes.get_tightbbox()
    below = (axes.bbox.y0 - drawn.y0) / axes.figure.dpi + 0.08 if drawn else 0.5
    down = ScaledTranslation(0, -below, axes.figure.dpi_scale_trans)
    axes.legend(
        handles,
        labels,
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=axes.transAxes + down,
        ncols=3 if swatches else min(4, room, len(labels)),
        borderaxespad=0,
    )


def _inches(axes: "Axes") -> float:
    return axes.bbox.width / axes.figure.dpi
