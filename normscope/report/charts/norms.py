"""The norms map: every flow of a context as a cell, cut into a part per model.

Rows are attributes within senders, columns are transmission principles within recipients.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...builders.taxonomy import LIKERT as NAMES
from ...errors import DataError, UsageError
from ...format import count
from ...messages import Language, message, translate
from ...metrics.vignette_norms import NormState
from ...palette import DIVERGING
from ..names import name_of
from .canvas import ABSENCES, INK, PAPER, QUIET, Floats, Plot, figure_of, new_axes
from .labels import in_lines, letters, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path

Levels = Sequence[tuple[str, str]]
"""One side of the map: the pairs of an outer and an inner level, in their order."""

Flows = Mapping[str, Sequence[str]]
"""The level of every flow in each parameter; a parameter that is not named is left out."""

MOST = 4
"""Models in one cell."""

_CELL = 0.2
"""The width of a cell in inches: two lines of the smallest print."""

_SMALL = 5.6
_NARROW = 14
_CORNERS = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
_MIDDLE = (0.5, 0.5)

_PARTS: dict[int, tuple[tuple[tuple[float, float], ...], ...]] = {
    1: (_CORNERS,),
    # upper left, lower right
    2: (((0, 0), (1, 0), (0, 1)), ((1, 0), (1, 1), (0, 1))),
    # left, right, bottom
    3: (
        ((0, 0), (0.5, 0), _MIDDLE, (0, 1)),
        ((0.5, 0), (1, 0), (1, 1), _MIDDLE),
        ((0, 1), _MIDDLE, (1, 1)),
    ),
    # top, right, bottom, left
    4: tuple((_CORNERS[at], _CORNERS[(at + 1) % 4], _MIDDLE) for at in range(4)),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class NormsMap(Plot):
    """The states (models × flows, each a `NormState`) of up to four models.

    A cell is whole for one model and cut for two to four: the key says which part is whose. It has
    the colour of its norm, or the look of why there is none: no majority, no answer, unscored. A
    combination that is no flow was not asked. Two flows in one cell are refused.
    """

    states: ArrayLike
    models: Sequence[str]
    flows: Flows
    rows: tuple[str, str] = ("sender", "attribute")
    columns: tuple[str, str] = ("recipient", "transmission_principle")

    reading: ClassVar[str] = message(
        "A cell is a vignette; of several models each has a part of it, as the key says. Outlined "
        "cells without a colour are no norm, and the pattern says why."
    )

    def __post_init__(self) -> None:
        """Refuses more models than parts, and states of another shape."""
        if not 1 <= len(self.models) <= MOST:
            n = len(self.models)
            raise UsageError(f"a cell has room for 1 to {MOST} models, not {n}; choose")
        shape, n = np.shape(self.states), len(next(iter(self.flows.values()), ()))
        if shape != (len(self.models), n) or n == 0:
            raise DataError(f"states must be {len(self.models)} models × {n} flows, not {shape}")
        _refuse_shared(self._places()[2], self.flows)

    @property
    def wide(self) -> bool:
        """Always: it has thousands of cells."""
        return True

    def _drawn(self, language: Language) -> "Figure":
        """The map, and under it whose the parts are and what the colours mean."""
        states = np.asarray(self.states, dtype=np.intp)
        down, across, places = self._places()
        size = (len(across), len(down))
        gaps = np.ones(size, dtype=bool)
        gaps[places[:, 0], places[:, 1]] = False
        from matplotlib.patches import PathPatch

        axes = new_axes(size[0] * _CELL, size[1] * _CELL)
        seen: dict[NormState, int] = {}
        for state in NormState:
            cells = polygons(states, places, state)
            if state is NormState.NOT_ASKED and gaps.any():
                cells += [np.array(_CORNERS) + place for place in np.argwhere(gaps)]
            if cells:
                # not add_patch, which measures every cell for limits that are set below
                axes.add_artist(PathPatch(path(cells), **_style(state)))
                seen[state] = int((states == state).sum()) + (
                    int(gaps.sum()) if state is NormState.NOT_ASKED else 0
                )
        _frame(axes, down, across, self.title)
        # the names under the columns stand upright: their length is what they are high
        names = [in_lines(name, 34).splitlines() for _, name in across]
        longest = max((letters(line) for lines in names for line in lines), default=0)
        below = 0.2 + longest * _SMALL * 0.62 / 72
        several = len(self.models) > 1
        if several:
            _key_of_models(figure_of(axes), self.models, below)
        key = {
            state: translate(name_of(_name(state)), language)
            + (f" ({count(seen[state])})" if state in seen and not several else "")
            for state in NormState
            if state <= NormState.STRONGLY_ACCEPTABLE or state in seen
        }
        _key_of_states(axes, key, below=below, aside=3.4 if several else 0.0)
        return figure_of(axes)

    def _places(self) -> tuple[Levels, Levels, NDArray[np.intp]]:
        """Both sides, and the column and the row of each flow."""
        n = len(next(iter(self.flows.values())))
        down, row_of = _side(self.flows, self.rows, n)
        across, column_of = _side(self.flows, self.columns, n)
        return down, across, np.stack([column_of, row_of], axis=1)


def groups(levels: Levels) -> list[tuple[str, int, int]]:
    """Each outer level with the places where it begins and ends.

    >>> groups([("a", "x"), ("a", "y"), ("b", "x")])
    [('a', 0, 2), ('b', 2, 3)]
    """
    names = [(name, len(list(pairs))) for name, pairs in groupby(outer for outer, _ in levels)]
    ends = accumulate(n for _, n in names)
    return [(name, end - n, end) for (name, n), end in zip(names, ends, strict=True)]


def parts(models: int) -> list[Floats]:
    """How a unit cell is cut: a square, two or four triangles, or three parts; no overlap.

    Each is its corners as rows of x and y; y points down, as the rows of a table do.

    >>> [len(part) for part in parts(4)]
    [3, 3, 3, 3]
    """
    return [np.array(part, dtype=float) for part in _PARTS[models]]


def polygons(states: NDArray[np.intp], places: NDArray[np.intp], state: int) -> list[Floats]:
    """The parts of cells in the state: per model its part of the flow's cell.

    `places` has the column and the row of each flow. Whole cells beside one another are one
    rectangle: a map of thousands would else be many times as large.
    """
    shapes = parts(len(states))
    if len(states) > 1:
        return [shapes[model] + places[flow] for model, flow in np.argwhere(states == state)]
    runs: list[Floats] = []
    cells = places[states[0] == state]
    end = (-1, -1)
    for column, row in cells[np.lexsort((cells[:, 0], cells[:, 1]))].tolist():
        if (column, row) == end:
            runs[-1][1:3, 0] += 1
        else:
            runs.append(shapes[0] + (column, row))
        end = (column + 1, row)
    return runs


def path(shapes: Sequence[Floats]) -> "Path":
    """One path of all polygons; a patch for each would make the file many times as large."""
    from matplotlib.path import Path

    vertices = np.concatenate([np.vstack((shape, shape[:1])) for shape in shapes])
    codes = np.concatenate(
        [[Path.MOVETO, *[Path.LINETO] * (len(shape) - 1), Path.CLOSEPOLY] for shape in shapes]
    )
    return Path(vertices, codes)


def _style(state: NormState) -> dict[str, Any]:
    if state <= NormState.STRONGLY_ACCEPTABLE:
        return {"facecolor": DIVERGING[state], "edgecolor": QUIET, "linewidth": 0}
    return {**ABSENCES[_name(state)], "linewidth": 0}


def _name(state: NormState) -> str:
    """What the state is called: the answer's label, or why there is none.

    >>> _name(NormState.NEUTRAL), _name(NormState.NO_MAJORITY)
    ('neutral', 'no majority')
    """
    return (*NAMES, "no majority", "no answer", "unscored", "not asked")[state]


def _side(flows: Flows, names: tuple[str, str], n: int) -> tuple[Levels, NDArray[np.intp]]:
    """The pairs of levels in the order of the context, and the place of each flow among them."""
    levels = [list(flows.get(name, [""] * n)) for name in names]
    order = [{level: at for at, level in enumerate(dict.fromkeys(of))} for of in levels]
    of_flow = list(zip(*levels, strict=True))
    pairs = sorted(set(of_flow), key=lambda pair: (order[0][pair[0]], order[1][pair[1]]))
    place = {pair: at for at, pair in enumerate(pairs)}
    return [(a, b) for a, b in pairs], np.array([place[pair] for pair in of_flow])


def _refuse_shared(places: NDArray[np.intp], flows: Flows) -> None:
    _, first, counts = np.unique(places, axis=0, return_index=True, return_counts=True)
    if (counts > 1).any():
        flow = int(first[counts > 1][0])
        named = ", ".join(f"{name} {levels[flow]!r}" for name, levels in flows.items())
        raise DataError(f"more than one flow has {named}; draw what tells them apart separately")


def _frame(axes: "Axes", down: Levels, across: Levels, title: str) -> None:
    """Cell lines, thicker ones between outer levels, and the name of every level."""
    height, width = len(down), len(across)
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.vlines(range(width + 1), 0, height, color=QUIET, linewidth=0.4)
    axes.hlines(range(height + 1), 0, width, color=QUIET, linewidth=0.4)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(length=0, labelsize=_SMALL)
    axes.set_yticks(np.arange(height) + 0.5, [in_lines(b, 34) for _, b in down], linespacing=1.0)
    axes.set_xticks(
        np.arange(width) + 0.5,
        [in_lines(name, 34) for _, name in across],
        rotation=90,
        linespacing=1.0,
        multialignment="right",
    )
    bold: dict[str, Any] = {"fontsize": 7.5, "fontweight": "bold", "clip_on": False}
    raised = 0.0
    for name, start, end in groups(across):
        axes.vlines([start, end], 0, height, color=INK, linewidth=1.0)
        room = int((end - start) * _CELL * 72 / 4.6)
        narrow = room < _NARROW
        text = wrapped(name, 24 if narrow else room)
        lines = [letters(line) for line in text.splitlines()]
        raised = max(raised, max(lines, default=0) * 4.9 if narrow else len(lines) * 10)
        axes.text(
            (start + end) / 2,
            -0.4,
            text,
            ha="center",
            va="bottom",
            rotation=90 if narrow else 0,
            **bold,
        )
    for name, start, end in groups(down):
        axes.hlines([start, end], 0, width, color=INK, linewidth=1.0)
        axes.text(width + 0.5, (start + end) / 2, wrapped(name, 22), va="center", **bold)
    axes.set_title(wrapped(title, max(60, int(width * _CELL * 10))), pad=16 + raised)


def _key_of_models(figure: "Figure", models: Sequence[str], below: float) -> None:
    """A large cell whose parts are numbered, and the model of each number."""
    from matplotlib.patches import Polygon

    width, height = figure.get_size_inches()
    axes = figure.add_axes((0, -(below + 0.8) / height, 0.8 / width, 0.8 / height))
    axes.set_axis_off()
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(1.02, -0.02)
    for number, (part, model) in enumerate(zip(parts(len(models)), models, strict=True), start=1):
        axes.add_patch(Polygon(part, facecolor=PAPER, edgecolor=INK, linewidth=0.8))
        x, y = part.mean(axis=0)
        axes.text(float(x), float(y), str(number), ha="center", va="center", fontsize=7.5)
        name = in_lines(f"{number}  {model}", 34)
        axes.text(1.2, (number - 0.5) / len(models), name, va="center", fontsize=8)


def _key_of_states(
    axes: "Axes", key: Mapping[NormState, str], *, below: float, aside: float
) -> None:
    """A swatch per answer and per reason for none that there is; the distances are in inches."""
    from matplotlib.patches import Patch
    from matplotlib.transforms import ScaledTranslation

    swatches = [
        Patch(label=label, **{**_style(state), "linewidth": 0.6}) for state, label in key.items()
    ]
    down = ScaledTranslation(aside, -below, axes.figure.dpi_scale_trans)
    axes.legend(
        handles=swatches,
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=axes.transAxes + down,
        ncols=2 if aside else 3,
        fontsize=8,
        borderaxespad=0,
    )
