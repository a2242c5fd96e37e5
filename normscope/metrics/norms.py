"""The norms that a model's answers to vignettes agree on, over variants of the same vignette.

The vignettes of a context are enumerated: shares of all of them are exact, shares of a slice have
the interval of a sample without replacement. What could have been otherwise is the variant, over
which `mean_acceptability` has its interval.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..categorical import Categorical, combined
from ..errors import DataError, UsageError
from ..messages import joined, marked, message
from ..reasons import Reason
from .columns import rows as rows_of
from .estimate import Estimate, Statistic, Target, estimated, over_scored, undefined
from .groups import Groups, Rows, categorical, cluster_codes
from .inputs import Bools, Floats, Matrix, Rule, absent
from .intervals import Bounds, Codes, Interval, mean_interval
from .majority import LIKERT, Threshold, likert, or_all
from .rates import enumerated
from .reliability import over_variants
from .table import broken_down
from .vignette_norms import vignette_norms

__all__ = ["norm_consensus"]

ACCEPTABILITY: Bounds = (LIKERT[0], LIKERT[-1])

MatrixReasons = Sequence[Sequence[str | Reason | None]] | Categorical | Reason | str | None
"""Why answers are missing: one reason per answer, or one for all that are.

A column in which no item has an answer or a reason of its own is a variant that the model was not
asked (`asked_columns`): its gaps are no failures. Give each answer that failed its reason.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The answers of one model or condition, items × columns (variants), −2 … +2 or NaN.

    `unscored` marks those that are missing by our failure, `asked` the columns that were asked.
    """

    values: Floats
    unscored: Bools
    asked: Bools

    @classmethod
    def of(
        cls, answers: "Matrix | Answers", reasons: MatrixReasons = None, name: str = "answers"
    ) -> "Answers":
        """The answers of a matrix, with the reasons for those that are missing.

        >>> Answers.of([[1, None], [2, None]], "no_answer").asked.tolist()
        [True, False]
        """
        if isinstance(answers, Answers):
            return answers
        matrix = likert(answers, name)
        return cls(matrix, unscored_cells(matrix, reasons), asked_columns(matrix, reasons))

    def __getitem__(self, rows: Rows) -> "Answers":
        """The answers to these items."""
        return Answers(self.values[rows], self.unscored[rows], self.asked)


def asked_of_all(models: Iterable[Answers]) -> Bools:
    """The columns that every one of these models was asked.

    >>> asked_of_all([Answers.of([[1, 2]] * 2), Answers.of([[1, None]] * 2)]).tolist()
    [True, False]
    """
    shared: Bools = np.logical_and.reduce([of.asked for of in models])
    return shared


def norm_consensus(
    answers: Matrix | Answers,
    *,
    groups: Groups | None = None,
    reasons: MatrixReasons = None,
    rule: Rule = "default",
    threshold: Threshold = "simple",
    min_valid: int | None = None,
    variants: Sequence[Hashable] | None = None,
    population: float | None = None,
    level: float = 0.95,
) -> list[Statistic]:
    """Shares of the items by the norm their answers make, and the mean acceptability.

    `answers` is items × variants, −2 … +2 or NaN. `reasons` says why an answer is missing, one per
    answer or one for all: a respondent's is no answer; any other, or none, is unscored. An item
    with `enough` valid answers of the variants asked (`asked_columns`) is decided by them; one that
    falls short because of unscored answers is unscored, else it has *no answer*.

    Shares of all items: `simple_majority` and `super_majority` (see `majority`), `undecided`
    (enough answers, no simple majority), `no_answer`, `unanimous`, and by the sign of the norm that
    `threshold` makes, `accept_share`, `reject_share` and `neutral_share`. They are exact for these
    items; unscored items leave a range open. With `population`, how many items the enumeration has
    from which these were drawn, their intervals are for all of it (`enumerated`; `math.inf`: they
    stand for others without end). How many of them
    are of a level of `groups` is not known: at most these and all that were not drawn.

    `mean_acceptability` is the mean of the columns' means over valid answers; its t interval is
    over the columns (clusters of them, where `variants` names columns alike), its target new prompt
    variants, its n the variants. Unscored answers stand at −2 and +2 in its lowest and highest
    case.

    How alike the answers to an item are: `variant_variance`, `flip_rate`, `raw_agreement`, and the
    ordinal `alpha` (`reliability.over_variants`, with an interval over the variants); n counts
    items with two answers or more.

    >>> table = norm_consensus([[1, 1, 1], [-1, -1, 2], [0, 1, 2]])
    >>> [round(row.estimate.value, 3) for row in table[:8]]
    [0.667, 0.667, 0.333, 0.0, 0.333, 0.333, 0.333, 0.0]
    """
    whole = Answers.of(answers, reasons)
    matrix, unscored, asked = whole.values, whole.unscored, whole.asked
    left = _left_out(len(matrix), population)
    shares = vignette_norms(
        matrix, unscored, rule=rule, threshold=threshold, min_valid=min_valid, asked=asked
    ).outcomes
    columns = cluster_codes(variants, matrix.shape[1])
    note = of_columns(asked, marked("{n} of {m} variants asked"), columns)

    def compute(rows: Rows) -> list[Statistic]:
        n = len(matrix[rows])
        total = None if left is None else left + n
        # of a level there are so many at most
        share_of = partial(enumerated, at_most=n < len(matrix), level=level)
        table = [
            Statistic(name, "rate", noted(share_of(hit[rows], population=total), note))
            for name, hit in shares.items()
        ]
        result = acceptability(matrix[rows], unscored[rows], columns, level=level)
        table.append(Statistic("mean_acceptability", "score", result))
        alike = over_variants(matrix[rows], unscored[rows], variants=columns, level=level)
        return table + alike

    return broken_down(compute, len(matrix), groups)


def _left_out(n: int, population: float | None) -> float | None:
    """How many items of the enumeration were not drawn; null if nobody says."""
    if population is not None and population < n:
        raise UsageError(f"population {population} for {n} items: it counts these and all others")
    return None if population is None else population - n


def by_vignette(
    items: Categorical, replies: Codes, values: Floats, reasons: Categorical
) -> tuple[Floats, Categorical]:
    """The answers, and the reasons for none, as vignettes × replies, both as first seen.

    >>> items, reasons = Categorical.of(["a", "b", "a"]), Categorical.of([None] * 3)
    >>> by_vignette(items, np.array([0, 0, 1]), np.array([1.0, 2, -1]), reasons)[0].tolist()
    [[1.0, -1.0], [2.0, nan]]
    """
    rows = combined(items)
    shape = (rows.max(initial=-1) + 1, replies.max(initial=-1) + 1)
    answers, codes = np.full(shape, np.nan), np.full(shape, -1, dtype=np.int32)
    answers[rows, replies], codes[rows, replies] = values, reasons.codes
    return answers, Categorical(codes, reasons.names)


def item_means(answers: Floats) -> Floats:
    """The mean answer of each item (a row), NaN where it has none.

    >>> item_means(np.array([[1.0, 2.0], [np.nan, np.nan]])).tolist()
    [1.5, nan]
    """
    there = ~np.isnan(answers)
    count = there.sum(axis=1)
    sums = np.where(there, answers, 0).sum(axis=1)
    return np.where(count > 0, sums / np.maximum(count, 1), np.nan)


def acceptability(
    matrix: Floats,
    unscored: Bools,
    columns: Codes | None,
    *,
    level: float = 0.95,
) -> Estimate:
    """The mean over the variants' means; in its cases the unscored are at the ends of the scale."""
    sums, failed = np.nansum(matrix, axis=0), unscored.sum(axis=0)
    valid = (~np.isnan(matrix)).sum(axis=0)
    used, scored = valid + failed > 0, valid > 0
    target: Target = "new prompt variants"
    if not used.any():
        return undefined(message("nothing scored"), target=target, level=level)
    lowest, highest = (
        float(((sums + bound * failed)[used] / (valid + failed)[used]).mean())
        for bound in ACCEPTABILITY
    )
    n = _variants(columns, scored)
    rest: dict[str, Any] = {
        "unscored": _variants(columns, used) - n,
        "cases": (lowest, highest),
        "target": target,
        "level": level,
    }
    if not n:
        return undefined(message("nothing scored"), **rest)
    codes = None if columns is None else cluster_codes(columns[scored], int(scored.sum()))
    means = sums[scored] / valid[scored]
    limits = interval_of_means(means, codes, bounds=ACCEPTABILITY, level=level)
    method = over_scored(limits.method, int(failed.sum()))
    return estimated(float(means.mean()), limits, n=n, method=method, **rest)


