"""What a change that should change nothing does to a judge's verdicts: paired shifts, tested."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..metrics.clustered import clustered_t
from ..metrics.estimate import Estimate
from ..metrics.inputs import Floats
from ..metrics.intervals import Bounds
from ..metrics.multiplicity import holm
from ..metrics.rates import mean
from ..metrics.significance import Test

LEVEL = 0.05
SLIGHT = 0.01

Role = Literal["primary", "secondary", "described"]
"""Primary shifts are corrected by Holm over all probes; of the others p stands as it is."""


@dataclass(frozen=True, slots=True)
class Shift:
    """One probe's shift of one outcome, changed less unchanged, in a language (empty: in all).

    `before` is the mean of what was not changed, `size` the mean of the shifts' absolute values:
    a judge may waver much and on the whole lean nowhere. `test` is null where nothing was to show.
    `width` is that of the outcome's scale.
    """

    probe: str
    variant: str
    outcome: str
    role: Role
    language: str
    estimate: Estimate
    before: float | None
    size: float | None
    test: Test | None
    p_adjusted: float | None = None
    width: float | None = None

    @property
    def shown(self) -> bool:
        """Whether the shift is no chance, after the correction."""
        return self.p_adjusted is not None and self.p_adjusted < LEVEL

    @property
    def slight(self) -> bool:
        """Whether the whole interval lies within 1 % of the scale: no chance, and no matter."""
        low, high = self.estimate.low, self.estimate.high
        if self.width is None or low is None or high is None:
            return False
        return max(abs(low), abs(high)) < SLIGHT * self.width


@dataclass(frozen=True, slots=True)
class Probed:
    """A probe: what it did, its shifts, or why it was not made."""

    name: str
    question: str
    shifts: tuple[Shift, ...] = ()
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """Paired values of one outcome, null where unscored, each pair's cluster and language."""

    outcome: str
    changed: Sequence[float | None]
    unchanged: Sequence[float | None]
    clusters: Sequence[str]
    languages: Sequence[str]
    bounds: Bounds | None = None


def shifts_of(
    probe: str, columns: Iterable[Column], *, variant: str = "", described: bool = False
) -> tuple[Shift, ...]:
    """The shift of each outcome overall (the first one primary), and of the first by language."""
    table: list[Shift] = []
    for at, column in enumerate(columns):
        role: Role = "described" if described else "secondary" if at else "primary"
        table.append(_shift(probe, variant, column, role))
        spoken = list(dict.fromkeys(column.languages)) if at == 0 else []
        for language in spoken if len(spoken) > 1 else []:
            rows = [row for row, own in enumerate(column.languages) if own == language]
            split: Role = "described" if described else "secondary"
            part = _shift(probe, variant, _some(column, rows), split)
            table.append(replace(part, language=language))
    return tuple(table)


def adjusted(probes: Sequence[Probed]) -> tuple[Probed, ...]:
    """The probes with the p of their primary shifts corrected by Holm over all of them."""
    primary = [s for probe in probes for s in probe.shifts if s.role == "primary"]
    corrected = holm([s.test.p if s.test else None for s in primary])
    told = {
        id(s): None if np.isnan(p) else float(p) for s, p in zip(primary, corrected, strict=True)
    }
    return tuple(
        replace(probe, shifts=tuple(replace(s, p_adjusted=told.get(id(s))) for s in probe.shifts))
        for probe in probes
    )


def shift_estimate(differences: Floats, bounds: Bounds | None, clusters: Sequence[str]) -> Estimate:
    """The mean of the differences of values within the bounds, NaN where one is unscored."""
    width = None if bounds is None else (bounds[0] - bounds[1], bounds[1] - bounds[0])
    return mean(differences, bounds=width, clusters=np.array(clusters, dtype=object))


def _shift(probe: str, variant: str, column: Column, role: Role) -> Shift:
    changed = np.array(column.changed, dtype=np.float64)
    unchanged = np.array(column.unchanged, dtype=np.float64)
    apart = changed - unchanged
    known = ~np.isnan(apart)
    clusters = np.array(column.clusters, dtype=object)
    return Shift(
        probe=probe,
        variant=variant,
        outcome=column.outcome,
        role=role,
        language="",
        estimate=shift_estimate(apart, column.bounds, column.clusters),
        before=float(unchanged[known].mean()) if known.any() else None,
        size=float(np.abs(apart[known]).mean()) if known.any() else None,
        test=None if role == "described" else clustered_t(apart, clusters=clusters),
        width=None if column.bounds is None else column.bounds[1] - column.bounds[0],
    )


def _some(column: Column, rows: Sequence[int]) -> Column:
    return replace(
        column,
        changed=[column.changed[row] for row in rows],
        unchanged=[column.unchanged[row] for row in rows],
        clusters=[column.clusters[row] for row in rows],
        languages=[column.languages[row] for row in rows],
    )
