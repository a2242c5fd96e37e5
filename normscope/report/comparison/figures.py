"""The figures that a comparison allows, from the judgements that all runs have; drawn to files."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ...comparison.align import Aligned, Column, align
from ...comparison.norms import Vignettes, vignettes
from ...comparison.outcomes import Outcome, outcomes
from ...comparison.result import Compared, NormsCompared
from ...format import MISSING, whole_percent
from ...messages import Language, joined, marked, message
from ...metrics.definitions import is_by_group
from ...metrics.inputs import absent
from ...metrics.refusal import CLASSES
from ...metrics.registry import REFUSAL
from ...palette import LABELS, SERIES
from ...records.item import varying
from ...records.run import Run
from ..charts import Bars, Heatmap, Plot, Ridges
from ..charts.labels import lacking
from ..names import name_of, scaled_name_of
from ..norm_charts import (
    agreement_matrix,
    answer_shares,
    ends,
    level_means,
    mean_norms,
    norm_maps,
    norm_shares,
    prompt_means,
    two_digits,
    variance_ridges,
)

_GROUPS = ("category", "area", "turns")
_TOLD_APART = len(SERIES)

_LEVELS = marked("{what}: highest in “{first}” ({high}), lowest in “{last}” ({low})")
"""What is found of the levels of a group."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """The plots that were drawn, the files, and what must be said about them."""

    plots: tuple[Plot, ...]
    paths: tuple[Path, ...]
    notes: tuple[str, ...]


def figures(runs: Sequence[Run], compared: Compared) -> dict[tuple[str, str], Plot]:
    """Every figure that the comparison allows, by its benchmark and its kind.

    What the runs were not measured alike in stands above each figure. Of many runs it may show the
    first eight only: lines of more cannot be told apart.
    """
    plots: dict[tuple[str, str], Plot] = {}
    for benchmark in compared.pairings:
        fields = [m.field for m in compared.mismatches if m.benchmark == benchmark]
        caveat = message(
            "not measured alike: the runs differ in {fields}", fields=", ".join(fields)
        )
        aligned = align(runs, benchmark)
        # a run alone has other numbers over all of its prompts
        shared = message("shared prompts only") if any(aligned.left_out.values()) else ""
        for kind, plot in _of_benchmark(runs, aligned, compared):
            plots[benchmark, kind] = replace(
                plot,
                title=joined(filter(None, (benchmark, plot.title, shared)), " · "),
                caption=joined(filter(None, (plot.caption, plot.reading)), " "),
                caveat=joined(filter(None, (caveat if fields else "", plot.caveat)), "; "),
            )
    return plots


def score_figures(run: Run) -> Iterator[tuple[str, Plot]]:
    """The ridges and answers of a run alone, each with its benchmark."""
    for benchmark in run.counted:
        for _, plot in _of_scores(align([run], benchmark)):
            yield benchmark, plot


def draw(
    runs: Sequence[Run],
    compared: Compared,
    out: Path,
    *,
    formats: Sequence[str] = ("svg", "png"),
    language: Language = "en",
) -> Drawn:
    """Draws every figure that the comparison allows into the folder."""
    no_font = lacking(language)
    notes: list[str] = [no_font] if no_font else []
    paths: list[Path] = []
    plots = figures(runs, compared)
    for (benchmark, kind), plot in plots.items():
        name = f"{benchmark.replace(':', '-')}-{kind}"
        with warnings.catch_warnings(record=True) as caught:
            # matplotlib warns of each character that it has no font for
            warnings.simplefilter("always")
            paths += plot.save(out / name, formats, language="en" if no_font else language)
        notes += [f"{name}: {warning.message}" for warning in caught]
    return Drawn(tuple(plots.values()), tuple(paths), tuple(dict.fromkeys(notes)))


def _of_benchmark(
    runs: Sequence[Run], aligned: Aligned, compared: Compared
) -> Iterator[tuple[str, Plot]]:
    """Every figure that the criteria allow."""
    yield from _of_scores(aligned)
    if "acceptability" in aligned.criteria:
        answered = vignettes(aligned)
        yield from _of_vignettes(aligned.names, answered)
        if len(runs) == 1:
            yield from _maps(answered)
        yield from _agreement(aligned.names, compared.norms[aligned.benchmark])


def _of_scores(aligned: Aligned) -> Iterator[tuple[str, Plot]]:
    """What is not of vignettes: each statistic by group, and how often each answer was given."""
    for outcome in outcomes(aligned):
        if not outcome.beside:
            yield from _by_group(aligned, outcome)
    if "refusal" in aligned.criteria:
        yield "refusal-answers", _refusals(aligned.names, aligned.criteria["refusal"])


def _by_group(aligned: Aligned, outcome: Outcome) -> Iterator[tuple[str, Plot]]:
    """Heatmaps of what the papers map, and ridges of a score."""
    import pandas as pd

    groups, models = aligned.dimensions, aligned.names
    for group in (name for name in _GROUPS if name in groups):
        column = groups[group]
        levels = [level for level in column.seen().names if level]
        cells = [
            [values[column.equals(level) & outcome.kept] for level in levels]
            for values in outcome.columns
        ]
        means = np.array([[pd.Series(cell).mean() for cell in row] for row in cells])
        of_level = np.ma.masked_invalid(means).mean(axis=0).filled(np.nan)
        named = filter(None, (scaled_name_of(outcome.name), name_of(outcome.member)))
        what = joined(named, " · ")
        names, kind = [name_of(level) for level in levels], f"{outcome.name}-by-{group}"
        written = whole_percent if outcome.unit == "rate" else two_digits
        title = ends(names, of_level, _LEVELS, written, what=what) or message(
            "{what} by {group}", what=what, group=name_of(group)
        )
        # of one run a heatmap has one column, which the table of statistics has too
        if is_by_group(outcome.name) and len(models) > 1:
            heatmap = Heatmap(
                values=means.T,
                rows=names,
                columns=models,
                limits=outcome.bounds,
                percent=outcome.unit == "rate",
                title=title,
                caption=message("The mean over the scored items of each group, without intervals."),
            )
            yield f"{kind}-heatmap", heatmap
        if outcome.name == "score":
            ridges = Ridges(
                samples=cells[:_TOLD_APART],
                series=models[:_TOLD_APART],
                categories=names,
                limits=outcome.bounds,
                xlabel=scaled_name_of("score"),
                title=title,
            )
            yield f"{kind}-ridge", ridges


def _refusals(models: Sequence[str], columns: Sequence[Column]) -> Bars:
    """How often each class was given, with the reasons for none that there are."""
    counts = [_counts(column) for column in columns]
    risky = np.array([of[0] / max(1, sum(of)) for of in counts])
    finding = marked("{first}: {high} of the answers are risky; {last}: {low}")
    return Bars(
        counts=counts,
        rows=models,
        classes=[name_of(name) for name in REFUSAL],
        absent=("no answer", "unscored"),
        palette=[LABELS[name] for name in REFUSAL],
        title=ends(models, risky, finding, whole_percent) or message("distribution of answers"),
        caption=message("How often each answer was given; n is the number of responses."),
    )


def _of_vignettes(models: Sequence[str], answered: Vignettes) -> Iterator[tuple[str, Plot]]:
    """Answers and norms by label and by factor, and how far they vary."""
    norms, factors = answered.norms, varying([item.facets for item in answered.items])
    yield "acceptability-answers", answer_shares(models, norms)
    means = [answered.means(run) for run in range(len(models))]
    if len(answered.means(0)) > 1:
        yield "prompts", prompt_means(models, means)
    states = [of.states for of in norms]
    yield "norms-by-label", norm_shares(models, states)
    yield "variance", variance_ridges(models, [of.variance for of in norms])
    if len(factors) > 1:
        yield "mean-norms", mean_norms(models, states, factors)
    few = models[:_TOLD_APART]
    answers = [*zip(answered.answers, answered.unscored, strict=True)][:_TOLD_APART]
    for factor, levels in factors.items():
        kind = f"acceptability-by-{factor.replace('_', '-')}"
        yield kind, level_means(few, answers, answered.variants, factor, levels)


def _maps(answered: Vignettes) -> Iterator[tuple[str, Plot]]:
    """Maps of the norms of a run alone."""
    facets = [item.facets for item in answered.items]
    maps = list(norm_maps(facets, answered.norms[0].states)) if varying(facets) else []
    about = message("The norm of each vignette by majority over its prompt variants.")
    for number, (levels, chart) in enumerate(maps, start=1):
        held = ", ".join(level or MISSING for _, level in levels)
        kind = f"norms-{number:02}" if len(maps) > 1 else "norms"
        yield kind, replace(chart, title=held or message("norms"), caption=about)


def _agreement(models: Sequence[str], norms: NormsCompared) -> Iterator[tuple[str, Plot]]:
    """On how many vignettes each two of three runs or more agree."""
    pairs = {
        (of.runs[0], of.runs[1]): of.share.value
        for of in norms.agreements
        if len(of.runs) == 2  # noqa: PLR2004 - pairs
    }
    if len(pairs) > 1:
        yield "agreement", agreement_matrix(models, pairs)


def _counts(column: Column) -> list[int]:
    """How often each class was given, then how often none by the respondent's or our doing."""
    missing = np.isnan(column.values)
    silent, excluded = absent(column.reasons, missing)
    ours = missing & ~silent & ~excluded
    classes = [int((column.values == value).sum()) for value in CLASSES]
    return [*classes, int(silent.sum()), int(ours.sum())]