def interval_of_means(
    means: Floats, codes: Codes | None, *, bounds: Bounds, level: float
) -> Interval:
    """Student's t interval of the mean of the variants' means (`mean_interval`), which says so.

    With `codes` a variant has several columns: orders of the scale, samples.

    >>> result = interval_of_means(np.array([0.0, 1.0]), None, bounds=ACCEPTABILITY, level=0.95)
    >>> result.low, result.high, result.method  # 0.5 ± 12.7 · 0.5, within the bounds
    (-2.0, 2.0, 't, on the means of 2 prompt variants')
    """
    result = mean_interval(means, clusters=codes, bounds=bounds, level=level)
    assert result is not None  # noqa: S101 - bounds are given
    slots = {"method": result.method, "n": len(means)}
    text = message("{method}, on the means of {n} prompt variants", **slots)
    if codes is not None:
        text = message(
            "{method}, on the means of {n} columns (orders of the scale, samples) of {m} prompt "
            "variants",
            m=len(np.unique(codes)),
            **slots,
        )
    return Interval(result.low, result.high, text)


def _variants(codes: Codes | None, columns: Bools) -> int:
    """How many variants the columns are of: orders of the scale and samples are none."""
    return int(columns.sum()) if codes is None else len(np.unique(codes[columns]))


