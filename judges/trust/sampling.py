"""A stratified random sample: which strata, how many rows of each, and which."""

from collections.abc import Mapping, Sequence

import numpy as np

from ...errors import UsageError, nearest
from .frame import FrameRow

Stratum = tuple[str, ...]

VERDICT = "verdict"
DIMENSIONS = ("verdict", "language", "category", "area", "turns", "item_format")
FEWEST = 2
"""Rows of a stratum without which its spread cannot be told."""

_ALL = "*"


def strata_of(
    rows: Sequence[FrameRow], dimensions: Sequence[str], criteria: Sequence[str]
) -> list[Stratum]:
    """The stratum of each row: the judge's verdicts first, then language, then the others.

    That order says what is given up last where strata are too small (`merged`).
    """
    for name in dimensions:
        if name not in DIMENSIONS:
            raise UsageError(f"no stratum {name!r}; {nearest(name, DIMENSIONS)}")
    ordered = [name for name in DIMENSIONS if name in dimensions]
    return [
        tuple(
            part
            for name in ordered
            for part in (
                [row.verdict(criterion) for criterion in criteria]
                if name == VERDICT
                else [_level(row, name)]
            )
        )
        for row in rows
    ]


def _level(row: FrameRow, name: str) -> str:
    item = row.item
    own = item.facets.get(name) if name in {"turns", "item_format"} else getattr(item, name)
    return str(own or "")


def merged(strata: Sequence[Stratum], n: int) -> list[Stratum]:
    """The strata, those with less than two of n rows due to them put together with their like.

    Level by level from the last: small strata that differ in the last level alone become one, then
    those that differ in the last two, and so on; those of another first level stay apart.

    >>> merged([("1", "zh")] * 8 + [("0", "zh"), ("0", "en")], 5)[-2:]
    [('0', '*'), ('0', '*')]
    """
    found = list(strata)
    for kept in range(max((len(one) for one in found), default=0) - 1, 0, -1):
        sizes = _sizes(found)
        small = {one for one, size in sizes.items() if n * size < FEWEST * len(found)}
        alone = {one: (*one[:kept], *[_ALL] * (len(one) - kept)) for one in small}
        found = [alone.get(one, one) for one in found]
    return found


def allocate(sizes: Mapping[Stratum, int], n: int) -> dict[Stratum, int]:
    """How many rows of each stratum, n in all: in proportion, two at least where there are two.

    >>> allocate({("1",): 90, ("0",): 8, ("unscored",): 1}, 20)
    {('1',): 17, ('0',): 2, ('unscored',): 1}
    """
    total = sum(sizes.values())
    if n >= total:
        return dict(sizes)
    quotas = {one: min(FEWEST, size) for one, size in sizes.items()}
    if n < sum(quotas.values()):
        raise UsageError(
            f"{len(sizes)} strata need {sum(quotas.values())} answers, two of each, and --n is "
            f"{n}: draw more, or name fewer --strata"
        )
    while (left := n - sum(quotas.values())) > 0:
        # one by one to whichever is furthest behind its due
        open_ones = [one for one, size in sizes.items() if quotas[one] < size]
        short = {one: n * sizes[one] / total - quotas[one] for one in open_ones}
        for one in sorted(open_ones, key=lambda key: (-short[key], key))[:left]:
            if short[one] == max(short.values()) or short[one] >= 1:
                quotas[one] += 1
    return quotas


def draw(strata: Sequence[Stratum], n: int, *, seed: int) -> list[int]:
    """The places of n rows: within each stratum every row has the same chance, none twice.

    The same strata, n and seed give the same rows.
    """
    members: dict[Stratum, list[int]] = {}
    for at, stratum in enumerate(strata):
        members.setdefault(stratum, []).append(at)
    quotas = allocate({one: len(found) for one, found in members.items()}, n)
    random = np.random.default_rng(seed)
    return sorted(
        at
        for one in sorted(members)
        for at in random.choice(members[one], size=quotas[one], replace=False).tolist()
    )


def shuffled(count: int, *, seed: int, rater: int) -> list[int]:
    """The order in which a rater sees the rows."""
    order: list[int] = np.random.default_rng([seed, rater]).permutation(count).tolist()
    return order


def _sizes(strata: Sequence[Stratum]) -> dict[Stratum, int]:
    sizes: dict[Stratum, int] = {}
    for one in strata:
        sizes[one] = sizes.get(one, 0) + 1
    return sizes
