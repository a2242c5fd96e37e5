"""What the verbs share of talking to a terminal: its width, exit codes, the date, findings."""

import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..problems import Finding

if TYPE_CHECKING:
    from rich.console import Console

DONE_UNSCORED = 3
"""The exit code of what is done, with more answers unscored than is allowed."""


def console(width: int = 140) -> "Console":
    """The terminal, which knows its own width; a pipe or a file does not."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else width)


def today() -> str:
    """The date in UTC, or that of SOURCE_DATE_EPOCH, so that a card can be made again exactly."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    return now.date().isoformat()


def show_findings(file: Path, findings: Sequence[Finding]) -> None:
    """Prints the findings of a review of somebody's file, as lines that an editor can jump to."""
    for finding in findings:
        place = f"{file}:{finding.line}" if finding.line else str(file)
        click.echo(f"{place}: {'warning' if finding.warning else 'error'}: {finding.text}")
    warnings = sum(finding.warning for finding in findings)
    click.echo(f"{_counted(len(findings) - warnings, 'error')}, {_counted(warnings, 'warning')}")


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
