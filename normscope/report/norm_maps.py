"""Norms by the factors of a context: the maps of every vignette, and the means of two factors."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..messages import message
from ..metrics.inputs import Floats
from ..metrics.majority import LIKERT
from ..records.item import VIGNETTE, varying
from .charts import NormsMap

_SLOTS = ("sender", "attribute", "recipient", "transmission_principle")
_APART = ("practice",)


@dataclass(frozen=True, slots=True)
class ContextMap:
    """The map of the vignettes (their places) that share these `levels`."""

    levels: tuple[tuple[str, str], ...]
    places: tuple[int, ...]
    chart: NormsMap


@dataclass(frozen=True, slots=True)
class Crossing:
    """Two factors of a context and their levels; `cells` has the places of the vignettes at each.

    >>> crossing = Crossing.of({"sender": ["a", "b", "a"], "recipient": ["x", "x", "y"]})
    >>> crossing.rows, crossing.columns, [[c.tolist() for c in row] for row in crossing.cells]
    (('x', 'y'), ('a', 'b'), [[[0], [1]], [[2], []]])
    """

    row: str
    column: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[NDArray[np.intp], ...], ...]

    @classmethod
    def of(cls, factors: Mapping[str, Sequence[str]], sides: Sequence[str] = ()) -> "Crossing":
        """Those of the factors for rows and columns (`sides`).

        Without them the transmission principle and the recipient, else what has most levels. A
        level that a vignette lacks is called so.
        """
        levels = {name: list(dict.fromkeys(of)) for name, of in factors.items()}
        ranked = sorted(levels, key=lambda name: -len(levels[name]))
        preferred = [name for name in ("transmission_principle", "recipient") if name in levels]
        row, column = list(dict.fromkeys((*sides, *preferred, *ranked)))[:2]
        down, across = np.array(factors[row]), np.array(factors[column])
        named = [
            tuple(level or message("not given") for level in levels[name]) for name in (row, column)
        ]
        cells = tuple(
            tuple(np.flatnonzero((down == r) & (across == c)) for c in levels[column])
            for r in levels[row]
        )
        return cls(row, column, named[0], named[1], cells)

    def means(self, states: NDArray[np.intp]) -> Floats:
        """The mean norm in each cell, rows × columns, of the state of every vignette; or NaN."""
        return np.array([[mean_norm(states[cell]) for cell in row] for row in self.cells])


def mean_norm(states: NDArray[np.intp]) -> float:
    """The mean norm of the vignettes that have one, NaN where none has.

    >>> mean_norm(np.array([0, 3, 5]))  # strongly unacceptable, somewhat acceptable, no majority
    -0.5
    """
    norms = np.array(LIKERT)[states[states < len(LIKERT)]]
    return float(norms.mean()) if len(norms) else np.nan


def norm_maps(
    facets: Sequence[Mapping[str, str]], states: NDArray[np.intp], models: Sequence[str]
) -> Iterator[ContextMap]:
    """A map for each combination of the factors that find no place in one.

    Sender, attribute, recipient and principle have their places; another factor of the context
    takes a place that is free. `states` are models × vignettes. Those that no factors make have no
    place in a map, and there is none.
    """
    if any(VIGNETTE in of_vignette for of_vignette in facets):
        return
    factors = varying(facets)
    places, apart = arranged(list(factors))
    keys = list(zip(*(factors[name] for name in apart), strict=True)) or [()] * len(facets)
    for key in dict.fromkeys(keys):
        rows = [at for at, other in enumerate(keys) if other == key]
        flows = {name: [column[at] for at in rows] for name, column in factors.items()}
        chart = NormsMap(
            states=states[:, rows],
            models=models,
            # one vignette varies in nothing
            flows=flows or {"sender": [""] * len(rows)},
            rows=(places[0], places[1]),
            columns=(places[2], places[3]),
        )
        yield ContextMap(tuple(zip(apart, key, strict=True)), tuple(rows), chart)


def arranged(factors: Sequence[str]) -> tuple[list[str], list[str]]:
    """The factor in each place (rows outer and inner, columns outer and inner), and the rest.

    An empty place is free. The practice always needs a map of its own.

    >>> arranged(["sender", "recipient", "place", "practice"])
    (['sender', 'place', 'recipient', ''], ['practice'])
    """
    others = [name for name in factors if name not in (*_SLOTS, *_APART)]
    places = [slot if slot in factors else "" for slot in _SLOTS]
    for at in (1, 3, 0, 2):
        if not places[at] and others:
            places[at] = others.pop(0)
    return places, [*others, *(name for name in factors if name in _APART)]
