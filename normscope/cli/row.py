"""Runs made and told of: their scores, what failed in them, and what is unscored."""

import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..format import count
from ..judges.engines import load
from ..records.absent import failed_calls
from ..records.cluster import WorkSettings
from ..records.folder import RunFolder, opened
from ..records.integrity import REPORT
from ..records.run import Run
from ..records.settings import Settings
from .terminal import DONE_UNSCORED, console, explained, is_disk_full

if TYPE_CHECKING:
    from ..pipeline.stage import Workers


def make(
    run: RunFolder, requested: Settings, workers: "Workers", *, only_if_other: bool = False
) -> None:
    """Does what is left of the run, to its report, and shows its scores.

    With `only_if_other` a run that is whole by these settings is left alone.
    """
    from ..pipeline.row import is_measured, measure
    from ..report.write import report

    unchanged = only_if_other and is_measured(run, requested)
    if not unchanged:
        unchanged = measure(run, requested, workers)
        report(run)
    if unchanged:
        click.echo("the run was whole already: nothing was asked again", err=True)
    show(run)
    tell_failed(run, again=f"normscope run --retry-failed --out {run.path}")
    click.echo(f"\nReport: {run.path / REPORT}")


def make_each(
    requested: Mapping[str, Settings],
    out: Path,
    *,
    cluster: WorkSettings,
    retry_failed: bool,
) -> None:
    """A run in each folder of that name; what fails is shown at the end, and ends no other."""
    from ..pipeline.workers import at_work

    failed: dict[str, str] = {}
    with at_work(out, load, cluster) as workers:
        for number, (name, settings) in enumerate(requested.items(), start=1):
            click.echo(f"\n[{number}/{len(requested)}] {name}", err=True)
            try:
                with opened(
                    out / name,
                    create=True,
                    retry_failed=retry_failed,
                    journal=cluster.journal_folder,
                ) as run:
                    make(run, settings, workers, only_if_other=True)
            except Exception as error:  # one model's end is not that of the others
                # a full disk is
                if is_disk_full(error):
                    raise
                failed[name] = _text(error)
                click.echo(f"error: {failed[name]}", err=True)
    done = len(requested) - len(failed)
    click.echo(f"\n{done} of {len(requested)} runs are whole in {out}", err=True)
    for name, text in failed.items():
        click.echo(f"error: {name}: {text}", err=True)
    if failed:
        sys.exit(1)
    exit_if_unscored(*(out / name for name in requested))


def show(run: RunFolder) -> None:
    """Prints the run's scores."""
    from ..report.write import show as show_scores

    click.echo(f"\n{run.path}")
    show_scores(run.read(), console(100))


def tell_failed(run: RunFolder, stage: str = "", *, again: str) -> None:
    """Tells how many answers failed calls have left out, of the stage or of all.

    `again` is the command that asks for them again.
    """
    failed = failed_calls(run.path)
    if number := failed[stage] if stage else sum(failed.values()):
        text = f"calls that failed: {count(number)}; `{again}` asks these again, and nothing else"
        click.echo(text, err=True)
    elif run.retry_failed:
        click.echo("no answer is absent because a call failed", err=True)


def exit_if_unscored(*runs: Path) -> None:
    """Ends with exit code 3 where more of a benchmark is unscored than its run allows."""
    from ..report.caveats import unscored_texts

    if over := [f"{run}: {text}" for run in runs for text in unscored_texts(Run.open(run))]:
        click.echo("\n".join(over), err=True)
        sys.exit(DONE_UNSCORED)


def _text(error: Exception) -> str:
    text = explained(error)
    if text is not None:
        return text
    traceback.print_exception(error)
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
