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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

import numpy as np

from ..errors import UsageError, nearest
from ..metrics.definitions import Better, definition_of
from ..metrics.estimate import Unit
from ..metrics.inputs import Bools
from ..metrics.intervals import Bounds
from ..metrics.majority import LIKERT
from ..reasons import Reason, is_ours
from ..records.run import Run
from ..records.settings import ALL
from .align import Aligned, align
from .gated import ALPHA, Completeness, Gate, Gated, Outcome
from .margins import Margin, by_statistic, margin_of
from .outcomes import Outcome as Statistic
from .outcomes import Texts, difference, outcomes
from .result import Contrast
from .vignettes import Vignettes, acceptability, vignettes

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
    limits = [
        (
            measure,
            margin_of(measure.statistic, measure.unit, margins, most=measure.bounds[1]),
        )
        for measure in _chosen(known, on, margins)
    ]
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
    """A statistic of a benchmark in two runs, the second compared with the first.

    `contrast` takes the `level` of its interval.
    """

    runs: tuple[str, ...]
    benchmark: str
    statistic: str
    unit: Unit
    better: Better
    primary: bool
    bounds: Bounds
    contrast: Callable[..., Contrast]
    completeness: Completeness
    category: str
    member: str = ""


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
    name = aligned.benchmark
    if "acceptability" in aligned.criteria:
        of_vignettes, completeness = _without_settled_answers(vignettes(aligned), aligned.runs)
        yield _Measure(
            runs=aligned.runs,
            benchmark=name,
            statistic=NORM_SHIFT,
            unit="score",
            better="",
            primary=True,
            bounds=(LIKERT[0] - LIKERT[-1], LIKERT[-1] - LIKERT[0]),
            contrast=partial(acceptability, of_vignettes, 0, 1),
            completeness=completeness,
            category=category,
        )
    for known in outcomes(aligned):
        statistic, completeness = _without_settled(known)
        definition = definition_of(statistic.name)
        low, high = statistic.bounds
        if not statistic.beside:
            yield _Measure(
                runs=aligned.runs,
                benchmark=name,
                statistic=statistic.name,
                unit=statistic.unit,
                better=definition.better if definition else "",
                primary=statistic.primary,
                bounds=(low - high, high - low),
                contrast=partial(difference, statistic, 0, 1, clusters=aligned.clusters),
                completeness=completeness,
                category=category,
                member=statistic.member,
            )


def _chosen(
    known: Sequence[_Measure], on: Sequence[str], margins: Mapping[str, float | str]
) -> list[_Measure]:
    names = list(dict.fromkeys(measure.statistic for measure in known))
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
        return [measure for measure in known if measure.statistic in wanted]
    return [measure for measure in known if measure.primary or measure.statistic in own]


def _gated(measure: _Measure, margin: float, alpha: float) -> Gated:
    contrast = measure.contrast(level=1 - 2 * alpha)
    low, high = contrast.unscored.low, contrast.unscored.high
    result: Outcome = "inconclusive"
    if low is not None and high is not None:
        result = outcome(low, high, margin, measure.better)
    if result == "pass" and measure.completeness.missing:
        result = "inconclusive"
    return Gated(
        benchmark=measure.benchmark,
        statistic=measure.statistic,
        unit=measure.unit,
        better=measure.better,
        member=measure.member,
        category=measure.category,
        first=measure.runs[0],
        second=measure.runs[1],
        first_value=contrast.values[0],
        second_value=contrast.values[1],
        estimate=replace(contrast.estimate, low=low, high=high),
        margin=margin,
        outcome=result,
        completeness=measure.completeness,
    )


def _without_settled(of: Statistic) -> tuple[Statistic, Completeness]:
    """The statistic of two runs without the rows that neither will ever have, and what remains."""
    absent = tuple(np.isnan(column) & of.kept for column in of.columns)
    settled = _settled(absent, of.reasons)
    completeness = _completeness(of.runs, absent, of.reasons, settled, int(of.kept.sum()))
    return replace(of, kept=of.kept & ~settled), completeness


def _without_settled_answers(
    of: Vignettes, runs: tuple[str, ...]
) -> tuple[Vignettes, Completeness]:
    """The answers of two runs without those that neither will ever have, and what remains."""
    settled = _settled(of.unscored, of.reasons)
    completeness = _completeness(runs, of.unscored, of.reasons, settled, settled.size)
    return replace(of, unscored=tuple(each & ~settled for each in of.unscored)), completeness


def _settled(absent: tuple[Bools, ...], reasons: tuple[Texts, ...]) -> Bools:
    first, second = reasons
    result: Bools = absent[0] & absent[1] & (first == second) & np.isin(first.astype(str), _FINAL)
    return result


def _completeness(
    runs: tuple[str, ...],
    absent: tuple[Bools, ...],
    reasons: tuple[Texts, ...],
    settled: Bools,
    asked: int,
) -> Completeness:
    # a row that was judged has a value or a reason (`align`)
    missing = {
        run: int((of_run & (why == None)).sum())  # noqa: E711 - of each element
        for run, of_run, why in zip(runs, absent, reasons, strict=True)
    }
    return Completeness(
        asked,
        {run: n for run, n in missing.items() if n},
        dict(Counter(reasons[0][settled].tolist())),
    )
