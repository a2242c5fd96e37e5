"""What a change that should change nothing does to a judge's verdicts: paired shifts, tested."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from ...metrics.estimate import Estimate
from ...metrics.inputs import Bools
from ...metrics.intervals import Bounds
from ...metrics.paired import paired_mean_difference, scored_in_both
from ...metrics.significance import Test, clustered_t, holm

LEVEL = 0.05

Role = Literal["primary", "secondary"]
"""Primary shifts are corrected by Holm over all probes; of the others p stands as it is."""


@dataclass(frozen=True, slots=True)
class Shift:
    """One probe's shift of one outcome, changed less unchanged, in a language (empty: in all).

    `before` is the mean of what was not changed, `size` the mean of the shifts' absolute values:
    a judge may waver much and on the whole lean nowhere. The interval of `estimate` and `test` are
    of the pairs scored on both sides, its `lowest` and `highest` of all pairs.
    """

    probe: str
    variant: str
    outcome: str
    role: Role
    language: str
    estimate: Estimate
    before: float | None
    size: float | None
    test: Test
    p_adjusted: float | None = None

    @property
    def shown(self) -> bool:
        """Whether the shift is no chance, after the correction."""
        return self.p_adjusted is not None and self.p_adjusted < LEVEL


@dataclass(frozen=True, slots=True)
class PairedValues:
    """Paired values of one outcome, null where unscored, each pair's cluster and language.

    Of an outcome whose scale is not known the bounds are null.
    """

    outcome: str
    changed: Sequence[float | None]
    unchanged: Sequence[float | None]
    clusters: Sequence[str]
    languages: Sequence[str]
    bounds: Bounds | None = None


def shifts_of(probe: str, table: Iterable[PairedValues], *, variant: str = "") -> tuple[Shift, ...]:
    """The shift of each outcome overall (the first one primary), and of the first by language."""
    shifts: list[Shift] = []
    for at, values in enumerate(table):
        shift = partial(_shift, probe, variant, values)
        shifts.append(shift("secondary" if at else "primary"))
        spoken = np.array(values.languages, dtype=object)
        languages = list(dict.fromkeys(values.languages)) if at == 0 else []
        if len(languages) > 1:
            shifts += [shift("secondary", language=each, rows=spoken == each) for each in languages]
    return tuple(shifts)


def adjusted(shifts: Sequence[Shift]) -> tuple[Shift, ...]:
    """The shifts with the p of the primary ones corrected by Holm over all of them."""
    at = [place for place, shift in enumerate(shifts) if shift.role == "primary"]
    corrected = holm([shifts[place].test.p for place in at])
    known = {i: float(p) for i, p in zip(at, corrected, strict=True) if not np.isnan(p)}
    return tuple(replace(s, p_adjusted=known.get(place)) for place, s in enumerate(shifts))


def _shift(
    probe: str,
    variant: str,
    values: PairedValues,
    role: Role,
    *,
    language: str = "",
    rows: Bools | slice = slice(None),
) -> Shift:
    changed = np.array(values.changed, dtype=np.float64)[rows]
    unchanged = np.array(values.unchanged, dtype=np.float64)[rows]
    clusters = np.array(values.clusters, dtype=object)[rows]
    apart, bounds = changed - unchanged, values.bounds
    known = ~np.isnan(apart)
    width = None if bounds is None else bounds[1] - bounds[0]
    # once over the pairs that the test is of, once with what the unscored could have been
    of_known, of_all = (
        paired_mean_difference(changed[at], unchanged[at], bounds=bounds, clusters=clusters[at])
        for at in (known, slice(None))
    )
    return Shift(
        probe=probe,
        variant=variant,
        outcome=values.outcome,
        role=role,
        language=language,
        estimate=scored_in_both(of_known, of_all),
        before=float(unchanged[known].mean()) if known.any() else None,
        size=float(np.abs(apart[known]).mean()) if known.any() else None,
        test=clustered_t(
            apart, clusters=clusters, bounds=None if width is None else (-width, width)
        ),
    )
