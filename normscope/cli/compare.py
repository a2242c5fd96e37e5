"""`normscope compare`: finished runs against one another."""

import sys
from pathlib import Path

import click

from ..errors import MissingExtraError
from .options import FOLDER, names

FORMATS = ("svg", "png")


def _formats(
    context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    given = names(context, parameter, value)
    for name in given:
        if name not in FORMATS:
            raise click.BadParameter(f"{name!r} is neither {' nor '.join(FORMATS)}")
    return tuple(dict.fromkeys(given)) or FORMATS


@click.command()
@click.argument("runs", nargs=-1, required=True, type=FOLDER, metavar="RUN RUN…")
@click.option("--out", type=FOLDER, help="Where the files go [compare-… beside the first run].")
@click.option("--although", is_flag=True, help="Go on although the runs were not measured alike.")
@click.option("--figures/--no-figures", default=None, help="Draw figures [if matplotlib is there].")
@click.option(
    "--format", "formats", multiple=True, callback=_formats, help="svg, png or both [svg,png]."
)
@click.option(
    "--language", type=click.Choice(["en", "zh"]), default="en", help="Of the figures' labels [en]."
)
def compare(
    *,
    runs: tuple[Path, ...],
    out: Path | None,
    although: bool,
    figures: bool | None,
    formats: tuple[str, ...],
    language: str,
) -> None:
    """Compare finished runs item by item: difference, interval, p, effect; and figures.

    Every later run is compared with the first, which is the baseline; with three runs or more every
    pair is compared overall. Runs that differ in dataset revision, rubric, judge, decoding or
    coverage threshold are refused, with the field and both values; with --although the comparison
    goes on and the difference stays written on it.

    \b
    Examples:
      normscope compare runs/base runs/aligned
      normscope compare runs/a runs/b runs/c runs/d --out runs/four --language zh --format png
    """
    from rich.console import Console

    from ..compare import compare as compare_runs
    from ..compare import read_runs
    from ..compare.show import show
    from ..compare.write import write

    read = read_runs(runs)
    compared = compare_runs(read, although=although)
    folder = out or runs[0].parent / f"compare-{'-'.join(p.resolve().name for p in runs)}"[:120]
    show(compared, Console(width=None if sys.stdout.isatty() else 140))
    for path in write(compared, folder):
        click.echo(path)
    if figures is False:
        return
    from ..compare.draw import draw

    try:
        drawn = draw(read, compared, folder / "figures", formats=formats, language=language)
    except MissingExtraError as error:
        if figures:
            raise
        click.echo(f"no figures: {error}", err=True)
        return
    for note in drawn.notes:
        click.echo(f"note: {note}", err=True)
    click.echo(f"{folder / 'figures'}  {len(drawn.paths)} files")
