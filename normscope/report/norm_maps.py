"""The norms maps of a context: which of its factors go where, and what needs a map of its own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..records.item import varying
from .charts import NormsMap

_SLOTS = ("sender", "attribute", "recipient", "transmission_principle")
_APART = ("practice",)


@dataclass(frozen=True, slots=True)
class ContextMap:
    """The map of the vignettes (their places) that share these `levels`."""

    levels: tuple[tuple[str, str], ...]
    places: tuple[int, ...]
    chart: NormsMap


def norm_maps(
    facets: Sequence[Mapping[str, str]], states: NDArray[np.intp], models: Sequence[str]
) -> Iterator[ContextMap]:
    """A map for each combination of the factors that find no place in one.

    Sender, attribute, recipient and principle have their places; another factor of the context
    takes a place that is free. `states` are models × vignettes.
    """
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
