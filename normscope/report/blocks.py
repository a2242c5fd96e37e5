"""What a page is made of, as data: a report, a comparison, a card, a check or a view of the Space.

A page is written once, as blocks, and shown by the writers in `writers`: HTML, Markdown, the
terminal. A block holds text and numbers that are formatted already (`normscope.format`), and never
markup: whatever stands in it, a model's name or a person's comment, is shown as text. Texts of ours
are messages, which a writer translates.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..messages import Joined, Language, Message, joined, translate
from ..palette import ABSENT, LABELS, css_class
from .charts.canvas import Plot
from .names import name_of

Kind = Literal["text", "number", "drawing"]
Tone = Literal["", "strong", "muted"]


@dataclass(frozen=True, slots=True)
class Code:
    """A hash, a name in a program, a command within a sentence."""

    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """A text that leads to a section of the page (`#id`) or to a file beside it."""

    text: str
    to: str

    def __post_init__(self) -> None:
        """A link leads nowhere else, whoever wrote it."""
        # names of models and files come from strangers: no scheme and no host gets through
        if not re.fullmatch(r"#[\w-]+|[\w][\w./-]*", self.to, re.ASCII):
            raise ValueError(f"a link of a page leads to a part of it or to a file, not {self.to}")


@dataclass(frozen=True, slots=True)
class Label:
    """A label or an absence with the colour that it has everywhere; `text` in place of its name."""

    slug: str
    text: str = ""

    @property
    def name(self) -> str:
        """What it is called here."""
        return self.text or name_of(self.slug)


Inline = str | Code | Link | Label
Text = Inline | tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Whisker:
    """An estimate drawn in a cell, as shares of its column's axis; null where there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    lowest: float | None = None
    highest: float | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """A share in [0, 1], drawn in a cell; with a `label` in its colour."""

    share: float
    label: str = ""

    @property
    def look(self) -> str:
        """The class of the style sheets that it is drawn in."""
        return css_class(self.label) if self.label in LABELS or self.label in ABSENT else ""


@dataclass(frozen=True, slots=True)
class Sample:
    """Texts of models and of benchmarks, which may be harmful: a page shows them when asked to.

    Each has a label; a Markdown file and a terminal show none of them.
    """

    texts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that is more than its text: small print under it, a hint on pointing at it, a tone.

    `about` defines what the row is of: a page has it under the text, Markdown below the table, and
    a terminal leaves it out.
    """

    text: Text
    note: Text = ""
    hint: str = ""
    tone: Tone = ""
    about: Text = ""


AnyCell = Text | Cell | Whisker | Bar | Sample
Row = tuple[AnyCell, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name and what stands in it; over drawings the name is a hint."""

    title: Text
    kind: Kind = "text"
    tone: Tone = ""


Record = Mapping[Any, AnyCell]
"""A row of a table by the titles of its columns (`Text`), or by these (`Column`)."""


def columns(*titles: Text, texts: int = 1) -> tuple[Column, ...]:
    """Columns of which the first `texts` hold words and the others numbers.

    >>> [column.kind for column in columns("run", "n")]
    ['text', 'number']
    """
    return tuple(Column(t, "text" if at < texts else "number") for at, t in enumerate(titles))


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under a title; without rows it is not shown. `look` is a class of the style."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    title: Text = ""
    note: Text = ""
    look: str = ""

    @classmethod
    def of(
        cls,
        rows: Iterable[Record],
        *,
        texts: int = 1,
        title: Text = "",
        note: Text = "",
        look: str = "",
    ) -> "Table":
        """The table of records: each has the same titles, or columns, with what stands under them.

        Under a title there are words in the first `texts` columns, and numbers in the others.

        >>> table = Table.of([{"run": "a", "n": "3"}, {"run": "b", "n": "4"}])
        >>> [column.kind for column in table.columns], table.rows
        (['text', 'number'], (('a', '3'), ('b', '4')))
        """
        records = tuple(rows)
        heads = tuple(
            head if isinstance(head, Column) else Column(head, "text" if at < texts else "number")
            for at, head in enumerate(records[0] if records else ())
        )
        cells = tuple(tuple(record.values()) for record in records)
        return cls(heads, cells, title, note, look)

    @property
    def written(self) -> tuple[int, ...]:
        """Where the columns stand that can be written: no drawings, and no texts of models."""
        return tuple(
            at
            for at, column in enumerate(self.columns)
            if column.kind != "drawing" and not all(isinstance(r[at], Sample) for r in self.rows)
        )


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph; a `note` explains what stands beside it, and a terminal leaves it out.

    The `lead` is the answer, which a page sets large.
    """

    text: Text
    note: bool = False
    lead: bool = False


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list."""

    items: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and what they stand for: what was measured, the terms of a legend."""

    rows: tuple[tuple[Text, Text], ...]


@dataclass(frozen=True, slots=True)
class Caveat:
    """Something that limits a number; `warns`: it must be read before any number is.

    `runs` are those that it holds for, none if for all.
    """

    text: Text
    about: str = ""
    warns: bool = False
    runs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing, and what it shows in words for who does not see it.

    Without a `note` its caption says how a chart of its kind is read. Only HTML shows it.
    """

    plot: Plot = field(repr=False)
    alt: str
    title: Text = ""
    note: Text = ""


