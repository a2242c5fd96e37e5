"""How a unit cell is cut for one to four models."""

import numpy as np
from numpy.typing import NDArray

Polygon = NDArray[np.float64]
"""The corners of a part, as rows of x and y; y points down, as rows of a table do."""

MOST = 4

_MIDDLE = (0.5, 0.5)
_CORNERS = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))

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


def parts(models: int) -> list[Polygon]:
    """The parts of the unit cell: a square, two or four triangles, or three parts; no overlap.

    >>> [len(part) for part in parts(4)]
    [3, 3, 3, 3]
    """
    return [np.array(part, dtype=float) for part in _PARTS[models]]


def area(polygon: Polygon) -> float:
    """The area of a part, by the shoelace formula.

    >>> [area(part) for part in parts(4)]
    [0.25, 0.25, 0.25, 0.25]
    """
    x, y = polygon.T
    return abs(float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())) / 2
