"""Filled sheets, read without trust: every bad cell with its row and what to do about it."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import DataError, UsageError
from ...files import hash_file
from ...rows import Rows, read_rows
from .key import Drawn, Key, Sample
from .sheet import ANSWER, CANNOT_TELL, ITEM, QUESTION, SHEET, column_of, digest, sheet_name

ADJUDICATOR = 0

# the table's own first row is the spreadsheet's row 1
_FIRST_ROW = 2
_SHOWN = 10

Labels = dict[str, dict[str, str]]
"""By row and criterion the label, or `?` where the rater cannot tell; absent where it is empty."""


@dataclass(frozen=True, slots=True)
class Filled:
    """The labels of one rater. `missing` counts cells that were left empty."""

    file: str
    sha256: str
    rater: int
    labels: Labels
    missing: int


def read_filled(path: Path, sample: Sample, *, partial: bool = False) -> Filled:
    """One person's sheet, as a spreadsheet or the page saved it.

    Half-filled sheets are refused unless `partial`, save the adjudicator's, which asks about some
    rows only.
    """
    key = sample.key
    rows = _rows(path)
    rater = _rater(path, rows, key)
    criteria = [name for name in key.criteria if column_of(name) in rows[0]]
    absent = [column_of(name) for name in key.criteria if name not in criteria]
    if absent and rater != ADJUDICATOR:
        have = ", ".join(rows[0])
        raise DataError(f"{path} has no column {absent[0]!r}: restore it (it has {have})")
    drawn = {row.row: row for row in sample.drawn}
    problems: list[str] = []
    labels: Labels = {}
    first: dict[str, int] = {}
    for number, row in enumerate(rows, start=_FIRST_ROW):
        place, name = f"row {number}", _plain(row[ITEM])
        if name in first:
            problems.append(f"{place}: {name!r} stands in row {first[name]} already; delete one")
        elif name not in drawn:
            problems.append(
                f"{place}: there is no {ITEM} {name!r} in this sample; restore the cell"
            )
        else:
            first[name] = number
            if _edited(row, drawn[name]):
                problems.append(
                    f"{place}: the question or the answer was edited, so the label may be of "
                    "another text; restore it, or, if a spreadsheet did it, delete both columns"
                )
            labels[name] = {}
            for criterion in criteria:
                cell = _plain(row.get(column_of(criterion)))
                allowed = sample.labels(drawn[name], criterion)
                if (label := label_of(cell, allowed)) is not None:
                    labels[name][criterion] = label
                elif cell:
                    problems.append(
                        f"{place}: {column_of(criterion)} is {cell!r}; write one of "
                        f"{', '.join(allowed)}, or {CANNOT_TELL}"
                    )
    if problems:
        raise DataError(listed(path, problems))
    missing = len(drawn) * len(key.criteria) - sum(map(len, labels.values()))
    if missing and not partial and rater != ADJUDICATOR:
        empty = [name for name in first if len(labels[name]) < len(key.criteria)]
        where = f"first row {first[empty[0]]}" if empty else "rows of the sheet were deleted"
        raise DataError(
            f"{path}: {missing} of {len(drawn) * len(key.criteria)} labels are missing ({where}): "
            f"fill them in ({CANNOT_TELL} where it cannot be told), or say --partial"
        )
    return Filled(path.name, hash_file(path), rater, labels, missing)


def read_all(paths: Sequence[Path], sample: Sample, *, partial: bool = False) -> list[Filled]:
    """The sheets of all raters, by rater; two of one rater are refused."""
    if not paths:
        raise UsageError("name the filled sheets: normscope annotate import DIR SHEET…")
    by_rater: dict[int, tuple[Path, Filled]] = {}
    for path in paths:
        filled = read_filled(path, sample, partial=partial)
        if filled.rater == ADJUDICATOR:
            raise DataError(
                f"{path} is the sheet of ties: `normscope annotate adjudicate DIR SHEET` reads it"
            )
        if filled.rater in by_rater:
            raise DataError(
                f"{by_rater[filled.rater][0]} and {path} are both of rater {filled.rater}: leave "
                "one out, or, if two people filled it in, give each a sheet of their own"
            )
        by_rater[filled.rater] = path, filled
    return [by_rater[rater][1] for rater in sorted(by_rater)]


def label_of(cell: str, labels: Sequence[str]) -> str | None:
    """The label that a cell means, `?` for cannot tell, null for neither.

    Full-width digits, case, blanks, underscores and a spreadsheet's 1.0 do not matter.

    >>> label_of("１", ("0", "1")), label_of("1.0", ("0", "1")), label_of("2", ("0", "1"))
    ('1', '1', None)
    """
    known = {_folded(label): label for label in (*labels, CANNOT_TELL)}
    folded = _folded(cell)
    # a label that ends in .0 itself comes before a number that a spreadsheet has made of one
    return known.get(folded) or known.get(folded.removesuffix(".0"))


def listed(path: Path, problems: Sequence[str]) -> str:
    """The problems of a file, a line each; the first ten of many."""
    more = len(problems) - _SHOWN
    lines = [*problems[:_SHOWN], *([f"and {more} more"] if more > 0 else [])]
    return f"{path}:\n" + "\n".join(f"  {line}" for line in lines)


def _rows(path: Path) -> Rows:
    if path.suffix.lower() != ".csv":
        raise DataError(f"{path} is no sheet: save it from the spreadsheet as CSV (UTF-8)")
    rows = read_rows(path, needed=(ITEM, SHEET))
    # a spreadsheet may save blank lines below the table
    rows = [row for row in rows if any(_plain(value) for value in row.values())]
    if not rows:
        raise DataError(f"{path} has no rows")
    return rows


def _rater(path: Path, rows: Rows, key: Key) -> int:
    names = list(dict.fromkeys(_plain(row[SHEET]) for row in rows))
    if len(names) > 1:
        raise DataError(
            f"{path}: the column {SHEET!r} says {names[0]!r} and {names[1]!r}: restore it, and do "
            "not put two sheets into one file"
        )
    # the adjudicator is number 0
    for rater in range(key.raters + 1):
        if names[0] == sheet_name(key.seal, rater):
            return rater
    raise DataError(
        f"{path} is of another sample: it says {names[0]!r}, and the sheets of this one begin with "
        f"{key.seal!r}. Name the folder that it was drawn into"
    )


def _edited(row: Mapping[str, object], drawn: Drawn) -> bool:
    # who deletes both columns shows nobody another text
    if QUESTION not in row or ANSWER not in row:
        return False
    return digest(str(row[QUESTION] or ""), str(row[ANSWER] or "")) != drawn.digest


def _plain(value: object) -> str:
    # the apostrophe that `untrusted.guarded` has put before what looks like a formula
    return "" if value is None else str(value).strip().removeprefix("'").strip()


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).replace("_", " ").split()).casefold()
