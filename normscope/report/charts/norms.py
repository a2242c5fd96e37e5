"""The norms map: every flow of a context as a cell.

Rows are attributes within senders, columns are transmission principles within recipients.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...builders.taxonomy import LIKERT as NAMES
from ...errors import DataError
from ...format import count
from ...messages import Language, message, translate
from ...metrics.vignette_norms import NormState
from ...palette import DIVERGING
from ..names import name_of
from .axes import ABSENCES, INK, QUIET, Size, panels, size_of
from .canvas import Plot
from .labels import in_lines, shortened, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.path import Path

Levels = Sequence[tuple[str, str]]
"""One side of the map: the pairs of an outer and an inner level, in their order."""

Flows = Mapping[str, Sequence[str]]
"""The level of every flow in each parameter; a parameter that is not named is left out."""

_CELL, _ROW = 0.17, 0.15
"""Inches of a cell: across two lines of the smallest print, and down one."""

_ACROSS = 50
"""Columns that a page is wide: of more, what stands in the next columns stands below."""

_UNDER = 2.5
"""Inches under a panel for the names of its columns, and for those over the next."""

_NARROW = 14


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class NormsMap(Plot):
    """The state of every flow (a `NormState` each) of one model, a cell each.

    A cell has the colour of its norm, or the look of why there is none: no majority, no answer,
    unscored. A combination that is no flow was not asked. Two flows in one cell are refused.
    """

    states: ArrayLike
    flows: Flows
    rows: tuple[str, str] = ("sender", "attribute")
    columns: tuple[str, str] = ("recipient", "transmission_principle")

    reading: ClassVar[str] = message(
        "A cell is a vignette. Outlined cells without a colour are no norm, and the pattern says "
        "why."
    )

    _least: ClassVar[float] = 0.6

    def __post_init__(self) -> None:
        """Refuses states of another shape."""
        shape, n = np.shape(self.states), len(next(iter(self.flows.values()), ()))
        if shape != (n,) or n == 0:
            raise DataError(f"states must be one for each of {n} flows, not {shape}")
        _refuse_shared(self._places()[2], self.flows)

    def to_frame(self) -> "pd.DataFrame":
        """A row per flow: the factors, the `norm` (−2 … +2) and its `state`."""
        import pandas as pd

        states = np.asarray(self.states, dtype=np.intp)
        norm = np.where(states <= NormState.STRONGLY_ACCEPTABLE, states - 2.0, np.nan)
        names = [_name(NormState(state)) for state in states.tolist()]
        return pd.DataFrame({**self.flows, "norm": norm, "state": names})

    def _stretches(self) -> list[tuple[int, int]]:
        """The columns of each panel, which part none of the outer level's."""
        ends = [0]
        for _, start, end in groups(self._places()[1]):
            if end - ends[-1] > _ACROSS and start > ends[-1]:
                ends.append(start)
        return [*zip(ends, [*ends[1:], len(self._places()[1])], strict=True)]

    @property
    def _panel(self) -> Size:
        widest = max(end - start for start, end in self._stretches())
        return _CELL * widest, _ROW * len(self._places()[0])

    @property
    def _size(self) -> Size:
        return size_of(len(self._stretches()), self._panel, 1, _UNDER)

    def _drawn(self, axes: "Axes", language: Language) -> "Sequence[Artist]":
        """The panels under one another; returned is what the colours mean."""
        from matplotlib.patches import Patch, PathPatch

        down, across, places = self._places()
        table = np.full((len(down), len(across)), NormState.NOT_ASKED, dtype=np.intp)
        table[places[:, 1], places[:, 0]] = self.states
        stretches = self._stretches()
        drawn = panels(axes, [""] * len(stretches), self._panel, 1, _UNDER)
        most = max(end - start for start, end in stretches)
        for panel, (start, end) in zip(drawn, stretches, strict=True):
            for state in NormState:
                # not add_patch, which measures every cell for limits that are set below
                cells = path(table[:, start:end] == state)
                panel.add_artist(PathPatch(cells, linewidth=0, **_style(state)))
            _frame(panel, down, across[start:end], most)
        counts = np.bincount(table.ravel(), minlength=len(NormState))
        swatches = []
        for state in NormState:
            if state <= NormState.STRONGLY_ACCEPTABLE or counts[state]:
                name = translate(name_of(_name(state)), language)
                n = f" ({count(int(counts[state]))})" if counts[state] else ""
                swatches.append(Patch(label=name + n, linewidth=0.6, **_style(state)))
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


def path(cells: NDArray[np.bool_]) -> "Path":
    """The outlines of the cells (rows × columns), those beside one another as one rectangle.

    A patch for each would make the file of a map of thousands many times as large.

    >>> path(np.array([[True, True]])).vertices.tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0], [0.0, 0.0]]
    """
    from matplotlib.path import Path

    edges = np.diff(np.pad(cells.astype(int), ((0, 0), (1, 1))))
    (top, left), (_, right) = np.nonzero(edges == 1), np.nonzero(edges == -1)
    x, y = [left, right, right, left, left], [top, top, top + 1, top + 1, top]
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    return Path(np.stack([x, y], axis=-1).swapaxes(0, 1).reshape(-1, 2), codes * len(top))


def _style(state: NormState) -> dict[str, Any]:
    if state <= NormState.STRONGLY_ACCEPTABLE:
        return {"facecolor": DIVERGING[state], "edgecolor": QUIET}
    return ABSENCES[_name(state)]


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


def _frame(axes: "Axes", down: Levels, across: Levels, most: int) -> None:
    """Cell lines, thicker ones between outer levels, and the names of levels.

    The axes are `most` columns wide, so that cells are of one size in all panels.
    """
    height, width = len(down), len(across)
    axes.set_xlim(0, most)
    axes.set_ylim(height, 0)
    axes.vlines(range(width + 1), 0, height, color=QUIET, linewidth=0.4)
    axes.hlines(range(height + 1), 0, width, color=QUIET, linewidth=0.4)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelsize="x-small")
    axes.set_yticks(np.arange(height) + 0.5, [shortened(b, 34) for _, b in down])
    axes.set_xticks(
        np.arange(width) + 0.5,
        [in_lines(name, 36) for _, name in across],
        rotation=90,
        linespacing=1.0,
        multialignment="right",
    )
    # the letters that have room over a column
    letters = _CELL * 72 / 4.6
    outer = groups(across)
    upright = min(end - start for _, start, end in outer) * letters < _NARROW
    top, right = axes.secondary_xaxis("top"), axes.secondary_yaxis("right")
    top.set_xticks(
        [(start + end) / 2 for _, start, end in outer],
        [wrapped(name, 24 if upright else int((b - a) * letters)) for name, a, b in outer],
        rotation=90 if upright else 0,
    )
    of_rows = groups(down)
    middles = [(start + end) / 2 for _, start, end in of_rows]
    right.set_yticks(middles, [wrapped(name, 22) for name, _, _ in of_rows])
    for side in (top, right):
        side.tick_params(length=0)
        side.spines[:].set_visible(False)
        for label in (*side.get_xticklabels(), *side.get_yticklabels()):
            label.set(fontsize="small", fontweight="bold")
    axes.vlines([0, *(end for *_, end in outer)], 0, height, color=INK, linewidth=1.0)
    axes.hlines([0, *(end for *_, end in of_rows)], 0, width, color=INK, linewidth=1.0)
