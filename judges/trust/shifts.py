"""What a change that should change nothing does to a judge's verdicts: paired shifts, tested."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ...metrics.clustered import clustered_t
from ...metrics.estimate import Estimate
from ...metrics.intervals import Bounds
from ...metrics.multiplicity import holm
from ...metrics.paired import paired_mean_difference, scored_in_both
from ...metrics.significance import Test

LEVEL = 0.05
SLIGHT = 0.01

Role = Literal["primary", "secondary", "described"]
"""Primary shifts are corrected by Holm over all probes; of the others p stands as it is."""


@dataclass(frozen=True, slots=True)
class Shift:
    """One probe's shift of one outcome, changed less unchanged, in a language (empty: in all).

    `before` is the mean of what was not changed, `size` the mean of the shifts' absolute values:
    a judge may waver much and on the whole lean nowhere. The interval of `estimate` and `test` are
    of the pairs scored on both sides, its `worst` and `best` of all pairs; `worst_low` is the lower
    limit of the worst case, `best_high` the upper of the best. A scale without bounds has neither
    case if something is unscored. `test` is null where nothing was to show. `width` is that of the
    outcome's scale.
    """

    probe: str
    variant: str
    outcome: str
    role: Role
    language: str
    estimate: Estimate
    worst_low: float | None
    best_high: float | None
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
        """Whether it lies within 1 % of the scale, whatever is unscored: no chance, no matter."""
        limits = (self.estimate.low, self.estimate.high, self.worst_low, self.best_high)
        if self.width is None:
            return False
        return all(limit is not None and abs(limit) < SLIGHT * self.width for limit in limits)


@dataclass(frozen=True, slots=True)
class Probe:
    """A probe: what it did, its shifts, or why it was not made."""

    name: str
    question: str
    shifts: tuple[Shift, ...] = ()
    missing: str = ""


@dataclass(frozen=True, slots=True)
class PairedValues:
    """Paired values of one outcome, null where unscored, each pair's cluster and language."""

    outcome: str
    changed: Sequence[float | None]
    unchanged: Sequence[float | None]
    clusters: Sequence[str]
    languages: Sequence[str]
    bounds: Bounds | None = None


def shifts_of(
    probe: str, columns: Iterable[PairedValues], *, variant: str = "", described: bool = False
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


def adjusted(probes: Sequence[Probe]) -> tuple[Probe, ...]:
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


def _shift(probe: str, variant: str, column: PairedValues, role: Role) -> Shift:
    changed = np.array(column.changed, dtype=np.float64)
    unchanged = np.array(column.unchanged, dtype=np.float64)
    clusters = np.array(column.clusters, dtype=object)
    apart, bounds = changed - unchanged, column.bounds
    known = ~np.isnan(apart)
    width = None if bounds is None else bounds[1] - bounds[0]
    found, whole = (
        paired_mean_difference(
            changed[rows], unchanged[rows], bounds=bounds, clusters=clusters[rows]
        )
        for rows in (known, slice(None))
    )
    bounded = whole.worst is not None
    test = clustered_t(apart, clusters=clusters, bounds=None if width is None else (-width, width))
    return Shift(
        probe=probe,
        variant=variant,
        outcome=column.outcome,
        role=role,
        language="",
        estimate=scored_in_both(found, whole),
        worst_low=whole.low if bounded else None,
        best_high=whole.high if bounded else None,
        before=float(unchanged[known].mean()) if known.any() else None,
        size=float(np.abs(apart[known]).mean()) if known.any() else None,
        test=None if role == "described" else test,
        width=width,
    )


def _some(column: PairedValues, rows: Sequence[int]) -> PairedValues:
    return replace(
        column,
        changed=[column.changed[row] for row in rows],
        unchanged=[column.unchanged[row] for row in rows],
        clusters=[column.clusters[row] for row in rows],
        languages=[column.languages[row] for row in rows],
    )
