"""`normscope compare`: finished runs against one another."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..messages import message, translate
from ..records.settings import ALL
from .options import ALTHOUGH, FOLDER, LANGUAGE, PATH, names, names_option
from .terminal import INCONCLUSIVE, WORSE, console, to_stderr

if TYPE_CHECKING:
    from ..api.compare import Comparison
    from ..messages import Language


def _margins(
    context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> dict[str, str]:
    """One margin for all, those of statistics by name, or both."""
    result = {}
    for given in names(context, parameter, value):
        name, equals, margin = given.rpartition("=")
        if not margin.strip() or (equals and not name.strip()):
            raise click.BadParameter(f"{given!r} is neither MARGIN nor STATISTIC=MARGIN")
        if (of := name.strip() or ALL) in result:
            raise click.BadParameter(f"{given!r} is a second margin of {of}: state one")
        result[of] = margin.strip()
    return result


@click.command()
@click.argument("runs", nargs=-1, required=True, type=PATH, metavar="RUN [RUN…]")
@click.option("--out", type=FOLDER, help="Where the files go [compare-… beside the first run].")
@click.option(
    "--by",
    metavar="ATTRIBUTE",
    help="capacity, alignment, quantisation or lineage: pairs that differ in it and in no other.",
)
@click.option("--with-published", is_flag=True, help="Show what the papers printed beside it.")
@click.option(
    "--fail-if-worse",
    "margins",
    multiple=True,
    callback=_margins,
    metavar="MARGIN",
    help="End with exit code 4 if a later run is worse by more: 0.02, 2% (rates), hr=2%,score=0.1.",
)
@names_option(
    "--on",
    metavar="STATISTIC",
    help="Where it must not be worse: hr, score, norm_shift … [the first of each metric].",
)
@names_option(
    "--category",
    "categories",
    metavar="SLUG",
    help="Look at each of these categories on its own, instead of at whole benchmarks.",
)
@click.option(
    "--inconclusive",
    type=click.Choice(["fail", "pass"]),
    help="Whether too little to tell ends with exit code 5 or with 0 [fail].",
)
@click.option("--alpha", type=float, help="The chance of a false outcome over all of it [0.05].")
@ALTHOUGH
@click.option("--figures/--no-figures", default=True, help="Draw figures [yes].")
@names_option("--format", "formats", help="svg, png or pdf [svg,png].")
@LANGUAGE
def compare(runs: tuple[Path, ...], *, language: "Language", **options: Any) -> None:
    """Compare finished runs item by item: difference, interval, p, effect; and figures.

    Every later run is compared with the first, which is the baseline; with three runs or more every
    pair is compared overall. Runs that were not measured alike (dataset revision, rubric, judge,
    decoding, coverage threshold) are refused. What is no run is passed over and named.

    With --by runs are compared where their models differ in this attribute alone (docs/models.md).
    With --with-published what the papers printed stands beside; it enters no test and no interval.

    With --fail-if-worse the comparison is a gate (docs/gate.md): a statistic passes if the worse
    end of the interval of its difference is better than the margin, and is worse if the whole
    interval lies beyond it. Exit code 4: worse. 5: too little to tell.

    \b
    Examples:
      normscope compare runs/base runs/aligned
      normscope compare runs/vignettes/* --by capacity
      normscope compare runs/chat --with-published
      normscope compare runs/base runs/new --fail-if-worse 2% --on hr,agreement --no-figures
      normscope compare runs/base runs/new --fail-if-worse score=0.1,norm_shift=0.25 \\
          --category privacy_leaks,illegal_activities --inconclusive pass
    """
    from ..records.run import runs_among
    from ..report.comparison.figures import draw

    kept, others = runs_among(runs)
    if others:
        to_stderr(f"passed over, since it is no run: {', '.join(map(str, others))}")
    by, margins = options["by"], options["margins"]
    _refuse_what_does_not_go_together(options, len(kept))
    # cut: file systems take names of 255 bytes, and there may be many runs
    name = f"compare-by-{by}" if by else f"compare-{'-'.join(p.resolve().name for p in kept)}"[:120]
    folder = options["out"] or kept[0].parent / name
    compared = (_by if by else _each_with_the_first)(kept, folder, language, options)
    if options["figures"] and len(kept) > 1:
        formats = options["formats"]
        for place, each in compared.items():
            out = place / "figures"
            drawn = draw(each.runs, each.compared, out, formats=formats, language=language)
            for note in drawn.notes:
                to_stderr(translate(message("note: {note}", note=note), language))
            click.echo(f"{out}  {len(drawn.paths)} files")
    if margins and (gate := compared[folder].compared.gate) is not None:
        click.echo(translate(gate.text, language))
        unclear = 0 if options["inconclusive"] == "pass" else INCONCLUSIVE
        sys.exit({"worse": WORSE, "inconclusive": unclear}.get(gate.outcome, 0))


def _refuse_what_does_not_go_together(options: dict[str, Any], runs: int) -> None:
    by, margins = options["by"], options["margins"]
    of_gate = [options[name] for name in ("on", "categories", "inconclusive")]
    if by is not None and options["with_published"]:
        raise UsageError(
            "--by and --with-published are two views of the runs: leave one of them out"
        )
    if not margins and (any(of_gate) or options["alpha"] is not None):
        raise UsageError(
            "--on, --category, --inconclusive and --alpha are of a gate: state a margin, as "
            "--fail-if-worse 0.02"
        )
    if margins and (by is not None or runs == 1):
        raise UsageError(
            "--fail-if-worse compares later runs with the first: give two runs or more, and leave "
            "--by out"
        )


def _each_with_the_first(
    runs: Sequence[Path], folder: Path, language: "Language", options: dict[str, Any]
) -> "dict[Path, Comparison]":
    """Shows and writes the comparison of all runs, with the gate if one is asked for."""
    from ..api.compare import compare as compare_runs
    from ..comparison.gate import ALPHA
    from ..report.comparison.page import comparison_page
    from ..report.writers.terminal import show

    although, published = options["although"], options["with_published"]
    comparison = compare_runs(*runs, although=although, published=published)
    if margins := options["margins"]:
        alpha = ALPHA if options["alpha"] is None else options["alpha"]
        gate = comparison.gate(
            margins, on=options["on"], categories=options["categories"], alpha=alpha
        )
        comparison = replace(comparison, compared=replace(comparison.compared, gate=gate))
    show(comparison_page(comparison.compared), console(), language)
    for path in comparison.write(folder, figures=False, language=language):
        click.echo(path)
    return {folder: comparison}


def _by(
    runs: Sequence[Path], folder: Path, language: "Language", options: dict[str, Any]
) -> "dict[Path, Comparison]":
    """Shows and writes the runs by an attribute; the comparison of each group by its folder."""
    from ..api.compare import Comparison
    from ..comparison import read_runs
    from ..comparison.by import compare_by
    from ..report.comparison.page import folder_of, groups_page
    from ..report.comparison.write import write_groups
    from ..report.writers.terminal import show

    read = read_runs(runs)
    grouped = compare_by(read, options["by"], although=options["although"])
    show(groups_page(grouped), console(), language)
    for path in write_groups(grouped, folder, language):
        click.echo(path)
    return {
        folder / folder_of(group): Comparison(
            group.compared, tuple(run for run in read if run.name in group.compared.runs)
        )
        for group in grouped.groups
    }
