"""`normscope annotate`: people label a sample; a run is corrected, or a rule checked, by it."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..dates import today
from ..errors import UsageError
from ..format import count
from ..messages import message
from ..untrusted import printed
from .options import FOLDER, PATH, names
from .terminal import console
from .validate import show_cards

if TYPE_CHECKING:
    from ..judges.trust.adjudication import PeoplesLabels
    from ..judges.trust.key import Sample

_FOLDER = click.argument("folder", type=FOLDER, metavar="DIR")


@click.group()
def annotate() -> None:
    """Let people label a sample, and correct a run or check a judge or a text rule by their labels.

    \b
    Examples:
      normscope annotate sample runs/qwen --n 200 --out labels
      normscope annotate import labels rater-1.csv rater-2.csv rater-3.csv
      normscope annotate adjudicate labels            writes a sheet of the ties
      normscope annotate adjudicate labels ties.csv   reads it
      normscope annotate correct runs/qwen labels
      normscope annotate check labels                 how the judge, or the rule, agrees with them
    """


@annotate.command()
@click.argument("targets", type=PATH, nargs=-1, required=True, metavar="RUN…|FILE")
@click.option("--n", type=int, default=200, show_default=True, help="How many answers to label.")
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
    help="label, language, category, area, turns, item_format, or none [category,language,label].",
)
@click.option(
    "--rule",
    type=click.Choice(["option", "likert", "refusal"]),
    help="Check what this rule for text reads, not what a judge says.",
)
@click.option(
    "--letters",
    multiple=True,
    callback=names,
    metavar="A,B,…",
    help="Letters of a FILE's options [its column options, else A,B,C,D].",
)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--out", type=FOLDER, required=True, help="A new folder for key and sheets.")
def sample(
    *,
    targets: tuple[Path, ...],
    n: int,
    raters: int,
    criteria: tuple[str, ...],
    benchmark: str | None,
    strata: tuple[str, ...],
    rule: str | None,
    letters: tuple[str, ...],
    seed: int,
    out: Path,
) -> None:
    """Draw a stratified random sample of answers and write a sheet for each rater.

    Give each rater one of DIR/sheets, as CSV or as a page that opens in a browser, and guide.md.
    key.json and frame.parquet stay with you: they have what was read off each answer.

    Of several runs every one gives an equal share of the rows, and the sheets do not show which: so
    a judge is checked on the answers of several models (`annotate check`).

    With --rule the answers are texts of a run (--channels text) or of a file with a column
    response or text, and every reading, each label and each reason, gets an equal share of the
    rows, so that rare ones are seen.

    \b
    Examples:
      normscope annotate sample runs/qwen --n 200 --out labels
      normscope annotate sample runs/qwen --n 120 --criterion refusal --raters 4 --out labels
      normscope annotate sample runs/qwen runs/yi runs/glm --n 563 --out labels
      normscope annotate sample runs/qwen --rule option --raters 1 --out labels
      normscope annotate sample answers.csv --rule likert --n 100 --seed 1 --out labels
    """
    from ..judges.trust.frame import judged_frame
    from ..judges.trust.pooled import pooled, run_names
    from ..judges.trust.rule_frame import rule_frame
    from ..judges.trust.sampling import USUAL, draw_sample
    from ..records.folder import read_only
    from ..report.trust.labelling_page import beside

    if rule is not None:
        if criteria or strata:
            raise UsageError("a rule has one criterion and is drawn by reading: leave out the flag")
        if len(targets) > 1:
            raise UsageError("a rule is checked on one run or file at a time: name one")
        frame = rule_frame(targets[0], rule, letters=letters or None, name=benchmark)
    elif letters or any(target.is_file() for target in targets):
        raise UsageError("answers that no judge has judged: which rule reads them? --rule RULE")
    else:
        frames = [judged_frame(read_only(t), name=benchmark, criteria=criteria) for t in targets]
        frame = pooled(frames, run_names(frames))
    dimensions = () if strata == ("none",) else strata or USUAL
    drawn, paths = draw_sample(
        frame, out, n=n, raters=raters, dimensions=dimensions, seed=seed, beside=beside
    )
    taken = Counter(row.stratum for row in drawn.drawn)
    for name, size in sorted(Counter(row.stratum for row in drawn.rows).items()):
        click.echo(f"{count(taken[name]):>6} of {count(size):>8}  {name}")
    for path in paths:
        click.echo(path)
    click.echo(f"filled in, read them: normscope annotate import {out} SHEET…")


@annotate.command(name="import")
@_FOLDER
@click.argument("sheets", type=PATH, nargs=-1, required=True, metavar="SHEET…")
@click.option("--partial", is_flag=True, help="Take sheets that are not filled in whole.")
@click.option(
    "--consensus",
    type=click.Choice(["majority", "median"]),
    help="How several labels become one [median from five labels on, else majority].",
)
def import_sheets(
    folder: Path, *, sheets: tuple[Path, ...], partial: bool, consensus: str | None
) -> None:
    """Read the filled sheets of all raters and say how far they agree.

    Every bad cell is named with its row. What was imported before is replaced, settled ties too.

    \b
    Example:
      normscope annotate import labels rater-1.csv labels-3f2a-2.csv rater-3.csv
    """
    from ..judges.trust import adjudication
    from ..judges.trust.agreement import agreement_of_raters
    from ..judges.trust.filled import read_all
    from ..judges.trust.key import read_sample
    from ..report.trust.judges_agree import agreement_table
    from ..report.writers.terminal import show_blocks

    drawn = read_sample(folder)
    raters = read_all(sheets, drawn, partial=partial)
    rules = adjudication.usual_rules(drawn)
    if consensus is not None:
        rules = dict.fromkeys(rules, "majority" if consensus == "majority" else "median")
    people = adjudication.PeoplesLabels(drawn.key.seal, rules, tuple(raters))
    adjudication.write_people(folder, people)
    for filled in raters:
        missing = f", {count(filled.missing)} cells empty" if filled.missing else ""
        click.echo(f"{filled.file}: rater {filled.rater}{missing}")
    if tables := agreement_of_raters(people, drawn):
        show_blocks([agreement_table(tables, message("raters"))], console())
    else:
        click.echo("one rater: how far people agree is not known")
    _show_gold(folder, people, drawn)


@annotate.command()
@_FOLDER
@click.argument("sheet", type=PATH, required=False)
@click.option("--run", type=PATH, help="The run or file, if it has been moved.")
def adjudicate(folder: Path, *, sheet: Path | None, run: Path | None) -> None:
    """Write a sheet of the ties for a person to settle, or read it.

    \b
    Examples:
      normscope annotate adjudicate labels                   writes labels/ties.csv
      normscope annotate adjudicate labels labels/ties.csv   reads it, filled in
    """
    from ..judges.trust import adjudication
    from ..judges.trust.key import read_sample
    from ..judges.trust.sampling import frame_of

    drawn = read_sample(folder)
    people = adjudication.read_people(folder, drawn)
    if sheet is not None:
        people = adjudication.read_ties(sheet, people, drawn)
        adjudication.write_people(folder, people)
        _show_gold(folder, people, drawn)
    elif ties := adjudication.gold_of(people, drawn).ties:
        path = folder / adjudication.TIES
        frame = frame_of(folder, drawn.key, moved=run)
        adjudication.write_ties(path, ties, frame, drawn)
        click.echo(
            f"{path}  {count(len(ties))} ties; fill in its label columns, then: "
            f"normscope annotate adjudicate {folder} SHEET"
        )
    else:
        click.echo(f"no tie is open; next: {_next(folder, drawn)}")


@annotate.command()
@click.argument("run", type=FOLDER)
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
    from ..judges.trust import corrections
    from ..judges.trust.card import read_card
    from ..judges.trust.card_corrections import correct_by_card
    from ..judges.trust.predictor import Resampling
    from ..judges.trust.run_cards import CARDS, cards_of
    from ..records.folder import opened
    from ..report.corrected import corrected_blocks
    from ..report.writers.terminal import show_blocks

    if (folder is None) == (card is None):
        raise UsageError("correct by what? DIR with people's labels, or --card CARD.json")
    with opened(run) as opened_run:
        if folder is not None:
            labels = corrections.LabelledRun(opened_run, folder)
            correction = corrections.correct(labels)
            resampling = Resampling(resamples=resamples)
            cards = cards_of(labels, date=today(), resampling=resampling)
            show_cards(cards, run / CARDS, figures=figures)
        else:
            assert card is not None  # noqa: S101 - one of the two is given
            correction = correct_by_card(opened_run, read_card(card))
        path = corrections.write_correction(run, correction)
    click.echo(f"{correction.method}: {printed(correction.basis)}")
    show_blocks(corrected_blocks([correction]), console())
    click.echo(f"{path}; next: normscope report {run}")


@annotate.command()
@_FOLDER
@click.option("--run", type=PATH, help="The judged run, if it has been moved.")
def check(folder: Path, *, run: Path | None) -> None:
    """Compute from people's labels of a sample how a judge, or a text rule, agrees with them.

    Of a judge: Kendall's τ-b, Spearman's ρ and Pearson's r with people's majority, and the share of
    equal labels, over all runs of the sample and in each, with 95 % intervals over questions. They
    are written into DIR/agreement.json.

    Of a text rule: its precision and recall. Precision: of the answers that were read as this, how
    many are. Recall: of those that are this, how many were read so. Both are for all the answers
    that the sample was drawn from, each row weighted by how many it stands for, with 95 %
    intervals.

    \b
    Example:
      normscope annotate check labels
    """
    from ..judges.rules import rule_hash
    from ..judges.trust.adjudication import read_people, settled_gold
    from ..judges.trust.agreement import agreement_of_rule
    from ..judges.trust.judge_agreement import check_judge
    from ..judges.trust.key import read_sample
    from ..report.trust.judges_agree import agreement_table
    from ..report.trust.rule_agreement import rule_blocks
    from ..report.writers.terminal import show_blocks

    drawn = read_sample(folder)
    gold = settled_gold(read_people(folder, drawn), drawn, folder)
    if not drawn.key.by_rule:
        path, checked = check_judge(folder, drawn.key, gold.labels, moved=run)
        for note in checked.caveats:
            click.echo(f"note: {note}", err=True)
        show_blocks([agreement_table(checked.statistics, message("runs"))], console())
        click.echo(path)
        return
    agreement = agreement_of_rule(drawn, gold)
    if drawn.key.hash != rule_hash(agreement.rule):
        click.echo(
            f"note: the rule {agreement.rule!r} has changed since; the figures are those of the "
            "version that the sample was drawn with",
            err=True,
        )
    show_blocks(rule_blocks(agreement), console())


def _show_gold(folder: Path, people: "PeoplesLabels", drawn: "Sample") -> None:
    """What the labels came to and what is next."""
    from ..judges.trust.adjudication import gold_of

    gold = gold_of(people, drawn)
    rules = ", ".join(f"{criterion}: {rule}" for criterion, rule in people.rules.items())
    click.echo(
        f"{count(len(gold.labels))} answers have a label ({rules}); on {count(gold.disagreed)} "
        f"labels people differ, {count(gold.adjudicated)} ties are settled, "
        f"{count(len(gold.ties))} are open"
    )
    for tie in gold.ties[:10]:
        click.echo(f"  {tie.row}  {tie.criterion}: {', '.join(tie.given) or 'nobody can tell'}")
    after = f"normscope annotate adjudicate {folder}" if gold.ties else _next(folder, drawn)
    click.echo(f"next: {after}")


def _next(folder: Path, drawn: "Sample") -> str:
    several = len(drawn.key.runs) > 1
    verb = f"check {folder}" if drawn.key.by_rule or several else f"correct RUN {folder}"
    return f"normscope annotate {verb}"