def titled(plot: Plot) -> Chart:
    """The plot with its title over it and its caption under that as text of the page."""
    return Chart(
        replace(plot, title="", caption=""),
        alt=joined(filter(None, (plot.title, plot.caption)), ": "),
        title=plot.title,
        note=plot.caption,
    )


@dataclass(frozen=True, slots=True)
class Listing:
    """Text as it stands in a file, or a command to be copied."""

    text: str
    command: bool = False


@dataclass(frozen=True, slots=True)
class Details:
    """Blocks that a page folds away under a summary; `printed`: on paper they are unfolded.

    Markdown leaves them out, and so does a terminal unless they are `brief`.
    """

    summary: Text
    blocks: "tuple[Block, ...]"
    note: Text = ""
    open: bool = False
    printed: bool = False
    brief: bool = False


@dataclass(frozen=True, slots=True)
class Beside:
    """Blocks that stand beside each other where there is room."""

    blocks: "tuple[Block, ...]"


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a heading, whose level is how deep it lies in the page.

    A section without blocks is not shown. A page folds away those that are `folded`, behind links
    to all of them; a terminal leaves them out.
    """

    title: Text
    blocks: "tuple[Block, ...]"
    id: str = ""
    note: Text = ""
    folded: bool = False


Block = (
    Table
    | Paragraph
    | Bullets
    | Facts
    | Caveat
    | Chart
    | Sample
    | Listing
    | Details
    | Beside
    | Section
)


@dataclass(frozen=True, slots=True)
class Page:
    """A whole page: its title, what kind of page it is, and its blocks."""

    title: Text
    blocks: tuple[Block, ...]
    kind: str = ""


def plain(text: Text, language: Language = "en") -> str:
    """The text in the language, without what sets parts of it apart.

    >>> plain(("run ", Code("normscope")))
    'run normscope'
    """
    inlines = text if isinstance(text, tuple) else (text,)
    texts = (
        part if isinstance(part, str) else part.name if isinstance(part, Label) else part.text
        for part in inlines
    )
    return "".join(in_language(text, language) for text in texts)


def content(blocks: Iterable[Block | None]) -> tuple[Block, ...]:
    """The blocks in which there is something to be shown.

    >>> content([None, Table((), ()), Section("empty", (Bullets(()),)), Bullets(("one",))])
    (Bullets(items=('one',)),)
    """
    return tuple(block for block in blocks if block is not None and _holds(block))


def _holds(block: Block) -> bool:
    match block:
        case Table(rows=rows) | Bullets(items=rows) | Facts(rows=rows) | Sample(texts=rows):
            return bool(rows)
        case Section(blocks=blocks) | Details(blocks=blocks) | Beside(blocks=blocks):
            return any(map(_holds, blocks))
    return True


def in_language(text: str, language: Language) -> str:
    """A message or several in the language; what others wrote, and numbers, as they are.

    >>> from normscope.messages import message
    >>> in_language(message("neutral"), "zh"), in_language("neutral", "zh")
    ('中立', 'neutral')
    """
    return translate(text, language) if isinstance(text, Message | Joined) else text


def cell_of(value: AnyCell) -> Cell:
    """What is written in the cell; a drawing or a sample is no text.

    >>> cell_of("a")
    Cell(text='a', note='', hint='', tone='', about='')
    """
    if isinstance(value, Cell):
        return value
    return Cell("" if isinstance(value, Whisker | Bar | Sample) else value)


def texts_of(row: Sequence[AnyCell], language: Language = "en") -> tuple[str, ...]:
    """The cells of a row as plain text in the language, small print behind.

    >>> texts_of(("a", Cell("1.00", note="[0, 2]")))
    ('a', '1.00 ([0, 2])')
    """
    cells = ((plain(c.text, language), plain(c.note, language)) for c in map(cell_of, row))
    return tuple(f"{text} ({note})".strip() if note else text for text, note in cells)
