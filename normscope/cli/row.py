"""The whole row on one run folder, or on one per model of a file, with what is said of it."""

import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..api.row import unscored_of, unscored_texts, what_is_left, whole_row
from ..api.workers import NO_CLUSTER, at_work
from ..errors import UsageError
from ..format import count, percent
from ..judges.engines import load
from ..pipeline.judged_rows import Counts
from ..pipeline.models import config_of, read_models
from ..reasons import Reason
from ..records.absent import Unscored, failed_calls
from ..records.cluster import ClusterSettings
from ..records.config import RunConfig
from ..records.folder import RunFolder, opened
from ..records.integrity import REPORT
from ..records.model_spec import ModelSpec
from ..records.run import Run
from .failures import explained, is_disk_full
from .terminal import DONE_UNSCORED, console

if TYPE_CHECKING:
    from ..pipeline.workers import Workers

SpecOf = Callable[[str], ModelSpec]
"""A model as it is loaded, from its path, id or address."""


def shown_row(run: RunFolder, requested: RunConfig, workers: "Workers") -> tuple[Unscored, ...]:
    """Does what is left of the run, shows its scores, and returns what is unscored."""
    return _shown(run, whole_row(run, requested, workers))


def _shown(run: RunFolder, unchanged: bool) -> tuple[Unscored, ...]:
    if unchanged:
        click.echo("the run was whole already: nothing was asked again", err=True)
    show(run)
    failed = sum(failed_calls(run.path).values())
    _tell_of(failed, run, again=f"normscope run --retry-failed --out {run.path}")
    click.echo(f"\nReport: {run.path / REPORT}")
    return unscored_of(run.read())


def tell_failed(run: RunFolder, stage: str, *, again: str) -> None:
    """Tells how many answers a failed call has left out of a stage of the run.

    `again` is the command that asks for them again.
    """
    _tell_of(failed_calls(run.path)[stage], run, again=again)


def _tell_of(failed: int, run: RunFolder, *, again: str) -> None:
    if failed:
        text = f"calls that failed: {count(failed)}; `{again}` asks these again, and nothing else"
        click.echo(text, err=True)
    elif run.retry_failed:
        click.echo("no answer is absent because a call failed", err=True)


def show(run: RunFolder) -> None:
    """Prints the run's scores."""
    from ..report.write import show as show_scores

    click.echo(f"\n{run.path}")
    show_scores(run.read(), console(100))


def exit_if_unscored(by_run: Mapping[str, Sequence[Unscored]], most: float) -> None:
    """Ends with exit code 3 where more than `most` of a benchmark is unscored, told by run."""
    _exit_if_over(
        f"{name}: {text}" for name, of in by_run.items() for text in unscored_texts(of, most)
    )


def exit_if_runs_unscored(*runs: Run) -> None:
    """The same of runs that were judged, each by its own configuration."""
    _exit_if_over(
        f"{run.path}: {text}"
        for run in runs
        for text in unscored_texts(unscored_of(run), run.config.max_unscored)
    )


def _exit_if_over(texts: Iterable[str]) -> None:
    if over := list(texts):
        click.echo("\n".join(over), err=True)
        sys.exit(DONE_UNSCORED)


def exit_if_rows_unscored(counts: Counts, config: RunConfig) -> None:
    """Tells why rows of a file are unscored; exit code 3 where more are than is allowed.

    What the model did (no answer) is shown and does not count.
    """
    from ..report.caveats import counted_reasons

    if counts.reasons:
        click.echo(f"unscored rows: {counted_reasons(counts.reasons)}", err=True)
    if counts.not_answered:
        text = f"rows that brought no answer, by their file: {count(counts.not_answered)}"
        click.echo(text, err=True)
    if failed := counts.reasons.get(Reason.CALL_FAILED, 0) - counts.not_answered:
        text = f"rows of which a call failed: {count(failed)}; the same command asks these again"
        click.echo(text, err=True)
    if counts.failed > config.max_unscored * counts.rows:
        click.echo(
            f"the judge or the engine failed at {percent(counts.failed / counts.rows)} of the rows "
            f"({count(counts.failed)} of {count(counts.rows)}), more than "
            f"{percent(config.max_unscored)}",
            err=True,
        )
        sys.exit(DONE_UNSCORED)


def run_models(
    path: Path,
    out: Path,
    base: RunConfig,
    spec: SpecOf,
    *,
    cluster: ClusterSettings = NO_CLUSTER,
    retry_failed: bool = False,
) -> None:
    """A run per model of the file, each in a folder of its own; what fails is shown at the end.

    `spec` is how a model is loaded where the file does not say. A run that is whole and asked for
    with the same settings is left alone, its model is not loaded again; with `retry_failed` unless
    calls have failed in it.
    """
    models = read_models(path)
    _refuse_early(base)
    # every setting is checked before any model is loaded
    configs = {listed.folder: config_of(listed, base, spec(listed.model)) for listed in models}
    failed: dict[str, str] = {}
    result: dict[str, tuple[Unscored, ...]] = {}
    with at_work(out, load, cluster) as workers:
        for number, (name, config) in enumerate(configs.items(), start=1):
            click.echo(f"\n[{number}/{len(configs)}] {name}", err=True)
            try:
                with opened(out / name, create=True, retry_failed=retry_failed) as run:
                    result[name] = _shown(run, what_is_left(run, config, workers))
            except Exception as error:  # one model's end is not that of the others
                # a full disk is
                if is_disk_full(error):
                    raise
                failed[name] = _text(error)
                click.echo(f"error: {failed[name]}", err=True)
    done = len(configs) - len(failed)
    click.echo(f"\n{done} of {len(configs)} runs are whole in {out}", err=True)
    for name, text in failed.items():
        click.echo(f"error: {name}: {text}", err=True)
    if failed:
        sys.exit(1)
    exit_if_unscored(result, base.max_unscored)


def _refuse_early(base: RunConfig) -> None:
    """What no model could do is said once, before any is loaded."""
    from ..pipeline.judge import check_judging

    if base.model is not None:
        raise UsageError("--models names the models under test: leave --model out")
    if not base.benchmark and not base.context:
        raise UsageError("no benchmark is named: --benchmark cfsafety,ci-vignettes:coppa")
    check_judging(base)


def _text(error: Exception) -> str:
    text = explained(error)
    if text is not None:
        return text
    traceback.print_exception(error)
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
