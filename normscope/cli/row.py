"""Runs made and told of: what works on them, their scores, what failed, and what is unscored."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..format import count
from ..judges.engines import load
from ..progress import to_stderr
from ..records.absent import failed_calls
from ..records.cluster import WorkSettings
from ..records.folder import RunFolder, fork, opened
from ..records.integrity import REPORT
from ..records.run import Run
from ..records.settings import Settings
from .terminal import DONE_UNSCORED, console, end, say

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


@contextmanager
def working(
    folder: Path, options: Mapping[str, Any], *, fork_of: Path | None = None, **how: Any
) -> "Iterator[tuple[RunFolder, Workers]]":
    """The run in the folder and what does its units; `fork_of` is one to take responses from."""
    end_if_helping(folder)
    journal = WorkSettings.of(options).journal_folder
    if fork_of is not None:
        fork(fork_of, folder, journal=journal)
    retry = options.get("retry_failed", False)
    with (
        opened(folder, retry_failed=retry, journal=journal, **how) as run,
        at_work(folder, options) as workers,
    ):
        yield run, workers


def make(run: RunFolder, requested: Settings, workers: "Workers") -> None:
    """Does what is left of the run, to its report, and shows its scores."""
    from ..pipeline.row import measure
    from ..report.write import report

    unchanged = measure(run, requested, workers)
    report(run)
    if unchanged:
        to_stderr("the run was whole already: nothing was asked again")
    show(run)
    show_failed_calls(run)
    say(f"\nReport: {run.path / REPORT}")


def show(run: RunFolder) -> None:
    """Prints the run's scores."""
    from ..report.write import show as show_scores

    say(f"\n{run.path}")
    show_scores(run.read(), console())


def show_failed_calls(run: RunFolder) -> None:
    """Tells how many answers failed calls have left out, and which command asks for them again."""
    if number := sum(failed_calls(run.path).values()):
        finished = f"`normscope run --retry-failed --out {run.path}`"
        again = finished if run.whole else "the same command"
        to_stderr(f"calls that failed: {count(number)}; {again} asks these again, and nothing else")
    elif run.retry_failed:
        to_stderr("no answer is absent because a call failed")


def unscored(*runs: Path) -> str:
    """Where more of a benchmark is unscored than its run allows, a line each."""
    from ..report.caveats import unscored_texts

    return "\n".join(f"{run}: {text}" for run in runs for text in unscored_texts(Run.open(run)))


def exit_if_unscored(*runs: Path) -> None:
    """Ends with exit code 3 where more of a benchmark is unscored than its run allows."""
    if over := unscored(*runs):
        end({}, code=DONE_UNSCORED, text=over)
