"""`normscope check` and `probe`: whether a judge holds what it is used for."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..format import percent
from ..judges.engines import load
from ..messages import Language
from .options import FOLDER, LANGUAGE, PATH, stage_flags
from .terminal import console, end_unscored

if TYPE_CHECKING:
    from ..report.blocks import Page

OUT = click.option("--out", type=FOLDER, help="Where the files go [checks/ in the first run].")
EXIT = click.option("--fail", is_flag=True, help="End with exit code 1 if the check is not passed.")


@click.group()
def check() -> None:
    """Check a judge, and what was measured with it: tables here, and pages beside the run.

    \b
    graded-set  does the mean score rise with every step of the graded answers?
    drift       does the judge say of fixed answers what it said before?

    \b
    Examples:
      normscope run -b safety-gradient --judge ./judge --model ./any --out runs/graded
      normscope check graded-set runs/graded
      normscope check drift runs/last-month runs/today
    """


@check.command("graded-set")
@click.argument("run", type=FOLDER)
@EXIT
@LANGUAGE
@OUT
def graded_set(*, run: Path, fail: bool, out: Path | None, language: Language) -> None:
    """Does the judge put the graded answers in their order, in every category and language?

    RUN is a run on safety-gradient.
    """
    from ..judges.trust.graded_set import check_graded_set
    from ..records.run import Run
    from ..report.trust.checks import graded_set_page

    result = check_graded_set(Run.open(run, name=run.resolve().name))
    stem = (out or run / "checks") / "graded-set"
    finish(
        graded_set_page(result), result, stem, language, failed=fail and result.rises is not True
    )


@check.command()
@click.argument("first", type=FOLDER, metavar="RUN")
@click.argument("second", type=FOLDER, metavar="RUN")
@EXIT
@LANGUAGE
@OUT
def drift(*, first: Path, second: Path, fail: bool, out: Path | None, language: Language) -> None:
    """Does the judge of the second run say of the fixed answers what it said in the first?"""
    from ..judges.trust.drift import check_drift, read_fixed_answers
    from ..report.trust.checks import drift_page

    names = (first.resolve().name, second.resolve().name)
    result = check_drift(read_fixed_answers(first), read_fixed_answers(second), names=names)
    stem = (out or second / "checks") / "drift"
    finish(drift_page(result), result, stem, language, failed=fail and result.same is not True)


@click.command()
@stage_flags("judge", without=("judge_channels",))
@click.option("--limit", type=click.IntRange(min=10), default=60, show_default=True)
@LANGUAGE
@click.option("--out", type=PATH, default=Path("runs/probe.json"), show_default=True)
def probe(limit: int, out: Path, language: Language, **flags: Any) -> None:
    """Measure a judge's known biases, and how often a text in an answer talks it round.

    LIMIT answers of the safety gradient, balanced over its categories, languages and grades, are
    judged as they are and changed in a way that should change nothing. Stopped and started again,
    it goes on. Writes OUT and, beside it, a page as Markdown and HTML.

    \b
    Examples:
      normscope probe --judge ./judge --out runs/judge/probe.json
      normscope probe --judge ./judge --limit 20 --out quick.json
    """
    from ..judges.rubric_choice import USUAL, rubric_for
    from ..judges.rubric_files import rubric
    from ..judges.trust.card import today
    from ..judges.trust.probe import probe as make
    from ..pipeline.requested import requested
    from ..report.trust.checks import probe_page

    config = requested(flags)
    used = rubric_for(config) or rubric(USUAL)
    result = make(used, config, load=load, folder=out.parent, date=today(), limit=limit)
    finish(probe_page(result), result, out.with_suffix(""), language)
    if result.unscored > config.max_unscored:
        end_unscored(f"{percent(result.unscored)} of a probe's pairs are unscored: see there")


def finish(
    page: "Page", result: Any, stem: Path, language: Language, *, failed: bool = False
) -> None:
    """Shows and writes the page beside the result's JSON; exits with 1 if the check has failed."""
    from dataclasses import asdict

    from ..files import rounded, write_json
    from ..report.writers import write
    from ..report.writers.terminal import show

    show(page, console(160), language)
    # the ending is added: a stem may have a dot in it
    paths = {kind: stem.with_name(f"{stem.name}.{kind}") for kind in ("json", "md", "html")}
    stem.parent.mkdir(parents=True, exist_ok=True)
    write_json(paths["json"], rounded(asdict(result)))
    for kind in ("md", "html"):
        write(page, paths[kind], language)
    for path in paths.values():
        click.echo(path)
    if failed:
        sys.exit(1)
