"""The whole row on one run folder, or on one per model of a file."""

import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click

from ..config import RunConfig
from ..errors import NormscopeError, UsageError
from ..judges.engines import ModelSpec, load
from ..models import config_of, read_models
from ..run.folder import RunFolder, opened

DONE_UNSCORED = 3

SpecOf = Callable[[str], ModelSpec]
"""A model as it is loaded, from its path, id or address."""


def whole_row(run: RunFolder, asked: RunConfig) -> float:
    """Does what is left of the run, shows its scores, and returns the unscored share."""
    from ..stages.judge import foreseen, judge
    from ..stages.report import report
    from ..stages.respond import respond
    from ..stages.score import score, unscored_share

    whole = run.whole
    if run.reproduction is not None:
        # another judge is refused before the model is asked, which may take hours, not after
        known = foreseen(asked)
        run.reproduction.refuse(run.reproduction.differences("judge", asked, known, partly=True))
    respond(run, asked, load)
    judge(run, asked, load)
    score(run)
    page = report(run)
    if whole:
        click.echo("the run was whole already: nothing was asked again", err=True)
    show(run)
    click.echo(f"\nReport: {page}")
    return unscored_share(run)


def show(run: RunFolder) -> None:
    """Prints the run's scores."""
    from rich.console import Console

    from ..stages.report import show as show_scores
    from ..stages.score import read_scores

    click.echo(f"\n{run.path}")
    show_scores(run.config, read_scores(run), Console(width=None if sys.stdout.isatty() else 100))


def exit_if_unscored(unscored: float, config: RunConfig) -> None:
    """Ends with exit code 3 where more is unscored than the run allows."""
    if unscored > config.max_unscored:
        click.echo(
            f"{unscored:.1%} of the judgements are unscored, more than "
            f"{config.max_unscored:.1%}: see the reasons in the report",
            err=True,
        )
        sys.exit(DONE_UNSCORED)


def run_models(path: Path, out: Path, base: RunConfig, spec: SpecOf) -> None:
    """A run per model of the file, each in a folder of its own; what fails is told at the end.

    `spec` is how a model is loaded where the file does not say. A run that is whole and asked for
    with the same settings is left alone: its model is not loaded again.
    """
    models = read_models(path)
    _refuse_early(base)
    # every setting is checked before any model is loaded
    configs = {one.folder: config_of(one, base, spec(one.model)) for one in models}
    failed: dict[str, str] = {}
    unscored = 0.0
    for number, (name, config) in enumerate(configs.items(), start=1):
        click.echo(f"\n[{number}/{len(configs)}] {name}", err=True)
        try:
            with opened(out / name, create=True) as run:
                unscored = max(unscored, _go_on(run, config))
        except Exception as error:  # noqa: BLE001 - one model's end is not that of the others
            failed[name] = _told(error)
            click.echo(f"error: {failed[name]}", err=True)
    done = len(configs) - len(failed)
    click.echo(f"\n{done} of {len(configs)} runs are whole in {out}", err=True)
    for name, told in failed.items():
        click.echo(f"error: {name}: {told}", err=True)
    if failed:
        sys.exit(1)
    exit_if_unscored(unscored, base)


def _go_on(run: RunFolder, config: RunConfig) -> float:
    from ..stages.score import unscored_share

    if run.whole and replace(config, resolved={}) == replace(run.config, resolved={}):
        click.echo("the run is whole: nothing is asked again", err=True)
        show(run)
        return unscored_share(run)
    return whole_row(run, config)


def _refuse_early(base: RunConfig) -> None:
    """What no model could do is said once, before any is loaded."""
    from ..datasets_builders.registry import benchmark

    if base.model is not None:
        raise UsageError("--models names the models under test: leave --model out")
    if not base.benchmark:
        raise UsageError("no benchmark is named: --benchmark cfsafety,ci-vignettes:coppa")
    judged = [name for name in base.benchmark if benchmark(name)[1].rubric is not None]
    if judged and base.judge is None:
        raise UsageError(f"{', '.join(judged)} needs a judge: --judge PATH_OR_HUB_ID")


def _told(error: Exception) -> str:
    if isinstance(error, NormscopeError):
        return str(error)
    traceback.print_exception(error)
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
