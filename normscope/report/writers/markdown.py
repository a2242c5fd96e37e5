"""A page as Markdown, for a README or a paper: numbers and names, none of the answers.

Tables are GitHub's; whatever a block holds is escaped, so that a model's name is no link and no
tag. It has no drawings.
"""

import re
from collections.abc import Iterable, Iterator

from ...markdown import code, command, escaped, table
from ...markdown import page as joined
from ...messages import Language
from ..blocks import (
    AnyCell,
    Beside,
    Block,
    Bullets,
    Caveat,
    Chart,
    Code,
    Details,
    Facts,
    Inline,
    Label,
    Link,
    Listing,
    Page,
    Paragraph,
    Sample,
    Section,
    Table,
    Text,
    cell_of,
    content,
    in_language,
)

# what needs no escape in a cell of numbers: brackets without a parenthesis behind make no link
_NUMBER = r"([−+]?[\d.,]+( ?%| pp)?|\[[−+\d., ]*\]( ?%| pp)?|< [\d.]+|[–→])"
_NUMBERS = re.compile(rf"({_NUMBER}( {_NUMBER})*)?")


def page(page: Page, language: Language = "en") -> str:
    """The page in the language; the same page gives the same bytes."""
    writer = _Writer(language)
    kind = f" · {writer.text(page.kind)}" if page.kind else ""
    title = f"# {writer.text(page.title)}{kind}"
    return joined([title, "", *writer.blocks(page.blocks, 2)])


class _Writer:
    """Writes blocks in a language."""

    def __init__(self, language: Language) -> None:
        """Whose language it is."""
        self._language = language

    def text(self, text: Text) -> str:
        """The text on one line, escaped."""
        return "".join(map(self._inline, text if isinstance(text, tuple) else (text,)))

    def _inline(self, inline: Inline) -> str:
        match inline:
            case Code(text):
                return code(text)
            case Label(name=name):
                inline = name
            case Link(text, to):
                text = escaped(in_language(text, self._language))
                # a link within the page is a heading's in HTML only
                return text if to.startswith("#") else f"[{text}]({to})"
        inline = in_language(inline, self._language)
        # escaping takes the blanks at the ends away, which part a text from its neighbours
        start, end = (" " * inline[:1].isspace(), " " * inline[-1:].isspace())
        return f"{start}{escaped(inline)}{end}" if inline.strip() else start

    def blocks(self, blocks: Iterable[Block], level: int) -> Iterator[str]:
        """The lines of the blocks; `level` is that of their headings."""
        listed = False
        for block in filter(_is_written, content(blocks)):
            if listed and not _is_listed(block):
                yield ""
            listed = _is_listed(block)
            yield from self._block(block, level)
        yield ""

    def _block(self, block: Block, level: int) -> Iterator[str]:
        match block:
            case Section():
                yield from (f"{'#' * min(level, 6)} {self.text(block.title)}", "")
                if block.note:
                    yield from (self.text(block.note), "")
                yield from self.blocks(block.blocks, level + 1)
            case Beside():
                yield from self.blocks(block.blocks, level)
            case Paragraph():
                yield from (self.text(block.text), "")
            case Bullets():
                yield from (f"- {self.text(item)}" for item in block.items)
                yield ""
            case Facts():
                yield from (f"- {self.text(k)}: {self.text(v)}" for k, v in block.rows)
                yield ""
            case Caveat():
                yield from self._caveat(block)
            case Table():
                yield from self._table(block)
            case Listing(command=True):
                yield from command(block.text)
            case Listing():
                # no text can end an indented block
                yield from (f"    {line}" for line in block.text.splitlines())
                yield ""

    def _caveat(self, caveat: Caveat) -> Iterator[str]:
        about = self.text(caveat.about)
        text = self.text(caveat.text)
        if caveat.runs:
            text += f" ({', '.join(map(escaped, caveat.runs))})"
        if caveat.warns:
            yield from (f"> {_bold(about)} {text}" if about else f"> {text}", "")
        else:
            yield f"- {about}: {text}" if about else f"- {text}"

    def _table(self, block: Table) -> Iterator[str]:
        places = block.written
        if block.title:
            note = f" ({self.text(block.note)})" if block.note else ""
            yield from (f"{_bold(self.text(block.title))}{note}", "")
        columns = [block.columns[at] for at in places]
        rows = ([self._cell(row[at]) for at in places] for row in block.rows)
        numbers = [column.kind == "number" for column in columns]
        yield from table([self.text(column.title) for column in columns], rows, numbers=numbers)
        cells = [cell_of(row[at]) for row in block.rows for at in places]
        # an overall row and one of a slice are of the same statistic
        defined = dict.fromkeys((self.text(c.text), self.text(c.about)) for c in cells if c.about)
        if defined:
            yield from (f"- {name}: {about}" for name, about in defined)
            yield ""

    def _cell(self, value: AnyCell) -> str:
        cell = cell_of(value)
        text = self.text(cell.text)
        if isinstance(cell.text, str) and _NUMBERS.fullmatch(cell.text):
            text = cell.text
        if cell.tone == "strong" and text:
            text = _bold(text)
        note = f"({self.text(cell.note)})" if cell.note else ""
        return " ".join(filter(None, (text, note)))


def _is_written(block: Block) -> bool:
    """Whether there is anything of the block: no drawing, no text of a model, nothing folded."""
    match block:
        case Details() | Chart() | Sample():
            return False
        case Table():
            return bool(block.written)
        case Section(blocks=blocks) | Beside(blocks=blocks):
            return any(map(_is_written, content(blocks)))
    return True


def _is_listed(block: Block) -> bool:
    return isinstance(block, Caveat) and not block.warns


def _bold(text: str) -> str:
    """The text in bold, which begins and ends at no blank."""
    return f"**{text.strip()}**"
