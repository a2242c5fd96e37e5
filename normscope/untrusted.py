"""Text that somebody else wrote, made fit to be looked at.

Escaping for HTML is the template's work and happens to everything, that for Markdown stands in
`markdown`. Here goes what escaping leaves in: characters that HTML, XML or UTF-8 forbid, and
invisible ones that reorder, hide or break what stands around them. They are shown by their code
point.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from rich.markup import escape

UNSEEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, but for tab and newline
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff"  # halves of a character, which UTF-8 cannot hold
    "\ufdd0-\ufdef"
    + "".join(chr(plane * 0x10000 + end) for plane in range(17) for end in (0xFFFE, 0xFFFF))
    + "\U000e0000-\U000e007f"  # tags: a whole alphabet that no font draws
    "]"
)

# what a spreadsheet takes for the beginning of a formula, whatever the text's author meant
_FORMULA = re.compile(
    r"[\s\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]*[=+\-@＝＋－＠﹦﹢﹣﹫]|[\t\r\n]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LONGEST_CELL, _KEPT_OF_CELL = 30_000, 14_000


def visible(text: str) -> str:
    r"""The text with forbidden and invisible characters shown by their code points.

    Joiners (U+200C, U+200D) stay: Persian and emoji need them.

    >>> visible("safe\u202etxt.exe")
    'safe\\u{202e}txt.exe'
    """
    if text.isprintable():
        return text
    return UNSEEN.sub(lambda match: f"\\u{{{ord(match[0]):x}}}", text)


def printed(text: str) -> str:
    r"""The text for rich to print: no style of its own, and nothing that a terminal would obey.

    >>> printed("[/bold] \x1b[31m")
    '\\[/bold] \\u{1b}[31m'
    """
    return escape(visible(text))


def excerpt(text: str, *, limit: int = 200) -> str:
    """The first `limit` characters on one line, an ellipsis where something was left out.

    >>> excerpt("one  two three", limit=8)
    'one two…'
    """
    line = " ".join(text[:limit].split())
    return f"{line}…" if len(text) > limit else line


def inert(text: str) -> str:
    r"""The text as a cell that no spreadsheet runs: an apostrophe before what looks like a formula.

    Blanks, a byte-order mark and other invisible characters before the sign do not hide it, and
    full-width and small forms of a sign are signs.

    >>> inert("=1+1"), inert("a=1"), inert("\ufeff ＝1+1")
    ("'=1+1", 'a=1', "'\ufeff ＝1+1")
    """
    return f"'{text}" if _FORMULA.match(text) else text


def guarded(text: str) -> str:
    """The text as a cell of a sheet: nothing in it is run, or cut short without a word.

    Longer texts keep both ends, for spreadsheets cut a cell at 32,767 characters; control
    characters and halves of characters, which no CSV should hold, become blanks.

    >>> guarded("=1+1"), guarded("B")
    ("'=1+1", 'B')
    """
    if len(text) > _LONGEST_CELL:
        cut = len(text) - 2 * _KEPT_OF_CELL
        text = f"{text[:_KEPT_OF_CELL]} [… {cut:,} characters …] {text[-_KEPT_OF_CELL:]}"
    return inert(_CONTROL.sub(" ", text.encode("utf-8", "replace").decode()))


def guarded_rows(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows of a table for a spreadsheet: every text and every column's name `guarded`.

    >>> guarded_rows([{"-a": "=1+1", "n": -1}])
    [{"'-a": "'=1+1", 'n': -1}]
    """
    return [
        {
            guarded(name): guarded(cell) if isinstance(cell, str) else cell
            for name, cell in row.items()
        }
        for row in rows
    ]
