"""What a judge brings along: its prior over the labels, its bias for their order, its windows.

The prior is what the judge says when there is nothing to judge: asked about content-free questions
and answers (Zhao et al. 2021, Calibrate Before Use) in the categories and languages of the run, it
should favour no label. It is recorded beside the judgements and corrects nothing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..metrics.groups import cluster_codes
from ..metrics.intervals import mean_interval
from ..reasons import Reason
from ..records.item import SCHEMA as ITEMS
from ..records.item import Item, ItemKey, Turn
from ..records.items import Items
from ..records.journal import PLACE, ROW
from ..records.judgement import Judgement
from ..records.judging import CriterionUsed, InWindows, Judging, OrderBias, Prior
from ..records.tables import TEXT, joined, to_table
from .distribution import Distribution
from .judge import LoadedJudge, judged_table

CONTENT_FREE = ("", "N/A", "…")
"""What stands in place of the question and of the answer."""


_SHIFTS = pa.schema(
    [
        *((name, TEXT) for name in ("benchmark", "criterion", "cluster")),
        (PLACE, pa.int64()),
        ("order_shift", pa.float64()),
    ]
)


class Diagnosis:
    """What comes to light while responses to these items are judged, one unit after the other."""

    def __init__(self, judge: LoadedJudge, items: pa.Table) -> None:
        """The items are as a run keeps them."""
        self.judge = judge
        keys = joined(items, ItemKey._fields).to_pylist()
        self._clusters = dict(zip(keys, Items(items).clusters.tolist(), strict=True))
        self._shifts = [_SHIFTS.empty_table()]
        self._windows: Counter[tuple[str, int]] = Counter()

    def noted(self, judgements: pa.Table) -> pa.Table:
        """The judgements, of which it takes note; all of one response are in one table."""
        windows = judgements.group_by(["benchmark", PLACE]).aggregate([("windows", "max")])
        self._windows.update(
            zip(*(windows[name].to_pylist() for name in ("benchmark", "windows_max")), strict=True)
        )
        shifted = judgements.filter(pc.is_valid(judgements["order_shift"]))
        clusters = map(self._clusters.get, joined(shifted, ItemKey._fields).to_pylist())
        shifted = shifted.append_column("cluster", pa.array(clusters, TEXT))
        self._shifts.append(shifted.select(_SHIFTS.names).cast(_SHIFTS))
        return judgements

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
        # a sum hangs on its order in the last digit
        shifts = pa.concat_tables(self._shifts).sort_by(PLACE)
        pairs = [
            (name, each) for name in self.judge.questions for each in self.judge.criteria(name)
        ]
        for benchmark, name in pairs:
            scale = self.judge.criteria(benchmark)[name].scale
            of_both = (pc.field("benchmark") == benchmark) & (pc.field("criterion") == name)
            rows = shifts.filter(of_both)
            if not len(rows):
                continue
            values = rows["order_shift"].to_numpy()
            clusters = cluster_codes(rows["cluster"].to_pylist(), len(rows))
            span = max(scale.values) - min(scale.values)
            interval = mean_interval(values, clusters=clusters, bounds=(-span, span))
            yield OrderBias(
                benchmark=benchmark,
                criterion=name,
                n=len(rows),
                shift=float(values.mean()),
                low=None if interval is None else interval.low,
                high=None if interval is None else interval.high,
                level=0.95,
                method=None if interval is None else interval.method,
                mean_absolute_shift=float(np.abs(values).mean()),
            )

    def _in_windows(self) -> Iterator[InWindows]:
        for benchmark in self.judge.questions:
            of_it = {k: n for (name, k), n in self._windows.items() if name == benchmark}
            counts = Counter(of_it)
            several = counts.total() - counts[1]
            yield InWindows(benchmark, counts.total(), several, max(counts, default=0))


def diagnostics(
    judge: LoadedJudge, items: Sequence[Item], judgements: Sequence[tuple[Judgement, ...]]
) -> Judging:
    """The criteria, order bias and windows of a judging.

    `items` are those whose responses were judged and `judgements` those of each, as
    `LoadedJudge.judge` gives them.
    """
    diagnosis = Diagnosis(judge, to_table(items, ITEMS))
    diagnosis.noted(judged_table(judgements).rename_columns({ROW: PLACE}))
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
