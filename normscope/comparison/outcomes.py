"""The judgements of a benchmark as columns, one per statistic and run, and their differences.

The rules are the metrics' own: a respondent's reason is no refusal and no correct option and stays
in the denominator, a source's reason leaves the row out, any other is unscored.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..categorical import Categorical
from ..messages import marked
from ..metrics import cfsafety, options
from ..metrics.criterion import level_name
from ..metrics.estimate import Estimate, Unit
from ..metrics.groups import Rows, cluster_codes
from ..metrics.inputs import Bools, Floats, absent
from ..metrics.intervals import LEVEL, Bounds
from ..metrics.paired import paired_mean_difference, paired_rate_difference
from ..metrics.rates import filled
from ..metrics.registry import Kind, kind_of, measures_of
from ..metrics.significance import Test, clustered_t, wilcoxon
from ..metrics.tango import score_test
from .align import Aligned, Column
from .result import Difference, Unscored

Texts = NDArray[np.object_]

Columns = tuple[dict[str, Floats], Bools, Texts]
"""One run's column per statistic, the rows that the source keeps, and why a value is absent."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """A statistic as a column of values per run, NaN where unscored, the row left out if not kept.

    `reasons` holds, per run, why a value is absent. `member` is what the statistic is of where that
    is not everything. `primary` marks the first statistic of its metric; what is `beside` the
    headline is not broken down.
    """

    name: str
    unit: Unit
    bounds: Bounds
    aligned: Aligned
    columns: tuple[Floats, ...]
    reasons: tuple[Texts, ...]
    kept: Bools
    primary: bool = False
    member: str = ""
    beside: bool = False

    @property
    def gated_as(self) -> str:
        """What a gate calls it."""
        return self.name

    @property
    def absent(self) -> tuple[Bools, ...]:
        """The rows without a value in each run."""
        return tuple(np.isnan(column) & self.kept for column in self.columns)

    @property
    def size(self) -> int:
        """How many rows count."""
        return int(self.kept.sum())

    @property
    def dimensions(self) -> Mapping[str, Categorical]:
        """What it is broken down by."""
        return self.aligned.dimensions

    def without(self, rows: Bools) -> "Outcome":
        """The same without these rows."""
        return replace(self, kept=self.kept & ~rows)

    def completed(self, *, highest: bool) -> "Outcome":
        """The same where all are scored, so that the second of two runs less the first is extreme.

        The second's unscored rows have the lowest value and the first's the highest, or, for the
        `highest` difference, the other way round.
        """
        ends = self.bounds if highest else self.bounds[::-1]
        columns = (filled(column, end) for column, end in zip(self.columns, ends, strict=True))
        return replace(self, columns=tuple(columns))

    def contrast(
        self, first: int, second: int, rows: Rows = slice(None), *, level: float = LEVEL
    ) -> Difference:
        """The run at `second` less the run at `first`, with an interval at the level.

        Rates: Tango's interval and the score test that it inverts; scores: the t interval and its
        test. Both are of the pairs that both runs have scored, and robust to clusters.
        """
        places = np.flatnonzero(self.kept[rows])
        a, b = (self.columns[run][rows][places] for run in (second, first))
        why = [self.reasons[run][rows][places] for run in (second, first)]
        clusters = self.aligned.clusters[rows][places]
        names = (self.aligned.names[second], self.aligned.names[first])
        estimate: Callable[..., Estimate] = paired_rate_difference
        test: Callable[..., Test] = partial(score_test, names=names)
        if self.unit == "score":
            estimate = partial(paired_mean_difference, bounds=self.bounds)
            test = partial(_of_scores, bounds=self.bounds)
        # an item on which both runs failed alike is one failure, not two
        about = {
            **self.aligned.pair(first, second),
            "statistic": self.name,
            "unit": self.unit,
            "role": "primary" if self.primary else "secondary",
            "member": self.member,
        }
        return contrasted(
            about,
            a,
            b,
            estimate(a, b, clusters=clusters, level=level),
            lambda at: test(a[at], b[at], clusters=clusters[at]),
            alike=why[0] == why[1],
        )


def contrasted(
    about: Mapping[str, Any],
    a: Floats,
    b: Floats,
    estimate: Estimate,
    test: Callable[[Bools], Test] | None = None,
    *,
    alike: Bools,
) -> Difference:
    """What `a` less `b` is, by this estimate and by a test of the pairs scored in both.

    `alike` marks the pairs whose values would be absent for the same reason.
    """
    # NaN in either makes the difference NaN
    both = ~np.isnan(a - b)
    same = np.isnan(a) & np.isnan(b) & alike
    return Difference(
        **about,
        first_value=float(b[both].mean()) if both.any() else None,
        second_value=float(a[both].mean()) if both.any() else None,
        estimate=estimate,
        unscored=Unscored(int((~both).sum()), int(same.sum())),
        test=None if test is None else test(both),
    )


def outcomes(aligned: Aligned) -> list[Outcome]:
    """The statistics of every metric whose criteria the benchmark has, but for the vignettes'.

    Of a metric with open and closed prompts those over open ones, and beside them over closed ones.
    """
    result: list[Outcome] = []
    for measure in measures_of(list(aligned.criteria)):
        if measure.outcomes is not None:
            runs = zip(*(aligned.criteria[name] for name in measure.criteria), strict=True)
            per_run = [_columns(measure.outcomes, columns) for columns in runs]
            result += _open_first(_gathered(aligned, per_run), aligned)
    for name, scale in aligned.own_scales.items():
        if name in aligned.criteria:
            level, bounds = level_name(name), (min(scale.values), max(scale.values))
            per_run = [_columns(partial(_level, level), [run]) for run in aligned.criteria[name]]
            result += _gathered(aligned, per_run, {level: ("score", bounds)})
    return result


def _level(name: str, values: Floats, *, reasons: Categorical) -> tuple[dict[str, Floats], Bools]:
    """A criterion's values as the column of its level; what the source excludes is not kept."""
    return {name: values}, ~absent(reasons, np.isnan(values))[1]


