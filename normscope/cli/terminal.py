"""What the verbs share of talking to a terminal: its width, exit codes, findings."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..messages import Language, joined, message, translate
from ..problems import Finding

if TYPE_CHECKING:
    from rich.console import Console

DONE_UNSCORED = 3
"""The exit code of what is done, with more answers unscored than is allowed."""

WORSE, INCONCLUSIVE = 4, 5
"""The exit codes of a gate that a run does not pass, and of one that cannot tell."""


def console(width: int = 140) -> "Console":
    """The terminal, which knows its own width; a pipe or a file does not."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else width)


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
