"""`normscope rules`: read answers by rule, and let a person check what was read."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import DataError
from ..format import count, interval, percent
from .options import PATH, names

if TYPE_CHECKING:
    from ..judges.trust.agreement import Agreement, Figures
    from ..metrics.estimate import Estimate

_RULE = click.Choice(["option", "likert", "refusal"])
_LETTERS = click.option(
    "--letters",
    multiple=True,
    callback=names,
    metavar="A,B,…",
    help="Letters of the options [the column options, else A,B,C,D].",
)


@click.group()
def rules() -> None:
    """Read answers by the rules for text, and check what they read.

    \b
    option   which letter a multiple-choice answer chooses
    likert   which of the five degrees of acceptability an answer gives
    refusal  which of the four degrees of refusal a judge's reply names
    \b
    Examples:
      normscope rules read answers.csv --rule likert --out read.csv
      normscope rules sample runs/qwen --n 200 --out sheet.csv
      normscope rules check sheet.csv
    """


@rules.command()
@click.argument("file", type=PATH)
@click.option("--rule", type=_RULE, required=True)
@_LETTERS
@click.option("--out", type=PATH, required=True, help="Where the rows go, with three more columns.")
def read(file: Path, *, rule: str, letters: tuple[str, ...], out: Path) -> None:
    """Apply a rule to the column response (or text) of a CSV, JSONL or Parquet file.

    The rows come back in order with the label, or the reason why there is none, and the name of
    the pattern that decided. A column options ([{"letter": "A", "text": "…"}]) tells the letters
    of each row.

    \b
    Examples:
      normscope rules read answers.csv --rule option --letters A,B,C --out read.csv
      normscope rules read verdicts.jsonl --rule refusal --out read.jsonl
    """
    from ..judges.rules import RULES
    from ..judges.trust.rule_frame import ADDED, answers_of
    from ..rows import check_writable, read_rows, write_rows

    check_writable(out)
    rows = read_rows(file)
    for name in ADDED:
        if rows and name in rows[0]:
            raise DataError(f"{file} has a column {name!r} already: rename or remove it")
    answers = answers_of(rows, path=file, rule=rule, letters=letters or None)
    readings = [answer.read() for answer in answers]
    made = [
        row | {"label": one.label, "reason": one.reason and str(one.reason), "rule": one.rule}
        for row, one in zip(rows, readings, strict=True)
    ]
    write_rows(out, made)
    for told, number in Counter(one.label or str(one.reason) for one in readings).most_common():
        click.echo(f"{count(number):>8}  {told}")
    used = RULES[rule]
    click.echo(f"{out}; rule {rule}, version {used.version}, {used.hash[:12]}")


@rules.command()
@click.argument("target", type=PATH, metavar="RUN|FILE")
@click.option("--rule", type=_RULE, help="Which rule reads a FILE; of a RUN, only this one's.")
@_LETTERS
@click.option("--n", type=click.IntRange(min=1), default=200, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--out", type=PATH, required=True, help="The sheet, a CSV.")
def sample(
    target: Path,
    *,
    rule: str | None,
    letters: tuple[str, ...],
    n: int,
    seed: int,
    out: Path,
) -> None:
    """Draw a sample of answers for a person to check, as a sheet for a spreadsheet.

    Every reading, each label and each reason, gets an equal share of the rows, so that rare ones
    are seen; the sheet knows how many answers each row stands for. Fill in reviewed_label with
    the label that you read, or with a reason where there is none, and do not look at what the
    rule read before you have.

    \b
    Examples:
      normscope rules sample runs/qwen --n 200 --out sheet.csv
      normscope rules sample answers.csv --rule likert --n 100 --seed 1 --out sheet.csv
    """
    from ..judges.trust.rule_frame import load_answers
    from ..judges.trust.rule_sample import draw, stratum
    from ..judges.trust.rule_sheet import write_sheet

    if out.suffix != ".csv":
        raise DataError(f"{out}: a sheet is a CSV; name it so that it ends in .csv")
    answers = load_answers(target, rule=rule, letters=letters or None)
    drawn = draw(answers, n=n, seed=seed)
    write_sheet(out, drawn)
    sizes = {stratum(one.answer, one.reading): one.stratum_size for one in drawn}
    taken = Counter(stratum(one.answer, one.reading) for one in drawn)
    for key in sorted(sizes):
        click.echo(f"{count(taken[key]):>6} of {count(sizes[key]):>8}  {' '.join(key)}")
    click.echo(f"{out}; fill in reviewed_label, then: normscope rules check {out}")


@rules.command()
@click.argument("sheet", type=PATH)
@click.option("--partial", is_flag=True, help="Some rows are not reviewed: go by the others.")
def check(sheet: Path, partial: bool) -> None:
    """Compute a rule's precision and recall from a reviewed sheet.

    Precision: of the answers that were read as this, how many are. Recall: of those that are this,
    how many were read so. Both are for all the answers that the sheet was drawn from, each row
    weighted by how many it stands for, with 95 % intervals.

    \b
    Example:
      normscope rules check sheet.csv
    """
    from ..judges.trust.agreement import agreements
    from ..judges.trust.rule_sheet import outdated, read_sheet

    rows = read_sheet(sheet)
    found = agreements(rows, partial=partial)
    for name in outdated(rows):
        told = "the figures are those of the version that the sheet was drawn with"
        click.echo(f"note: the rule {name!r} has changed since; {told}", err=True)
    for agreement in found:
        _show(agreement)


def _show(agreement: "Agreement") -> None:
    reviewed = f"{count(agreement.reviewed)} of {count(agreement.rows)} rows reviewed"
    click.echo(f"\n{agreement.rule}: {reviewed}, for {count(agreement.answers)} answers")
    click.echo(f"{'':<28}{'read':>8}  {'precision':<30}{'recall':<30}")
    for figures in (*agreement.readings, agreement.labels):
        _show_line("all labels" if figures is agreement.labels else figures.name, figures)
    click.echo(f"{'all answers, read right':<38}{_told(agreement.accuracy)}")
    click.echo("\n  rows  read as, and what the reviewer says")
    for (read, truth), number in sorted(
        agreement.confusion.items(), key=lambda pair: (-pair[1], pair[0])
    ):
        mark = "" if read == truth else "  ≠"
        click.echo(f"{count(number):>6}  {read} → {truth}{mark}")


def _show_line(name: str, figures: "Figures") -> None:
    told = (_told(figures.precision), _told(figures.recall))
    click.echo(f"{name:<28}{count(figures.size):>8}  {told[0]:<30}{told[1]:<30}".rstrip())


def _told(estimate: "Estimate") -> str:
    limits = interval(estimate.low, estimate.high, rate=True)
    return f"{percent(estimate.value)} {limits} n={count(estimate.n)}"
