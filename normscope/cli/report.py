"""`normscope report` and `view`: the pages of runs, their numbers and their answers."""

import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from ..files import write_text
from ..messages import Language
from .commands import exit_if_unscored
from .options import ALTHOUGH, FOLDER, LANGUAGE, PATH
from .terminal import say

EEE = "every-eval-ever"
"""The format of records that `exchange.every_eval_ever` writes."""


@click.command()
@click.argument("runs", nargs=-1, required=True, type=FOLDER, metavar="RUN [RUN…]")
@LANGUAGE
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "md", "csv", "tex", EEE]),
    default="html",
    show_default=True,
    help="A page; Markdown; every statistic as CSV; the headlines as LaTeX; Every Eval Ever.",
)
@click.option(
    "--evidence",
    is_flag=True,
    help="Write the evidence sheet instead: when, where, by what code, hashes, rubrics' texts.",
)
@ALTHOUGH
@click.option(
    "--figures/--no-figures", default=None, help="Draw the figures of several runs [yes]."
)
@click.option(
    "--out",
    type=PATH,
    help="Where it goes [RUN/report.html; of several runs report-….html beside them].",
)
def report(runs: tuple[Path, ...], out: Path | None, **options: Any) -> None:
    """Write a run's report: one self-contained page, Markdown, or its scores as CSV or LaTeX.

    Several runs are put side by side with the comparison that `normscope compare` makes of them.
    Exit code 3: more of a benchmark is unscored than max_unscored of judge and run allowed.

    \b
    Examples:
      normscope report runs/qwen
      normscope report runs/qwen --language zh --out report.zh.html
      normscope report runs/qwen --format csv --out scores.csv
      normscope report runs/base runs/aligned --format tex --out table.tex
      normscope report runs/qwen --evidence
      normscope report runs/qwen --format every-eval-ever
    """
    from ..records.folder import opened
    from ..report.write import report as write_page
    from ..report.write import write_evidence, write_report

    form, language = options["form"], options["language"]
    although, figures = options["although"], options["figures"]
    if len(runs) == 1 and (although or figures):
        raise UsageError("--although and --figures are for a report of several runs: name another")
    if form == EEE:
        _write_records(runs, out)
    elif options["evidence"]:
        if len(runs) > 1:
            raise UsageError("--evidence is of one run: name no other")
        out = out or runs[0] / f"evidence.{form}"
        say(write_evidence(runs[0], out, form=form, language=language))
    elif out is None and len(runs) == 1 and form == "html":
        with opened(runs[0]) as run:
            say(write_page(run, language=language))
    else:
        out = out or _beside(runs, f"report.{form}")
        shown = {"although": although, "pictures": figures is not False}
        say(write_report(runs, out, form=form, language=language, **shown))
    exit_if_unscored(*runs)


def _write_records(runs: Sequence[Path], out: Path | None) -> None:
    """Writes records of Every Eval Ever of each run into a folder."""
    from ..exchange.every_eval_ever import write_records
    from ..records.run import Run
    from ..report.write import data_of

    for run in runs:
        for path in write_records(data_of(Run.open(run, whole=True)), out or run / EEE):
            say(path)


def _beside(runs: Sequence[Path], file: str) -> Path:
    """The file in the folder of a run, or beside names_option, with their names in its own."""
    if len(runs) == 1:
        return runs[0] / file
    stem, _, ending = file.partition(".")
    name = f"{stem}-{'-'.join(run.resolve().name for run in runs)}"[:126]
    return runs[0].parent / f"{name}.{ending}"


@click.command()
@click.argument("runs", nargs=-1, required=True, type=FOLDER, metavar="RUN [RUN]")
@click.option("--where", default="", metavar="CONDITION", help="Only these answers: SQL.")
@LANGUAGE
@click.option(
    "--out", type=PATH, help="The page [RUN/answers.html; of two runs answers-….html beside them]."
)
@click.option("--open/--no-open", "opens", default=True, help="Open a browser on it [yes].")
def view(
    *, runs: tuple[Path, ...], where: str, language: Language, out: Path | None, opens: bool
) -> None:
    """Look at every answer of a run in the browser, or of two runs side by side.

    One page that needs no server and no network: a search box, filters by category, label and
    the like, and each answer in full with its judgements. --where takes a condition of DuckDB over
    item_id, category, language, question, response, a column per criterion, coverage, reason,
    unscored and disagreement; of two runs also moral_2 and the like, and changed (docs/view.md).

    \b
    Examples:
      normscope view runs/qwen
      normscope view runs/qwen --where "moral < 0.5 and category = 'privacy'"
      normscope view runs/qwen \\
          --where "response ilike '%bomb%' and refusal <> 'refusal'"
      normscope view runs/base runs/aligned --where changed --out changed.html
    """
    from ..records.run import by_name
    from ..viewer import MOST_ANSWERS, Answers, answers_page, opened

    read = [opened(path, name) for name, path in by_name(runs).items()]
    # who names no condition sees the first, and waits for no others
    answers = Answers(read, first=None if where.strip() else MOST_ANSWERS)
    page = answers_page(answers, where, language=language)
    path = out or _beside(runs, "answers.html")
    write_text(path, page)
    say(path)
    if opens:
        webbrowser.open(path.resolve().as_uri())
