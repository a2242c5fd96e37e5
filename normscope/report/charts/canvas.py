"""What every chart is: data that can be drawn, saved to stable files, and read as numbers.

A chart is a frozen dataclass with its data: `draw` gives a matplotlib figure or fills a caller's
axes, `save` writes files, `to_frame` gives the numbers, and `image` puts it into a page. Nothing
here touches pyplot.
"""

import base64
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from markupsafe import escape

from ...errors import UsageError, nearest
from ...files import replacing, write_text
from ...messages import LANGUAGES, Joined, Language, Message, joined, translate
from ...palette import PAGE
from ...untrusted import visible
from .axes import (
    QUIET,
    SIZE,
    Size,
    figure_of,
    fonts,
    legend_below,
    line_letters,
    room,
    styled,
)
from .labels import WIDE, chinese_font, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

FORMATS = ("svg", "png", "pdf")

_ID = re.compile(r"\b[a-z]+[0-9a-f]{10}\b")
_COORDINATES = re.compile(r' (?:d|points|transform|x|y)="[^"]*"')
_LONG = re.compile(r"-?\d+\.\d{2,}")

_NO_GLYPH = ".*missing from font"

_HALF, _WHOLE, _PAD = 5.5, 10.8, 0.1
"""Inches of a chart that stands beside another on a page, of a wider one, and of its margins."""

_TIGHT = 0.05
"""Inches of margin where a width is given."""

