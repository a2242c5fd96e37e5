"""`normscope compare`: finished runs against one another."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from ..messages import message, translate
from .options import FOLDER, LANGUAGE, PATH, names
from .terminal import console

if TYPE_CHECKING:
    from ..messages import Language

FORMATS = ("svg", "png", "pdf")


def _formats(
    context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    given = names(context, parameter, value)
    for name in given:
        if name not in FORMATS:
            raise click.BadParameter(f"{name!r} is none of {', '.join(FORMATS)}")
    return tuple(dict.fromkeys(given)) or FORMATS[:2]


@click.command()
@click.argument("runs", nargs=-1, required=True, type=PATH, metavar="RUN [RUN…]")
@click.option("--out", type=FOLDER, help="Where the files go [compare-… beside the first run].")
@click.option(
    "--by",
    metavar="ATTRIBUTE",
    help="capacity, alignment, quantisation or lineage: pairs that differ in it and in no other.",
)
@click.option(
    "--with-published",
    is_flag=True,
    help="Show what the papers printed beside it; a single run will do.",
)
@click.option("--although", is_flag=True, help="Go on although the runs were not measured alike.")
@click.option("--figures/--no-figures", default=True, help="Draw figures [yes].")
@click.option(
    "--format",
    "formats",
    multiple=True,
    callback=_formats,
    help="svg, png or pdf [svg,png].",
)
@LANGUAGE
def compare(
    *,
    runs: tuple[Path, ...],
    out: Path | None,
    by: str | None,
    with_published: bool,
    although: bool,
    figures: bool,
    formats: tuple[str, ...],
    language: "Language",
) -> None:
    """Compare finished runs item by item: difference, interval, p, effect; and figures.

    Every later run is compared with the first, which is the baseline; with three runs or more every
    pair is compared overall. Runs that differ in dataset revision, rubric, judge, decoding or
    coverage threshold are refused, with the field and both values; with --although the comparison
    goes on and the difference stays written on it.

    What is no run, such as the folder of an earlier comparison, is passed over and named.

    With --by the runs are grouped by what their models differ in, as a file of models says it
    (docs/models.md), and compared where they differ in this attribute alone.

    With --with-published the numbers that the papers of CFSafety, CHiSafetyBench and LLM-CI printed
    stand beside those of the runs, as printed, with what was measured otherwise. They enter no test
    and no interval.

    \b
    Examples:
      normscope compare runs/base runs/aligned
      normscope compare runs/a runs/b runs/c runs/d --out runs/four --language zh --format png
      normscope compare runs/vignettes/* --by capacity
      normscope compare runs/chat --with-published
    """
    from ..comparison import compare as compare_runs
    from ..comparison import read_runs
    from ..comparison.by import compare_by
    from ..comparison.published import alone, measured_run, published_beside
    from ..comparison.runs import read_run, runs_among
    from ..report.comparison.page import comparison_page, folder_of, groups_page
    from ..report.comparison.write import write, write_groups
    from ..report.writers.terminal import show

    kept, others = runs_among(runs)
    if others:
        passed = message(
            "passed over, since it is no run: {others}", others=", ".join(map(str, others))
        )
        click.echo(translate(passed, language), err=True)
    if by is not None and with_published:
        raise UsageError(
            message("--by and --with-published are two views of the runs: leave one of them out")
        )
    single = with_published and len(kept) == 1
    read = (read_run(kept[0].resolve()),) if single else read_runs(kept)
    if by is not None:
        folder = out or kept[0].parent / f"compare-by-{by}"
        grouped = compare_by(read, by, although=although)
        show(groups_page(grouped), console(), language)
        for path in write_groups(grouped, folder, language):
            click.echo(path)
        drawings = {folder / folder_of(group): group.compared for group in grouped.groups}
    else:
        if single:
            compared = alone(measured_run(read[0], kept[0]), read[0].model)
        else:
            compared = compare_runs(read, although=although)
            if with_published:
                of_runs = [*map(measured_run, read, kept)]
                compared = replace(compared, published=published_beside(of_runs, compared.norms))
        # cut: file systems take names of 255 bytes, and there may be many runs
        folder = out or kept[0].parent / f"compare-{'-'.join(p.resolve().name for p in kept)}"[:120]
        show(comparison_page(compared), console(), language)
        for path in write(compared, folder, language):
            click.echo(path)
        drawings = {folder: compared}
    for folder, compared in drawings.items() if figures and not single else ():
        from ..report.comparison.figures import draw

        compared_runs = tuple(run for run in read if run.name in compared.runs)
        drawn = draw(
            compared_runs, compared, folder / "figures", formats=formats, language=language
        )
        for note in drawn.notes:
            click.echo(translate(message("note: {note}", note=note), language), err=True)
        click.echo(f"{folder / 'figures'}  {len(drawn.paths)} files")
