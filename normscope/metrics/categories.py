"""The levels that a group may have: those of the two question benchmarks, and the check.

A slug that a table of scores has never heard of is mostly a misspelt one, whose items would make a
category of their own and be missing from the right one.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from ..builders.taxonomy import CFSAFETY, CHISAFETYBENCH
from ..errors import DataError, UsageError, nearest

Levels = Mapping[str, Collection[str]]
"""Per dimension (`area`, `category`) the levels there are; a dimension that is missing is free."""

Known = Levels | Literal["cfsafety", "chisafetybench"] | None
"""Levels, the benchmark whose levels they are, or null: any level will do."""

BENCHMARKS: Mapping[str, Levels] = {
    name: {
        "area": tuple(dict.fromkeys(category.area for category in categories)),
        "category": tuple(category.slug for category in categories),
    }
    for name, categories in (("cfsafety", CFSAFETY), ("chisafetybench", CHISAFETYBENCH))
}


def levels_of(known: Known) -> Levels:
    """The levels by dimension; none of null.

    >>> levels_of("cfsafety")["area"], levels_of(None)
    (('scenario', 'attack'), {})
    """
    if known is None:
        return {}
    if isinstance(known, str):
        if known not in BENCHMARKS:
            remedy = "or give the levels themselves, {'category': [...]}"
            raise UsageError(f"known {known!r}: {nearest(known, list(BENCHMARKS))}; {remedy}")
        return BENCHMARKS[known]
    return known


def check_levels(group: str, levels_found: Iterable[str], known: Known) -> None:
    """Refuses a level of the group that is not known, and names the nearest.

    >>> check_levels("category", ["privacy_leak"], "cfsafety")
    Traceback (most recent call last):
    normscope.errors.DataError: category 'privacy_leak' is none of the 10 known; did you mean \
'privacy_leaks'? (levels of your own: known={'category': [...]}, any: known=None)
    """
    levels = levels_of(known).get(group)
    if levels is None:
        return
    names = [str(level) for level in levels]
    for level in levels_found:
        if level not in names:
            remedy = f"levels of your own: known={{{group!r}: [...]}}, any: known=None"
            message = f"{group} {level!r} is none of the {len(names)} known"
            raise DataError(f"{message}; {nearest(level, names)} ({remedy})")


def check_dimensions(groups: Iterable[str], known: Known) -> None:
    """Refuses levels of the caller's own for a dimension that is not there: a misspelt name."""
    if known is None or isinstance(known, str):
        return
    there = list(groups)
    for name in known:
        if name not in there:
            remedy = nearest(name, there) if there else "no groups are given"
            raise UsageError(f"known has levels of {name!r}, which is no group here; {remedy}")