_UNITS = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4}
_LENGTH = re.compile(r"(\d+(?:\.\d+)?)\s*(in|cm|mm)")


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

    _least: ClassVar[float] = 0.3
    """The share of their size (`_size`) in which the axes can still be read."""

    def draw(
        self, language: Language = "en", *, ax: "Axes | None" = None, title: bool = True
    ) -> "Figure":
        """The figure, in the style of all, with its labels in the language.

        With `ax` it is drawn into these axes, in the fonts and sizes that the caller's rcParams
        set, under its title if that is wanted; caveat and caption are left to the caller. The
        caller's figure makes room for its labels with `layout="constrained"`.
        """
        if ax is None:
            with styled():
                return self._figure(language, title=title)
        with styled(fonts()):
            chart = self._labelled(language)
            chart._label(ax, chart._drawn(ax, language))
            if title:
                ax.set_title(wrapped(chart.title, room(ax, 0.75)))
            return figure_of(ax)

    def save(
        self,
        path: str | Path,
        formats: Sequence[str] = (),
        *,
        language: Language = "en",
        width: str = "",
        dpi: int = 150,
        title: bool = True,
    ) -> tuple[Path, ...]:
        """Writes `path.svg`, `path.png` … and returns the files; the same chart gives equal bytes.

        Without `formats` they are svg and png, or the one by which the path ends: `norms.pdf`. For
        a paper: of exactly that `width` (`"3.3in"`, `"84mm"`, `"8.4cm"`), in the fonts and sizes
        that the caller's rcParams set, and without `title` only what is drawn and its caveat. A
        format that there is not, and a width in which it has no room, are a `UsageError`.
        """
        from matplotlib.backend_bases import FigureCanvasBase
        from matplotlib.transforms import Bbox

        stem = Path(path)
        if not formats and stem.suffix[1:] in FigureCanvasBase.filetypes:
            stem, formats = stem.with_suffix(""), (stem.suffix[1:],)
        formats = (formats,) if isinstance(formats, str) else formats or FORMATS[:2]
        for name in formats:
            if name not in FORMATS:
                there_is = ", ".join(FORMATS)
                raise UsageError(f"there is no figure format {name!r}; there are {there_is}")
        inches = _inches_of(width) if width else 0.0
        with styled(fonts() if width else {}):
            figure = self._figure(language, width=inches, title=title)
            options: dict[str, Any] = {"dpi": dpi}
            if width:
                x, y, _, height = figure.get_tightbbox().padded(_TIGHT).bounds
                options["bbox_inches"] = Bbox.from_bounds(x, y, inches, height)
            paths = tuple(stem.with_name(f"{stem.name}.{name}") for name in formats)
            for name, file in zip(formats, paths, strict=True):
                if name == "svg":
                    write_text(file, _source(figure, **options))
                    continue
                # a date or a version would make the bytes of a chart differ from day to day
                stamps = {"CreationDate": None} if name == "pdf" else {"Software": None}
                with replacing(file) as temporary:
                    figure.savefig(temporary, format=name, metadata=stamps, **options)
        return paths

    @abstractmethod
    def to_frame(self) -> "pd.DataFrame":
        """The numbers that are drawn, a row each."""

    def __repr__(self) -> str:
        """Its kind and title; of the data, which may be thousands of cells, nothing."""
        return f"{type(self).__name__}({translate(self.title, 'en')!r})"

    def _repr_html_(self) -> str:
        """The picture in a notebook."""
        return image(self, alt=joined(filter(None, (self.title, self.caption)), ": "))

    @property
    def wide(self) -> bool:
        """Whether it needs the whole width of a page to be read."""
        return self._size[0] > _HALF

    @property
    @abstractmethod
    def _size(self) -> Size:
        """Inches of the axes where there is room for them, without the labels around them."""

    @abstractmethod
    def _drawn(self, axes: "Axes", language: Language) -> "Sequence[Artist]":
        """Draws on the axes, and returns the swatches of a legend that nothing on them gives."""

    def _labelled(self, language: Language) -> Self:
        """The chart with its labels in the language."""
        if language not in LANGUAGES:
            raise UsageError(f"there are no labels in {language!r}; {nearest(language, LANGUAGES)}")
        labels = {f.name: _in_language(getattr(self, f.name), language) for f in fields(self)}
        return replace(self, **labels)

    def _figure(self, language: Language, *, width: float = 0.0, title: bool = True) -> "Figure":
        """The chart as a figure of its own, at most as wide as its place or just that width."""
        from matplotlib import rcParams
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        from .figure import ChartFigure

        chart = self._labelled(language)
        size, height = chart._size
        least = size * self._least * float(rcParams["font.size"]) / SIZE
        whole = width - 2 * _TIGHT if width else (_WHOLE if self.wide else _HALF) - 2 * _PAD
        with warnings.catch_warnings():
            # the layout looks up every letter; saving the figure warns of those that no font has
            warnings.filterwarnings("ignore", message=_NO_GLYPH)
            figure = ChartFigure(figsize=(whole, height))
            FigureCanvasAgg(figure)
            # labels stand outside, and the figure is cut to what is drawn: long names make it
            # larger and never the axes smaller
            axes = figure.add_axes((0, 0, 1, 1))
            swatches = chart._drawn(axes, language)
            for _ in range(2):
                beside = _box(figure).width - figure.get_figwidth()
                room = whole - beside
                if width and room < least:
                    needed = beside + least + 2 * _TIGHT
                    remedy = f"{needed + 0.05:.1f}in on, or with a smaller font.size"
                    raise UsageError(f"this chart has room from a width of {remedy}")
                figure.set_figwidth(room if width else max(min(size, room), least))
            chart._label(axes, swatches)
            if title and chart.caption:
                _write(figure, chart.caption, fontsize="small", color=QUIET, va="top")
            if chart.caveat:
                _write(figure, chart.caveat, fontsize="small", color=PAGE["orange"].light)
            if title and chart.title:
                _write(figure, chart.title, fontsize="large", fontweight="bold")
        return figure

    def _label(self, axes: "Axes", swatches: "Sequence[Artist]") -> None:
        """Names the axes, and puts the legend below."""
        axes.set_xlabel(self.xlabel)
        axes.set_ylabel(self.ylabel)
        if swatches or axes.get_legend_handles_labels()[1]:
            legend_below(axes, swatches)


