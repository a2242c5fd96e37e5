"""A page in the terminal: its title, what limits it, what it says, and its brief tables."""

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table as Drawn

from ...messages import Language
from ...palette import LABELS
from ...untrusted import printed
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
            case Table(brief=True):
                _show_table(block, console, language)


def _show_caveat(caveat: Caveat, console: Console, language: Language) -> None:
    about = f"{_text(caveat.about, language)}: " if caveat.about else ""
    runs = f" ({printed(', '.join(caveat.runs))})" if caveat.runs else ""
    console.print(
        f"[yellow]![/yellow] {about}{_text(caveat.text, language)}{runs}", highlight=False
    )


def _show_table(table: Table, console: Console, language: Language) -> None:
    drawn = Drawn(
        title=_text(table.title, language) or None,
        title_justify="left",
        box=None,
        pad_edge=False,
        header_style="bold",
        show_header=any(plain(column.title) for column in table.columns),
    )
    places = table.written
    for at in places:
        right = table.columns[at].kind == "number"
        title = table.columns[at].title
        drawn.add_column(
            _mark(title, console) + _text(title, language), justify="right" if right else "left"
        )
    for row in table.rows:
        drawn.add_row(*map(printed, texts_of([row[at] for at in places], language)))
    if table.title:
        console.print()
    console.print(drawn, highlight=False)


def _is_shown(block: Block) -> bool:
    match block:
        case Table(brief=brief) | Details(brief=brief):
            return brief
        case Paragraph(note=note):
            return not note
        case Section(folded=False, blocks=blocks) | Beside(blocks=blocks):
            return any(map(_is_shown, blocks))
    return not isinstance(block, Section)


def _text(text: Text, language: Language) -> str:
    return printed(plain(text, language))


def _mark(text: Text, console: Console) -> str:
    """The colour of a label before its name, in a terminal that has colours and may use them."""
    colour = LABELS.get(text.slug) if isinstance(text, Label) else None
    return f"[{colour}]■[/] " if colour and console.color_system and not console.no_color else ""
