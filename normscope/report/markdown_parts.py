"""The parts of which reports in Markdown are made: escaped text and tables."""

import re
from collections.abc import Iterable, Iterator, Sequence

from .untrusted import visible

_MARKUP = re.compile(r"([\\`*_\[\]<>|~#&@])")


def escaped(text: str) -> str:
    r"""The text on one line, its markup made plain.

    >>> escaped("a|b\n<img> https://x")
    'a\\|b \\<img\\> https:\u200b//x'
    """
    line = " ".join(visible(text).split())
    # GitHub makes a link of a bare address
    return _MARKUP.sub(r"\\\1", line).replace("://", ":\u200b//")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table; the first column is text, the others are numbers. Its cells are ready to be shown.

    >>> list(table(["a", "n"], [["x", "1"]]))
    ['| a | n |', '|:--|--:|', '| x | 1 |', '']
    """
    yield f"| {' | '.join(head)} |"
    yield f"|:--|{'--:|' * (len(head) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


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