def _in_language(value: Any, language: Language) -> Any:
    """A label or several in the language; numbers as they are."""
    if isinstance(value, Message | Joined):
        return translate(value, language)
    if isinstance(value, list | tuple) and all(isinstance(label, str) for label in value):
        return [_in_language(label, language) for label in value]
    return value


def _inches_of(width: str) -> float:
    """The length in inches; a `UsageError` for what is none.

    >>> _inches_of("3.3in"), round(_inches_of("84 mm"), 2), round(_inches_of("8.4cm"), 2)
    (3.3, 3.31, 3.31)
    """
    length = _LENGTH.fullmatch(width.strip())
    if length is None:
        raise UsageError(
            f"a width is a number of {', '.join(_UNITS)}, such as 3.3in, not {width!r}"
        )
    return float(length[1]) * _UNITS[length[2]]


def image(chart: Plot, *, alt: str, language: Language = "en") -> str:
    """The chart as an `<img>` element that holds its SVG; `alt` is read out in its place.

    What an SVG in an image names, it can neither run nor fetch.
    """
    with styled(), warnings.catch_warnings():
        # the browser has other fonts than this machine
        warnings.filterwarnings("ignore", message=_NO_GLYPH)
        figure = chart.draw(language)
        source = _source(figure, bbox_inches=_box(figure).padded(_PAD))
    data = base64.b64encode(source.encode()).decode()
    # at its own size a point is four thirds of a pixel
    width = round(float(source.partition('width="')[2].partition("pt")[0]) * 4 / 3)
    text = escape(visible(translate(alt, language)))
    return (
        f'<img class="chart" alt="{text}" width="{width}" src="data:image/svg+xml;base64,{data}">'
    )


def _source(figure: "Figure", **options: Any) -> str:
    """The figure as SVG: the same one gives the same text, with short numbers."""
    drawn = StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None}, **options)
    # every text stands in a comment, too: one NUL in a name, and no reader opens it
    source = visible(drawn.getvalue())
    # numbered as they come: the ids that matplotlib gives are not the same in every process
    ids = {old: f"i{at}" for at, old in enumerate(dict.fromkeys(_ID.findall(source)))}
    source = _ID.sub(lambda match: ids[match[0]], source)
    return _COORDINATES.sub(
        lambda match: " " + " ".join(_LONG.sub(_shorter, match[0]).split()), source
    )


def _box(figure: "Figure") -> "Bbox":
    """The box of all that is drawn, in inches.

    Where no font here has Chinese letters, a line of them is measured as boxes of six tenths of a
    letter; it has the room here that a browser's font needs.
    """
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

    boxes = [figure.get_tightbbox()]
    texts = figure.findobj(Text) if chinese_font() is None else []
    for text in (each for each in texts if isinstance(each, Text)):
        lines = text.get_text().splitlines()
        wide = max((sum(letter >= WIDE for letter in line) for line in lines), default=0)
        if wide:
            more = wide * 0.4 * float(text.get_fontsize()) / 72
            left = {"left": 0.0, "right": 1.0}.get(text.get_horizontalalignment(), 0.5) * more
            x, y, width, height = np.array(text.get_window_extent().bounds) / figure.dpi
            boxes.append(Bbox.from_bounds(x - left, y, width + more, height))
    return Bbox.union(boxes)


def _shorter(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 1) + 0.0:g}"


def _write(figure: "Figure", text: str, **look: Any) -> None:
    """Writes a text above everything else in the figure, or below it where `va` is the top."""
    box = _box(figure)
    width, height = figure.get_size_inches()
    below = look.get("va") == "top"
    written = figure.text(box.x0 / width, 0, "", **{"va": "bottom", **look})
    written.set_text(wrapped(text, line_letters(box.width, float(written.get_fontsize()))))
    written.set_y((box.y0 - 0.12 if below else box.y1 + 0.1) / height)
