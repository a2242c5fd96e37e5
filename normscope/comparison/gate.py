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
from dataclasses import dataclass, replace

import numpy as np

from ..errors import UsageError, nearest
from ..metrics.definitions import Better, definition_of
from ..metrics.estimate import Unit
from ..metrics.inputs import Bools
from ..reasons import Reason, is_ours
from ..records.run import Run
from ..records.settings import ALL
from .align import Aligned, align
from .gated import ALPHA, Completeness, Gate, Gated, Outcome
from .outcomes import Outcome as Statistic
from .outcomes import outcomes
from .vignettes import Vignettes, vignettes

Margin = float | str | Mapping[str, float | str]
"""One margin for all statistics, or one for each: 0.02, "2%", {"hr": "2%", "score": 0.1}."""

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
    margins = margin if isinstance(margin, Mapping) else {ALL: margin}
    chosen = _chosen([*_measures(runs, list(dict.fromkeys(categories)))], on, margins)
    limits = [(measure, measure.margin(margins)) for measure in chosen]
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


@dataclass(frozen=True, slots=True)
class _Measure:
    """A statistic of a benchmark in two runs, in all of it or in a category."""

    aligned: Aligned
    category: str
    of: Statistic | Vignettes

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
        columns = [aligned.column("category") for whole in per_pair for aligned in whole]
        known = list(dict.fromkeys(name for of in columns for name in of.seen().names if name))
        if not known:
            raise UsageError("no item of the runs has a category: leave --category out")
        for category in categories:
            if category not in known:
                raise UsageError(
                    f"no item of the runs has the category {category!r}; {nearest(category, known)}"
                )
    for whole in per_pair:
        for category in categories or ("",):
            for benchmark in whole:
                rows = benchmark.column("category").equals(category)
                if category and not rows.any():
                    continue
                aligned = benchmark[rows] if category else benchmark
                measures: list[Statistic | Vignettes] = [*outcomes(aligned)]
                if "acceptability" in aligned.criteria:
                    measures.insert(0, vignettes(aligned))
                yield from (_Measure(aligned, category, of) for of in measures if not of.beside)


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
    whole = measure.of
    settled = _settled(whole)
    completeness = _completeness(measure.aligned.names, whole, settled)
    of = whole.without(settled).contrast(0, 1, level=1 - 2 * alpha)
    low, high = of.unscored.low, of.unscored.high
    result: Outcome = "inconclusive"
    if low is not None and high is not None:
        result = outcome(low, high, margin, measure.better)
    if result == "pass" and completeness.missing:
        result = "inconclusive"
    return Gated(
        benchmark=of.benchmark,
        statistic=measure.name,
        unit=of.unit,
        better=measure.better,
        member=of.member,
        category=measure.category,
        first=of.first,
        second=of.second,
        first_value=of.first_value,
        second_value=of.second_value,
        estimate=replace(of.estimate, low=low, high=high),
        margin=margin,
        outcome=result,
        completeness=completeness,
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
