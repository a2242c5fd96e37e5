"""Filled sheets, read without trust: every bad cell with its row and what to do about it."""

import csv
import io
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ...errors import DataError, UsageError
from ...files import hash_file
from ...rows import Rows, read_rows
from .key import Key, Sample
from .sheet import ANSWER, CANNOT_TELL, ITEM, QUESTION, SHEET, column_of, digest, sheet_name

_CRITERIONER = 2
_SHOWN = 10

Labels = dict[str, dict[str, str]]
"""By row and criterion the label, or `?` where the rater cannot tell; absent where nothing is said.
"""


@dataclass(frozen=True, slots=True)
class Filled:
    """What one rater says. `missing` counts cells that were left empty."""

    file: str
    sha256: str
    rater: int
    labels: Labels
    missing: int


def read_filled(path: Path, sample: Sample, *, partial: bool = False) -> Filled:
    """One rater's sheet, as a spreadsheet or the page saved it.

    Half-filled sheets are refused unless `partial`.
    """
    key = sample.key
    rows = _rows(path, [column_of(criterion) for criterion in key.criteria])
    rater = _rater(path, rows, key)
    known = {row.row: row.digest for row in sample.drawn}
    problems: list[str] = []
    labels: Labels = {}
    first: dict[str, int] = {}
    for number, row in enumerate(rows, start=_CRITERIONER):
        place, name = f"row {number}", _plain(row[ITEM])
        if name in first:
            problems.append(f"{place}: {name!r} stands in row {first[name]} already; delete one")
        elif name not in known:
            problems.append(
                f"{place}: there is no {ITEM} {name!r} in this sample; restore the cell"
            )
        else:
            first[name] = number
            if _edited(row, known[name]):
                told = "the question or the answer was edited, so the label may be of another text"
                remedy = "restore it, or, if a spreadsheet did it, delete both columns"
                problems.append(f"{place}: {told}; {remedy}")
            labels[name] = _read_cells(row, key.criteria, place=place, problems=problems)
    if problems:
        raise DataError(tell(path, problems))
    missing = sum(
        criterion not in labels.get(name, {}) for name in known for criterion in key.criteria
    )
    if missing and not partial:
        empty = [name for name in first if len(labels[name]) < len(key.criteria)]
        where = f"first row {first[empty[0]]}" if empty else "rows of the sheet were deleted"
        raise DataError(
            f"{path}: {missing} of {len(known) * len(key.criteria)} labels are missing ({where}): "
            f"fill them in ({CANNOT_TELL} where it cannot be told), or say --partial"
        )
    return Filled(path.name, hash_file(path), rater, labels, missing)


def _read_cells(
    row: Mapping[str, object],
    criteria: Mapping[str, Sequence[str]],
    *,
    place: str,
    problems: list[str],
) -> dict[str, str]:
    """The labels of a row by criterion; what is no label is added to the problems."""
    found = {}
    for criterion, labels in criteria.items():
        said = _plain(row.get(column_of(criterion)))
        label = label_of(said, labels)
        if label is not None:
            found[criterion] = label
        elif said:
            told = f"{column_of(criterion)} is {said!r}; write one of {', '.join(labels)}"
            problems.append(f"{place}: {told}, or {CANNOT_TELL}")
    return found


def label_of(said: str, labels: Sequence[str]) -> str | None:
    """The label that a cell means, `?` for cannot tell, null for neither.

    Full-width digits, case, blanks and a spreadsheet's 1.0 do not matter.

    >>> label_of("１", ("0", "1")), label_of("1.0", ("0", "1")), label_of("2", ("0", "1"))
    ('1', '1', None)
    """
    known = {_folded(label): label for label in (*labels, CANNOT_TELL)}
    folded = _folded(said)
    return known.get(folded) or known.get(folded.removesuffix(".0"))


def tell(path: Path, problems: Sequence[str]) -> str:
    """The problems of a file, a line each; the first ten of many."""
    more = len(problems) - _SHOWN
    lines = [*problems[:_SHOWN], *([f"and {more} more"] if more > 0 else [])]
    return f"{path}:\n" + "\n".join(f"  {line}" for line in lines)


def read_all(paths: Sequence[Path], sample: Sample, *, partial: bool = False) -> list[Filled]:
    """The sheets of all raters, by rater; two of one rater are refused."""
    if not paths:
        raise UsageError("name the filled sheets: normscope annotate import DIR SHEET…")
    found = [read_filled(path, sample, partial=partial) for path in paths]
    seen: dict[int, Path] = {}
    for path, filled in zip(paths, found, strict=True):
        if filled.rater in seen:
            raise DataError(
                f"{seen[filled.rater]} and {path} are both of rater {filled.rater}: leave one out, "
                "or, if two people filled it in, give each a sheet of their own"
            )
        seen[filled.rater] = path
    return sorted(found, key=lambda filled: filled.rater)


def _rows(path: Path, needed: Sequence[str]) -> Rows:
    if path.suffix.lower() != ".csv":
        raise DataError(f"{path} is no sheet: save it from the spreadsheet as CSV (UTF-8)")
    wanted = (ITEM, *needed, SHEET)
    rows = _semicolons(path, wanted) or read_rows(path, needed=wanted)
    # a spreadsheet may save blank lines below the table
    rows = [row for row in rows if any(_plain(value) for value in row.values())]
    if not rows:
        raise DataError(f"{path} has no rows")
    return rows


def _semicolons(path: Path, wanted: Sequence[str]) -> Rows:
    """The rows, if the columns are parted as spreadsheets do in some countries; else none."""
    with suppress(OSError, UnicodeDecodeError):
        text = path.read_text(encoding="utf-8-sig")
        for sign in ";\t":
            table = csv.DictReader(io.StringIO(text, newline=""), delimiter=sign)
            if set(wanted) <= set(table.fieldnames or ()):
                return [dict(row) for row in table]
    return []


def _rater(path: Path, rows: Rows, key: Key) -> int:
    names = list(dict.fromkeys(_plain(row[SHEET]) for row in rows))
    if len(names) > 1:
        raise DataError(
            f"{path}: the column {SHEET!r} says {names[0]!r} and {names[1]!r}: restore it, and do "
            "not put two sheets into one file"
        )
    for rater in range(1, key.raters + 1):
        if names[0] == sheet_name(key.seal, rater):
            return rater
    raise DataError(
        f"{path} is of another sample: it says {names[0]!r}, and the sheets of this one begin with "
        f"{key.seal!r}. Name the folder that it was drawn into"
    )


def _edited(row: Mapping[str, object], known: str | None) -> bool:
    if QUESTION not in row or ANSWER not in row:
        return False
    return digest(str(row[QUESTION] or ""), str(row[ANSWER] or "")) != known


def _plain(value: object) -> str:
    return "" if value is None else str(value).strip().removeprefix("'").strip()


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split()).casefold()
