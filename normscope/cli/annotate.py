"""`normscope annotate`: people label a sample of a run, and its numbers are corrected by them."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from ..format import count
from .options import FOLDER, PATH, names
from .validate import today

if TYPE_CHECKING:
    from rich.console import Console

    from ..judges.trust.adjudication import Gold, People

_RUN = click.argument("run", type=FOLDER)
_FOLDER = click.argument("folder", type=FOLDER, metavar="DIR")


@click.group()
def annotate() -> None:
    """Let people label a sample of a run, and correct the run's numbers by their labels.

    \b
    Examples:
      normscope annotate sample runs/qwen --n 200 --out labels
      normscope annotate import labels rater-1.csv rater-2.csv rater-3.csv
      normscope annotate adjudicate labels            writes a sheet of the ties
      normscope annotate adjudicate labels ties.csv   reads it
      normscope annotate correct runs/qwen labels
    """


@annotate.command()
@_RUN
@click.option("--n", type=int, required=True, help="How many answers are labelled.")
@click.option("--raters", type=int, default=3, show_default=True, help="Sheets to write.")
@click.option(
    "--criterion", "criteria", multiple=True, callback=names, help="Which criteria [all judged]."
)
@click.option("--benchmark", help="Which benchmark, if the run has several that were judged.")
@click.option(
    "--strata",
    multiple=True,
    callback=names,
    metavar="NAME,…",
    help="verdict, language, category, area, turns, item_format, or none "
    "[category,language,verdict].",
)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--out", type=FOLDER, required=True, help="A new folder for key and sheets.")
def sample(
    run: Path,
    *,
    n: int,
    raters: int,
    criteria: tuple[str, ...],
    benchmark: str | None,
    strata: tuple[str, ...],
    seed: int,
    out: Path,
) -> None:
    """Draw a stratified random sample of a run's answers and write a sheet for each rater.

    Give each rater one of DIR/sheets, as CSV or as a page that opens in a browser, and guide.md.
    key.json and frame.parquet stay with you: they tell the judge's verdicts.

    \b
    Examples:
      normscope annotate sample runs/qwen --n 200 --out labels
      normscope annotate sample runs/qwen --n 120 --criterion refusal --raters 4 --out labels
      normscope annotate sample runs/qwen --n 100 --strata none --out labels
    """
    from ..judges.trust.take import USUAL, Wish, take
    from ..records.folder import read_only

    chosen = () if strata == ("none",) else strata or USUAL
    wish = Wish(n, raters, criteria, chosen, benchmark, seed)
    taken = take(read_only(run), wish, out)
    for name, drawn, size in taken.strata:
        click.echo(f"{count(drawn):>6} of {count(size):>8}  {name}")
    for path in taken.paths:
        click.echo(path)
    click.echo(f"filled in, read them: normscope annotate import {out} SHEET…")


@annotate.command(name="import")
@_FOLDER
@click.argument("sheets", type=PATH, nargs=-1, required=True, metavar="SHEET…")
@click.option("--partial", is_flag=True, help="Take sheets that are not filled in whole.")
@click.option(
    "--rule",
    type=click.Choice(["majority", "median"]),
    help="How several labels become one [median from five labels on, else majority].",
)
def import_sheets(
    folder: Path, *, sheets: tuple[Path, ...], partial: bool, rule: str | None
) -> None:
    """Read the filled sheets of all raters and say how far they agree.

    Every bad cell is named with its row. What was imported before is replaced, settled ties too.

    \b
    Example:
      normscope annotate import labels rater-1.csv labels-3f2a-2.csv rater-3.csv
    """
    from ..judges.trust.adjudication import People, agreement, gold_of, write_people
    from ..judges.trust.consensus import usual_rule
    from ..judges.trust.filled import read_all
    from ..judges.trust.key import read_sample
    from ..report.trust.corrections_show import show_agreement

    drawn = read_sample(folder)
    raters = read_all(sheets, drawn, partial=partial)
    rules = {
        criterion: rule or usual_rule(labels) for criterion, labels in drawn.key.criteria.items()
    }
    people = People(drawn.key.seal, rules, tuple(raters))  # type: ignore[arg-type]
    write_people(folder, people)
    for filled in raters:
        missing = f", {count(filled.missing)} cells empty" if filled.missing else ""
        click.echo(f"{filled.file}: rater {filled.rater}{missing}")
    if tables := agreement(people, drawn):
        show_agreement(tables, _console())
    else:
        click.echo("one rater: how far people agree is not known")
    _tell(folder, people, gold_of(people, drawn))


@annotate.command()
@_FOLDER
@click.argument("sheet", type=PATH, required=False)
@click.option("--run", type=FOLDER, help="The run, if it has been moved.")
def adjudicate(folder: Path, *, sheet: Path | None, run: Path | None) -> None:
    """Write a sheet of the ties for a person to settle, or read it.

    \b
    Examples:
      normscope annotate adjudicate labels                   writes labels/ties.csv
      normscope annotate adjudicate labels labels/ties.csv   reads it, filled in
    """
    from ..judges.trust.adjudication import gold_of, read_people, write_people
    from ..judges.trust.frame import frame_of
    from ..judges.trust.key import read_sample
    from ..judges.trust.ties import TIES, read_ties, write_ties
    from ..records.folder import opened

    drawn = read_sample(folder)
    people = read_people(folder, drawn)
    if sheet is not None:
        people = read_ties(sheet, people, drawn)
        write_people(folder, people)
        _tell(folder, people, gold_of(people, drawn))
        return
    ties = gold_of(people, drawn).ties
    if not ties:
        click.echo(f"no tie is open; next: normscope annotate correct RUN {folder}")
        return
    with opened(run or folder / drawn.key.where) as opened_run:
        frame = frame_of(opened_run, name=drawn.key.benchmark, criteria=list(drawn.key.criteria))
    write_ties(folder / TIES, ties, frame, drawn)
    told = f"fill in the column label, then: normscope annotate adjudicate {folder} SHEET"
    click.echo(f"{folder / TIES}  {count(len(ties))} ties; {told}")


@annotate.command()
@_RUN
@click.argument("folder", type=FOLDER, metavar="[DIR]", required=False)
@click.option("--card", type=PATH, help="A judge's card, where nobody labels this run.")
@click.option("--resamples", type=click.IntRange(min=100), default=1000, help="The card's [1000].")
@click.option("--figures/--no-figures", default=True, help="Draw figures [yes].")
def correct(
    run: Path, *, folder: Path | None, card: Path | None, resamples: int, figures: bool
) -> None:
    """Correct a run's rates and means by people's labels, and make the judge's card on it.

    With --card, an older card corrects the shares of labels (Rogan and Gladen) instead, if it is
    of the same judge, rubric, benchmark and language. Both are written into the run's folder.

    \b
    Examples:
      normscope annotate correct runs/qwen labels
      normscope annotate correct runs/later --card runs/qwen/cards/judge.chisafetybench.json
    """
    from ..judges.trust.card import read_card
    from ..judges.trust.card_corrections import correct_by_card
    from ..judges.trust.correction import write_correction
    from ..judges.trust.corrections import Labels
    from ..judges.trust.corrections import correct as correct_run
    from ..judges.trust.predictor import Resampling
    from ..judges.trust.run_cards import CARDS, cards_of
    from ..records.folder import opened
    from ..report.trust.card_files import write_card_files
    from ..report.trust.card_summary import summary
    from ..report.trust.corrections_show import show_correction

    if (folder is None) == (card is None):
        raise UsageError("correct by what? DIR with people's labels, or --card CARD.json")
    with opened(run) as opened_run:
        if folder is not None:
            labels = Labels(opened_run, folder)
            found = correct_run(opened_run, labels)
            resampling = Resampling(resamples=resamples)
            for made in cards_of(opened_run, labels, date=today(), resampling=resampling):
                paths = write_card_files(made, run / CARDS, figures=figures)
                for line in summary(made.card):
                    click.echo(f"- {line}")
                for path in paths:
                    click.echo(path)
        else:
            assert card is not None  # noqa: S101 - one of the two is given
            found = correct_by_card(opened_run, read_card(card))
        path = write_correction(run, found)
    show_correction(found, _console())
    click.echo(f"{path}; next: normscope report {run}")


def _tell(folder: Path, people: "People", gold: "Gold") -> None:
    """What the labels came to and what is next."""
    rules = ", ".join(f"{criterion}: {rule}" for criterion, rule in people.rules.items())
    click.echo(
        f"{count(len(gold.labels))} answers have a label ({rules}); on {count(gold.disagreed)} "
        f"labels people differ, {count(gold.adjudicated)} ties are settled, "
        f"{count(len(gold.ties))} are open"
    )
    for tie in gold.ties[:10]:
        click.echo(f"  {tie.row}  {tie.criterion}: {', '.join(tie.given) or 'nobody can tell'}")
    if gold.ties:
        click.echo(f"next: normscope annotate adjudicate {folder}")
    else:
        click.echo(f"next: normscope annotate correct RUN {folder}")


def _console() -> "Console":
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 140)
