"""`normscope compare`: finished runs against one another."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from ..messages import message, translate
from ..records.settings import ALL
from .options import FOLDER, LANGUAGE, PATH, names
from .terminal import INCONCLUSIVE, WORSE, console

if TYPE_CHECKING:
    from ..comparison import Compared
    from ..comparison.gated import Gate, Outcome
    from ..messages import Language
    from ..records.run import Run

FORMATS = ("svg", "png", "pdf")


def _formats(
    context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    given = names(context, parameter, value)
    for name in given:
        if name not in FORMATS:
            raise click.BadParameter(f"{name!r} is none of {', '.join(FORMATS)}")
    return tuple(dict.fromkeys(given)) or FORMATS[:2]


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
@click.option(
    "--with-published",
    is_flag=True,
    help="Show what the papers printed beside it; a single run will do.",
)
@click.option(
    "--fail-if-worse",
    "margins",
    multiple=True,
    callback=_margins,
    metavar="MARGIN",
    help="End with exit code 4 if a later run is worse by more: 0.02, 2% (rates), hr=2%,score=0.1.",
)
@click.option(
    "--on",
    multiple=True,
    callback=names,
    metavar="STATISTIC",
    help="Where it must not be worse: hr, score, norm_shift … [the first of each metric].",
)
@click.option(
    "--category",
    "categories",
    multiple=True,
    callback=names,
    metavar="SLUG",
    help="Look at each of these categories on its own, instead of at whole benchmarks.",
)
@click.option(
    "--inconclusive",
    type=click.Choice(["fail", "pass"]),
    help="Whether too little to tell ends with exit code 5 or with 0 [fail].",
)
@click.option(
    "--alpha",
    type=float,
    help="The chance of a false outcome over all that is looked at [0.05].",
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
    margins: dict[str, str],
    on: tuple[str, ...],
    categories: tuple[str, ...],
    inconclusive: str | None,
    alpha: float | None,
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

    With --fail-if-worse the comparison is a gate (docs/gate.md): each statistic passes if the worse
    end of the interval of its difference is better than the margin, and is worse if the whole
    interval lies beyond it. Exit code 4: worse. 5: too little to tell.
    Intervals hold together for all statistics and runs, and unscored pairs widen them.

    \b
    Examples:
      normscope compare runs/base runs/aligned
      normscope compare runs/a runs/b runs/c runs/d --out runs/four --language zh --format png
      normscope compare runs/vignettes/* --by capacity
      normscope compare runs/chat --with-published
      normscope compare runs/base runs/new --fail-if-worse 2% --on hr,agreement --no-figures
      normscope compare runs/base runs/new --fail-if-worse score=0.1,norm_shift=0.25 \\
          --category privacy_leaks,illegal_activities --inconclusive pass
    """
    from ..comparison import read_runs
    from ..records.run import Run, runs_among

    kept, others = runs_among(runs)
    if others:
        passed = message(
            "passed over, since it is no run: {others}", others=", ".join(map(str, others))
        )
        click.echo(translate(passed, language), err=True)
    single = with_published and len(kept) == 1
    _refuse(
        by=by,
        with_published=with_published,
        single=single,
        gate=bool(margins),
        parts=bool(on or categories or inconclusive) or alpha is not None,
    )
    alone = (Run.open(kept[0].resolve(), whole=True, texts=False),)
    read = alone if single else read_runs(kept)
    if by is not None:
        drawings = _by(
            read, by, out or kept[0].parent / f"compare-by-{by}", language, although=although
        )
    else:
        compared = _compared(read, published=with_published, although=although)
        if margins:
            compared = replace(compared, gate=_gate(read, margins, on, categories, alpha))
        # cut: file systems take names of 255 bytes, and there may be many runs
        folder = out or kept[0].parent / f"compare-{'-'.join(p.resolve().name for p in kept)}"[:120]
        _show(compared, folder, language)
        drawings = {folder: compared}
    if figures and not single:
        _draw(read, drawings, formats, language)
    for compared in drawings.values():
        if compared.gate is not None:
            click.echo(translate(compared.gate.text, language))
            if code := _exit_code(compared.gate.outcome, inconclusive):
                sys.exit(code)


def _refuse(*, by: str | None, with_published: bool, single: bool, gate: bool, parts: bool) -> None:
    """Flags that cannot be meant together."""
    if by is not None and with_published:
        raise UsageError(
            "--by and --with-published are two views of the runs: leave one of them out"
        )
    if parts and not gate:
        raise UsageError(
            "--on, --category, --inconclusive and --alpha are of a gate: state a margin, as "
            "--fail-if-worse 0.02"
        )
    if gate and (by is not None or single):
        raise UsageError(
            "--fail-if-worse compares later runs with the first: give two runs or more, and leave "
            "--by out"
        )


def _compared(read: "Sequence[Run]", *, published: bool, although: bool) -> "Compared":
    """The runs compared, beside what was published where that is wanted."""
    from ..comparison import compare as compare_runs
    from ..comparison.published import alone, with_published

    if published and len(read) == 1:
        return alone(read[0])
    compared = compare_runs(read, although=although)
    return with_published(compared, read) if published else compared


def _gate(
    read: "Sequence[Run]",
    margins: dict[str, str],
    on: Sequence[str],
    categories: Sequence[str],
    alpha: float | None,
) -> "Gate":
    from ..comparison.gate import gate
    from ..comparison.gated import ALPHA

    level = ALPHA if alpha is None else alpha
    return gate(read, margins, on=on, categories=categories, alpha=level)


def _show(compared: "Compared", folder: Path, language: "Language") -> None:
    from ..report.comparison.page import comparison_page
    from ..report.comparison.write import write
    from ..report.writers.terminal import show

    show(comparison_page(compared), console(), language)
    for path in write(compared, folder, language):
        click.echo(path)


def _by(
    read: "Sequence[Run]", by: str, folder: Path, language: "Language", *, although: bool
) -> "dict[Path, Compared]":
    """Shows and writes the runs by an attribute; the comparison of each group by its folder."""
    from ..comparison.by import compare_by
    from ..report.comparison.page import folder_of, groups_page
    from ..report.comparison.write import write_groups
    from ..report.writers.terminal import show

    grouped = compare_by(read, by, although=although)
    show(groups_page(grouped), console(), language)
    for path in write_groups(grouped, folder, language):
        click.echo(path)
    return {folder / folder_of(group): group.compared for group in grouped.groups}


def _draw(
    read: "Sequence[Run]",
    drawings: "dict[Path, Compared]",
    formats: tuple[str, ...],
    language: "Language",
) -> None:
    from ..report.comparison.figures import draw

    for folder, compared in drawings.items():
        compared_runs = tuple(run for run in read if run.name in compared.runs)
        drawn = draw(
            compared_runs, compared, folder / "figures", formats=formats, language=language
        )
        for note in drawn.notes:
            click.echo(translate(message("note: {note}", note=note), language), err=True)
        click.echo(f"{folder / 'figures'}  {len(drawn.paths)} files")


def _exit_code(outcome: "Outcome", inconclusive: str | None) -> int:
    if outcome == "inconclusive":
        return 0 if inconclusive == "pass" else INCONCLUSIVE
    return WORSE if outcome == "worse" else 0