def unscored_cells(matrix: Floats, reasons: MatrixReasons) -> Bools:
    """Which answers to what was asked are missing by a failure of ours, or for no known reason."""
    return failures(matrix, reasons) & asked_columns(matrix, reasons)


def failures(matrix: Floats, reasons: MatrixReasons) -> Bools:
    """The same in every column, whether it was asked or not."""
    missing = np.isnan(matrix)
    if isinstance(reasons, str):
        reasons = Categorical(np.zeros(matrix.shape, dtype=np.int32), (str(reasons),))
    silent, left = absent(_cells(reasons, matrix.shape), missing)
    return np.asarray(missing & ~(silent | left))


def _cells(reasons: MatrixReasons, shape: tuple[int, ...]) -> Categorical | None:
    """The reasons one per answer; null where there are none but for all."""
    if reasons is None or isinstance(reasons, Categorical):
        return reasons
    if isinstance(reasons, str):
        return None
    cells = rows_of(reasons)
    if [len(row) for row in cells] != [shape[1]] * shape[0]:
        raise DataError(f"reasons must be a matrix like answers, {shape}, or one reason")
    flat = categorical([reason for row in cells for reason in row])
    return Categorical(flat.codes.reshape(shape), flat.names)


def asked_columns(matrix: Floats, reasons: MatrixReasons) -> Bools:
    """The columns (variants) that the model was asked: any item has an answer or a reason there.

    One reason for all says nothing of a single column. Where no column has either, or of one item
    alone, all were asked.

    >>> answers = np.array([[1.0, np.nan, np.nan], [0.0, np.nan, np.nan]])
    >>> asked_columns(answers, [[None, "call_failed", None], [None] * 3]).tolist()
    [True, True, False]
    """
    requested: Bools = np.logical_or.reduce(~np.isnan(matrix))
    cells = _cells(reasons, matrix.shape)
    if cells is not None:
        requested = requested | cells.marked(map(bool, cells.names)).any(axis=0)
    return or_all(requested, len(matrix))


def of_columns(columns: Bools, text: str, codes: Codes | None = None) -> str:
    """How many variants are marked, in the text's slots `n` and `m`; empty where all columns are.

    Columns of one code are one variant.

    >>> of_columns(np.array([True, False]), "{n} of {m} variants asked")
    '1 of 2 variants asked'
    """
    all_columns = np.ones_like(columns)
    n, m = _variants(codes, columns), _variants(codes, all_columns)
    return "" if columns.all() else message(text, n=n, m=m)


def noted(estimate: Estimate, note: str) -> Estimate:
    """The estimate with the note in its method."""
    return replace(estimate, method=joined([estimate.method, note], "; ")) if note else estimate
