"""The norms heatmap: every flow of a context as a cell, cut into a part per model.

Rows are attributes within senders, columns are transmission principles within recipients.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import DataError, UsageError
from .answers import LIKERT
from .canvas import new_figure, styled
from .norms_frame import CELL, VALUES, Side, frame, key_of_colours, key_of_models, not_asked
from .parts import MOST, Polygon, parts

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.path import Path

Flows = Mapping[str, Sequence[str]]
"""The level of every flow in each parameter; a parameter that is not named is left out."""

_SQUARE = parts(1)[0]


def norms_heatmap(
    norms: ArrayLike,
    *,
    models: Sequence[str],
    flows: Flows,
    rows: tuple[str, str] = ("sender", "attribute"),
    columns: tuple[str, str] = ("recipient", "transmission_principle"),
    title: str = "",
    language: str = "en",
) -> "Figure":
    """The norms (models × flows, −2 … +2) of up to four models; NaN, no majority, stays empty.

    A cell is whole for one model and cut for two to four: the key says which part is whose. A
    combination that is no flow, or was not asked about, is hatched. Two flows in one
    cell are refused.
    """
    table = np.asarray(norms, dtype=float)
    n = len(next(iter(flows.values()), ()))
    if not 1 <= len(models) <= MOST:
        raise UsageError(f"a cell has room for 1 to {MOST} models, not {len(models)}; choose")
    if table.shape != (len(models), n) or n == 0:
        raise DataError(f"norms must be {len(models)} models × {n} flows, not {table.shape}")
    (down, row_of), (across, column_of) = (_side(flows, names, n) for names in (rows, columns))
    places = np.stack([column_of, row_of], axis=1)
    _refuse_shared(places, flows)
    size = (len(across.pairs), len(down.pairs))
    with styled(language) as chosen:
        from matplotlib.patches import PathPatch

        figure = new_figure(max(6.5, size[0] * CELL + 5.4), size[1] * CELL + 5.0)
        heights = [size[1] * CELL + 4.0, 1.0]
        above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=heights)[:, 0]
        axes = above.add_subplot()
        gaps = _gaps(places, size)
        if gaps:
            axes.add_patch(PathPatch(path(gaps), **not_asked()))
        for value, colour in zip(VALUES, LIKERT, strict=True):
            found = cut(table, places, value)
            if found:
                axes.add_patch(PathPatch(path(found), facecolor=colour, linewidth=0))
        frame(axes, down, across)
        above.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        keys = below.subplots(1, 2)
        key_of_models(keys[0], models)
        key_of_colours(keys[1], chosen.language, gaps=bool(gaps))
    return figure


def cut(table: NDArray[np.float64], places: NDArray[np.intp], value: int) -> list[Polygon]:
    """The parts of cells with the value: per model its own part of the flow's cell.

    `places` has the column and the row of each flow.
    """
    shapes = parts(len(table))
    return [shapes[model] + places[flow] for model, flow in np.argwhere(table == value).tolist()]


def path(polygons: Sequence[Polygon]) -> "Path":
    """One path of all polygons; a patch for each would make the file many times as large."""
    from matplotlib.path import Path

    vertices = np.concatenate([np.vstack((one, one[:1])) for one in polygons])
    codes = np.concatenate(
        [[Path.MOVETO, *[Path.LINETO] * (len(one) - 1), Path.CLOSEPOLY] for one in polygons]
    )
    return Path(vertices, codes)


def _side(flows: Flows, names: tuple[str, str], n: int) -> tuple[Side, NDArray[np.intp]]:
    """The pairs of levels in the order of the context, and the place of each flow among them."""
    levels = [list(flows.get(name, [""] * n)) for name in names]
    order = [{level: at for at, level in enumerate(dict.fromkeys(one))} for one in levels]
    every = list(zip(*levels, strict=True))
    pairs = sorted(set(every), key=lambda pair: (order[0][pair[0]], order[1][pair[1]]))
    place = {pair: at for at, pair in enumerate(pairs)}
    return Side(tuple((a, b) for a, b in pairs)), np.array([place[pair] for pair in every])


def _refuse_shared(places: NDArray[np.intp], flows: Flows) -> None:
    _, first, counts = np.unique(places, axis=0, return_index=True, return_counts=True)
    if (counts > 1).any():
        flow = int(first[counts > 1][0])
        told = ", ".join(f"{name} {levels[flow]!r}" for name, levels in flows.items())
        raise DataError(f"more than one flow has {told}; draw what tells them apart separately")


def _gaps(places: NDArray[np.intp], size: tuple[int, int]) -> list[Polygon]:
    """The cells of combinations that no flow has."""
    empty = np.ones(size, dtype=bool)
    empty[places[:, 0], places[:, 1]] = False
    return [_SQUARE + place for place in np.argwhere(empty)]
