"""Ties for a person to settle: a sheet of them, and what comes back."""

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ...errors import DataError
from ...files import replacing
from ...rows import read_rows
from .adjudication import People, all_verdicts
from .consensus import Verdict
from .filled import label_of, tell
from .frame import Frame
from .key import Sample
from .rule_sheet import guarded
from .sheet import ANSWER, CANNOT_TELL, CATEGORY, ITEM, QUESTION, SHEET, sheet_name, texts, title

TIES = "ties.csv"
CRITERION, RATERS, LABEL = "criterion", "raters", "label"
COLUMNS = (ITEM, CRITERION, CATEGORY, QUESTION, ANSWER, "ask", "allowed", RATERS, LABEL, SHEET)

_UMPIRE = 0
_CRITERIONER = 2


def write_ties(path: Path, ties: Sequence[Verdict], frame: Frame, sample: Sample) -> None:
    """A row per tie with the raters' labels, and `label` to be filled in."""
    rows = {row.row_id: row for row in frame.rows}
    with replacing(path) as part, part.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, lineterminator="\r\n")
        writer.writerow(COLUMNS)
        for tie in ties:
            row = rows[tie.row]
            question, answer = texts(row, frame.rubric)
            instruction = frame.criteria[tie.criterion].instruction[
                frame.rubric.spoken(row.item.language)
            ]
            labels = sample.key.criteria[tie.criterion]
            allowed = "\n".join(f"{label} = {instruction.meanings[label]}" for label in labels)
            cells = (tie.row, tie.criterion, title(row, frame.rubric), question, answer)
            given = ", ".join(tie.given) or "nobody can tell"
            told = (instruction.ask, allowed, given, "", sheet_name(sample.key.seal, _UMPIRE))
            writer.writerow([guarded(cell) for cell in (*cells, *told)])


def read_ties(path: Path, people: People, sample: Sample) -> People:
    """The labels with the umpire's; an empty cell leaves its tie open."""
    if path.suffix.lower() != ".csv":
        raise DataError(f"{path} is no sheet: save it from the spreadsheet as CSV (UTF-8)")
    rows = read_rows(path, needed=(ITEM, CRITERION, LABEL, SHEET))
    wanted = sheet_name(sample.key.seal, _UMPIRE)
    ties = {(one.row, one.criterion) for one in all_verdicts(people, sample) if one.label is None}
    settled = {row: dict(criteria) for row, criteria in people.adjudicated.items()}
    problems, seen = [], set()
    for number, row in enumerate(rows, start=_CRITERIONER):
        name, criterion, said = (_plain(row[column]) for column in (ITEM, CRITERION, LABEL))
        if _plain(row[SHEET]) != wanted:
            told = f"{SHEET} is {row[SHEET]!r}, not {wanted!r}: this is no sheet of ties of this"
            problems.append(f"row {number}: {told} sample")
        elif (name, criterion) not in ties:
            problems.append(
                f"row {number}: {name!r} under criterion {criterion!r} is no tie; delete the row"
            )
        elif (name, criterion) in seen:
            problems.append(
                f"row {number}: {name!r} under criterion {criterion!r} stands there twice"
            )
        elif said:
            labels = sample.key.criteria[criterion]
            label = label_of(said, labels)
            if label is None:
                told = f"{LABEL} is {said!r}; write one of {', '.join(labels)}, or {CANNOT_TELL}"
                problems.append(f"row {number}: {told}")
            else:
                settled.setdefault(name, {})[criterion] = label
        seen.add((name, criterion))
    if problems:
        raise DataError(tell(path, problems))
    return replace(people, adjudicated=settled)


def _plain(value: object) -> str:
    return "" if value is None else str(value).strip().removeprefix("'").strip()
