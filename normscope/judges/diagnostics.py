"""What a judge brings along: its prior over the labels, its bias for their order, its windows.

The prior is what the judge says when there is nothing to judge: asked about content-free questions
and answers (Zhao et al. 2021, Calibrate Before Use) in the categories and languages of the run, it
should favour no label. It is recorded beside the judgements and corrects nothing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..metrics.groups import cluster_codes
from ..metrics.intervals import mean_interval
from ..reasons import Reason
from ..records.item import Item, Turn
from ..records.judgement import Judgement
from ..records.judging import CriterionUsed, InWindows, Judging, OrderBias, Prior
from .distribution import Distribution
from .judge import LoadedJudge

CONTENT_FREE = ("", "N/A", "…")
"""What stands in place of the question and of the answer."""


@dataclass(slots=True)
class Diagnosis:
    """What comes to light while responses are judged, one after the other."""

    judge: LoadedJudge
    _shifts: dict[tuple[str, str], list[tuple[int, float, str]]] = field(default_factory=dict)
    _windows: dict[str, Counter[int]] = field(default_factory=dict)

    def add(
        self,
        number: int,
        benchmark: str,
        cluster: str,
        *,
        windows: int,
        shifts: Iterable[tuple[str, float]],
    ) -> None:
        """Takes in one response: in how many windows it was judged, and each criterion's shift.

        They may come in any order: `number` is the response's among all.
        """
        self._windows.setdefault(benchmark, Counter())[windows] += 1
        for criterion, shift in shifts:
            of_criterion = self._shifts.setdefault((benchmark, criterion), [])
            of_criterion.append((number, shift, cluster))

    def judging(self) -> Judging:
        """The criteria, order bias and windows of the judging."""
        judge = self.judge
        return Judging(
            label_orders=judge.label_orders,
            channels=judge.channels,
            min_coverage=judge.min_coverage,
            criteria=tuple(
                CriterionUsed(
                    benchmark=benchmark,
                    rubric=questions.rubric.name,
                    rubric_version=questions.rubric.version,
                    rubric_hash=questions.hash,
                    criterion=name,
                    labels=criterion.scale.labels,
                    values=criterion.scale.values,
                    read=criterion.read,
                )
                for benchmark, questions in judge.questions.items()
                for name, criterion in questions.criteria.items()
            ),
            order_bias=tuple(self._order_bias()),
            windows=tuple(self._in_windows()),
        )

    def _order_bias(self) -> Iterator[OrderBias]:
        """By benchmark and criterion: the mean of the shifts, with the interval for new items."""
        for (benchmark, name), several in sorted(self._shifts.items(), key=self._place):
            # a sum hangs on its order in the last digit
            pairs = [(shift, cluster) for _, shift, cluster in sorted(several)]
            scale = self.judge.criteria(benchmark)[name].scale
            values = np.array([shift for shift, _ in pairs])
            clusters = cluster_codes([cluster for _, cluster in pairs], len(pairs))
            span = max(scale.values) - min(scale.values)
            interval = mean_interval(values, clusters=clusters, bounds=(-span, span))
            yield OrderBias(
                benchmark=benchmark,
                criterion=name,
                n=len(pairs),
                shift=float(values.mean()),
                low=None if interval is None else interval.low,
                high=None if interval is None else interval.high,
                level=0.95,
                method=None if interval is None else interval.method,
                mean_absolute_shift=float(np.abs(values).mean()),
            )

    def _place(self, shifts: tuple[tuple[str, str], object]) -> tuple[int, int]:
        """The place of a benchmark's criterion among those that are asked."""
        (benchmark, name), _ = shifts
        names = list(self.judge.questions)
        return names.index(benchmark), list(self.judge.criteria(benchmark)).index(name)

    def _in_windows(self) -> Iterator[InWindows]:
        for benchmark in self.judge.questions:
            counts = self._windows.get(benchmark, Counter())
            several = counts.total() - counts[1]
            yield InWindows(benchmark, counts.total(), several, max(counts, default=0))


def diagnostics(
    judge: LoadedJudge, items: Sequence[Item], judgements: Sequence[Sequence[Judgement]]
) -> Judging:
    """The criteria, order bias and windows of a judging.

    `items` are those whose responses were judged and `judgements` those of each, as
    `LoadedJudge.judge` gives them.
    """
    diagnosis = Diagnosis(judge)
    for number, (item, rows) in enumerate(zip(items, judgements, strict=True)):
        shifts = [(row.criterion, row.order_shift) for row in rows if row.order_shift is not None]
        windows = max((row.windows for row in rows), default=1)
        diagnosis.add(number, item.benchmark, item.cluster_or_id, windows=windows, shifts=shifts)
    return diagnosis.judging()


def priors(judge: LoadedJudge, items: Iterable[Item]) -> tuple[Prior, ...]:
    """The label prior of each benchmark, criterion and language, over the categories of the run."""
    # what is written about nothing is no distribution over labels
    return tuple(_priors(judge.counting, items)) if "labels" in judge.channels else ()


def _priors(judge: LoadedJudge, items: Iterable[Item]) -> Iterator[Prior]:
    kinds_of: dict[tuple[str, str], dict[str, Item]] = {}
    for item in items:
        spoken = judge.questions[item.benchmark].rubric.spoken(item.language)
        # the first item of each category: its question and answer are replaced
        kinds_of.setdefault((item.benchmark, spoken), {}).setdefault(item.category, item)
    for (benchmark, language), kinds in sorted(kinds_of.items()):
        about = [
            (replace(item, language=language, messages=(Turn("user", nothing),)), nothing)
            for _, item in sorted(kinds.items())
            for nothing in CONTENT_FREE
        ]
        results = judge.ask(about)
        for at, (name, criterion) in enumerate(judge.criteria(benchmark).items()):
            distributions = [each[at] for each in results]
            read, probs, coverage = _mean(distributions)
            yield Prior(
                benchmark=benchmark,
                rubric_hash=judge.questions[benchmark].hash,
                criterion=name,
                language=language,
                labels=criterion.scale.labels,
                categories=len(kinds),
                prompts=len(about),
                read=read,
                probs=probs,
                value=None if probs is None else criterion.value(probs),
                coverage=coverage,
                failed=sum(each.reason == Reason.CALL_FAILED for each in distributions),
            )


def _mean(
    distributions: Sequence[Distribution],
) -> tuple[int, tuple[float, ...] | None, float | None]:
    """How many could be read, and the mean of their probabilities and coverages."""
    read = [
        (each.probs, each.coverage)
        for each in distributions
        if each.probs is not None and each.coverage is not None
    ]
    if not read:
        return 0, None, None
    probs: list[float] = np.mean([each for each, _ in read], axis=0).tolist()
    return len(read), tuple(probs), float(np.mean([coverage for _, coverage in read]))
