"""Runs side by side: the same item, variant and sample in the same row of every column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..categorical import Bools, Categorical, Codes
from ..errors import DataError, UsageError
from ..messages import joined, message
from ..metrics.inputs import Floats
from ..metrics.options import Key as AnswerKey
from ..metrics.options import key_of
from ..records.items import Items, OfItems
from ..records.judgements import Judgements
from ..records.provenance import CriterionScale
from ..records.run import Run
from ..records.settings import Settings

_KEY = ("item_id", "variant_id", "scale_order", "sample")
"""What rows are paired by."""

_DIMENSIONS = ("area", "category", "language")


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """What one run says in one criterion, a row per pairing key; NaN where it says nothing."""

    values: Floats
    reasons: Categorical
    favourites: Categorical

    def __getitem__(self, rows: Bools) -> "Column":
        """These rows."""
        return Column(self.values[rows], self.reasons[rows], self.favourites[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Aligned(OfItems):
    """A benchmark's rows that every one of the runs has. `criteria` holds a column per run.

    `left_out` counts, for each run, its rows that some other run does not have. `key` says whose
    answers options are compared with, silver if any run's are.
    """

    benchmark: str
    runs: tuple[Run, ...]
    sample: NDArray[np.int64]
    criteria: Mapping[str, tuple[Column, ...]]
    left_out: Mapping[str, int]
    key: AnswerKey

    def __getitem__(self, rows: Bools) -> "Aligned":
        """These of its rows alone."""
        criteria = {
            name: tuple(column[rows] for column in columns)
            for name, columns in self.criteria.items()
        }
        return replace(self, item=self.item[rows], sample=self.sample[rows], criteria=criteria)

    @property
    def names(self) -> tuple[str, ...]:
        """What the runs are called."""
        return tuple(run.name for run in self.runs)

    def pair(self, first: int, second: int) -> dict[str, Any]:
        """What a difference of two of the runs is of."""
        names = self.names
        return {"benchmark": self.benchmark, "first": names[first], "second": names[second]}

    @property
    def settings(self) -> Settings:
        """By what norms are made: the rule and the threshold of the first run."""
        return self.runs[0].config

    @property
    def own_scales(self) -> Mapping[str, CriterionScale]:
        """The scales of a rubric's own criteria."""
        # a run that has not judged the benchmark has no rubric of it
        rubrics = (run.config.provenance.rubrics.get(self.benchmark) for run in self.runs)
        return next((rubric.own for rubric in rubrics if rubric), {})

    @property
    def population(self) -> int | None:
        """How many items the benchmark has, if every run says the same."""
        versions = [run.config.provenance.benchmarks.get(self.benchmark) for run in self.runs]
        sizes = {items.items_in_dataset if items else 0 for items in versions}
        # 0 is a run that did not note it; several sizes are several revisions of the dataset
        return sizes.pop() or None if len(sizes) == 1 else None

    @property
    def variants(self) -> tuple[str, ...]:
        """The prompt variants, none where a question is put in one wording."""
        return variants_of(self.of_items("variant_id"))

    @property
    def dimensions(self) -> dict[str, Categorical]:
        """The area, category, language and turns of each row, as far as the rows differ in them."""
        columns = {name: self.of_items(name) for name in _DIMENSIONS}
        turns = self.facet("turns")
        columns["turns"] = turns.put("", turns.codes < 0)
        return {name: column for name, column in columns.items() if len(column.seen().names) > 1}


def shared_benchmarks(runs: Sequence[Run]) -> tuple[str, ...]:
    """The benchmarks that every run has judged, in the order of the first."""
    first, *others = (list(run.counted) for run in runs)
    shared = tuple(name for name in first if all(name in other for other in others))
    if not shared:
        text = joined(
            (
                message(
                    "{run} has {held}", run=r.name, held=", ".join(r.counted) or message("none")
                )
                for r in runs
            ),
            "; ",
        )
        raise UsageError(f"the runs have no benchmark in common: {text}")
    return shared


def variants_of(column: Categorical) -> tuple[str, ...]:
    """The prompt variants in the column."""
    return tuple(filter(None, column.seen().names))


