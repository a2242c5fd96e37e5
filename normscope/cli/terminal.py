"""What the verbs share of talking to a terminal: its width, exit codes, findings, errors."""

import errno
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from ..errors import NormscopeError
from ..messages import Language, joined, message, translate
from ..problems import Finding

if TYPE_CHECKING:
    from rich.console import Console

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
_OUT_OF_MEMORY = (
    "out of memory",
    "can't allocate memory",
    # oneDNN, the loader of libraries and Python's threads, of which none says it plainly
    "could not create a primitive",
    "failed to map segment",
    "can't start new thread",
    # measured under `ulimit -v`: an extension that could not allocate, in two wordings
    "without exception set",
    "without setting an exception",
)


def console(width: int = 140) -> "Console":
    """The terminal, which knows its own width; a pipe or a file does not."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else width)


def to_stderr(text: str) -> None:
    """Says on standard error what is no result of the verb."""
    click.echo(text, err=True)


def end_unscored(text: str) -> NoReturn:
    """Says what is unscored beyond what is allowed, and ends with its exit code."""
    to_stderr(text)
    sys.exit(DONE_UNSCORED)


def show_findings(file: Path, findings: Sequence[Finding], language: Language = "en") -> None:
    """Prints the findings of a review of somebody's file, as lines that an editor can jump to."""
    for finding in findings:
        click.echo(translate(finding.of(file), language))
    warnings = sum(finding.warning for finding in findings)
    errors = len(findings) - warnings
    counts = (
        message("1 error") if errors == 1 else message("{n} errors", n=errors),
        message("1 warning") if warnings == 1 else message("{n} warnings", n=warnings),
    )
    click.echo(translate(joined(counts), language))


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
    if not _is_out_of_memory(error):
        return None
    detail = " ".join(str(error).split())[:200] or type(error).__name__
    return (
        f"memory has run out ({detail}): give it more (`ulimit -v`, a container's limit), or ask "
        "for less at once (a file in parts, a smaller model, pack_tokens); what is finished is "
        "kept"
    )


def _is_out_of_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError):
        return True
    text = str(error)
    return isinstance(error, RuntimeError | ImportError | SystemError) and any(
        mark in text for mark in _OUT_OF_MEMORY
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
