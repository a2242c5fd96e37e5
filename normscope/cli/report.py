"""`normscope report`: a page, Markdown, CSV or LaTeX of a run or of several."""

from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from .options import FOLDER, LANGUAGE, PATH


@click.command()
@click.argument("runs", nargs=-1, required=True, type=FOLDER, metavar="RUN [RUN…]")
@LANGUAGE
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "md", "csv", "tex"]),
    default="html",
    show_default=True,
    help="A page; Markdown for a README; every statistic as CSV; the headlines as LaTeX tables.",
)
@click.option("--although", is_flag=True, help="Go on although the runs were not measured alike.")
@click.option(
    "--figures/--no-figures",
    default=None,
    help="Draw the figures of several runs [yes].",
)
@click.option(
    "--out",
    type=PATH,
    help="Where it goes [RUN/report.html; of several runs report-….html beside them].",
)
def report(
    *,
    runs: tuple[Path, ...],
    language: Any,
    form: Any,
    although: bool,
    figures: bool | None,
    out: Path | None,
) -> None:
    """Write a run's report: one self-contained page, Markdown, or its scores as CSV or LaTeX.

    Several runs are put side by side in one report with the comparison that `normscope compare`
    makes of them: the first is the baseline, and what was not measured alike is refused.

    A report of the numbers ends with exit code 3 where more of a benchmark is unscored than the run
    allows (--max-unscored of judge and run).

    \b
    Examples:
      normscope report runs/qwen
      normscope report runs/qwen --language zh --out report.zh.html
      normscope report runs/qwen --format md --out RESULTS.md
      normscope report runs/qwen --format csv --out scores.csv
      normscope report runs/base runs/aligned --format tex --out table.tex
      normscope report runs/base runs/aligned --out aligned.html
    """
    name = f"-{'-'.join(run.resolve().name for run in runs)}"[:120]
    from ..report.write import report as write_page
    from ..report.write import write_report

    if len(runs) > 1:
        out = out or runs[0].parent / f"report{name}.{form}"
    elif although or figures:
        raise UsageError("--although and --figures are for a report of several runs: name another")
    elif form != "html":
        out = out or runs[0] / f"report.{form}"
    from ..records.folder import opened
    from .row import exit_if_unscored

    if out is None:
        with opened(runs[0]) as run:
            click.echo(write_page(run, language=language))
    else:
        pictures = figures is not False
        click.echo(
            write_report(
                runs, out, form=form, language=language, although=although, pictures=pictures
            )
        )
    exit_if_unscored(*runs)
