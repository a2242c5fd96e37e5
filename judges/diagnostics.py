"""What a judge brings along: its prior over the labels, its bias for their order, its windows.

The prior is what the judge says when there is nothing to judge: asked about content-free questions
and answers (Zhao et al. 2021, Calibrate Before Use) in the categories and languages of the run, it
should favour no label. It is recorded beside the judgements and corrects nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..metrics.groups import cluster_codes
from ..metrics.intervals import mean_interval
from ..reasons import Reason
from ..records.item import Item, Turn
from ..records.judgement import Judgement
from .distribution import Distribution
from .judge import Judge
from .rubric_file import Criterion

CONTENT_FREE = ("", "N/A", "…")
"""What stands in place of the question and of the answer."""


def diagnostics(
    judge: Judge,
    items: Sequence[Item],
    judgements: Sequence[Sequence[Judgement]],
    *,
    prior: bool = True,
) -> dict[str, Any]:
    """What `judging.json` says: criteria, priors, order bias and windows, all of them JSON values.

    `items` are those whose responses were judged and `judgements` those of each, as `Judge.judge`
    gives them. With `prior` the judge is asked once more.
    """
    return {
        "label_orders": judge.label_orders,
        "min_coverage": judge.min_coverage,
        "criteria": [
            _criterion(benchmark, judge, name, criterion)
            for benchmark in judge.questions
            for name, criterion in judge.criteria(benchmark).items()
        ],
        "priors": priors(judge, items) if prior else [],
        "order_bias": list(_biases(judge, items, judgements)),
        "windows": list(_windows(judge, items, judgements)),
    }


def _criterion(benchmark: str, judge: Judge, name: str, criterion: Criterion) -> dict[str, Any]:
    used = judge.questions[benchmark]
    return {
        "benchmark": benchmark,
        "rubric": used.rubric.name,
        "rubric_version": used.rubric.version,
        "rubric_hash": used.hash,
        "criterion": name,
        "labels": list(criterion.scale.labels),
        "values": list(criterion.scale.values),
        "read": criterion.read,
    }


def priors(judge: Judge, items: Iterable[Item]) -> list[dict[str, Any]]:
    """The label prior of each benchmark, criterion and language, over the categories of the run."""
    return list(_priors(judge, items))


def _priors(judge: Judge, items: Iterable[Item]) -> Iterator[dict[str, Any]]:
    kinds_of: dict[tuple[str, str], dict[str, Item]] = {}
    for item in items:
        spoken = judge.questions[item.benchmark].rubric.spoken(item.language)
        kinds_of.setdefault((item.benchmark, spoken), {}).setdefault(item.category, item)
    for (benchmark, language), kinds in sorted(kinds_of.items()):
        about = [
            (replace(item, language=language, messages=(Turn("user", nothing),)), nothing)
            for _, item in sorted(kinds.items())
            for nothing in CONTENT_FREE
        ]
        results = judge.ask(about)
        for at, (name, criterion) in enumerate(judge.criteria(benchmark).items()):
            yield {
                "benchmark": benchmark,
                "rubric_hash": judge.questions[benchmark].hash,
                "criterion": name,
                "language": language,
                "labels": list(criterion.scale.labels),
                "categories": len(kinds),
                "prompts": len(about),
                **_prior(criterion, [each[at] for each in results]),
                "failed": sum(each[at].reason == Reason.CALL_FAILED for each in results),
            }


def _prior(criterion: Criterion, distributions: Sequence[Distribution]) -> dict[str, Any]:
    """The mean distribution of the prompts that could be read; null where none could."""
    read = [
        (each.probs, each.coverage)
        for each in distributions
        if each.probs is not None and each.coverage is not None
    ]
    if not read:
        return {"read": 0, "probs": None, "value": None, "coverage": None}
    probs: list[float] = np.mean([each for each, _ in read], axis=0).tolist()
    return {
        "read": len(read),
        "probs": probs,
        "value": criterion.value(probs),
        "coverage": float(np.mean([coverage for _, coverage in read])),
    }


def _biases(
    judge: Judge, items: Sequence[Item], judgements: Sequence[Sequence[Judgement]]
) -> Iterator[dict[str, Any]]:
    """By benchmark and criterion: the mean of the shifts, with the interval for new items."""
    shifts: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for item, rows in zip(items, judgements, strict=True):
        for row in rows:
            if row.order_shift is not None:
                shift = (row.order_shift, item.cluster_or_id)
                shifts.setdefault((item.benchmark, row.criterion), []).append(shift)
    for (benchmark, name), pairs in shifts.items():
        scale = judge.criteria(benchmark)[name].scale
        values = np.array([shift for shift, _ in pairs])
        clusters = cluster_codes([cluster for _, cluster in pairs], len(pairs))
        span = max(scale.values) - min(scale.values)
        interval = mean_interval(values, clusters=clusters, bounds=(-span, span))
        yield {
            "benchmark": benchmark,
            "criterion": name,
            "n": len(pairs),
            "shift": float(values.mean()),
            "low": None if interval is None else interval.low,
            "high": None if interval is None else interval.high,
            "level": 0.95,
            "method": None if interval is None else interval.method,
            "mean_absolute_shift": float(np.abs(values).mean()),
        }


def _windows(
    judge: Judge, items: Sequence[Item], judgements: Sequence[Sequence[Judgement]]
) -> Iterator[dict[str, Any]]:
    """By benchmark: how many answers were judged in several windows."""
    for benchmark in judge.questions:
        counts = [
            max((row.windows for row in rows), default=1)
            for item, rows in zip(items, judgements, strict=True)
            if item.benchmark == benchmark
        ]
        yield {
            "benchmark": benchmark,
            "responses": len(counts),
            "in_several_windows": sum(count > 1 for count in counts),
            "most_windows": max(counts, default=0),
        }
