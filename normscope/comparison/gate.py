"""A gate: later runs against the first, statistic by statistic, with margins stated before.

Non-inferiority is shown where the worse end of the interval is better than the margin; an interval
that lies wholly beyond the margin shows the contrary, and any other one shows nothing (G. Piaggio
et al.: "Reporting of noninferiority and equivalence randomized trials", JAMA 308, 2012, Figure).
Both are one-sided tests, so that an interval at the level 1 − 2α goes with tests at α. The
intervals are Bonferroni's: of m one-sided bounds each is at the level 1 − α/m, so that all hold
together with a chance of at least 1 − α, and what is shown is what decides. Holm's procedure
rejects more, but of what it rejects the bound that goes with it is the margin itself, unless it
rejects everything: that tells a reader nothing (K. Strassburger & F. Bretz: "Compatible
simultaneous lower confidence bounds for the Holm procedure and other Bonferroni-based closed
tests", Statistics in Medicine 27, 2008).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from ..errors import UsageError, nearest
from ..metrics.definitions import Better, definition_of
from ..metrics.inputs import Bools
from ..reasons import Reason, is_ours
from ..records.run import Run
from ..records.settings import ALL
from .align import Aligned, align
from .gated import ALPHA, Completeness, Gate, Gated, Outcome
from .margins import Margin, by_statistic, margin_of
from .outcomes import Outcome as Statistic
from .outcomes import outcomes
from .vignettes import Vignettes, vignettes

NORM_SHIFT = "norm_shift"
"""The mean acceptability of vignettes less that of the first run: worse is a shift either way."""

_FINAL = [reason for reason in Reason if is_ours(reason) and reason != Reason.CALL_FAILED]
"""Why a judge or an engine would give nothing again."""

_ORDER: tuple[Outcome, ...] = ("worse", "inconclusive", "pass")


def gate(
    runs: Sequence[Run],
    margin: Margin,
    *,
    on: Sequence[str] = (),
    categories: Sequence[str] = (),
    alpha: float = ALPHA,
) -> Gate:
    """Whether any later run is worse than the first by more than a margin, or might be.

    A statistic is looked at in every benchmark that has it, and in each of the categories on its
    own if any are named. Without `on` they are those with a margin of their own, or the first of
    each metric: `score`, `rr1`, `agreement`, `norm_shift`, a rubric's own criteria. Runs are paired
    item by item; to refuse those that were not measured alike is for who calls (`compare`).

    What one of two runs lacks, an item, a category, a criterion or a benchmark, counts as unscored,
    and such a row does not pass. What is unscored in both for the same final reason is left out.

    A `UsageError` names a statistic, a category or a margin that cannot be meant.
    """
    if len(runs) < 2:  # noqa: PLR2004 - the first, and one to be let through
        raise UsageError("a gate needs two runs: the one to be compared with, and another")
    if not 0 < alpha < 0.5:  # noqa: PLR2004 - a bound on either side
        raise UsageError(f"alpha {alpha:g}: it lies between 0 and 0.5")
    margins = by_statistic(margin)
    pairs = [(runs[0], run) for run in runs[1:]]
    known = [
        measure
        for aligned, category in chain.from_iterable(_parts(pairs, categories))
        for measure in _measures(aligned, category)
    ]
    limits = [(measure, measure.margin(margins)) for measure in _chosen(known, on, margins)]
    bounds = sum(1 if measure.better else 2 for measure, _ in limits)
    rows = tuple(_gated(measure, limit, alpha / bounds) for measure, limit in limits)
    whole = min((row.outcome for row in rows), key=_ORDER.index)
    return Gate(alpha, bounds, whole, rows)


def outcome(low: float, high: float, margin: float, better: Better) -> Outcome:
    """What the interval of a difference, new less old, says of a margin.

    `better` is where the statistic is better. Without a direction the difference may be as large as
    the margin either way. An end that lies on the margin settles nothing.

    >>> outcome(-0.01, 0.03, 0.02, "higher"), outcome(-0.01, 0.03, 0.02, "lower")
    ('pass', 'inconclusive')
    >>> outcome(0.03, 0.05, 0.02, "lower"), outcome(-0.05, -0.03, 0.02, "")
    ('worse', 'worse')
    """
    if margin < 0:
        raise UsageError(f"margin {margin}: it is 0 or above, in the units of the statistic")
    falls, rises = better != "lower", better != "higher"
    if (not falls or low > -margin) and (not rises or high < margin):
        return "pass"
    return "worse" if (falls and high < -margin) or (rises and low > margin) else "inconclusive"


@dataclass(frozen=True, slots=True)
class _Measure:
    """A statistic of a benchmark in two runs, in all of it or a category, less what is settled."""

    aligned: Aligned
    category: str
    of: Statistic | Vignettes
    completeness: Completeness

    @property
    def name(self) -> str:
        """What the gate calls it."""
        return NORM_SHIFT if isinstance(self.of, Vignettes) else self.of.name

    @property
    def better(self) -> Better:
        """Where it is better; norms may shift neither way."""
        known = definition_of(self.of.name)
        return known.better if known and not isinstance(self.of, Vignettes) else ""

    def margin(self, margins: Mapping[str, float | str]) -> float:
        """The margin that was stated for it; no difference is larger than its scale is long."""
        low, high = self.of.bounds
        return margin_of(self.name, self.of.unit, margins, most=high - low)


def _parts(
    pairs: Sequence[Sequence[Run]], categories: Sequence[str]
) -> list[list[tuple[Aligned, str]]]:
    """For each pair of runs its benchmarks, or what they have of each category."""
    per_pair = [
        [
            align(pair, name, gaps=True)
            for name in dict.fromkeys((*pair[0].counted, *pair[1].counted))
        ]
        for pair in pairs
    ]
    if not categories:
        return [[(aligned, "") for aligned in whole] for whole in per_pair]
    columns = [[each.column("category") for each in whole] for whole in per_pair]
    names = (name for of in chain.from_iterable(columns) for name in of.seen().names if name)
    known = list(dict.fromkeys(names))
    if not known:
        raise UsageError("no item of the runs has a category: leave --category out")
    for category in dict.fromkeys(categories):
        if category not in known:
            raise UsageError(
                f"no item of the runs has the category {category!r}; {nearest(category, known)}"
            )
    return [
        [
            (aligned[rows], category)
            for category in dict.fromkeys(categories)
            for aligned, column in zip(whole, of_whole, strict=True)
            if (rows := column.equals(category)).any()
        ]
        for whole, of_whole in zip(per_pair, columns, strict=True)
    ]


def _measures(aligned: Aligned, category: str) -> Iterator[_Measure]:
    whole: list[Statistic | Vignettes] = [*outcomes(aligned)]
    if "acceptability" in aligned.criteria:
        whole.insert(0, vignettes(aligned))
    for measure in whole:
        if not measure.beside:
            settled = _settled(measure)
            completeness = _completeness(aligned.runs, measure, settled)
            yield _Measure(aligned, category, measure.without(settled), completeness)


def _chosen(
    known: Sequence[_Measure], on: Sequence[str], margins: Mapping[str, float | str]
) -> list[_Measure]:
    names = list(dict.fromkeys(measure.name for measure in known))
    if not names:
        raise UsageError("the runs have no statistic in common that a gate could look at")
    own = [name for name in margins if name != ALL]
    for name in (*on, *own):
        if name not in names:
            raise UsageError(
                f"the runs have no statistic {name!r} for a gate; {nearest(name, names)}"
            )
    # a margin for all says nothing of which; margins by name do
    wanted = set(on) or (set(own) if ALL not in margins else set())
    if wanted:
        return [measure for measure in known if measure.name in wanted]
    return [measure for measure in known if measure.of.primary or measure.name in own]


def _gated(measure: _Measure, margin: float, alpha: float) -> Gated:
    contrast = measure.of.contrast(0, 1, level=1 - 2 * alpha)
    low, high = contrast.unscored.low, contrast.unscored.high
    result: Outcome = "inconclusive"
    if low is not None and high is not None:
        result = outcome(low, high, margin, measure.better)
    if result == "pass" and measure.completeness.missing:
        result = "inconclusive"
    return Gated(
        benchmark=measure.aligned.benchmark,
        statistic=measure.name,
        unit=measure.of.unit,
        better=measure.better,
        member=measure.of.member,
        category=measure.category,
        first=measure.aligned.runs[0],
        second=measure.aligned.runs[1],
        first_value=contrast.values[0],
        second_value=contrast.values[1],
        estimate=replace(contrast.estimate, low=low, high=high),
        margin=margin,
        outcome=result,
        completeness=measure.completeness,
    )


def _settled(of: Statistic | Vignettes) -> Bools:
    """What neither run will ever have."""
    first, second = of.reasons
    alike = (first == second) & np.isin(first.astype(str), _FINAL)
    result: Bools = of.absent[0] & of.absent[1] & alike
    return result


def _completeness(runs: Sequence[str], of: Statistic | Vignettes, settled: Bools) -> Completeness:
    # a row that was judged has a value or a reason (`align`)
    missing = {
        run: int((absent & (why == None)).sum())  # noqa: E711 - of each element
        for run, absent, why in zip(runs, of.absent, of.reasons, strict=True)
    }
    return Completeness(
        of.asked,
        {run: n for run, n in missing.items() if n},
        dict(Counter(of.reasons[0][settled].tolist())),
    )
