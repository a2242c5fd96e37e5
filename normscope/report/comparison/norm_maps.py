"""Norms heatmaps of a context: which of its factors go where, and what needs a map of its own."""

from collections.abc import Iterator, Sequence

import numpy as np

from ...compare.vignettes import Vignettes
from ...messages import Language, joined, known, message
from ..charts import NormsMap
from ..charts.norms import MOST
from ..charts.words import say

_SLOTS = ("sender", "attribute", "recipient", "transmission_principle")
_APART = ("practice",)
_MOST_MAPS = 12


def norm_maps(
    asked: Vignettes, models: Sequence[str], title: str, language: Language, notes: list[str]
) -> Iterator[tuple[str, NormsMap]]:
    """For each map what its file is called after, and the chart; `title` begins that of each.

    Sender, attribute, recipient and principle have their places; another factor of the context
    takes a place that is free, and a map is drawn for each combination of those that find none.
    """
    factors = {name: [s.facets.get(name, "") for s in asked.subjects] for name in _names(asked)}
    factors = {name: levels for name, levels in factors.items() if len(set(levels)) > 1}
    if not factors:
        notes.append(message("the vignettes do not vary in any factor: no norms heatmap"))
        return
    if len(models) > MOST:
        notes.append(
            message("the norms heatmap shows the first {n} of {m} runs", n=MOST, m=len(models))
        )
    places, apart = arranged(list(factors))
    keys = list(zip(*(factors[name] for name in apart), strict=True)) or [()] * len(asked.subjects)
    distinct = list(dict.fromkeys(keys))
    if len(distinct) > _MOST_MAPS:
        notes.append(
            message(
                "norms heatmaps of {n} of {m} levels of {factors}",
                n=_MOST_MAPS,
                m=len(distinct),
                factors=joined(known(say(name, "en")) for name in apart),
            )
        )
    states = np.stack([asked.states(run) for run in range(min(len(models), MOST))])
    for number, key in enumerate(distinct[:_MOST_MAPS], start=1):
        rows = [at for at, of_row in enumerate(keys) if of_row == key]
        held = ", ".join(level or "–" for level in key) if key else say("norms", language)
        yield (
            f"-{number:02}" if len(distinct) > 1 else "",
            NormsMap(
                states=states[:, rows],
                models=models[:MOST],
                flows={name: [factors[name][at] for at in rows] for name in factors},
                rows=(places[0], places[1]),
                columns=(places[2], places[3]),
                title=f"{title} · {held}",
                language=language,
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
