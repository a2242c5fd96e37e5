"""Norms heatmaps of a context: which of its factors go where, and what needs a map of its own."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ...compare.wordings import Vignettes
from ..charts import norms_heatmap
from ..charts.parts import MOST

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SLOTS = ("sender", "attribute", "recipient", "transmission_principle")
_APART = ("practice",)
_MOST_MAPS = 12


def norm_maps(
    asked: Vignettes, models: Sequence[str], said: Callable[[str], str], notes: list[str]
) -> Iterator[tuple[str, str, Callable[..., "Figure"]]]:
    """For each map what its file is called after, its title, and how to draw it.

    Sender, attribute, recipient and principle have their places; another factor of the context
    takes a place that is free, and a map is drawn for each combination of those that find none.
    """
    factors = {name: [s.facets.get(name, "") for s in asked.subjects] for name in _names(asked)}
    factors = {name: levels for name, levels in factors.items() if len(set(levels)) > 1}
    if not factors:
        notes.append("the vignettes do not vary in any factor: no norms heatmap")
        return
    if len(models) > MOST:
        notes.append(f"the norms heatmap shows the first {MOST} of {len(models)} runs")
    places, apart = arranged(list(factors))
    keys = list(zip(*(factors[name] for name in apart), strict=True)) or [()] * len(asked.subjects)
    distinct = list(dict.fromkeys(keys))
    if len(distinct) > _MOST_MAPS:
        told = ", ".join(said(name) for name in apart)
        notes.append(f"norms heatmaps of {_MOST_MAPS} of {len(distinct)} levels of {told}")
    norms = np.stack([asked.norms(run) for run in range(min(len(models), MOST))])
    for number, key in enumerate(distinct[:_MOST_MAPS], start=1):
        rows = [at for at, own in enumerate(keys) if own == key]
        yield (
            f"-{number:02}" if len(distinct) > 1 else "",
            ", ".join(level or "–" for level in key) if key else said("norms"),
            partial(
                norms_heatmap,
                norms[:, rows],
                models=models[:MOST],
                flows={name: [factors[name][at] for at in rows] for name in factors},
                rows=(places[0], places[1]),
                columns=(places[2], places[3]),
            ),
        )


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


def _names(asked: Vignettes) -> list[str]:
    return list(dict.fromkeys(name for subject in asked.subjects for name in subject.facets))
