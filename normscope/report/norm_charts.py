"""Charts of the norms of one run or of several.

How many there are of each label, their means by two factors, where models agree, the answers at
each level of a factor, and how the answers to a vignette vary.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..datasets_builders.taxonomy import LIKERT
from ..messages import message
from ..metrics.estimate import Estimate
from ..metrics.groups import cluster_codes, rows_by_level
from ..metrics.inputs import Bools, Floats
from ..metrics.majority import LIKERT as VALUES
from ..metrics.norms import acceptability
from ..metrics.vignette_norms import VignetteNorms
from .charts import Bars, Heatmap, Intervals, Ridges
from .names import name_of, scaled_name_of
from .norm_maps import Crossing

_ABSENT = ("no majority", "no answer", "unscored")


@dataclass(frozen=True, slots=True, eq=False)
class Replies:
    """The answers to vignettes (vignettes × replies, −2 … 2 or NaN), and which are unscored.

    `variants` names the prompt variant of each reply; orders of one variant carry one name.
    """

    answers: Floats
    unscored: Bools
    variants: Sequence[str]

    def mean(self, rows: NDArray[np.intp]) -> Estimate:
        """The mean answer to the vignettes of these rows (`metrics.norms.acceptability`)."""
        codes = cluster_codes(self.variants, len(self.variants))
        return acceptability(self.answers[rows], self.unscored[rows], codes)


def label_shares(counts: Sequence[Sequence[int]], rows: Sequence[str], **labels: Any) -> Bars:
    """The shares in each row of the five labels, of no majority, of no answer and of unscored.

    `counts` has a column for each of these eight; `labels` are the chart's title and axis.
    """
    table, given = np.asarray(counts), len(LIKERT)
    # a legend of what never happened would take the room of what did
    used = [at for at in range(len(_ABSENT)) if table[:, given + at].any()]
    return Bars(
        counts=table[:, [*range(given), *(given + at for at in used)]],
        rows=rows,
        classes=[name_of(label) for label in LIKERT],
        absent=[_ABSENT[at] for at in used],
        **labels,
    )


def answer_shares(names: Sequence[str], norms: Sequence[VignetteNorms]) -> Bars:
    """How often each answer was given, a bar for each of the runs or temperatures."""
    counts = [
        [*of.votes.sum(axis=0).tolist(), 0, int(of.silent.sum()), int(of.unscored.sum())]
        for of in norms
    ]
    return label_shares(
        counts,
        names,
        title=message("answers at each temperature"),
        caption=message("How often each answer was given; n is the number of responses."),
    )


def variance_ridges(names: Sequence[str], variances: Sequence[Floats]) -> Ridges:
    """How far the answers to a vignette vary, a ridge of all vignettes per name."""
    known = [values[~np.isnan(values)] for values in variances]
    most = max((float(values.max()) for values in known if len(values)), default=0.0)
    return Ridges(
        samples=[known],
        series=[""],
        categories=names,
        limits=(0.0, max(1.0, float(np.ceil(most)))),
        xlabel=message("variance of the answers to a vignette"),
        title=message("variance over prompt variants"),
        caption=message("How far the answers to one vignette vary; n is the number of vignettes."),
    )


def prompt_ridges(names: Sequence[str], means: Sequence[Sequence[float]]) -> Ridges:
    """How much the wording moves a mean answer: of each name its mean in each prompt variant."""
    return Ridges(
        samples=[means],
        series=[""],
        categories=names,
        limits=(VALUES[0], VALUES[-1]),
        xlabel=scaled_name_of("mean_acceptability"),
        title=message("mean answer to each prompt variant"),
    )


def mean_norms(
    names: Sequence[str], states: Sequence[NDArray[np.intp]], crossing: Crossing
) -> Heatmap:
    """The mean norm of each model at two factors, averaged over the others: a panel per name."""
    return Heatmap(
        values=np.array([crossing.means(of) for of in states]),
        panels=names,
        rows=crossing.rows,
        columns=crossing.columns,
        limits=(VALUES[0], VALUES[-1]),
        palette="norms",
        title=message(
            "mean norm by {row} and {column}",
            row=name_of(crossing.row),
            column=name_of(crossing.column),
        ),
        caption=message(
            "The mean of the norms of the vignettes at both levels, from −2 to +2, averaged over "
            "their other factors, without intervals."
        ),
    )


def agreement_matrix(
    names: Sequence[str], pairs: Mapping[tuple[str, str], tuple[float | None, int]]
) -> Heatmap:
    """Of each pair of names the share of vignettes with the same norm, and how many they are."""
    shares = np.full((len(names), len(names)), np.nan)
    notes = [[""] * len(names) for _ in names]
    for (first, second), (share, n) in pairs.items():
        a, b = names.index(first), names.index(second)
        for row, column in ((a, b), (b, a)):
            shares[row, column] = np.nan if share is None else share
            notes[row][column] = f"n = {n:,}"
    return Heatmap(
        values=shares,
        rows=names,
        columns=names,
        limits=(0.0, 1.0),
        percent=True,
        notes=notes,
        title=message("vignettes with the same norm"),
        caption=message("Share of all vignettes, and n, how many have the same norm in both."),
    )


def level_means(
    names: Sequence[str], replies: Sequence[Replies], factor: str, levels: Sequence[str]
) -> Intervals:
    """The mean answer at each level of the factor, with its interval for new prompt variants.

    `levels` has the level of each vignette.
    """
    named = [level or message("not given") for level in levels]
    rows = {level: at for _, level, at in rows_by_level({factor: named}, len(levels))}
    return level_chart(
        names, factor, list(rows), [[of.mean(at) for at in rows.values()] for of in replies]
    )


def level_chart(
    names: Sequence[str],
    factor: str,
    levels: Sequence[str],
    estimates: Sequence[Sequence[Estimate]],
) -> Intervals:
    """The estimates (names × levels) of the mean answer at each level of the factor."""
    return Intervals(
        points=[
            [
                [np.nan if number is None else number for number in (e.value, e.low, e.high)]
                for e in of_name
            ]
            for of_name in estimates
        ],
        series=names,
        rows=levels,
        scales=[(VALUES[0], VALUES[-1])] * len(levels),
        rates=[False] * len(levels),
        title=message("mean answer by {factor}", factor=name_of(factor)),
        xlabel=scaled_name_of("mean_acceptability"),
        caption=message("Intervals are for new prompt variants of these vignettes."),
    )
