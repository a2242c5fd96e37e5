"""`normscope push results`: the headline scores of a run go to the model's page on the Hub."""

from pathlib import Path

import click

from .options import FOLDER, pairs


@click.command("results")
@click.argument("run", type=FOLDER)
@click.option("--model", required=True, metavar="ORG/NAME", help="The model's repository.")
@click.option(
    "--dataset",
    "datasets",
    multiple=True,
    callback=pairs,
    metavar="NAME=ORG/NAME",
    help="Where a dataset of the run is on the Hub [where it was pushed from data/NAME].",
)
@click.option("--source-url", default="", metavar="URL", help="A page that backs the numbers.")
@click.option(
    "--with-report", is_flag=True, help="Put the report into the repository, as the source."
)
@click.option("--commit", is_flag=True, help="Write at once, without a pull request.")
@click.option("--although", is_flag=True, help="Go on although the run is of a model named else.")
@click.option("--message", "title", default="", metavar="TEXT", help="The first line of it.")
@click.option("--dry-run", is_flag=True, help="Show the files; needs no network, no token.")
def results(
    run: Path,
    *,
    model: str,
    datasets: dict[str, str],
    source_url: str,
    with_report: bool,
    commit: bool,
    although: bool,
    title: str,
    dry_run: bool,
) -> None:
    """Propose the headline scores of a RUN for a model's page, as a pull request.

    A file per benchmark in .eval_results, an entry per headline, with its interval, n, unscored and
    what limits it in the notes. The Hub shows the results of datasets that it has registered as
    benchmarks (docs/publishing.md).

    \b
    Examples:
      normscope push results runs/qwen --model Qwen/Qwen3-4B --dry-run \\
          --dataset ci-vignettes=my-lab/ci-vignettes
      normscope push results runs/mine --model my-lab/mine --commit --with-report \\
          --dataset cfsafety=my-lab/cfsafety
      normscope push results runs/qwen --model Qwen/Qwen3-4B --source-url https://example.org/audit
    """
    from ..exchange.hub_results import Results

    proposed = Results(run, model, datasets, source_url, with_report, although)
    if dry_run:
        for path, text in proposed.files().items():
            click.echo(f"# {path}\n{text}")
        click.echo(f"{model}: nothing was sent (--dry-run)")
        return
    pushed = proposed.push(commit=commit, title=title)
    for path in (*pushed.plan.added, *pushed.plan.changed):
        click.echo(path)
    if pushed.url is None:
        click.echo(f"{pushed.repo} holds all of it already: nothing is committed")
    else:
        click.echo(f"{pushed.url}\n{pushed.repo} at {pushed.commit}")
