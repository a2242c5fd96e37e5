"""Markdown as GitHub and the Hub show it: text of others made plain, tables, commands.

Whatever a run, a model, a file or a person brings along goes through `escaped` or `code` before it
stands in a page: it can then be no link, image, tag or heading, and cannot leave its cell.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from .untrusted import visible

# an underscore between two letters marks nothing up, and escaped it would spoil every name
_MARKUP = re.compile(r"[\\`*\[\]<>|~#&@$^]|(?<![^\W_])_|_(?![^\W_])")
_BLOCK = re.compile(r"^([-+=:])|^(\d+)([.)])")
_ADDRESS = re.compile(r"(?i)(www)\.|(:)//")


def escaped(text: str) -> str:
    r"""The text on one line, its markup made plain.

    >>> escaped("a|b\n<img> https://x www.x.org")
    'a\\|b \\<img\\> https:\u200b//x www\u200b.x.org'
    >>> escaped("1. _a_ snake_case"), escaped("- a")
    ('1\\. \\_a\\_ snake_case', '\\- a')
    """
    line = _MARKUP.sub(r"\\\g<0>", " ".join(visible(text).split()))
    line = _BLOCK.sub(lambda m: f"\\{m[1]}" if m[1] else f"{m[2]}\\{m[3]}", line)
    # GitHub makes a link of a bare address
    return _ADDRESS.sub(lambda m: "www\u200b." if m[1] else ":\u200b//", line)


def code(text: str) -> str:
    """The text as code, fit for a cell of a table; a backtick becomes a quotation mark.

    >>> code("a|b`c")
    "`a\\\\|b'c`"
    """
    line = " ".join(visible(text).split()).replace("`", "'").replace("|", "\\|")
    return f"`{line}`" if line else ""


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[bool] = ()
) -> Iterator[str]:
    """A table, whose cells are ready to be shown; `numbers` says which columns are no words.

    >>> list(table(["a", "n"], [["x", "1"]], numbers=[False, True]))
    ['| a | n |', '|---|---:|', '| x | 1 |', '']
    """
    yield f"| {' | '.join(head)} |"
    yield f"|{'|'.join('---:' if right else '---' for right in numbers or [False] * len(head))}|"
    yield from (f"| {' | '.join(cells)} |" for cells in rows)
    yield ""


def words_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of words as one text."""
    return "\n".join(table(head, rows)).rstrip()


def command(text: str) -> Iterator[str]:
    """A command as a block, which is indented: no text can end such a block.

    >>> list(command("normscope report run"))
    ['    normscope report run', '']
    """
    yield f"    {' '.join(visible(text).split())}"
    yield ""


def page(lines: Iterable[str]) -> str:
    """The lines as one text, with one empty line at most between two others."""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"
