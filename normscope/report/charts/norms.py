"""The norms map: every flow of a context as a cell, a panel for each model.

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
from .axes import ABSENCES, INK, QUIET, Floats, entitle, panels, points
from .canvas import Plot
from .labels import in_lines, letters, shortened, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.path import Path

Levels = Sequence[tuple[str, str]]
"""One side of the map: the pairs of an outer and an inner level, in their order."""

Flows = Mapping[str, Sequence[str]]
"""The level of every flow in each parameter; a parameter that is not named is left out."""

MOST = 4
"""Models in one chart."""

_CELL, _ROW = 0.17, 0.15
"""Inches of a cell: across two lines of the smallest print, and down one."""

_ACROSS = 50
"""Columns that a page is wide: of more, what stands in the next columns stands below."""

_OVER, _UNDER = 0.6, 1.9
"""Inches over a panel for its names, and under the last one for those of the columns."""

_SMALL = 6.2
_NARROW = 14
_SQUARE = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class NormsMap(Plot):
    """The states (models × flows, each a `NormState`) of up to four models, a panel for each.

    A cell has the colour of its norm, or the look of why there is none: no majority, no answer,
    unscored. A combination that is no flow was not asked. Two flows in one cell are refused.
    """

    states: ArrayLike
    models: Sequence[str]
    flows: Flows
    rows: tuple[str, str] = ("sender", "attribute")
    columns: tuple[str, str] = ("recipient", "transmission_principle")

    reading: ClassVar[str] = message(
        "A cell is a vignette, and a panel a model. Outlined cells without a colour are no norm, "
        "and the pattern says why."
    )

    _least: ClassVar[float] = 0.6

    def __post_init__(self) -> None:
        """Refuses more models than can be looked at together, and states of another shape."""
        if not 1 <= len(self.models) <= MOST:
            n = len(self.models)
            raise UsageError(f"a map has room for 1 to {MOST} models, not {n}; choose")
        shape, n = np.shape(self.states), len(next(iter(self.flows.values()), ()))
        if shape != (len(self.models), n) or n == 0:
            raise DataError(f"states must be {len(self.models)} models × {n} flows, not {shape}")
        _refuse_shared(self._places()[2], self.flows)

    @property
    def wide(self) -> bool:
        """Always: it has thousands of cells."""
        return True

    def to_frame(self) -> "pd.DataFrame":
        """A row per model and flow: `model`, the factors, the `norm` (−2 … +2) and its `state`."""
        import pandas as pd

        states = np.asarray(self.states, dtype=np.intp)
        names = [_name(state) for state in NormState]
        tables = [
            pd.DataFrame({"model": model, **self.flows, "norm": of - 2.0, "state": of})
            for model, of in zip(self.models, states, strict=True)
        ]
        frame = pd.concat(tables, ignore_index=True)
        frame["norm"] = frame["norm"].where(frame["state"] <= NormState.STRONGLY_ACCEPTABLE)
        return frame.assign(state=[names[state] for state in frame["state"]])

    def _stretches(self) -> list[tuple[int, int]]:
        """The columns of each panel of a model, which part none of the outer level's."""
        ends = [0]
        for _, start, end in groups(self._places()[1]):
            if end - ends[-1] > _ACROSS and start > ends[-1]:
                ends.append(start)
        return [*zip(ends, [*ends[1:], len(self._places()[1])], strict=True)]

    def _boxes(self) -> list[tuple[float, float, float, float]]:
        """The places of the panels: of each stretch of columns those of the models in turn."""
        stretches, height = self._stretches(), _ROW * len(self._places()[0])
        tall = len(self.models) * (height + _OVER) + _UNDER
        return [
            (0.0, line * tall + at * (height + _OVER), _CELL * (end - start), height)
            for line, (start, end) in enumerate(stretches)
            for at in range(len(self.models))
        ]

    @property
    def _size(self) -> tuple[float, float]:
        boxes = self._boxes()
        return max(box[2] for box in boxes), boxes[-1][1] + boxes[-1][3]

    def _drawn(self, axes: "Axes", language: Language) -> "Sequence[Artist]":
        """The panels under one another; returned is what the colours mean."""
        from matplotlib.patches import Patch

        states = np.asarray(self.states, dtype=np.intp)
        down, across, places = self._places()
        gaps = np.ones((len(across), len(down)), dtype=bool)
        gaps[places[:, 0], places[:, 1]] = False
        boxes = self._boxes()
        drawn = iter(panels(axes, boxes) if len(boxes) > 1 else [axes])
        several, last = len(self.models) > 1, len(self.models) - 1
        for start, end in self._stretches():
            inside = (places[:, 0] >= start) & (places[:, 0] < end)
            shown = places[inside] - (start, 0)
            for at, (model, of_model) in enumerate(zip(self.models, states, strict=True)):
                panel = next(drawn)
                _draw_states(panel, of_model[inside], shown, gaps[start:end])
                _frame(panel, down, across[start:end], named=at == last)
                if several:
                    pad = 12 + _raised(across[start:end])
                    entitle(panel, model, pad=pad)
        counts = np.bincount(states.ravel(), minlength=len(NormState))
        counts[NormState.NOT_ASKED] += int(gaps.sum())
        swatches = []
        for state in NormState:
            if state <= NormState.STRONGLY_ACCEPTABLE or counts[state]:
                name = translate(name_of(_name(state)), language)
                n = f" ({count(int(counts[state]))})" if counts[state] and not several else ""
                look = {**_style(state), "linewidth": 0.6}
                swatches.append(Patch(label=name + n, **look))
        return swatches

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


