"""What the verbs share of talking to a terminal: its width, exit codes, findings, errors."""

import errno
import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import NormscopeError
from ..files import rounded
from ..format import count, number
from ..messages import Language, joined, message, translate
from ..problems import Finding
from ..untrusted import printed, visible

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from ..report.blocks import Block

JSON = "json"
"""By this name the context has the command that was given --json."""

SCHEMA = "normscope/1"
"""Of the object that --json prints; another number where a field would mean something else."""

_WIDTH = 100
"""Of what is not printed in a terminal."""

DONE_UNSCORED = 3
"""The exit code of what is done, with more answers unscored than is allowed."""

WORSE, INCONCLUSIVE = 4, 5
"""The exit codes of a gate that a run does not pass, and of one that cannot tell."""

_REMEDIES = {
    errno.ENOSPC: "make room, and give the same command again",
    errno.EDQUOT: "make room, and give the same command again",
    errno.ENOMEM: "give it more memory, or ask for less at once",
    errno.EROFS: "name another --out: this place can only be read",
    errno.EACCES: "see to the rights of the file or its folder, or name another --out",
    errno.EPERM: "see to the rights of the file or its folder, or name another --out",
    errno.EISDIR: "a folder stands where a file belongs: move it away",
}
_OUT_OF_MEMORY = re.compile(
    "out of memory|can't allocate memory"
    # measured under `ulimit -v`: oneDNN, the loader of libraries, threads, and extensions
    "|could not create a primitive|failed to map segment|can't start new thread"
    "|without exception set|without setting an exception"
)


def console() -> "Console":
    """The terminal with its own width, or COLUMNS; a pipe has 100. With --json it shows nothing."""
    from rich.console import Console

    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else _WIDTH
    return Console(width=width, quiet=wants_json())


def say(text: object, *, wrapped: bool = False) -> None:
    """Says a line of the result, `wrapped` between words in a terminal; not with --json."""
    if wrapped and console().width != _WIDTH:
        console().print(printed(str(text)), highlight=False)
    elif not wants_json():
        click.echo(visible(str(text)))


def show_frame(frame: "pd.DataFrame", *, texts: int = 1) -> None:
    """Shows a data frame as a table; under the first `texts` names there are words."""
    from ..report.blocks import Table

    cells = frame.map(lambda value: number(value) if isinstance(value, float) else value)
    cells = cells.map(lambda value: count(value) if isinstance(value, int) else str(value))
    show([Table.of(cells.to_dict("records"), texts=texts)])
    say("")


def show(blocks: "Iterable[Block]", language: Language = "en") -> None:
    """Shows blocks of a page."""
    from ..report.writers.terminal import show_blocks

    show_blocks(blocks, console(), language)


def wants_json() -> bool:
    """Whether --json was given."""
    context = click.get_current_context(silent=True)
    return context is not None and JSON in context.meta


def end(result: Any, files: Iterable[Path] = (), *, code: int = 0, text: str = "") -> None:
    """Ends a verb that takes --json: with the one object that it prints then, and the exit code.

    `text` says why the code is not 0; it goes to standard error.
    """
    if wants_json():
        print_json(click.get_current_context().meta[JSON], result, files, code=code, text=text)
    if text:
        click.echo(visible(text), err=True)
    if code:
        sys.exit(code)


def print_json(
    command: str, result: Any, files: Iterable[Path] = (), *, code: int, text: str
) -> None:
    """Prints the object of --json (docs/gate.md): numbers to nine digits, and null for NaN."""
    whole = {
        "schema": SCHEMA,
        "command": command,
        "exit": code,
        "message": text or None,
        "result": rounded(result),
        "files": [*map(str, files)],
    }
    click.echo(json.dumps(whole, ensure_ascii=False, default=str, allow_nan=False))


def show_findings(file: Path, findings: Sequence[Finding], language: Language = "en") -> None:
    """Prints the findings of a review of somebody's file, as lines that an editor can jump to."""
    for finding in findings:
        say(translate(finding.of(file), language))
    warnings = sum(finding.warning for finding in findings)
    errors = len(findings) - warnings
    counts = (
        message("1 error") if errors == 1 else message("{n} errors", n=errors),
        message("1 warning") if warnings == 1 else message("{n} warnings", n=warnings),
    )
    say(translate(joined(counts), language))


def explained(error: BaseException) -> str | None:
    """What was wrong and what to do; null for a fault of ours, which is shown with its traceback.

    >>> explained(MemoryError())
    "memory has run out (MemoryError): give it more (`ulimit -v`, a container's limit), or ask for \
less at once (a file in parts, a smaller model, pack_tokens); what is finished is kept"
    """
    if isinstance(error, NormscopeError):
        return error.message
    if isinstance(error, OSError):
        return _of_the_system(error)
    is_of_library = isinstance(error, RuntimeError | ImportError | SystemError)
    if not (
        isinstance(error, MemoryError) or (is_of_library and _OUT_OF_MEMORY.search(str(error)))
    ):
        return None
    detail = " ".join(str(error).split())[:200] or type(error).__name__
    return (
        f"memory has run out ({detail}): give it more (`ulimit -v`, a container's limit), or ask "
        "for less at once (a file in parts, a smaller model, pack_tokens); what is finished is "
        "kept"
    )


def _of_the_system(error: OSError) -> str:
    """What the system refused, of which file, and what to do; a network's error in its own words.

    >>> _of_the_system(OSError(errno.ENOSPC, "No space left on device", "runs/x/items.parquet"))
    'runs/x/items.parquet: No space left on device: make room, and give the same command again'
    """
    words = (
        error.filename2 or error.filename,
        error.strerror or error,
        _REMEDIES.get(error.errno or 0),
    )
    return ": ".join(str(word) for word in words if word)
