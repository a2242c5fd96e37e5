"""A model's answers to vignettes: which it was asked for, and which are missing by our failure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..categorical import Categorical, combined
from ..errors import DataError
from ..reasons import Reason
from .columns import rows as rows_of
from .groups import categorical
from .inputs import Bools, Floats, Matrix, absent
from .intervals import Codes
from .majority import likert, or_all

MatrixReasons = Sequence[Sequence[str | Reason | None]] | Categorical | Reason | str | None
"""Why answers are missing: one reason per answer, or one for all that are.

A column in which no item has an answer or a reason of its own is a variant that the model was not
asked (`requested_columns`): its gaps are no failures. Give each answer that failed its reason.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The answers of one model or condition, items × columns (variants), −2 … +2 or NaN.

    `unscored` marks those that are missing by our failure, `requested` the columns that were asked.
    """

    values: Floats
    unscored: Bools
    requested: Bools

    @classmethod
    def of(
        cls, answers: "Matrix | Answers", reasons: MatrixReasons = None, name: str = "answers"
    ) -> "Answers":
        """The answers of a matrix, with the reasons for those that are missing.

        >>> Answers.of([[1, None], [2, None]], "no_answer").requested.tolist()
        [True, False]
        """
        if isinstance(answers, Answers):
            return answers
        matrix = likert(answers, name)
        return cls(matrix, unscored_cells(matrix, reasons), requested_columns(matrix, reasons))


def shared_columns(models: Iterable[Answers]) -> Bools:
    """The columns that every one of these models was asked.

    >>> shared_columns([Answers.of([[1, 2]] * 2), Answers.of([[1, None]] * 2)]).tolist()
    [True, False]
    """
    shared: Bools = np.logical_and.reduce([of.requested for of in models])
    return shared


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


def unscored_cells(matrix: Floats, reasons: MatrixReasons) -> Bools:
    """Which answers to what was asked are missing by a failure of ours, or for no known reason."""
    return failures(matrix, reasons) & requested_columns(matrix, reasons)


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


def requested_columns(matrix: Floats, reasons: MatrixReasons) -> Bools:
    """The columns (variants) that the model was asked: any item has an answer or a reason there.

    One reason for all says nothing of a single column. Where no column has either, or of one item
    alone, all were asked.

    >>> answers = np.array([[1.0, np.nan, np.nan], [0.0, np.nan, np.nan]])
    >>> requested_columns(answers, [[None, "call_failed", None], [None] * 3]).tolist()
    [True, True, False]
    """
    requested: Bools = np.logical_or.reduce(~np.isnan(matrix))
    cells = _cells(reasons, matrix.shape)
    if cells is not None:
        requested = requested | cells.marked(map(bool, cells.names)).any(axis=0)
    return or_all(requested, len(matrix))
