"""Runs side by side: the same item, variant and sample in the same row of every column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..categorical import Bools, Categorical, Codes, combined
from ..errors import DataError, UsageError
from ..messages import joined, message
from ..metrics import Rule
from ..metrics.inputs import Floats
from ..metrics.majority import Threshold
from ..metrics.options import Key as AnswerKey
from ..metrics.options import key_of
from ..records.judgements import Judgements, stacked
from ..records.provenance import CriterionScale
from .runs import Run

_KEY = ("item_id", "variant_id", "scale_order")
"""What rows are paired by, with the sample."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """What one run says in one criterion, a row per pairing key; NaN where it says nothing."""

    values: Floats
    reasons: Categorical
    favourites: Categorical


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """A benchmark's rows that every one of the runs has. `criteria` holds a column per run.

    `rows` are those of the first run, with their keys and items. `left_out` counts, for each run,
    its rows that some other run does not have. `key` says whose answers options are compared with,
    silver if any run's are. Norms are made by the `rule` and the threshold of the first run; its
    rubric, else that of the first that has one, has the scales of criteria of its `own`.
    """

    benchmark: str
    runs: tuple[str, ...]
    rows: Judgements
    criteria: Mapping[str, tuple[Column, ...]]
    left_out: Mapping[str, int]
    key: AnswerKey
    rule: Rule
    norm_threshold: Threshold
    own: Mapping[str, CriterionScale] = field(default_factory=dict)

    def __len__(self) -> int:
        """How many rows the runs have in common."""
        return len(self.rows)


def shared_benchmarks(runs: Sequence[Run]) -> tuple[str, ...]:
    """The benchmarks that every run has judged, in the order of the first."""
    first, *others = (list(run.judgements) for run in runs)
    shared = tuple(name for name in first if all(name in other for other in others))
    if not shared:
        text = joined(
            (
                message(
                    "{run} has {held}", run=r.name, held=", ".join(r.judgements) or message("none")
                )
                for r in runs
            ),
            "; ",
        )
        raise UsageError(f"the runs have no benchmark in common: {text}")
    return shared


def align(runs: Sequence[Run], benchmark: str) -> Aligned:
    """The rows of the benchmark that every run has, in the order of the first run's judgements."""
    per_run = [run.judgements[benchmark] for run in runs]
    asked = [rows.criterion.seen().names for rows in per_run]
    # a criterion that one of the runs lacks has nothing to be compared with
    criteria = [name for name in asked[0] if all(name in other for other in asked[1:])]
    codes = _pairing_codes(per_run)
    n = 1 + max(of_run.max(initial=-1) for of_run in codes)
    # the rows of the first criterion lead
    places = [
        np.concatenate(
            [np.zeros(0, dtype=np.intp)]
            + [np.flatnonzero(rows.criterion.equals(name)) for name in criteria]
        )
        for rows in per_run
    ]
    asked_of = [_marks(of_run[at], n) for of_run, at in zip(codes, places, strict=True)]
    shared = np.logical_and.reduce(asked_of)
    firsts = _first_of_each(codes[0], places[0], n)
    firsts = firsts[shared[codes[0][firsts]]]
    if not len(firsts):
        raise DataError(
            f"{benchmark}: no row of the runs is about the same item, prompt variant, order of "
            "the scale and sample; compare slices alike"
        )
    # a run that has not judged the benchmark has no rubric of it
    rubrics = (run.config.provenance.rubrics.get(benchmark) for run in runs)
    rubric = next(filter(None, rubrics), None)
    keys = codes[0][firsts]
    by_run = list(zip(per_run, codes, strict=True))
    return Aligned(
        benchmark=benchmark,
        runs=tuple(run.name for run in runs),
        rows=per_run[0][firsts],
        criteria={
            name: tuple(_column(rows, name, of_run, keys, n) for rows, of_run in by_run)
            for name in criteria
        },
        left_out={
            run.name: int(marks.sum()) - len(keys)
            for run, marks in zip(runs, asked_of, strict=True)
            if marks.sum() > len(keys)
        },
        key=key_of(
            source
            for rows, of_run in by_run
            for source in rows[shared[of_run]].of_items("answer_source").seen().names
        ),
        rule=runs[0].config.rule,
        norm_threshold=runs[0].config.norm_threshold,
        own={} if rubric is None else rubric.own,
    )


