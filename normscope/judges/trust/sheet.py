"""The blind sheet: what a rater is shown of an answer and asked about it.

It shows question, answer, category and the definitions of the labels, and nothing of what a judge
made of the answer. Here it is written as a CSV for spreadsheets; `raters` reads what comes back.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...files import replacing
from ...untrusted import guarded
from ..rubric import Instruction

ITEM, QUESTION, ANSWER, CATEGORY = "item", "question", "answer", "category"
GUIDE, COMMENT, SHEET = "guide", "comment", "sheet"
CANNOT_TELL = "?"


@dataclass(frozen=True, slots=True)
class Guide:
    """What a rater is told beside the texts: of the category, and per criterion of each label.

    The labels that may be given are the keys of an instruction's meanings, in their order.
    """

    language: str
    title: str
    definition: str
    criteria: Mapping[str, Instruction]


@dataclass(frozen=True, slots=True)
class Utterance:
    """One turn as it is shown: the role, the speaker's name in the item's language, the text."""

    role: str
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class SheetRow:
    """An answer to be labelled: the conversation that ends with it."""

    item: str
    guide: Guide
    conversation: tuple[Utterance, ...]

    @property
    def question(self) -> str:
        """The question; of several turns each with its speaker."""
        *turns, _ = self.conversation
        if len(turns) == 1:
            return turns[0].text
        return "\n".join(f"{turn.speaker}: {turn.text}" for turn in turns)

    @property
    def answer(self) -> str:
        """The last turn."""
        return self.conversation[-1].text


@dataclass(frozen=True, slots=True)
class Sheet:
    """A rater's sheet; its name says of which sample it is and whose."""

    name: str
    criteria: tuple[str, ...]
    rows: tuple[SheetRow, ...]


def column_of(criterion: str) -> str:
    """The column in which a criterion's label is written."""
    return f"label_{criterion}"


def sheet_name(sample: str, rater: int) -> str:
    """What stands in each row of a sheet: the hash of its sample, the rater's number."""
    return f"{sample}-{rater}"


def write_sheet(path: Path, sheet: Sheet) -> None:
    """Writes the rows in their order, whole or not at all.

    The file begins with a byte-order mark, without which spreadsheets garble Chinese, and no cell
    of it can be run as a formula.
    """
    labels = [column_of(criterion) for criterion in sheet.criteria]
    columns = [ITEM, CATEGORY, QUESTION, ANSWER, *labels, COMMENT, GUIDE, SHEET]
    with replacing(path) as part, part.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\r\n")
        writer.writeheader()
        for row in sheet.rows:
            cells = {
                ITEM: row.item,
                CATEGORY: row.guide.title,
                QUESTION: row.question,
                ANSWER: row.answer,
                COMMENT: "",
                GUIDE: guide_text(row.guide),
                SHEET: sheet.name,
                **{column_of(name): "" for name in sheet.criteria},
            }
            writer.writerow({name: guarded(cell) for name, cell in cells.items()})


def guide_text(guide: Guide) -> str:
    """The definitions as one cell, a paragraph each.

    The category's comes first, then per criterion `label_moral: …` and a line per label, `0 = …`,
    and what is written where it cannot be told.
    """
    paragraphs = [f"{guide.title}: {_line(guide.definition)}"] if guide.definition else []
    for name, criterion in guide.criteria.items():
        labels = {**criterion.meanings, CANNOT_TELL: "cannot tell"}
        meanings = (f"{label} = {_line(text)}" for label, text in labels.items())
        paragraphs.append("\n".join((f"{column_of(name)}: {_line(criterion.ask)}", *meanings)))
    return "\n\n".join(paragraphs)


def _line(text: str) -> str:
    return " ".join(text.split())
