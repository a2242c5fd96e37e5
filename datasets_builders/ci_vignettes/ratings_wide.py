"""A form's download, a row per person and a column per vignette, as a table of single answers."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from ...errors import DataError
from ...messages import message
from ...records.answered import spelt
from ...rows import Row

ITEM, ANSWER = "item_id", "answer"

# a grid of a form puts the question before each of its rows: How acceptable is it? [the row]
_IN_BRACKETS = re.compile(r"\[([^\[\]]*)\]\s*$")


@dataclass(frozen=True, slots=True)
class Numbered:
    """A row and its number in the file, from 1 below the header; a cell has its column too."""

    number: int
    row: Row
    column: str | None = None


@dataclass(frozen=True, slots=True)
class WideTable:
    """The columns of a form that are vignettes, by their header, each with the vignette's id."""

    vignettes: dict[str, str]
    example: str
    """The text of the context's first vignette: what a header should be."""

    def answers(self, rows: Sequence[Row]) -> Iterator[Numbered]:
        """A row with `item_id` and `answer` for each cell that is filled.

        An empty cell makes none: a form seldom shows every vignette to everybody.
        """
        for number, row in enumerate(rows, start=1):
            for header, item in self.vignettes.items():
                if spelt(row[header]):
                    yield Numbered(number, {ITEM: item, ANSWER: row[header]}, header)


def wide_table(table: pa.Table, headers: Sequence[str]) -> WideTable:
    """Which of the headers are vignettes of the table, by their text or their `item_id`.

    Two columns of one vignette are a `DataError`: a person's two answers to it would count as those
    of two people.
    """
    ids, texts = table[ITEM].to_pylist(), table["vignette"].to_pylist()
    forms = [plain_text(text) for text in texts]
    times = Counter(forms)
    known = {form: item for form, item in zip(forms, ids, strict=True) if times[form] == 1}
    known |= {item: item for item in ids}
    vignettes: dict[str, str] = {}
    headers_of: dict[str, str] = {}
    for header in headers:
        item = known.get(plain_text(header))
        if item is None and (inside := _IN_BRACKETS.search(header)):
            item = known.get(plain_text(inside[1]))
        if item is None:
            continue
        if item in headers_of:
            text = message(
                "two columns are of one vignette, {first} and {second}; take one of them out",
                first=repr(headers_of[item]),
                second=repr(header),
            )
            raise DataError(text)
        vignettes[header], headers_of[item] = item, header
    return WideTable(vignettes, texts[0])


def plain_text(text: str) -> str:
    """A vignette's text as people vary it in a form: spaces, a capital, a full stop at the end.

    >>> plain_text(" A library sends  it. ") == plain_text("a library sends it")
    True
    """
    words = " ".join(text.split()).removesuffix(".").removesuffix("。").rstrip()
    return words[:1].lower() + words[1:]