def padded(runs: Sequence[Run]) -> tuple[Run, ...]:
    """The runs with a row for every judgement that another of them has, or that an item is due.

    What a run lacks has neither a value nor a reason in it.
    """
    names = dict.fromkeys(name for run in runs for name in run.judgements)
    tables = {name: _padded([run.judgements.get(name) for run in runs], name) for name in names}
    return tuple(
        replace(run, judgements={name: tables[name][at] for name in names})
        for at, run in enumerate(runs)
    )


def _padded(per_run: Sequence[Judgements | None], benchmark: str) -> list[Judgements]:
    judged = [rows for rows in per_run if rows is not None]
    own = [judged[0][:0] if rows is None else rows for rows in per_run]
    due = [*own, *(_unjudged(rows, benchmark) for rows in judged)]
    codes = _pairing_codes(due, "criterion")
    n = 1 + max(of_rows.max(initial=-1) for of_rows in codes)
    result = []
    for at, rows in enumerate(own):
        has, blanks = _marks(codes[at], n), []
        for others, of_others in zip(due, codes, strict=True):
            lacking = _first_of_each(of_others, np.flatnonzero(~has[of_others]), n)
            has[of_others[lacking]] = True
            blanks.append(others[lacking].blank())
        result.append(stacked([rows, *filter(len, blanks)]))
    return result


def _unjudged(rows: Judgements, benchmark: str) -> Judgements:
    """A row in each criterion for every item of the benchmark that has no judgement at all."""
    of_benchmark = np.flatnonzero(rows.items.column("benchmark").equals(benchmark))
    items = np.setdiff1d(of_benchmark, rows.item)
    criteria = rows.criterion.seen().names
    at = np.tile(items, len(criteria))
    keys: dict[str, Any] = {name: rows.items.column(name)[at] for name in _KEY}
    return replace(
        # sample and source are as in any other row
        rows[np.zeros(len(at), dtype=np.intp)],
        item=at,
        criterion=Categorical.of(np.repeat(criteria, len(items)).tolist()),
        **keys,
    )


def narrowed(aligned: Aligned, rows: Bools) -> Aligned:
    """These of its rows alone."""
    return replace(
        aligned,
        rows=aligned.rows[rows],
        criteria={
            name: tuple(
                Column(of.values[rows], of.reasons[rows], of.favourites[rows]) for of in columns
            )
            for name, columns in aligned.criteria.items()
        },
    )


def dimensions(rows: Judgements) -> dict[str, Categorical]:
    """The area, category, language and turns of each row, as far as the rows differ in them."""
    columns = {name: rows.of_items(name) for name in ("area", "category", "language")}
    turns = rows.facet("turns")
    columns["turns"] = turns.put("", turns.codes < 0)
    return {name: column for name, column in columns.items() if len(column.seen().names) > 1}


def _pairing_codes(per_run: Sequence[Judgements], *more: str) -> list[Codes]:
    """A number for each pairing key, with `more` columns if any, the same in every run."""
    columns = (*_KEY, *more)
    names = (Categorical.stacked([getattr(rows, name) for rows in per_run]) for name in columns)
    codes = combined(*names, np.concatenate([rows.sample for rows in per_run]))
    return np.split(codes, np.cumsum([len(rows) for rows in per_run])[:-1])


def _marks(codes: Codes, n: int) -> Bools:
    """Which of the n pairing keys are among these."""
    marks = np.zeros(n, dtype=np.bool_)
    marks[codes] = True
    return marks


def _first_of_each(codes: Codes, rows: Codes, n: int) -> Codes:
    """Of these rows, in their order, the first of each pairing key."""
    first = np.full(n, -1, dtype=np.intp)
    # of several assignments to one place the last counts
    first[codes[rows][::-1]] = rows[::-1]
    result: Codes = rows[first[codes[rows]] == rows]
    return result


def _column(rows: Judgements, criterion: str, codes: Codes, keys: Codes, n: int) -> Column:
    """The judgements under the criterion in the order of the keys; of several the last."""
    of_criterion = np.flatnonzero(rows.criterion.equals(criterion))
    row_of = np.full(n, -1, dtype=np.intp)
    row_of[codes[of_criterion]] = of_criterion
    at = row_of[keys]
    has = at >= 0
    return Column(
        # NaN is what the metrics take for unscored
        values=np.where(has, rows.value[at], np.nan),
        reasons=rows.reason[at].where(has),
        favourites=rows.favourite[at].where(has),
    )
