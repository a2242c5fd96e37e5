"""The sheet that a person fills in: written for spreadsheets, and read back without trust."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import DataError
from ...files import replacing
from ...reasons import Origin, Reason
from ...rows import read_rows
from ..rules import rule_hash
from .rule_sample import Drawn

REVIEWED = "reviewed_label"
COLUMNS = (
    *("where", "rule", "question", "options", "text", REVIEWED, "comment", "label", "reason"),
    *("pattern", "labels", "stratum_size", "weight", "rule_hash"),
)
REASONS = tuple(str(reason) for reason in Reason if reason.origin is Origin.RESPONDENT)
"""What a person may write where an answer has no label."""

_JOINED = " | "
# a spreadsheet runs a cell that begins so as a formula, whatever the file's author meant
_FORMULA = re.compile(r"[\s\ufeff]*[=+\-@＝＋－＠]|[\t\r\n]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# spreadsheets cut a cell at 32,767 characters
_LONGEST, _KEPT = 30_000, 14_000
_CRITERIONER = 2


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A row of a filled sheet: what was read, and what the person says; null: not yet reviewed."""

    row: int
    rule: str
    read: str
    truth: str | None
    labels: tuple[str, ...]
    stratum_size: int
    rule_hash: str


def write_sheet(path: Path, drawn: Sequence[Drawn]) -> None:
    """Writes a CSV with a column to fill in, whole or not at all.

    It begins with a byte-order mark, without which spreadsheets garble Chinese, and no cell can be
    run as a formula: what looks like one gets an apostrophe before it.
    """
    with replacing(path) as part, part.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, lineterminator="\r\n")
        writer.writerow(COLUMNS)
        writer.writerows([guarded(cell) for cell in _cells(one)] for one in drawn)


def guarded(text: str) -> str:
    """The text as a cell that no spreadsheet runs, and none cuts short.

    >>> guarded("=1+1"), guarded("B")
    ("'=1+1", 'B')
    """
    if len(text) > _LONGEST:
        cut = len(text) - 2 * _KEPT
        text = f"{text[:_KEPT]} [… {cut:,} characters …] {text[-_KEPT:]}"
    text = _CONTROL.sub(" ", text.encode("utf-8", "replace").decode())
    return f"'{text}" if _FORMULA.match(text) else text


def read_sheet(path: Path) -> list[Reviewed]:
    """The rows of a sheet; what is not a label or a reason is an error with its row and remedy."""
    if path.suffix != ".csv":
        raise DataError(f"{path} is no sheet: save it from the spreadsheet as CSV (UTF-8)")
    rows = read_rows(path, needed=COLUMNS)
    made = [_reviewed(path, number, row) for number, row in enumerate(rows, start=_CRITERIONER)]
    if not made:
        raise DataError(f"{path} has no rows: draw it with `normscope rules sample`")
    return made


def outdated(rows: Sequence[Reviewed]) -> tuple[str, ...]:
    """The rules whose tables are no longer those that the sheet was read with."""
    return tuple(sorted({row.rule for row in rows if row.rule_hash != rule_hash(row.rule)}))


def _cells(one: Drawn) -> tuple[str, ...]:
    answer, reading = one.answer, one.reading
    options = [
        f"{letter}. {text}"
        for letter, text in zip(answer.letters, answer.options, strict=False)
        if answer.rule == "option"
    ]
    return (
        *(answer.where, answer.rule, answer.question, _JOINED.join(options), answer.text, "", ""),
        *(reading.label or "", str(reading.reason or ""), reading.rule),
        *(_JOINED.join(answer.labels), str(one.stratum_size), f"{one.weight:.6g}"),
        rule_hash(answer.rule),
    )


def _reviewed(path: Path, number: int, row: dict[str, str]) -> Reviewed:
    place = f"{path}, row {number}"
    labels = tuple(row["labels"].split(_JOINED))
    read = row["label"] or row["reason"]
    if read not in (*labels, *REASONS):
        raise DataError(
            f"{place}: label and reason say {read!r}; leave what the rule read as it is"
        )
    if not row["stratum_size"].isdecimal() or int(row["stratum_size"]) < 1:
        raise DataError(
            f"{place}: stratum_size is {row['stratum_size']!r}, not a number; leave it as it is"
        )
    return Reviewed(
        row=number,
        rule=row["rule"],
        read=read,
        truth=_truth(row[REVIEWED], labels, place=place),
        labels=labels,
        stratum_size=int(row["stratum_size"]),
        rule_hash=row["rule_hash"],
    )


def _truth(cell: str, labels: tuple[str, ...], *, place: str) -> str | None:
    """The label or reason that the person means; case and blanks do not matter."""
    said = " ".join(cell.replace("_", " ").split()).casefold()
    if not said:
        return None
    known = {name.replace("_", " ").casefold(): name for name in (*REASONS, *labels)}
    if said not in known:
        raise DataError(
            f"{place}: {REVIEWED} is {cell!r}; write one of {', '.join(labels)}, or why there is "
            f"none: {', '.join(REASONS)}"
        )
    return known[said]
