"""`normscope probe`: the known biases of a judge, and what injections do to it."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..api.settings import requested
from ..dates import today
from ..format import percent
from ..judges.engines import load
from ..messages import Language
from ..records.config import RunConfig
from .options import ENGINE, JUDGE, LANGUAGE, PATH
from .terminal import DONE_UNSCORED


@click.command()
@JUDGE
@ENGINE
@click.option("--only", type=click.Choice(["biases", "injection"]), help="One part [both].")
@click.option("--limit", type=click.IntRange(min=10), default=60, show_default=True)
@click.option("--attacks", type=click.IntRange(min=1), help="Of the injections, so many [all].")
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Answers that each injection is attached to.",
)
@click.option("--reworded", type=PATH, help="A second wording of the rubric: a YAML file.")
@click.option(
    "--runs",
    multiple=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="RUN",
    help="For self-preference: runs judged by this judge and by another; name each with --runs.",
)
@click.option("--unit-items", type=int, help="Answers per unit of the journal [64].")
@LANGUAGE
@click.option("--out", type=PATH, default=Path("runs/probe.json"), show_default=True)
def probe(
    *,
    only: str | None,
    limit: int,
    attacks: int | None,
    repeats: int,
    reworded: Path | None,
    runs: tuple[Path, ...],
    out: Path,
    language: Language,
    **flags: Any,
) -> None:
    """Measure a judge's known biases, and how often a text in an answer talks it round.

    LIMIT answers of the safety gradient, balanced over its categories, languages and grades, are
    judged as they are and changed in a way that should change nothing. Stopped and started again,
    it goes on. Writes OUT and, beside it, a page as Markdown and HTML.

    \b
    Examples:
      normscope probe --judge ./judge --out runs/judge/probe.json
      normscope probe --judge ./judge --only injection --attacks 60 --out quick.json
    """
    from ..judges.rubric import rubric
    from ..judges.rubric_choice import USUAL, rubric_for
    from ..judges.trust.answers import read_judged
    from ..judges.trust.probe import BIASES, INJECTION, Part
    from ..judges.trust.probe import probe as make
    from ..report.trust.probe import page
    from .check import finish

    parts: tuple[Part, ...] = (BIASES, INJECTION)
    if only is not None:
        parts = (BIASES,) if only == BIASES else (INJECTION,)
    config = requested(flags, RunConfig())
    second = None
    if reworded is not None:
        second = rubric_for(replace(config, rubric=str(reworded)), flag="--reworded")
    result = make(
        rubric_for(config) or rubric(USUAL),
        config,
        load=load,
        folder=out.parent,
        date=today(),
        parts=parts,
        limit=limit,
        attacks=attacks,
        repeats=repeats,
        second=second,
        runs=[read_judged(path) for path in runs],
    )
    finish(page(result), result, out.with_suffix(""), language)
    if result.unscored > config.max_unscored:
        click.echo(
            f"{percent(result.unscored)} of a probe's pairs are unscored: see there", err=True
        )
        sys.exit(DONE_UNSCORED)
