"""`normscope check`: whether a judge holds what it is used for."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..api.settings import requested
from ..errors import UsageError
from ..judges.engines import load
from ..messages import Language
from ..records.config import RunConfig
from .options import ENGINE, FOLDER, JUDGE, LANGUAGE, PATH
from .terminal import console

if TYPE_CHECKING:
    from ..report.blocks import Page

OUT = click.option("--out", type=FOLDER, help="Where the files go [checks/ in the first run].")
EXIT = click.option("--fail", is_flag=True, help="End with exit code 1 if the check is not passed.")


@click.group()
def check() -> None:
    """Check a judge, and what was measured with it: tables here, and pages beside the run.

    \b
    graded-set  does the mean score rise with every step of the graded answers?
    languages   are zh and en equivalent, for the judge and for the model under test?
    judges      how far do several judges agree, and how many do they amount to?
    drift       does the judge say of fixed answers what it said before?

    \b
    Example:
      normscope check graded-set runs/demo/graded-answers
    """


@check.command("graded-set")
@click.argument("target", type=PATH, metavar="RUN|FILE")
@click.option("--criterion", help="score, or a criterion [the score where there is one].")
@EXIT
@LANGUAGE
@OUT
def graded_set(
    *, target: Path, criterion: str | None, fail: bool, out: Path | None, language: Language
) -> None:
    """Does the judge put the graded answers in their order, in every category and language?

    RUN is a run on safety-gradient; FILE a judged file with the columns grade, question_id,
    language and category.

    \b
    Examples:
      normscope run -b safety-gradient --judge ./judge --model ./any --out runs/graded
      normscope check graded-set runs/graded
    """
    from ..judges.trust.answers import read_judged
    from ..judges.trust.graded_set import check_graded_set
    from ..report.trust.graded_set import page

    result = check_graded_set(read_judged(target), outcome=criterion)
    stem = _folder(out, target) / "graded-set"
    finish(page(result), result, stem, language, passed=result.rises, fail=fail)


@check.command()
@click.argument("target", type=PATH, required=False, metavar="[RUN|FILE]")
@JUDGE
@ENGINE
@click.option("--margin", type=float, help="Of the score, 0 to 5, stated before [0.3].")
@click.option("--limit", type=click.IntRange(min=1), help="Answers that the judge is asked about.")
@click.option("--unit-items", type=int, help="Answers per unit of the journal [64].")
@click.option("--although", is_flag=True, help="Take another margin than the result there has.")
@EXIT
@LANGUAGE
@OUT
def languages(
    *,
    target: Path | None,
    margin: float | None,
    limit: int | None,
    although: bool,
    fail: bool,
    out: Path | None,
    language: Language,
    **flags: Any,
) -> None:
    """Are Chinese and English equivalent within a margin that is stated before?

    In a RUN, the model's own answers to both members of a pair, or the parallel graded answers.
    With --judge, the judge itself: the graded set's answers under the rubric in zh and in en.

    \b
    Examples:
      normscope check languages runs/qwen --margin 0.3
      normscope check languages --judge ./judge --out runs/judge-checks
    """
    from ..judges.rubric import rubric
    from ..judges.rubric_choice import USUAL, rubric_for
    from ..judges.trust.answers import read_judged
    from ..judges.trust.languages import MARGIN, SWAPPED, check_languages, state_margin, swapped
    from ..report.trust.languages import page

    if target is None and flags["judge"] is None:
        raise UsageError("name a RUN, or a judge to be asked: --judge PATH_OR_HUB_ID")
    stem = _folder(out, target) / "languages"
    chosen = MARGIN if margin is None else margin
    before = state_margin(stem.with_name("languages.json"), chosen, although=although)
    extra = {}
    if flags["judge"] is not None:
        config = requested(flags, RunConfig())
        used = rubric_for(config) or rubric(USUAL)
        extra[SWAPPED] = swapped(used, config, load=load, folder=stem.parent, limit=limit)
    judged = None if target is None else read_judged(target)
    result = check_languages(judged, extra, margin=chosen, before=before)
    finish(page(result), result, stem, language, passed=result.passed, fail=fail)


@check.command()
@click.argument("runs", nargs=-1, required=True, type=FOLDER, metavar="RUN RUN…")
@click.option("--labels", type=PATH, help="People's labels: item_id and a column per criterion.")
@LANGUAGE
@OUT
def judges(
    *, runs: tuple[Path, ...], labels: Path | None, out: Path | None, language: Language
) -> None:
    """How far do several judges of the same answers agree, and do they err together?

    \b
    Examples:
      normscope judge runs/a --judge ./other --out runs/a-other
      normscope check judges runs/a runs/a-other
      normscope check judges runs/a runs/a-other --labels people.csv
    """
    from ..judges.trust.answers import read_judged
    from ..judges.trust.judges_agree import check_judges, read_labels
    from ..report.trust.judges_agree import page

    people = None if labels is None else read_labels(labels)
    result = check_judges([read_judged(path) for path in runs], labels=people)
    finish(page(result), result, _folder(out, runs[0]) / "judges", language)


@check.command()
@click.argument("first", type=PATH, metavar="RUN|CARD")
@click.argument("second", type=PATH, metavar="RUN")
@EXIT
@LANGUAGE
@OUT
def drift(*, first: Path, second: Path, fail: bool, out: Path | None, language: Language) -> None:
    """Does the judge of the second run say of the fixed answers what it said in the first?

    \b
    Example:
      normscope check drift runs/last-month runs/today
    """
    from ..judges.trust.drift import check_drift, read_fixed_answers
    from ..report.trust.drift import page

    names = (first.resolve().name, second.resolve().name)
    result = check_drift(read_fixed_answers(first), read_fixed_answers(second), names=names)
    stem = _folder(out, second) / "drift"
    finish(page(result), result, stem, language, passed=result.same, fail=fail)


def _folder(out: Path | None, target: Path | None) -> Path:
    if out is not None:
        return out
    if target is None:
        return Path("runs/checks")
    return target / "checks" if target.is_dir() else target.with_name(f"{target.stem}.checks")


def finish(
    page: "Page",
    result: Any,
    stem: Path,
    language: Language,
    *,
    passed: bool | None = True,
    fail: bool = False,
) -> None:
    """Shows and writes the page beside the result's JSON; exits with 1 if that is asked for."""
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
    if fail and passed is not True:
        sys.exit(1)
