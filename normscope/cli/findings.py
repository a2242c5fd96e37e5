"""What a review of somebody's file found, as lines that an editor can jump to."""

from collections.abc import Sequence
from pathlib import Path

import click

from ..problems import Finding


def show_findings(file: Path, found: Sequence[Finding]) -> None:
    """Prints each finding with its place, and how many errors and warnings there are."""
    for finding in found:
        place = f"{file}:{finding.line}" if finding.line else str(file)
        click.echo(f"{place}: {'warning' if finding.warning else 'error'}: {finding.text}")
    warnings = sum(finding.warning for finding in found)
    told = (_counted(len(found) - warnings, "error"), _counted(warnings, "warning"))
    click.echo(", ".join(told))


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
