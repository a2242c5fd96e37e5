"""Columns as users have them (lists with nulls, arrays) into checked numpy arrays."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..categorical import Categorical
from ..errors import DataError, UsageError, nearest
from ..reasons import Origin, Reason
from .columns import Labels, listed, rows, valued
from .groups import categorical

Rule = Literal["default", "published"]
"""Our arithmetic, or the one with which a paper's authors made its numbers."""

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

Column = Sequence[float | None] | NDArray[Any]
"""Numbers, one per row; null and NaN both say that there is none."""

Matrix = Sequence[Column] | NDArray[Any]
"""Numbers, a row of columns per item."""

Reasons = Sequence[str | Reason | None] | Categorical
"""Why a number is absent, one per row; null, NaN or empty where it is there or nobody knows."""

# by which a sum of probabilities may be off its scale
_SLACK = 1e-6


def numbers(
    values: Column | Matrix, name: str, *, dimensions: int = 1, labels: Labels | None = None
) -> Floats:
    """The values as floats, null as NaN; a `DataError` if they are not finite numbers or not flat.

    `labels` are words that stand for a number, those of the scale.

    >>> numbers([1, None, 3], "rating").tolist()
    [1.0, nan, 3.0]
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = _converted(values, name, dimensions, labels or {})
    # an empty list does not show its dimensions
    if array.size == 0 and (array.ndim < dimensions or array.shape == (0, 0)):
        array = np.empty((0, 1))
    if array.ndim != dimensions:
        raise DataError(f"{name} must have {dimensions} dimension(s), not the shape {array.shape}")
    if np.isinf(array).any():
        row = int(np.argwhere(np.isinf(array))[0][0])
        raise DataError(f"{name}, row {row} (from 0): infinite; give NaN where there is no value")
    return array


def between(values: Floats, name: str, low: float, high: float) -> Floats:
    """The values if all are in [low, high] or NaN, else a `DataError` with the first that is not.

    A sum of probabilities that is off by rounding is set onto the bound.
    """
    bad = (values < low - _SLACK) | (values > high + _SLACK)
    _refuse(bad, values, name, f"off the scale {low:g} … {high:g}")
    return np.clip(values, low, high)


def among(values: Floats, name: str, allowed: Sequence[float]) -> Floats:
    """The values if each is one of those allowed or NaN, else a `DataError` with the first."""
    bad = ~np.isnan(values) & ~np.isin(values, allowed)
    _refuse(bad, values, name, f"not one of {', '.join(f'{value:g}' for value in allowed)}")
    return values


def same_length(columns: Mapping[str, Any]) -> int:
    """The one length of all columns that are not None, else a `DataError` with every length."""
    lengths = {name: len(column) for name, column in columns.items() if column is not None}
    if len(set(lengths.values())) > 1:
        message = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise DataError(f"columns differ in length ({message}); give one value per row in each")
    return next(iter(lengths.values()))


def absent(reasons: Reasons | None, missing: Bools) -> tuple[Bools, Bools]:
    """Of the rows without a value: which the respondent left out, and which the source excludes.

    The rest is unscored. A reason beside a value that is there says nothing.
    """
    if reasons is None:
        nowhere = np.zeros(missing.shape, dtype=np.bool_)
        return nowhere, nowhere
    same_length({"values": missing, "reasons": reasons})
    # by name and not by row: a column has few reasons and many rows
    column = reasons if isinstance(reasons, Categorical) else categorical(reasons)
    origins = [_origin(name, column.codes == code) for code, name in enumerate(column.names)]
    silent, left = (
        missing & column.marked(origin is wanted for origin in origins)
        for wanted in (Origin.RESPONDENT, Origin.SOURCE)
    )
    return silent, left


def one_of(value: str, name: str, known: tuple[str, ...]) -> None:
    """Refuses a switch that is not known, and names the nearest."""
    if value not in known:
        raise UsageError(f"{name} {value!r}: {nearest(str(value), known)}")


def _converted(values: Any, name: str, dimensions: int, labels: Labels) -> Floats:
    """What numpy does not take for numbers: words of the scale, and pandas' missing values."""
    if dimensions == 1:
        return np.array(valued(listed(values), name, labels))
    cells = rows(values)
    if len({len(row) for row in cells}) > 1:
        raise DataError(f"{name} must be rows of numbers, all of one length, or null")
    return np.array([valued(row, f"{name}, item {at}", labels) for at, row in enumerate(cells)])


def _origin(reason: str, rows: Bools) -> Origin | None:
    """Whose doing a reason is; null for none, and for one that no row has."""
    if not reason or not rows.any():
        return None
    try:
        return Reason(reason).origin
    except ValueError:
        message = nearest(reason, [str(entry) for entry in Reason])
        row = int(rows.argmax())
        raise DataError(f"reasons, row {row} (from 0): {reason!r}; {message}") from None


def _refuse(bad: Bools, values: Floats, name: str, fault: str) -> None:
    if bad.any():
        where = np.argwhere(bad)[0]
        value = float(values[tuple(where)])
        place = f"row {where[0]}" + (f", column {where[1]}" if len(where) > 1 else "")
        more = int(bad.sum()) - 1
        also = f" (and {more} more)" if more else ""
        remedy = "correct it, or give NaN if the row is unscored"
        raise DataError(f"{name}, {place} (from 0): {value:g} is {fault}{also}; {remedy}")
