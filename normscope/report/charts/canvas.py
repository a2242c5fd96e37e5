"""What every figure stands on: one style, colours that everybody can tell apart, stable files."""

import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import DataError, UsageError, nearest
from ...extras import require
from ...files import replacing
from ...untrusted import visible
from .fonts import Fonts, fonts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PALETTE = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000", "#F0E442")
"""Okabe and Ito's colours: told apart with any kind of colour vision. One per model."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", "-.", ":", "-", "--", "-.", ":")
"""So that a model is known without its colour, too."""

INK, QUIET, FAINT = "#1F1F1F", "#6B6B6B", "#E3E3E3"
_WARNING = "#9A3B00"

FORMATS = ("svg", "png")

_STYLE = {
    "figure.facecolor": "white",
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
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
    # glyphs as outlines: the file looks the same where the fonts are missing
    "svg.fonttype": "path",
    # ids would otherwise be drawn at random
    "svg.hashsalt": "normscope",
}


@contextmanager
def styled(language: str = "en") -> Iterator[Fonts]:
    """The style of all figures while the block lasts, whatever the user's own is."""
    matplotlib = require("matplotlib", extra="figures")
    chosen = fonts(language)
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({**_STYLE, "font.family": list(chosen.families)})
        yield chosen


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure of so many inches, outside of pyplot and drawn by Agg."""
    figure: Figure = require("matplotlib.figure", extra="figures").Figure(
        figsize=(width, height), layout="constrained"
    )
    require("matplotlib.backends.backend_agg", extra="figures").FigureCanvasAgg(figure)
    return figure


def save(figure: "Figure", stem: str | Path, formats: Sequence[str] = FORMATS) -> tuple[Path, ...]:
    """Writes the figure as `stem.svg` and `stem.png`; the same figure gives the same bytes.

    Its layout is worked out once, here, and stays: every further round would move it a little. The
    picture is as large as what is drawn: the layout leaves too little room for long labels, and
    none for some.
    """
    paths, stem = [], Path(stem)
    if figure.get_layout_engine() is not None:
        with styled():
            figure.draw_without_rendering()
            figure.draw_without_rendering()
        figure.set_layout_engine("none")
    for name in formats:
        if name not in FORMATS:
            raise UsageError(f"there is no figure format {name!r}; {nearest(name, FORMATS)}")
        path = stem.with_name(f"{stem.name}.{name}")
        stamps = {"Date": None} if name == "svg" else {"Software": None}
        with styled(), replacing(path) as part:
            figure.savefig(part, format=name, metadata=stamps, bbox_inches="tight")
            if name == "svg":
                # every text stands in a comment too: one NUL in a name, and no reader opens it
                text = visible(part.read_text(encoding="utf-8"))
                part.write_text(text, encoding="utf-8", newline="\n")
        paths.append(path)
    return tuple(paths)


def entitle(axes: "Axes", title: str, *, inches: float, pad: float = 6.0) -> None:
    """The title over the axes, in lines of at most so many inches: a long one squeezes the axes."""
    # a bold letter of the title's size takes a tenth of an inch
    axes.set_title(wrapped(title, max(16, int(inches * 10))), pad=pad)


def caution(figure: "Figure", text: str) -> None:
    """What a reader must know before looking, above the figure and wrapped to its width."""
    room = int(figure.get_size_inches()[0] * 14)
    lines = wrapped(text, room)
    with styled():
        figure.suptitle(lines, x=0.01, ha="left", fontsize=8, color=_WARNING)


def wrapped(text: str, width: int) -> str:
    """The text in lines of at most that many characters, Chinese ones counted twice.

    >>> wrapped("insults and sensitive topics", 14).splitlines()
    ['insults and', 'sensitive', 'topics']
    >>> wrapped("侮辱与敏感话题", 8).splitlines()
    ['侮辱与敏', '感话题']
    """
    if any(character > "\u2e7f" for character in text):
        width = max(2, width // 2)
    lines = textwrap.wrap(text, width, break_long_words=True, break_on_hyphens=False)
    return "\n".join(lines)


def colours(models: Sequence[str]) -> tuple[str, ...]:
    """A colour per model; more models than colours cannot be told apart and are refused."""
    if len(models) > len(PALETTE):
        raise UsageError(
            f"{len(models)} models in one figure cannot be told apart; choose {len(PALETTE)}"
        )
    return PALETTE[: len(models)]


def check_shape(values: Any, rows: Sequence[str], columns: Sequence[str], name: str) -> None:
    """Refuses an array that is not rows × columns."""
    if values.shape != (len(rows), len(columns)):
        told = f"{len(rows)} × {len(columns)}"
        raise DataError(f"{name} must be {told} as their names are, not {values.shape}")


def legend_below(figure: "Figure", axes: "Axes", *, columns: int = 4) -> None:
    """The legend of the axes under them, in rows that the figure has room for."""
    handles, labels = axes.get_legend_handles_labels()
    # a handle and its spaces take half an inch, a letter of this size a twelfth
    widest = 0.5 + max((_letters(label) for label in labels), default=0) / 12
    room = max(1, int(figure.get_size_inches()[0] / widest))
    figure.legend(
        handles, labels, loc="outside lower center", ncols=min(columns, room, max(1, len(labels)))
    )


def _letters(text: str) -> int:
    """How many letters wide the text is, a Chinese one being two."""
    return len(text) + sum(character > "\u2e7f" for character in text)