def _open_first(measured: Sequence[Outcome], aligned: Aligned) -> list[Outcome]:
    """The outcomes over open prompts, and beside them those over closed ones if there are both."""
    chosen = cfsafety.open_prompts(aligned.facet("item_format"))
    if chosen.all():
        return list(measured)
    opened = [replace(outcome, kept=outcome.kept & chosen, member="open") for outcome in measured]
    closed = [
        replace(outcome, kept=outcome.kept & ~chosen, member="closed", primary=False, beside=True)
        for outcome in measured
    ]
    return [*opened, *closed]


def _columns(
    rule: Callable[..., tuple[dict[str, Floats], Bools]], criteria: Sequence[Column]
) -> Columns:
    """One run's columns; a value is absent for the first criterion's reason that there is."""
    reasons = criteria[0].reasons
    for criterion in criteria[1:]:
        both = Categorical.stacked([reasons, criterion.reasons])
        first, second = np.split(both.codes, 2)
        reasons = Categorical(np.where(first < 0, second, first), both.names)
    columns, kept = rule(*(criterion.values for criterion in criteria), reasons=reasons)
    return columns, kept, np.array(reasons.tolist(), dtype=object)


def _gathered(
    aligned: Aligned,
    per_run: Sequence[Columns],
    kinds: Mapping[str, Kind] | None = None,
) -> list[Outcome]:
    """One outcome per statistic, over the rows that the source keeps in every run."""
    # a row that the source leaves out in one run has no partner in it
    kept = np.logical_and.reduce([run_kept for _, run_kept, _ in per_run])
    names = list(per_run[0][0])
    return [
        Outcome(
            name=options.named(name, aligned.key),
            unit=unit,
            bounds=bounds,
            aligned=aligned,
            columns=tuple(columns[name] for columns, _, _ in per_run),
            reasons=tuple(reasons for _, _, reasons in per_run),
            kept=kept,
            primary=not place,
        )
        for place, name in enumerate(names)
        for unit, bounds in [(kinds or {}).get(name) or kind_of(name)]
    ]


def _of_scores(a: Floats, b: Floats, *, clusters: Categorical, bounds: Bounds) -> Test:
    """The t test of the pairs; its effect is that of the ranks, in clusters of their means.

    The share of ranks says more of ratings than a mean over its SD, and counts what is equal.
    """
    codes = cluster_codes(clusters, len(a))
    test = clustered_t(
        a - b,
        clusters=clusters,
        bounds=(bounds[0] - bounds[1], bounds[1] - bounds[0]),
        name=marked("paired t") if codes is None else marked("clustered t"),
        unit=marked("items") if codes is None else marked("clusters"),
    )
    means = [a, b]
    if codes is not None:
        sizes = np.bincount(codes)
        used = sizes > 0
        means = [np.bincount(codes, weights=each)[used] / sizes[used] for each in (a, b)]
    ranks = wilcoxon(*means)
    return replace(test, effect=ranks.effect, effect_name=ranks.effect_name)
