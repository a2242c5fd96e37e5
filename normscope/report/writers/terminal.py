"""A page in the terminal: its title, what limits it, what it says, and its tables."""

from collections.abc import Iterable

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Drawn
from rich.text import Text as Words

from ...messages import Language
from ...palette import LABELS
from ...untrusted import printed, visible
from ..blocks import (
    Beside,
    Block,
    Bullets,
    Caveat,
    Details,
    Facts,
    Label,
    Listing,
    Page,
    Paragraph,
    Section,
    Table,
    Text,
    content,
    plain,
    texts_of,
)

_GAP = 2
"""Blanks between two columns."""

_DOT = " · "
_LINES = 2

_LONGEST_WORD = 24
"""A longer word, a slug or a path, may be broken to save the columns of numbers."""


def show(page: Page, console: Console, language: Language = "en") -> None:
    """Prints the page in the language."""
    console.print(f"[bold]{_text(page.title, language)}[/bold]", highlight=False)
    show_blocks(page.blocks, console, language)


def show_blocks(blocks: Iterable[Block], console: Console, language: Language = "en") -> None:
    """Prints the blocks; notes, samples, drawings and what is folded away are left out."""
    for block in content(blocks):
        match block:
            case Section(folded=False):
                # a heading over nothing but drawings and notes would stand there alone
                if any(map(_is_shown, block.blocks)):
                    console.print(f"\n[bold]{_text(block.title, language)}[/bold]", highlight=False)
                    show_blocks(block.blocks, console, language)
            case Beside() | Details(brief=True):
                show_blocks(block.blocks, console, language)
            case Paragraph(note=False) | Listing(command=True):
                console.print(_text(block.text, language), highlight=False)
            case Bullets():
                for item in block.items:
                    console.print(f"- {_text(item, language)}", highlight=False)
            case Facts():
                for name, value in block.rows:
                    console.print(
                        f"- {_text(name, language)}: {_text(value, language)}", highlight=False
                    )
            case Caveat():
                _show_caveat(block, console, language)
            case Table():
                _show_table(block, console, language)


def _show_caveat(caveat: Caveat, console: Console, language: Language) -> None:
    about = f"{_text(caveat.about, language)}: " if caveat.about else ""
    runs = f" ({printed(', '.join(caveat.runs))})" if caveat.runs else ""
    console.print(
        f"[yellow]![/yellow] {about}{_text(caveat.text, language)}{runs}", highlight=False
    )


def _show_table(table: Table, console: Console, language: Language) -> None:
    columns = [table.columns[at] for at in table.written]
    heads = [_head(column.title, console, language) for column in columns]
    rows = [
        [Words(visible(text)) for text in texts_of([row[at] for at in table.written], language)]
        for row in table.rows
    ]
    numbers = [column.kind == "number" for column in columns]
    if table.title:
        console.print(f"\n[italic]{_text(table.title, language)}[/italic]", highlight=False)
    widths = _widths([heads, *rows], numbers, console.width)
    if widths is None:
        _show_records(heads, rows, console)
        return
    drawn = Drawn(box=None, pad_edge=False, header_style="bold", show_header=any(map(len, heads)))
    for head, is_number, width in zip(heads, numbers, widths, strict=True):
        drawn.add_column(
            head,
            justify="right" if is_number else "left",
            min_width=width if is_number else None,
            max_width=width,
            overflow="fold",
        )
    for row in rows:
        drawn.add_row(*row)
    console.print(drawn, highlight=False)


def _widths(rows: list[list[Words]], numbers: list[bool], most: int) -> list[int] | None:
    """The width of each column, the first row being their names; null where there is no room.

    A number stays on its line; names and words of the other columns may stand on two.
    """
    cells = [[row[at] for row in rows] for at in range(len(numbers))]
    whole = [max(cell.cell_len for cell in column) for column in cells]
    least = [
        max(_longest_word(column[0]), *(cell.cell_len for cell in column[1:]))
        if is_number
        else min(max(map(_longest_word, column)), _LONGEST_WORD)
        for column, is_number in zip(cells, numbers, strict=True)
    ]
    room = most - _GAP * (len(numbers) - 1)
    if sum(least) > room:
        return None
    # first the numbers get what they want, then the words
    for at in sorted(range(len(numbers)), key=lambda at: not numbers[at]):
        least[at] = min(whole[at], room - sum(least) + least[at])
    many = any(wanted > _LINES * width for wanted, width in zip(whole, least, strict=True))
    return None if many else least


def _longest_word(text: Words) -> int:
    return max(map(cell_len, text.plain.split()), default=0)


def _show_records(heads: list[Words], rows: list[list[Words]], console: Console) -> None:
    """Each row as its first cell, and under it the others behind their names, none of them cut."""
    for first, *others in rows:
        cells = [f"{head} {cell}" for head, cell in zip(heads[1:], others, strict=True) if cell]
        console.print(first, style="bold", highlight=False)
        console.print(Padding(_filled(cells, console.width - _GAP), (0, 0, 0, _GAP)))


def _filled(words: list[str], most: int) -> Words:
    """The parts on as few lines as they fit on, none of them on two."""
    lines: list[str] = []
    for part in words:
        longer = f"{lines[-1]}{_DOT}{part}" if lines else part
        if lines and cell_len(longer) <= most:
            lines[-1] = longer
        else:
            lines.append(part)
    return Words("\n".join(lines))


def _is_shown(block: Block) -> bool:
    match block:
        case Details(brief=brief):
            return brief
        case Paragraph(note=note):
            return not note
        case Section(folded=False, blocks=blocks) | Beside(blocks=blocks):
            return any(map(_is_shown, blocks))
    return not isinstance(block, Section)


def _text(text: Text, language: Language) -> str:
    return printed(plain(text, language))


def _head(text: Text, console: Console, language: Language) -> Words:
    """The name of a column, behind the colour of a label where the terminal may use colours."""
    colour = LABELS.get(text.slug) if isinstance(text, Label) else None
    has_colours = console.color_system and not console.no_color
    mark = [("■ ", colour)] if colour and has_colours else []
    return Words.assemble(*mark, visible(plain(text, language)))