def rectangles(cells: NDArray[np.intp]) -> list[Floats]:
    """The cells (columns and rows) as shapes, those beside one another as one rectangle.

    A map of thousands would else be many times as large.

    >>> [shape.tolist() for shape in rectangles(np.array([[0, 0], [1, 0]]))]
    [[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]]]
    """
    shapes: list[Floats] = []
    end = (-1, -1)
    for column, row in cells[np.lexsort((cells[:, 0], cells[:, 1]))].tolist():
        if (column, row) == end:
            shapes[-1][1:3, 0] += 1
        else:
            shapes.append(_SQUARE + np.array((column, row)))
        end = (column + 1, row)
    return shapes


def path(shapes: Sequence[Floats]) -> "Path":
    """One path of all shapes; a patch for each would make the file many times as large."""
    from matplotlib.path import Path

    return Path.make_compound_path(
        *(Path(np.vstack((shape, shape[:1])), closed=True) for shape in shapes)
    )


def _draw_states(
    axes: "Axes", states: NDArray[np.intp], places: NDArray[np.intp], gaps: NDArray[np.bool_]
) -> None:
    """The cells of a model in the look of their states; gaps are combinations that are no flow."""
    from matplotlib.patches import PathPatch

    for state in NormState:
        cells = places[states == state]
        if state is NormState.NOT_ASKED:
            cells = np.concatenate([cells, np.argwhere(gaps)])
        if len(cells):
            # not add_patch, which measures every cell for limits that are set below
            axes.add_artist(PathPatch(path(rectangles(cells)), **_style(state)))


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


def _over(name: str, columns: int) -> tuple[str, bool, float]:
    """The name of so many columns in lines, whether it stands upright, and its height in points."""
    room = int(columns * _CELL * 72 / 4.6)
    narrow = room < _NARROW
    text = wrapped(name, 24 if narrow else room)
    lines = [letters(line) for line in text.splitlines()]
    return text, narrow, max(lines, default=0) * 4.9 if narrow else len(lines) * 10


def _raised(across: Levels) -> float:
    """The height in points of the names over the columns."""
    return max((_over(name, end - start)[2] for name, start, end in groups(across)), default=0.0)


def _frame(axes: "Axes", down: Levels, across: Levels, *, named: bool) -> None:
    """Cell lines, thicker ones between outer levels, and the names of levels.

    The columns are `named` once for all panels, below the last.
    """
    height, width = len(down), len(across)
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.vlines(range(width + 1), 0, height, color=QUIET, linewidth=0.4)
    axes.hlines(range(height + 1), 0, width, color=QUIET, linewidth=0.4)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelsize=points(_SMALL))
    axes.set_yticks(np.arange(height) + 0.5, [shortened(b, 34) for _, b in down])
    axes.set_xticks(
        np.arange(width) + 0.5,
        [in_lines(name, 36) if named else "" for _, name in across],
        rotation=90,
        linespacing=1.0,
        multialignment="right",
    )
    bold: dict[str, Any] = {"fontsize": points(7.5), "fontweight": "bold", "clip_on": False}
    for name, start, end in groups(across):
        axes.vlines([start, end], 0, height, color=INK, linewidth=1.0)
        text, upright, _ = _over(name, end - start)
        middle, rotation = (start + end) / 2, 90 if upright else 0
        axes.text(middle, -0.4, text, ha="center", va="bottom", rotation=rotation, **bold)
    for name, start, end in groups(down):
        axes.hlines([start, end], 0, width, color=INK, linewidth=1.0)
        axes.text(width + 0.5, (start + end) / 2, wrapped(name, 22), va="center", **bold)
