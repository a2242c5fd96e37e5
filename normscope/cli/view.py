"""`normscope view`: every answer of a run, or of two side by side, in the browser."""

import webbrowser
from pathlib import Path

import click

from ..files import write_text
from ..messages import Language
from .options import FOLDER, LANGUAGE, PATH


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

    One page that needs no server and no network: a search box, drop-downs for category, label and
    the like, and each answer in full with its conversation, its response, every judgement with its
    probabilities, and what the judge was asked. --where takes a condition of DuckDB over the
    columns item_id, category, language, question, response, a column per criterion, coverage,
    reason, unscored and disagreement; of two runs also those of the second, as in moral_2, and
    changed (docs/view.md).

    \b
    Examples:
      normscope view runs/qwen
      normscope view runs/qwen --where "moral < 0.5 and category = 'privacy'"
      normscope view runs/qwen --where "response ilike '%bomb%' and refusal <> 'refusal'"
      normscope view runs/base runs/aligned --where changed --out changed.html
    """
    from ..records.run import Run, by_name
    from ..viewer import Answers, answers_page

    read = [Run.open(path, name=name, whole=True) for name, path in by_name(runs).items()]
    answers = Answers(read)
    page = answers_page(answers, where, language=language)
    name = f"-{'-'.join(run.resolve().name for run in runs)}"[:120]
    beside = runs[0] / "answers.html" if len(runs) == 1 else runs[0].parent / f"answers{name}.html"
    path = out or beside
    write_text(path, page)
    click.echo(path)
    if opens:
        webbrowser.open(path.resolve().as_uri())
