"""`normscope compare`: finished runs against one another."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..messages import translate
from ..progress import to_stderr
from ..records.settings import ALL
from .options import ALTHOUGH, AS_JSON, FOLDER, LANGUAGE, PATH, names, names_option
from .terminal import INCONCLUSIVE, WORSE, end, say, show

if TYPE_CHECKING:
    from ..comparison.bar import Bar
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


def _set_bar(
    path: Path, run: Path, margins: dict[str, str], *, on: Sequence[str], alpha: float
) -> None:
    """Writes the bar for runs that are measured as this one was."""
    from ..comparison.bar import write_bar
    from ..comparison.gate import margins_for
    from ..records.run import Run

    if not margins:
        raise UsageError("a bar fixes margins: state them, as --fail-if-worse 2%")
    opened = Run.open(run, whole=True)
    say(write_bar(path, opened, margins_for(opened, margins, on), alpha))
    end({"bar": str(path)}, [path])


def _bar(path: Path, runs: Sequence[Path], margins: dict[str, str]) -> "Bar":
    """The bar in the file, by which every run was measured."""
    from ..comparison import read_runs
    from ..comparison.bar import Bar

    if margins:
        raise UsageError(f"{path} states the margins: leave --fail-if-worse out")
    bar = Bar.read(path)
    # before runs that are unlike are refused for it
    bar.refuse_changed(read_runs(runs))
    return bar


@click.command()
@click.argument("runs", nargs=-1, required=True, type=PATH, metavar="RUN [RUN…]")
@click.option("--out", type=FOLDER, help="Where the files go [compare-… beside the first run].")
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
@click.option(
    "--bar",
    type=PATH,
    metavar="FILE",
    help="Hold runs to margins fixed in a file; of one run and --fail-if-worse, write it.",
)
@click.option("--alpha", type=float, help="The chance of a false outcome over all of it [0.05].")
@ALTHOUGH
@click.option("--figures/--no-figures", default=True, help="Draw figures [yes].")
@names_option("--format", "formats", help="svg, png or pdf [svg,png].")
@LANGUAGE
@AS_JSON
def compare(runs: tuple[Path, ...], *, language: "Language", **options: Any) -> None:
    """Compare finished runs item by item: difference, interval, p, effect; and figures.

    Every later run is compared with the first, which is the baseline; with three runs or more every
    pair is compared overall. Runs that were not measured alike (dataset revision, rubric, judge,
    decoding, coverage threshold) are refused. What is no run is passed over and named.

    With --fail-if-worse the comparison is a gate (docs/gate.md): a statistic passes if the worse
    end of the interval of its difference is better than the margin, and is worse if the whole
    interval lies beyond it. Exit code 4: worse. 5: too little to tell. --bar takes the margins from
    a file that was written before the run, and ends with 2 if items or judge are others than there.

    \b
    Examples:
      normscope compare runs/base runs/aligned
      normscope compare runs/vignettes/*
      normscope compare runs/base runs/new --fail-if-worse 2% \\
          --on hr,agreement --no-figures
      normscope compare runs/base --fail-if-worse 2% --on hr --bar bar.yaml
      normscope compare runs/base runs/new --bar bar.yaml
      normscope compare runs/base runs/new \\
          --fail-if-worse score=0.1,norm_shift=0.25 \\
          --category privacy_leaks,illegal_activities --inconclusive pass
    """
    from ..api.compare import compare as compare_runs
    from ..comparison.gate import ALPHA
    from ..records.run import runs_among
    from ..report.comparison.page import first_screen
    from ..report.comparison.write import summary

    kept, others = runs_among(runs)
    if others:
        to_stderr(f"passed over, since it is no run: {', '.join(map(str, others))}")
    margins, alpha, bar = options["margins"], options["alpha"], options["bar"]
    selection = {name: options[name] for name in ("on", "categories")}
    of_margins = any(selection.values()) or alpha is not None
    if not margins and (of_margins or (options["inconclusive"] and bar is None)):
        raise UsageError(
            "--on, --category, --inconclusive and --alpha are of a gate: state a margin, as "
            "--fail-if-worse 0.02"
        )
    alpha = ALPHA if alpha is None else alpha
    if bar is not None and len(kept) == 1:
        _set_bar(bar, kept[0], margins, on=options["on"], alpha=alpha)
        return
    stated = margins if bar is None else _bar(bar, kept, margins)
    comparison = compare_runs(*kept, although=options["although"])
    if stated:
        gate = comparison.gate(stated, **selection, alpha=alpha)
        comparison = replace(comparison, compared=replace(comparison.compared, gate=gate))
    compared = comparison.compared
    show(first_screen(compared), language)
    # cut: file systems take names of 255 bytes, and there may be many runs
    name = f"compare-{'-'.join(run.resolve().name for run in kept)}"[:120]
    folder = options["out"] or kept[0].parent / name
    drawing = {"figures": options["figures"], "formats": options["formats"]}
    files = comparison.write(folder, **drawing, language=language)
    names = [path.name for path in files if path.parent == folder]
    if drawn := len(files) - len(names):
        names.append(f"figures ({drawn})")
    say(f"\n{folder}: {', '.join(names)}", wrapped=True)
    result, code = compared.gate, 0
    if result is not None:
        unclear = 0 if options["inconclusive"] == "pass" else INCONCLUSIVE
        code = {"worse": WORSE, "inconclusive": unclear}.get(result.outcome, 0)
        say(translate(result.text, language))
    end(summary(compared), files, code=code)
