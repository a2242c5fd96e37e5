"""Runs made and told of: what works on them, their scores, what failed, and what is unscored."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..format import count
from ..judges.engines import load
from ..records.absent import failed_calls
from ..records.cluster import WorkSettings
from ..records.folder import RunFolder
from ..records.folder import opened as open_run
from ..records.integrity import REPORT
from ..records.run import Run
from ..records.settings import Settings
from .terminal import console, end_unscored, to_stderr

if TYPE_CHECKING:
    from ..pipeline.stage import Workers


def end_if_helping(folder: Path) -> None:
    """Ends a process of a launch that the first one needs for its units only, these being done."""
    from ..pipeline.workers import helped

    if helped(folder, load):
        raise click.exceptions.Exit(0)


def at_work(folder: Path, options: Mapping[str, Any]) -> "AbstractContextManager[Workers]":
    """What does the units for the folder, as the options say."""
    from ..pipeline import workers

    return workers.at_work(folder, load, WorkSettings.of(options))


def opened(
    folder: Path, options: Mapping[str, Any], **how: Any
) -> AbstractContextManager[RunFolder]:
    """The run in the folder, with its journal and failed calls as the options say."""
    journal = WorkSettings.of(options).journal_folder
    return open_run(folder, retry_failed=options["retry_failed"], journal=journal, **how)


def make(run: RunFolder, requested: Settings, workers: "Workers") -> None:
    """Does what is left of the run, to its report, and shows its scores."""
    from ..pipeline.row import measure
    from ..report.write import report

    unchanged = measure(run, requested, workers)
    report(run)
    if unchanged:
        to_stderr("the run was whole already: nothing was asked again")
    show(run)
    show_failed_calls(run, again=f"normscope run --retry-failed --out {run.path}")
    click.echo(f"\nReport: {run.path / REPORT}")


def show(run: RunFolder) -> None:
    """Prints the run's scores."""
    from ..report.write import show as show_scores

    click.echo(f"\n{run.path}")
    show_scores(run.read(), console(100))


def show_failed_calls(run: RunFolder, stage: str = "", *, again: str) -> None:
    """Tells how many answers failed calls have left out, of the stage or of all.

    `again` is the command that asks for them again.
    """
    failed = failed_calls(run.path)
    if number := failed[stage] if stage else sum(failed.values()):
        text = f"calls that failed: {count(number)}; `{again}` asks these again, and nothing else"
        to_stderr(text)
    elif run.retry_failed:
        to_stderr("no answer is absent because a call failed")


def exit_if_unscored(*runs: Path) -> None:
    """Ends with exit code 3 where more of a benchmark is unscored than its run allows."""
    from ..report.caveats import unscored_texts

    if over := [f"{run}: {text}" for run in runs for text in unscored_texts(Run.open(run))]:
        end_unscored("\n".join(over))
