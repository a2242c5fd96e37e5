"""Which vignettes are asked: a context, the levels of its factors, and every prompt of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyarrow as pa

from ...datasets_builders.ci_vignettes.context import bundled_contexts
from ...datasets_builders.ci_vignettes.prompts import bundled_prompts
from ...datasets_builders.ci_vignettes.vignettes import vignette_table
from ...rows import write_rows
from .texts import VisitorError

ORDER = "forward"
MAX_SHOWN = 600
MAX_FACETS = 7
"""As many as the context with the most of them has."""

Levels = Mapping[str, Sequence[str]]
"""The chosen levels of each factor; one without an entry, or with an empty one, is taken whole."""


@dataclass(frozen=True, slots=True)
class Vignette:
    """One flow of information: its text and the level of each factor that varies."""

    item_id: str
    text: str
    flow: Mapping[str, str]


def levels_of(name: str) -> dict[str, list[str]]:
    """The levels of every factor that varies in the context, in the order of the context."""
    table = _table(name)
    levels = {
        facet: list(dict.fromkeys(level for level in table[facet].to_pylist() if level is not None))
        for facet in bundled_contexts()[name].facets
    }
    return {facet: several for facet, several in levels.items() if len(several) > 1}


def choose(name: str, levels: Levels) -> list[Vignette]:
    """The vignettes whose levels are all among the chosen ones; an error if none is.

    A factor that a practice does not have excludes nothing of it.
    """
    known = levels_of(name)
    for facet, chosen in levels.items():
        for level in chosen:
            if level not in known[facet]:
                raise VisitorError(
                    "{factor} has no level {name!r} in this context.",
                    name=str(level)[:80],
                    factor=facet,
                )
    limited = {facet: set(chosen) for facet, chosen in levels.items() if chosen}
    inside = [
        vignette
        for vignette in vignettes(name)
        if all(
            vignette.flow.get(facet, None) in {None, *chosen} for facet, chosen in limited.items()
        )
    ]
    if not inside:
        raise VisitorError("No vignette has these levels together. Take one of them out.")
    return inside


def begin_with(name: str, *, most: int) -> dict[str, list[str]]:
    """Levels to begin with: the first few of each factor, at most so many combinations.

    What varies along rows and columns keeps up to four levels, the rest keeps one; what is tied to
    another factor goes with it.
    """
    known, factors = levels_of(name), bundled_contexts()[name].factors
    tied = {facet for facet in known if facet in factors and factors[facet].tied_to}
    chosen = {facet: [] if facet in tied else levels[:1] for facet, levels in known.items()}
    for facet in sides([facet for facet in known if facet not in tied]):
        # four levels a side are as many as fit beside the menus
        for size in (2, 3, 4):
            wider = chosen | {facet: known[facet][:size]}
            if len(choose(name, wider)) <= most:
                chosen = wider
    return chosen


def sides(factors: Sequence[str]) -> tuple[str, ...]:
    """The factors that go along the rows and the columns of a heatmap.

    >>> sides(["sender", "recipient", "attribute", "transmission_principle"])
    ('transmission_principle', 'attribute')
    >>> sides(["place", "inference", "practice"])
    ('place', 'inference')
    """
    # vignettes of two practices share no factor levels: each has a panel of its own
    left = [name for name in factors if name != "practice"]
    chosen: list[str] = []
    for preferred in (("transmission_principle", "recipient", "place"), ("attribute", "inference")):
        free = [name for name in left if name not in chosen]
        chosen += ([name for name in preferred if name in free] or free)[:1]
    return tuple(chosen)


@cache
def vignettes(name: str) -> tuple[Vignette, ...]:
    """Every vignette of the context."""
    table, facets = _table(name), list(levels_of(name))
    columns = zip(*(table[facet].to_pylist() for facet in facets), strict=True)
    texts = zip(table["item_id"].to_pylist(), table["vignette"].to_pylist(), columns, strict=True)
    return tuple(
        Vignette(
            item_id,
            text,
            {f: level for f, level in zip(facets, row, strict=True) if level is not None},
        )
        for item_id, text, row in texts
    )


def prompts_of(vignette: Vignette) -> dict[str, str]:
    """The vignette's prompt in each of the published variants."""
    prompts = bundled_prompts()
    return {variant: prompts.render(variant, vignette.text) for variant in prompts.variants}


def write_prompts(name: str, levels: Levels, folder: Path) -> Path:
    """Writes the prompts of the chosen vignettes as a CSV into the folder."""
    chosen = choose(name, levels)
    refuse_many(len(chosen), MAX_SHOWN)
    rows = [
        {"item_id": vignette.item_id, "variant_id": variant, "prompt": prompt, "answer": ""}
        for vignette in chosen
        for variant, prompt in prompts_of(vignette).items()
    ]
    path = folder / f"{name}-prompts.csv"
    write_rows(path, rows)
    return path


def refuse_many(n: int, most: int) -> None:
    """Refuses more vignettes than are taken at once."""
    if n > most:
        raise VisitorError(
            "{n} vignettes are chosen; up to {most} are taken at once. Choose fewer levels.",
            n=f"{n:,}",
            most=most,
        )


@cache
def _table(name: str) -> pa.Table:
    return vignette_table(bundled_contexts()[name])


def by_factor(name: str, levels: tuple[list[str], ...]) -> dict[str, list[str]]:
    """The levels under their factors, as the tab's menus stand."""
    return {
        factor: list(chosen or []) for factor, chosen in zip(levels_of(name), levels, strict=False)
    }
