"""`normscope annotate`: people label a sample; a judge is checked, a run corrected by it."""

from collections import Counter
from pathlib import Path
from typing import Any

import click

from ..format import count
from ..messages import message
from ..progress import to_stderr
from .options import FOLDER, PATH, names_option
from .terminal import say, show

_FOLDER = click.argument("folder", type=FOLDER, metavar="DIR")


@click.group()
def annotate() -> None:
    """Let people label a sample of answers, check the judge by it and correct the run.

    \b
    Examples:
      normscope annotate sample runs/qwen --n 200 --out labels
      normscope annotate import labels rater-1.csv rater-2.csv rater-3.csv
      normscope annotate check labels  how the judge agrees with people's majority
      normscope annotate correct runs/qwen labels
    """


@annotate.command()
@click.argument("runs", type=FOLDER, nargs=-1, required=True, metavar="RUN…")
@click.option("--n", type=int, default=200, show_default=True, help="How many answers to label.")
@click.option("--raters", type=int, default=3, show_default=True, help="Sheets to write.")
@names_option("--criterion", "criteria", help="Which criteria [all judged].")
@click.option("--benchmark", help="Which benchmark, if the run has several that were judged.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--out", type=FOLDER, required=True, help="A new folder for sample and sheets.")
def sample(runs: tuple[Path, ...], out: Path, **options: Any) -> None:
    """Draw a stratified random sample of answers and write a sheet for each rater.

    Give each rater one of DIR/sheets, a page that opens in any browser and saves a CSV.
    sample.json and frame.parquet stay with you: they have what was read off each answer.

    Of several runs every one gives an equal share of the rows, and the sheets do not show which.

    \b
    Example:
      normscope annotate sample runs/qwen runs/yi --n 563 \\
          --criterion refusal --out labels
    """
    from ..judges.trust.frame import read_frame
    from ..judges.trust.sample import draw_sample
    from ..records.run import Run
    from ..report.trust.labelling_page import pages

    judged = {"benchmark": options["benchmark"], "criteria": options["criteria"]}
    drawing = {name: options[name] for name in ("n", "raters", "seed")}
    frame = read_frame([Run.open(run) for run in runs], **judged)
    drawn, paths = draw_sample(frame, out, **drawing, pages=pages)
    counts = Counter(row.stratum for row in drawn.drawn)
    for name, size in sorted(Counter(row.stratum for row in drawn.rows).items()):
        say(f"{count(counts[name]):>6} of {count(size):>8}  {name}")
    for path in paths:
        say(path)
    say(f"filled in, read them: normscope annotate import {out} SHEET…")


@annotate.command(name="import")
@_FOLDER
@click.argument("sheets", type=PATH, nargs=-1, required=True, metavar="SHEET…")
def import_sheets(folder: Path, *, sheets: tuple[Path, ...]) -> None:
    """Read the filled sheets of all raters and say how far they agree.

    Every bad cell is named with its row. What was imported before is replaced.
    """
    from ..judges.trust import raters
    from ..judges.trust.sample import read_sample
    from ..report.people import raters_table

    drawn = read_sample(folder)
    filled = raters.read_filled(sheets, drawn)
    people = raters.PeoplesLabels(drawn.hash, tuple(filled))
    raters.write_people(folder, people)
    for each in filled:
        say(f"{each.file}: rater {each.rater}")
    if tables := raters.agreement_of_raters(people, drawn):
        show([raters_table(tables, message("raters"))])
    else:
        say("one rater: how far people agree is not known")
    majority = raters.majority_of(people, drawn)
    say(
        f"{count(len(majority.labels))} answers have a label; on {count(majority.disagreed)} "
        f"labels people differ, {count(majority.undecided)} have no majority and are left out"
    )
    run = "" if len(drawn.runs) > 1 else f", normscope annotate correct RUN {folder}"
    say(f"next: normscope annotate check {folder}{run}")


@annotate.command()
@click.argument("run", type=FOLDER)
@click.argument("folder", type=FOLDER, metavar="DIR")
def correct(run: Path, *, folder: Path) -> None:
    """Correct a run's rates and means by people's labels, into the run's folder."""
    from ..judges.trust import corrections
    from ..records.folder import opened
    from ..report.people import corrected_blocks

    with opened(run) as opened_run:
        correction = corrections.correct(opened_run.read(), folder)
        path = corrections.write_correction(run, correction)
    say(f"{correction.method}: {correction.basis}")
    show(corrected_blocks([correction]))
    say(f"{path}; next: normscope report {run}")


@annotate.command()
@_FOLDER
def check(folder: Path) -> None:
    """Compute from people's labels of a sample how a judge agrees with them.

    Kendall's τ-b, Spearman's ρ and Pearson's r with people's majority, and the share of equal
    labels, over all runs of the sample and in each, with 95 % intervals over questions. They are
    written into DIR/agreement.json.
    """
    from ..judges.trust.raters import check_judge, majority_of, read_people
    from ..judges.trust.sample import read_sample
    from ..report.people import raters_table

    drawn = read_sample(folder)
    labels = majority_of(read_people(folder, drawn), drawn).labels
    path, checked = check_judge(folder, drawn, labels)
    for note in checked.caveats:
        to_stderr(f"note: {note}")
    show([raters_table(checked.statistics, message("runs"))])
    say(path)
