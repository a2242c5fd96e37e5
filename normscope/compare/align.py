"""Runs side by side: the same item, variant and sample in the same row of every column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import DataError, UsageError
from ..messages import joined, message
from ..metrics import Rule
from ..metrics.inputs import Floats
from ..metrics.majority import Threshold
from ..metrics.options import Key as AnswerKey
from ..metrics.options import key_of
from ..records.item import Item, ItemKey, varying
from ..records.provenance import CriterionScale
from .runs import Key, Reading, Run

_NOTHING = Reading(None, None, None)


@dataclass(frozen=True, slots=True)
class Column:
    """What one run says in one criterion, a row per pairing key; NaN where it says nothing."""

    values: Floats
    reasons: list[str | None]
    favourites: list[str | None]


@dataclass(frozen=True, slots=True)
class Aligned:
    """A benchmark's rows that every one of the runs has. `criteria` holds a column per run.

    `left_out` counts, for each run, its rows that some other run does not have. `key` says whose
    answers options are compared with, silver if any run's are. Norms are made by the `rule` and the
    threshold of the first run, whose rubric has the scales of criteria of its `own`.
    """

    benchmark: str
    runs: tuple[str, ...]
    keys: tuple[Key, ...]
    items: tuple[Item, ...]
    criteria: Mapping[str, tuple[Column, ...]]
    left_out: Mapping[str, int]
    key: AnswerKey
    rule: Rule
    norm_threshold: Threshold
    own: Mapping[str, CriterionScale] = field(default_factory=dict)

    @property
    def clusters(self) -> list[str]:
        """What is not independent carries one name."""
        return [item.cluster_or_id for item in self.items]


def shared_benchmarks(runs: Sequence[Run]) -> tuple[str, ...]:
    """The benchmarks that every run has judged, in the order of the first."""
    first, *others = (list(run.readings) for run in runs)
    shared = tuple(name for name in first if all(name in other for other in others))
    if not shared:
        text = joined(
            (
                message(
                    "{run} has {held}", run=r.name, held=", ".join(r.readings) or message("none")
                )
                for r in runs
            ),
            "; ",
        )
        raise UsageError(message("the runs have no benchmark in common: {each}", each=text))
    return shared


def align(runs: Sequence[Run], benchmark: str) -> Aligned:
    """The rows of the benchmark that every run has, in the order of the first run's judgements."""
    per_run = [run.readings[benchmark] for run in runs]
    # a criterion that one of the runs lacks has nothing to be compared with
    criteria = [
        criterion for criterion in per_run[0] if all(criterion in readings for readings in per_run)
    ]
    keys_per_run = [
        dict.fromkeys(key for criterion in criteria for key in readings[criterion])
        for readings in per_run
    ]
    keys = tuple(key for key in keys_per_run[0] if all(key in other for other in keys_per_run[1:]))
    if not keys:
        raise DataError(
            message(
                "{benchmark}: no row of the runs is about the same item, prompt variant, order of "
                "the scale and sample; compare slices alike",
                benchmark=benchmark,
            )
        )
    rubric = runs[0].config.provenance.rubrics.get(benchmark)
    return Aligned(
        benchmark=benchmark,
        runs=tuple(run.name for run in runs),
        keys=keys,
        items=tuple(runs[0].items[ItemKey(*key[:4])] for key in keys),
        criteria={
            criterion: tuple(_column(readings[criterion], keys) for readings in per_run)
            for criterion in criteria
        },
        left_out={
            run.name: len(run_keys) - len(keys)
            for run, run_keys in zip(runs, keys_per_run, strict=True)
            if len(run_keys) > len(keys)
        },
        key=key_of(run.items[ItemKey(*key[:4])].answer_source for run in runs for key in keys),
        rule=runs[0].config.rule,
        norm_threshold=runs[0].config.norm_threshold,
        own={} if rubric is None else rubric.own,
    )


def dimensions(items: Sequence[Item]) -> dict[str, list[str]]:
    """The area, category, language and turns of each row, as far as the rows differ in them."""
    taxonomy = ("area", "category", "language")
    return varying(
        [
            {name: getattr(item, name) for name in taxonomy}
            | {"turns": item.facets.get("turns", "")}
            for item in items
        ]
    )


def _column(readings: Mapping[Key, Reading], keys: tuple[Key, ...]) -> Column:
    rows = [readings.get(key, _NOTHING) for key in keys]
    return Column(
        # NaN is what the metrics take for unscored
        values=np.array([np.nan if r.value is None else r.value for r in rows], dtype=float),
        reasons=[row.reason for row in rows],
        favourites=[row.favourite for row in rows],
    )