def align(runs: Sequence[Run], benchmark: str, *, gaps: bool = False) -> Aligned:
    """The rows of the benchmark that every run has, in the order of the first run's judgements.

    With `gaps` they are the rows that any run has, or that an item is due which has no judgement;
    what a run lacks of them has neither a value nor a reason in it.
    """
    per_run = [run.counted.get(benchmark) for run in runs]
    asked = [() if rows is None else rows.criterion.seen().names for rows in per_run]
    # a criterion that one of the runs lacks has nothing to be compared with
    criteria = [
        name
        for name in dict.fromkeys(name for names in asked for name in names)
        if gaps or all(name in names for names in asked)
    ]
    items = Items(pa.concat_tables([run.items.table for run in runs])) if gaps else runs[0].items
    keyed = _keyed(runs, benchmark, criteria)
    sample, item, *columns = _paired(keyed, len(runs), len(criteria), gaps=gaps)
    # runs × criteria × keys
    places = np.reshape(columns, (len(runs), len(criteria), len(item)))
    has: Bools = np.logical_or.reduce(places >= 0, axis=1)
    common: Bools = np.ones_like(has[0]) if gaps else np.logical_and.reduce(has)
    if not common.any():
        raise DataError(
            f"{benchmark}: no row of the runs is about the same item, prompt variant, order of "
            "the scale and sample; compare slices alike"
        )
    return Aligned(
        benchmark=benchmark,
        runs=tuple(runs),
        items=items,
        item=item[common],
        sample=sample[common],
        criteria={
            name: tuple(
                _column(rows, of[common]) for rows, of in zip(per_run, places[:, at], strict=True)
            )
            for at, name in enumerate(criteria)
        },
        left_out={
            run.name: int(own.sum() - common.sum())
            for run, own in zip(runs, has, strict=True)
            if own.sum() > common.sum()
        },
        key=key_of(
            source
            for rows, of in zip(per_run, places.max(axis=1), strict=True)
            if rows is not None
            for source in rows.of_items("answer_source")[of[common & (of >= 0)]].seen().names
        ),
    )


def _paired(keyed: pa.Table, runs: int, criteria: int, *, gaps: bool) -> list[NDArray[np.int64]]:
    """The sample and the item of each pairing key, and its row in each run and criterion or −1.

    Keys stand in the order of the first criterion that they have, in the order of the first run.
    """
    import duckdb  # 0.3 s

    lead = "" if gaps else "filter (where run = 0)"
    rows = ", ".join(
        f"coalesce(max(row) filter (where run = {run} and criterion = {at} and row >= 0), -1)"
        for run in range(runs)
        for at in range(criteria)
    )
    query = f"""
    with placed as (
        select *, ((2 * criterion + (row < 0)::int) * {runs} + run) * {len(keyed)}::bigint
            + abs(row) as place
        from keyed where criterion >= 0 {"" if gaps else "and row >= 0"}
    )
    select sample, coalesce(arg_min(item, place) {lead}, -1), {rows}
    from placed group by {", ".join(_KEY)} order by min(place) {lead}
    """  # noqa: S608 - numbers
    with duckdb.connect() as connection:
        connection.register("keyed", keyed)
        return [*connection.sql(query).fetchnumpy().values()]


def _keyed(runs: Sequence[Run], benchmark: str, criteria: Sequence[str]) -> pa.Table:
    """The rows of all runs by their keys, and those that are due of items without any judgement.

    `criterion` is a place among `criteria`, −1 for another, and `item` one among the items of all;
    `row` is negative in what is due.
    """
    parts, start = [], 0
    for at, run in enumerate(runs):
        rows, items = run.counted.get(benchmark), run.items
        if rows is not None:
            of_benchmark = np.flatnonzero(items.column("benchmark").equals(benchmark))
            unjudged = np.setdiff1d(of_benchmark, rows.item)
            asked = rows.criterion.seen().names
            due = np.tile(unjudged, len(asked))
            own = [getattr(rows, name) for name in _KEY[:3]]
            keys = [items.column(name)[due] for name in _KEY[:3]]
            criterion = Categorical.of(np.repeat(asked, len(unjudged)).tolist())
            # the sample of what is due is as in any other row
            sample = rows.sample[:1].repeat(len(due))
            parts += [
                (*own, rows.criterion, rows.sample, rows.item + start, np.arange(len(rows)), at),
                (*keys, criterion, sample, due + start, -1 - np.arange(len(due)), at),
            ]
        start += len(items)
    *named, samples, item, row, of_run = zip(*parts, strict=True)
    *keys, criterion = (Categorical.stacked(columns) for columns in named)
    places = [criteria.index(name) if name in criteria else -1 for name in criterion.names]
    columns = {
        **dict(zip(_KEY, [key.codes for key in keys], strict=False)),
        "sample": np.concatenate(samples),
        "criterion": np.array([*places, -1], dtype=np.int8)[criterion.codes],
        "item": np.concatenate(item).astype(np.int32),
        "row": np.concatenate(row).astype(np.int32),
        "run": np.repeat(np.array(of_run, dtype=np.int8), [*map(len, row)]),
    }
    return pa.table(columns)


def _column(rows: Judgements | None, at: Codes) -> Column:
    """The judgements in these rows; neither a value nor a reason for the row −1."""
    if rows is None:
        nothing = Categorical.of([None] * len(at))
        return Column(np.full(len(at), np.nan), nothing, nothing)
    # NaN is what the metrics take for unscored
    values = np.append(rows.value, np.nan)[at]
    return Column(values, rows.reason.taken(at), rows.favourite.taken(at))
