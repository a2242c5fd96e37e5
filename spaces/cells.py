"""What people paste or upload, as the columns and options of a metric.

Beside the metric's own columns there may be one for each option with a value per row: `clusters`,
or `groups.category` for the levels of a group.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..budget import Budget
from ..errors import DataError, nearest
from ..messages import message, replaced
from ..metrics.columns import NUMBERS, TABLES
from ..rows import read_rows

MOST_ROWS = 100_000
MOST_BYTES = 10_000_000
_BUDGET = Budget(rows=MOST_ROWS, columns=200, bytes=30 * MOST_BYTES)


def option_columns(per_row: Sequence[str]) -> list[str]:
    """What the columns of a file may be called that are options.

    >>> option_columns(["groups", "clusters"])
    ['groups.NAME', 'clusters']
    """
    return [f"{name}.NAME" if name in TABLES else name for name in per_row]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The metric's columns by name, its options per row, and the columns that are neither."""

    columns: dict[str, list[Any]]
    options: dict[str, Any]
    unused: tuple[str, ...]


def read_table(
    names: Sequence[str],
    table: Sequence[Sequence[Any]],
    types: Mapping[str, str],
    per_row: Sequence[str] = (),
    *,
    where: str = "the table",
) -> Sheet:
    """The table's columns of those types, numbers as floats and empty cells as null; its options.

    Empty rows at the end are dropped, as a form leaves them behind.

    >>> read_table(["x", "y"], [["1", "A"], ["", "B"], ["", ""]], {"x": "float64"})
    Sheet(columns={'x': [1.0, None]}, options={}, unused=('y',))
    """
    filled = [place for place, row in enumerate(table) if not all(map(_empty, row))]
    used = table[: filled[-1] + 1] if filled else []
    cells = {name: [row[place] for row in used] for place, name in enumerate(names)}
    for name in types:
        if name not in cells:
            hint = nearest(name, list(names))
            raise DataError(
                message(
                    "{where} has no column {name!r}: rename or add it ({hint})",
                    where=where,
                    name=name,
                    hint=hint,
                )
            )
    columns = {name: _column(cells[name], name, kind) for name, kind in types.items()}
    options: dict[str, Any] = {}
    unused = []
    for name in (name for name in cells if name not in types):
        option, _, level = name.partition(".")
        if option not in per_row or bool(level) != (option in TABLES):
            unused.append(name)
        elif level:
            options.setdefault(option, {})[level] = _column(cells[name], name, "string")
        elif option in NUMBERS:
            options[name] = [_whole(value) for value in _column(cells[name], name, "float64")]
        else:
            options[name] = _column(cells[name], name, "string")
    return Sheet(columns, options, tuple(unused))


def read_file(path: Path, types: Mapping[str, str], per_row: Sequence[str] = ()) -> Sheet:
    """The same of a file."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise DataError(f"{path.name} is too large: at most {MOST_BYTES // 1_000_000} MB")
        rows = read_rows(path, budget=_BUDGET)
    except DataError as error:
        # it begins with a path of this machine
        raise DataError(replaced(error.message, str(path), path.name)) from None
    except (pa.ArrowException, OSError, RecursionError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"{path.name} is not readable as {path.suffix[1:]}: {reason}") from None
    if not rows:
        raise DataError(f"{path.name} has 0 rows; from 1 to {MOST_ROWS:,} are taken")
    table = [list(row.values()) for row in rows]
    return read_table(list(rows[0]), table, types, per_row, where=path.name)


def _column(cells: Sequence[Any], name: str, kind: str) -> list[Any]:
    return [_cell(cell, name, kind) for cell in cells]


def _cell(value: Any, name: str, kind: str) -> Any:
    if _empty(value):
        return None
    if not kind.startswith("float"):
        return str(value).strip()
    try:
        return float(value)
    except (ValueError, TypeError):
        raise ValueError(
            f"{name}: {value!r} is not a number; leave the cell empty for none"
        ) from None


def _whole(value: float | None) -> float | None:
    return int(value) if value is not None and value.is_integer() else value


def _empty(value: Any) -> bool:
    return value is None or str(value).strip() in {"", "nan"}
