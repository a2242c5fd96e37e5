"""Blocks as JSON that a page's own script draws, with each text once however often it stands.

A page of thousands of answers repeats itself: names of categories, labels, the words of a rubric
around each answer. Texts are numbered as they first come, and a block holds their numbers. So are
parts of blocks that many have (a column's head, a name with its value): their numbers are negative.
"""

import json
import re
from collections.abc import Iterable
from typing import Any

from ...messages import Language
from ..blocks import (
    AnyCell,
    Bar,
    Beside,
    Block,
    Bullets,
    Caveat,
    Cell,
    Code,
    Column,
    Details,
    Facts,
    Inline,
    Label,
    Link,
    Listing,
    Paragraph,
    Sample,
    Section,
    Table,
    Text,
    content,
    in_language,
)

# a rubric puts what others wrote between these: around it stands what all prompts have in common
_MARKER = re.compile(r"(\n?⟦[^⟦⟧]*⟧\n?)")


class Numbered:
    """Texts, each with a number of its own, and blocks that hold the numbers.

    >>> texts = Numbered("en")
    >>> texts.blocks([Paragraph(("see ", Code("a.csv"))), Paragraph("see ")])
    [['Paragraph', ['', 0, ['code', 1]], False], ['Paragraph', 0, False]]
    >>> texts.all
    ['see ', 'a.csv']
    """

    def __init__(self, language: Language) -> None:
        """No text yet; messages will stand in the language."""
        self._language = language
        self._numbers: dict[str, int] = {}
        self._parts: dict[str, int] = {}

    @property
    def all(self) -> list[str]:
        """The texts in the order of their numbers."""
        return list(self._numbers)

    @property
    def parts(self) -> list[Any]:
        """The parts of blocks that have a number: the first is −1, the next −2."""
        return list(map(json.loads, self._parts))

    def number(self, text: str) -> int:
        """The text's number."""
        shown = in_language(text, self._language)
        return self._numbers.setdefault(shown, len(self._numbers))

    def blocks(self, blocks: Iterable[Block | None]) -> list[Any]:
        """The blocks in which there is something, each as its name and its fields."""
        return [[type(block).__name__, *self._fields(block)] for block in content(blocks)]

    def _fields(self, block: Block) -> list[Any]:
        fields: list[Any]
        match block:
            case Section():
                fields = [self.text(block.title), self.text(block.note), self.blocks(block.blocks)]
            case Details():
                about = [self.text(block.summary), self.text(block.note), block.open]
                fields = [*about, self.blocks(block.blocks)]
            case Beside():
                fields = [self.blocks(block.blocks)]
            case Paragraph():
                fields = [self.text(block.text), block.note]
            case Bullets():
                fields = [[self.text(item) for item in block.items]]
            case Facts():
                fields = [
                    [self._part([self.text(name), self.text(value)]) for name, value in block.rows]
                ]
            case Caveat():
                fields = [self.number(block.about), self.text(block.text), block.warns]
            case Listing():
                fields = [self.number(block.text)]
            case Sample():
                fields = self._sample(block)
            case Table():
                columns = self._part([self._column(column) for column in block.columns])
                rows = [[self._cell(value) for value in row] for row in block.rows]
                fields = [self.text(block.title), self.text(block.note), block.look, columns, rows]
            case _:
                raise TypeError(f"no script draws {type(block).__name__}")
        return fields

    def text(self, text: Text) -> Any:
        """The number of a plain text; of one with parts a list that begins with an empty name."""
        if isinstance(text, tuple) and len(text) != 1:
            return ["", *map(self._inline, text)]
        if isinstance(text, tuple):
            return self._inline(text[0])
        return self._inline(text)

    def _part(self, part: list[Any]) -> int:
        return -1 - self._parts.setdefault(json.dumps(part), len(self._parts))

    def _inline(self, part: Inline) -> Any:
        match part:
            case Code(text):
                return ["code", self.number(text)]
            case Link(text, to):
                return ["link", self.number(text), to]
            case Label(name=name):
                return self.number(name)
        return self.number(part)

    def _sample(self, sample: Sample) -> list[Any]:
        texts = [
            [self.number(label), *map(self.number, filter(None, _MARKER.split(text)))]
            for label, text in sample.texts
        ]
        return [self.number(sample.summary), texts]

    def _column(self, column: Column) -> list[Any]:
        return [self.text(column.title), column.kind]

    def _cell(self, value: AnyCell) -> Any:
        match value:
            case Bar(share):
                return ["bar", round(share, 4)]
            case Sample():
                return ["sample", *self._sample(value)]
            case Cell(text=text, note=note, tone=tone):
                return self._part(["cell", self.text(text), self.text(note), tone])
            case str() | tuple() | Code() | Link():
                return self.text(value)
        raise TypeError(f"no script draws {type(value).__name__}")
