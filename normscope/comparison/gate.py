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

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..errors import UsageError, nearest
from ..metrics.definitions import Better, definition_of
from ..metrics.estimate import Unit
from ..metrics.inputs import Bools
from ..metrics.intervals import Bounds
from ..reasons import Reason, is_ours
from ..records.run import Run
from ..records.settings import ALL
from .align import align
from .bar import Bar
from .norms import Vignettes, vignettes
from .outcomes import Outcome as Statistic
from .outcomes import outcomes
from .result import Completeness, Difference, Gate, Gated, Outcome

Margin = float | str | Mapping[str, float | str]
"""One margin for all statistics, or one for each: 0.02, "2%", {"hr": "2%", "score": 0.1}."""

ALPHA = 0.05

_Measure = tuple[str, Statistic | Vignettes]
"""A statistic of a later run beside the first, in a category (empty: in all)."""

_FINAL = [reason for reason in Reason if is_ours(reason) and reason != Reason.CALL_FAILED]
"""Why a judge or an engine would give nothing again."""

_ORDER: tuple[Outcome, ...] = ("worse", "inconclusive", "pass")


def gate(
    runs: Sequence[Run],
    margin: Margin | Bar,
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

    What is unscored counts at either end of its scale (`Gated.limits`). What one of two runs lacks,
    an item, a category, a criterion or a benchmark, is unscored, and such a row does not pass. What
    is unscored in both for the same final reason is left out.

    A `Bar` says all of this in place of the call. A run that was not measured as it fixes is a
    `UsageError` that begins with CHANGED.

    A `UsageError` names a statistic, a category or a margin that cannot be meant.
    """
    if len(runs) < 2:  # noqa: PLR2004 - the first, and one to be let through
        raise UsageError("a gate needs two runs: the one to be compared with, and another")
    if isinstance(margin, Bar):
        if on or categories:
            raise UsageError(f"{margin.name} says what is looked at: leave statistics out")
        return _held(runs, margin)
    margins = margin if isinstance(margin, Mapping) else {ALL: margin}
    chosen = _chosen([*_measures(runs, list(dict.fromkeys(categories)))], on, margins)
    return _decided(chosen, [_limit(of, margins) for _, of in chosen], alpha)


def margins_for(run: Run, margin: Margin, on: Sequence[str] = ()) -> dict[tuple[str, str], float]:
    """The margin of each benchmark's statistic that a gate would look at in runs like this one."""
    margins = margin if isinstance(margin, Mapping) else {ALL: margin}
    chosen = _chosen([*_measures((run, run), ())], on, margins)
    return {_key(of): _limit(of, margins) for _, of in chosen}


def _held(runs: Sequence[Run], bar: Bar) -> Gate:
    """The gate that a bar states, each row with its line."""
    bar.refuse_changed(runs)
    by_key = bar.by_statistic
    chosen = [(at, of) for at, of in _measures(runs, ()) if _key(of) in by_key]
    for key in by_key.keys() - {_key(of) for _, of in chosen}:
        raise UsageError(f"{bar.name}:{by_key[key].line}: {key[0]} has no statistic {key[1]!r}")
    fixed = [by_key[_key(of)] for _, of in chosen]
    limits = [
        _limit(of, {of.gated_as: each.margin}) for (_, of), each in zip(chosen, fixed, strict=True)
    ]
    gate = _decided(chosen, limits, bar.alpha)
    rows = (replace(row, line=each.line) for row, each in zip(gate.rows, fixed, strict=True))
    return replace(gate, rows=tuple(rows), bar=bar.name, bar_hash=bar.hash)


def _key(of: Statistic | Vignettes) -> tuple[str, str]:
    return of.aligned.benchmark, of.gated_as


def _decided(chosen: Sequence[_Measure], limits: Sequence[float], alpha: float) -> Gate:
    """Every measure against its margin, and the worst of the outcomes."""
    if not 0 < alpha < 0.5:  # noqa: PLR2004 - a bound on either side
        raise UsageError(f"alpha {alpha:g}: it lies between 0 and 0.5")
    bounds = sum(1 if _better(of) else 2 for _, of in chosen)
    rows = tuple(
        _gated(category, of, limit, alpha / bounds)
        for (category, of), limit in zip(chosen, limits, strict=True)
    )
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


def margin_of(
    statistic: str, unit: Unit, margins: Mapping[str, float | str], *, most: float
) -> float:
    """The statistic's margin, in its units; a `UsageError` says what cannot be one.

    A rate's is a share or a percentage, a score's is in points of its scale. No difference is
    larger than `most`, and with such a margin all would pass.

    >>> margins = {"hr": "2%", "all": 0.1}
    >>> margin_of("hr", "rate", margins, most=1), margin_of("rr1", "rate", margins, most=1)
    (0.02, 0.1)
    """
    stated = margins.get(statistic, margins.get(ALL))
    if stated is None:
        raise UsageError(
            f"{statistic} has no margin; state it, as {statistic}=0.02, or one for all"
        )
    text = str(stated).strip()
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        problem = "a number from 0 up, as 0.02 or 2%"
    elif unit == "score" and text.endswith("%"):
        problem = f"it is no share; give points of its scale, as {statistic}=0.1"
    elif value < most:
        return value
    elif unit == "score":
        problem = f"no difference is larger than {most:g} points, so that all would pass"
    else:
        problem = "a rate goes from 0 to 1; two percentage points are 0.02 or 2%"
    raise UsageError(f"margin {text!r} of {statistic}: {problem}")


def _better(of: Statistic | Vignettes) -> Better:
    """Where it is better: norms may shift neither way, nor may a criterion of a rubric's own."""
    definition = definition_of(of.gated_as)
    return definition.better if definition else ""


def _limit(of: Statistic | Vignettes, margins: Mapping[str, float | str]) -> float:
    """The margin that was stated for it; no difference is larger than its scale is long."""
    low, high = of.bounds
    return margin_of(of.gated_as, of.unit, margins, most=high - low)


def _measures(runs: Sequence[Run], categories: Sequence[str]) -> Iterator[_Measure]:
    """Every statistic of each later run beside the first, overall or in each of the categories."""
    per_pair = [
        [
            align((runs[0], run), name, gaps=True)
            for name in dict.fromkeys((*runs[0].counted, *run.counted))
        ]
        for run in runs[1:]
    ]
    if categories:
        columns = [aligned.of_items("category") for whole in per_pair for aligned in whole]
        names = list(dict.fromkeys(name for of in columns for name in of.seen().names if name))
        if not names:
            raise UsageError("no item of the runs has a category: look at whole benchmarks")
        for category in categories:
            if category not in names:
                raise UsageError(
                    f"no item of the runs has the category {category!r}; {nearest(category, names)}"
                )
    for whole in per_pair:
        for category in categories or ("",):
            for benchmark in whole:
                rows = benchmark.of_items("category").equals(category)
                if category and not rows.any():
                    continue
                aligned = benchmark[rows] if category else benchmark
                measures: list[Statistic | Vignettes] = [*outcomes(aligned)]
                if "acceptability" in aligned.criteria:
                    measures.insert(0, vignettes(aligned))
                yield from ((category, of) for of in measures if not of.beside)


def _chosen(
    measures: Sequence[_Measure], on: Sequence[str], margins: Mapping[str, float | str]
) -> list[_Measure]:
    names = list(dict.fromkeys(of.gated_as for _, of in measures))
    if not names:
        raise UsageError("the runs have no statistic in common that a gate could look at")
    stated = [name for name in margins if name != ALL]
    for name in (*on, *stated):
        if name not in names:
            raise UsageError(
                f"the runs have no statistic {name!r} for a gate; {nearest(name, names)}"
            )
    # a margin for all says nothing of which; margins by name do
    chosen = set(on) or (set(stated) if ALL not in margins else set())
    if chosen:
        return [(at, of) for at, of in measures if of.gated_as in chosen]
    return [(at, of) for at, of in measures if of.primary or of.gated_as in stated]


def _gated(category: str, whole: Statistic | Vignettes, margin: float, alpha: float) -> Gated:
    first, second = whole.reasons
    absent = whole.absent
    # what neither run will ever have
    final: Bools = absent[0] & absent[1] & (first == second) & np.isin(first.astype(str), _FINAL)
    # a row that was judged has a value or a reason (`align`)
    lacking = {
        run: int((gaps & (why == None)).sum())  # noqa: E711 - of each element
        for run, gaps, why in zip(whole.aligned.names, absent, whole.reasons, strict=True)
    }
    missing = {run: n for run, n in lacking.items() if n}
    counted, better = whole.without(final), _better(whole)
    of = counted.contrast(0, 1, level=1 - 2 * alpha)
    limits = _reach(counted, of)
    result: Outcome = "inconclusive"
    if limits is not None:
        result = outcome(*limits, margin, better)
    if result == "pass" and missing:
        result = "inconclusive"
    return Gated(
        benchmark=of.benchmark,
        statistic=whole.gated_as,
        unit=of.unit,
        better=better,
        member=of.member,
        category=category,
        first=of.first,
        second=of.second,
        first_value=of.first_value,
        second_value=of.second_value,
        estimate=of.estimate,
        limits=limits,
        margin=margin,
        outcome=result,
        completeness=Completeness(whole.size, missing, dict(Counter(first[final].tolist()))),
    )


def _reach(measure: Statistic | Vignettes, difference: Difference) -> Bounds | None:
    """From where to where the difference may be, whatever the unscored are (`Gated.limits`)."""
    cases = [difference.estimate]
    if difference.unscored.pairs:
        level = difference.estimate.level
        cases += [
            measure.completed(highest=highest).contrast(0, 1, level=level).estimate
            for highest in (False, True)
        ]
    lows = [case.low for case in cases if case.low is not None]
    highs = [case.high for case in cases if case.high is not None]
    whole = len(lows) == len(highs) == len(cases)
    return (min(lows), max(highs)) if whole else None
