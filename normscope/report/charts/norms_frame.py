"""What stands around the cells of a norms heatmap: lines, levels, and the two keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .answers import LIKERT
from .canvas import FAINT, INK, QUIET, wrapped
from .parts import parts
from .words import say

if TYPE_CHECKING:
    from matplotlib.axes import Axes

VALUES = (-2, -1, 0, 1, 2)

CELL = 0.2
"""The width of a cell in inches: two lines of the smallest print."""

_SMALL = 5.6
_NARROW = 14


@dataclass(frozen=True, slots=True)
class Side:
    """One side of the map: the pairs of an outer and an inner level, in their order."""

    pairs: tuple[tuple[str, str], ...]

    @property
    def groups(self) -> list[tuple[str, int, int]]:
        """Each outer level with the places where it begins and ends.

        >>> Side((("a", "x"), ("a", "y"), ("b", "x"))).groups
        [('a', 0, 2), ('b', 2, 3)]
        """
        names = [outer for outer, _ in self.pairs]
        starts = [at for at, name in enumerate(names) if at == 0 or name != names[at - 1]]
        ends = [*starts[1:], len(names)]
        return [(names[at], at, end) for at, end in zip(starts, ends, strict=True)]


def not_asked(**given: Any) -> dict[str, Any]:
    """How a cell is drawn that is no flow: hatched, so that it is taken for no answer."""
    return {"facecolor": "white", "edgecolor": "#D0D0D0", "hatch": "/////", "linewidth": 0, **given}


def frame(axes: "Axes", down: Side, across: Side) -> None:
    """Cell lines, thicker ones between outer levels, and the name of every level."""
    height, width = len(down.pairs), len(across.pairs)
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.set_aspect("equal")
    axes.vlines(range(width + 1), 0, height, color=FAINT, linewidth=0.5)
    axes.hlines(range(height + 1), 0, width, color=FAINT, linewidth=0.5)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(length=0, labelsize=_SMALL)
    inner = [_two_lines(name) for _, name in down.pairs]
    axes.set_yticks([at + 0.5 for at in range(height)], inner, linespacing=1.0)
    inner = [_two_lines(name) for _, name in across.pairs]
    axes.set_xticks(
        [at + 0.5 for at in range(width)],
        inner,
        rotation=90,
        linespacing=1.0,
        multialignment="right",
    )
    for name, start, end in across.groups:
        axes.vlines([start, end], 0, height, color=INK, linewidth=1.0)
        room = int((end - start) * CELL * 72 / 4.2)
        narrow = room < _NARROW
        axes.text(
            (start + end) / 2,
            -0.4,
            wrapped(name, 24 if narrow else room),
            ha="center",
            va="bottom",
            rotation=90 if narrow else 0,
            fontsize=7.5,
            fontweight="bold",
        )
    for name, start, end in down.groups:
        axes.hlines([start, end], 0, width, color=INK, linewidth=1.0)
        axes.text(
            width + 0.5,
            (start + end) / 2,
            wrapped(name, 22),
            va="center",
            fontsize=7.5,
            fontweight="bold",
        )


def key_of_models(axes: "Axes", models: Sequence[str]) -> None:
    """A large cell whose parts are numbered, and the model of each number."""
    from matplotlib.patches import Polygon

    axes.set_axis_off()
    axes.set_aspect("equal", anchor="W")
    axes.set_xlim(-0.02, 5)
    axes.set_ylim(1.05, -0.05)
    for number, (part, model) in enumerate(zip(parts(len(models)), models, strict=True), start=1):
        axes.add_patch(Polygon(part, facecolor="white", edgecolor=INK, linewidth=0.8))
        x, y = part.mean(axis=0)
        axes.text(float(x), float(y), str(number), ha="center", va="center", fontsize=7.5)
        name = wrapped(f"{number}  {model}", 34)
        axes.text(1.25, (number - 0.5) / len(models), name, va="center", fontsize=8)


def key_of_colours(axes: "Axes", language: str, *, gaps: bool) -> None:
    """A swatch per answer, one for no majority, and one for flows that were not asked about."""
    from matplotlib.patches import Patch

    from ...datasets_builders.taxonomy import LIKERT as NAMES

    swatches: list[Any] = [
        Patch(facecolor=colour, label=say(name, language))
        for name, colour in zip(NAMES, LIKERT, strict=True)
    ]
    empty = say("no majority", language)
    swatches.append(Patch(facecolor="white", edgecolor=QUIET, linewidth=0.6, label=empty))
    if gaps:
        swatches.append(Patch(**not_asked(label=say("not asked", language))))
    axes.set_axis_off()
    axes.legend(handles=swatches, loc="upper left", ncols=2, fontsize=8, borderaxespad=0)


def _two_lines(name: str) -> str:
    """A level in one line, or two where it is long: more do not fit beside a cell."""
    return wrapped(name, max(34, len(name) // 2 + 9))
