"""What each answer comes to under each criterion, as columns: label, value, reason, coverage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from ..categorical import Bools, Categorical, Codes
from ..judges.respondent import OPTION
from ..metrics.cfsafety import SCORE
from ..pipeline.criteria import CLASSES, RANGES
from ..reasons import Origin, origin_of
from ..records.judgements import Floats, counting
from .pairing import Paired, Side

SCORED = "score"
"""The criterion that follows from others: moral × rating, an answer's score in CFSafety."""

_FACTORS = ("moral", "rating")


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One run under one criterion, a value per answer.

    `at` is the place of the judgement, −1 where there is none. `label` is the class of a value, or
    the label that the distribution favours; it and `value` are absent where there is a `reason`.
    """

    at: Codes
    value: Floats
    label: Categorical
    reason: Categorical
    coverage: Floats
    source: Categorical

    @property
    def is_there(self) -> Bools:
        """Which answers were judged, with a value or without."""
        result: Bools = self.at >= 0
        return result

    def absent(self, *origins: Origin) -> Bools:
        """The answers without a value by somebody's doing."""
        return (
            self.is_there
            & np.isnan(self.value)
            & self.reason.marked(origin_of(name) in origins for name in self.reason.names)
        )

    @property
    def unscored(self) -> Bools:
        """The answers without a value for no reason of the model under test or of the source.

        It is a failure of judge or engine, or of nobody knows whom.
        """
        known = self.absent(Origin.RESPONDENT, Origin.SOURCE)
        return self.is_there & np.isnan(self.value) & ~known

    @property
    def state(self) -> Categorical:
        """The label, or why the model under test gave none; null where nothing is known of it."""
        silent = Categorical.stacked([self.label, self.reason])
        n = len(self.at)
        codes = np.where(self.absent(Origin.RESPONDENT), silent.codes[n:], silent.codes[:n])
        return Categorical(codes, silent.names)


Columns = Mapping[str, Column]
"""The columns of one run by criterion."""


def columns_of(paired: Paired) -> tuple[Columns, ...]:
    """The columns of each run; every run has the same criteria, without a judgement if need be."""
    sides = paired.sides
    names = dict.fromkeys(
        name for side in sides for name in side.run.judgements.criterion.seen().names
    )
    result = [{name: _column(side, name, len(paired)) for name in names} for side in sides]
    if set(_FACTORS) <= names.keys() and SCORED not in names:
        for columns in result:
            columns[SCORED] = _product(*(columns[name] for name in _FACTORS))
    return tuple(result)


def _column(side: Side, criterion: str, n: int) -> Column:
    rows = side.run.judgements
    # who counts is written last: of several assignments to one place the last counts
    ranked = sorted(rows.source.names, key=lambda name: _rank(name, rows.source.names))
    rank = np.array([ranked.index(name) for name in (*rows.source.names, *ranked[:1])])
    of = np.flatnonzero(rows.criterion.equals(criterion) & (side.row >= 0))
    of = of[np.argsort(rank[rows.source.codes[of]], kind="stable")] if len(rank) else of
    at = np.full(n, -1, dtype=np.intp)
    at[side.row[of]] = of
    has = at >= 0
    value = np.where(has, rows.value[at], np.nan) if len(rows) else np.full(n, np.nan)
    return Column(
        at=at,
        value=value,
        label=_labels(criterion, value, rows.favourite.taken(at)),
        reason=rows.reason.taken(at),
        coverage=np.where(has, rows.coverage[at], np.nan) if len(rows) else np.full(n, np.nan),
        source=rows.source.taken(at),
    )


def _rank(source: str, names: Sequence[str]) -> int:
    """How many of the sources this one counts before."""
    return sum(counting((source, other)) == source for other in names if other != source)


def _labels(criterion: str, value: Floats, favourite: Categorical) -> Categorical:
    """The class of each value that is one, else the label that the distribution favours."""
    known = favourite.where(~np.isnan(value))
    classes = CLASSES.get(criterion)
    if classes is None:
        return known
    both = Categorical.stacked([known, Categorical.of(classes.values())])
    codes, of_class = both.codes[: len(value)], both.codes[len(value) :]
    for number, code in zip(classes, of_class.tolist(), strict=True):
        codes = np.where(value == number, code, codes)
    return Categorical(codes.astype(np.int32), both.names)


def _product(first: Column, second: Column) -> Column:
    """The product of two criteria; where it has no value, the reason of the one that has none."""
    both = first.is_there & second.is_there
    reasons = Categorical.stacked([first.reason, second.reason])
    n = len(first.at)
    codes = np.where(reasons.codes[:n] >= 0, reasons.codes[:n], reasons.codes[n:])
    return Column(
        at=np.where(both, first.at, -1),
        value=np.where(both, first.value * second.value, np.nan),
        label=Categorical(np.full(n, -1, dtype=np.int32), ()),
        reason=Categorical(codes, reasons.names).where(both),
        coverage=np.fmin(first.coverage, second.coverage),
        source=first.source.where(both),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """Where two runs differ: by criterion which labels changed, and how far each answer moved.

    `moved` is the largest movement over the criteria, each as a share of its range; NaN where
    nothing can be compared. A label that is no degree of anything moves by 1. What judge or engine
    failed at in either run is not compared: it is no change of the model.
    """

    changed: Mapping[str, Bools]
    moved: Floats


def change_of(first: Columns, second: Columns, ranges: Mapping[str, float], n: int) -> Change:
    """The change of n answers from one run to the other; `ranges` are the scales' lengths."""
    changed, moves = {}, []
    for name, before in first.items():
        after = second[name]
        states = Categorical.stacked([before.state, after.state])
        codes = states.codes.reshape(2, -1)
        differ = (codes >= 0).all(axis=0) & (codes[0] != codes[1])
        if name != SCORED:
            changed[name] = differ
        silent = before.absent(Origin.RESPONDENT) | after.absent(Origin.RESPONDENT)
        gap = np.abs(after.value - before.value) / ranges[name]
        nominal = (codes >= 0).all(axis=0) & (silent if name != OPTION else True)
        moves.append(np.where(nominal, differ.astype(np.float64), gap))
    return Change(changed, reduce(np.fmax, moves, np.full(n, np.nan)))


def range_lengths(paired: Paired, columns: Sequence[Columns]) -> dict[str, float]:
    """How long the scale of each criterion is; of one that is not known, what its values span."""
    own = {
        name: scale.values
        for side in paired.sides
        for rubric in side.run.config.provenance.rubrics.values()
        for name, scale in rubric.own.items()
    }
    known = {**own, **RANGES, SCORED: SCORE} | {name: tuple(of) for name, of in CLASSES.items()}
    result = {}
    for name in columns[0]:
        values = np.concatenate([of_run[name].value for of_run in columns])
        values = np.array(known[name]) if name in known else values[~np.isnan(values)]
        length = float(values.max() - values.min()) if len(values) else 0.0
        result[name] = length or 1.0
    return result
