"""The sheet that a rater fills in with a spreadsheet: a CSV without any verdict of the judge."""

import csv
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...files import replacing
from ...untrusted import visible
from ..rubric import Rubric
from .frame import FrameRow
from .rule_sheet import guarded

ITEM, QUESTION, ANSWER, CATEGORY = "item", "question", "answer", "category"
ALLOWED, GUIDE, COMMENT, SHEET = "allowed", "guide", "comment", "sheet"
CANNOT_TELL = "?"

_PREFIX = "label_"


def column_of(criterion: str) -> str:
    """The column in which a criterion's label is written."""
    return _PREFIX + criterion


def columns(criteria: Sequence[str]) -> tuple[str, ...]:
    """The columns of a sheet."""
    asked = (ITEM, CATEGORY, QUESTION, ANSWER, *map(column_of, criteria), COMMENT)
    return (*asked, ALLOWED, GUIDE, SHEET)


def sheet_name(seal: str, rater: int) -> str:
    """What stands in each row of a rater's sheet: which sample, which rater."""
    return f"{seal}-{rater}"


def write_sheet(
    path: Path,
    rows: Sequence[FrameRow],
    used: Rubric,
    criteria: Mapping[str, Sequence[str]],
    *,
    name: str,
) -> None:
    """Writes the rows in this order, whole or not at all.

    The file begins with a byte-order mark, without which spreadsheets garble Chinese, and no cell
    of it can be run as a formula.
    """
    allowed = "; ".join(
        f"{column_of(criterion)}: {told_labels(own)}" for criterion, own in criteria.items()
    )
    with replacing(path) as part, part.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, lineterminator="\r\n")
        writer.writerow(columns(list(criteria)))
        for row in rows:
            question, answer = texts(row, used)
            cells = (row.row_id, title(row, used), question, answer, *[""] * len(criteria))
            told = definitions(row, used, criteria)
            writer.writerow([guarded(cell) for cell in (*cells, "", allowed, told, name)])


def texts(row: FrameRow, used: Rubric) -> tuple[str, str]:
    """The question (a dialogue with its speakers) and the answer, as a rater reads them."""
    turns = row.item.messages
    if len(turns) == 1:
        question = turns[0].content
    else:
        names = used.languages[used.spoken(row.item.language)].turns
        question = "\n".join(f"{names.get(t.role, t.role)}: {t.content}" for t in turns)
    return visible(question), visible(row.response.text or "")


def title(row: FrameRow, used: Rubric) -> str:
    """The category's title in the item's language, empty where the rubric has none."""
    kind = used.categories.get(row.item.category)
    return kind[used.spoken(row.item.language)].title if kind else ""


def definitions(row: FrameRow, used: Rubric, criteria: Mapping[str, Sequence[str]]) -> str:
    """What the rubric says of the category, the criteria and their labels, in the item's language.

    A paragraph per criterion, `label_moral: …` and a line per label, `0 = …`; the category's comes
    first.
    """
    spoken = used.spoken(row.item.language)
    kind = used.categories.get(row.item.category)
    told = [f"{kind[spoken].title}: {_line(kind[spoken].definition)}"] if kind else []
    for criterion, labels in criteria.items():
        said = used.criteria[criterion].instruction[spoken]
        meanings = (f"{label} = {_line(said.meanings[label])}" for label in labels)
        told.append("\n".join((f"{column_of(criterion)}: {_line(said.ask)}", *meanings)))
    return "\n\n".join(told)


def _line(text: str) -> str:
    return " ".join(text.split())


def digest(question: str, answer: str) -> str:
    """The hash of a row's texts, blanks and a spreadsheet's apostrophe aside.

    >>> digest("a  b", "'=c") == digest("a b", "=c ")
    True
    """
    told = "\n".join(" ".join(text.split()).lstrip("'") for text in (question, answer))
    return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()


def sheet_digest(row: FrameRow, used: Rubric) -> str:
    """The digest of the texts as the CSV has them."""
    question, answer = texts(row, used)
    return digest(guarded(question), guarded(answer))


def told_labels(labels: Sequence[str]) -> str:
    """The labels as they may be written.

    >>> told_labels(["1", "2", "3", "4", "5"])
    '1, 2, 3, 4, 5 (? if it cannot be told)'
    """
    return f"{', '.join(labels)} ({CANNOT_TELL} if it cannot be told)"
