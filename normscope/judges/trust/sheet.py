"""The blind sheet: what a rater is shown of an answer and asked about it.

It shows question, answer, category and the definitions of the labels, and nothing of what a judge
made of the answer. `report.trust.labelling_page` makes a page of it; `raters` reads what the page
saves.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ..rubric import Instruction

ITEM, COMMENT, SHEET = "item", "comment", "sheet"
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
