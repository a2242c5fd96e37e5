"""The figures of vignettes that a comparison allows: LLM-CI's, from the norms and the answers."""

from collections.abc import Iterator, Sequence

from ...comparison.norms import STATES
from ...comparison.result import NormsCompared
from ...comparison.vignettes import Vignettes
from ...messages import message
from ...palette import SERIES
from ...records.item import varying
from ...records.run import Run
from ..charts import Plot
from ..norm_charts import (
    Crossing,
    Replies,
    agreement_matrix,
    answer_shares,
    label_shares,
    level_means,
    mean_norms,
    variance_ridges,
)

_PAIR = 2
_TOLD_APART = len(SERIES)


def norm_figures(
    runs: Sequence[Run], vignettes: Vignettes, norms: NormsCompared
) -> Iterator[tuple[str, Plot]]:
    """Norms by label and by factor, and variances; of three runs where they agree.

    Each figure is named as its files are.
    """
    names = [run.name for run in runs]
    counts = [[norms.states[name][state] for state in STATES] for name in names]
    about = {
        "title": message("norms by label"),
        "xlabel": message("share of the vignettes"),
        "caption": message(
            "The norm of each vignette by majority over its prompt variants; n is the number of "
            "vignettes."
        ),
    }
    yield "norms-by-label", label_shares(counts, names, **about)
    yield "variance", variance_ridges(names, [of.variance for of in vignettes.norms])
    factors = varying([item.facets for item in vignettes.items])
    if len(factors) > 1:
        states = [of.states for of in vignettes.norms]
        yield "mean-norms", mean_norms(names, states, Crossing.of(factors))
    few = names[:_TOLD_APART]
    replies = [
        Replies(vignettes.answers[run], vignettes.unscored[run], vignettes.variants)
        for run in range(len(few))
    ]
    for factor, levels in factors.items():
        kind = f"acceptability-by-{factor.replace('_', '-')}"
        yield kind, level_means(few, replies, factor, levels)
    if len(names) <= _PAIR:
        return  # a matrix of one number
    shared = {
        (of.runs[0], of.runs[1]): (of.share.value, sum(of.labels))
        for of in norms.agreements
        if len(of.runs) == _PAIR
    }
    yield "agreement", agreement_matrix(names, shared)


def temperatures(runs: Sequence[Run], vignettes: Vignettes) -> Iterator[tuple[str, Plot]]:
    """The shares of the five answers at the lowest temperature of each run.

    Nothing unless the temperatures differ.
    """
    at_each = [min(run.config.decoding.temperatures) for run in runs]
    if len(set(at_each)) <= 1:
        return
    ordered = sorted(range(len(runs)), key=lambda at: (runs[at].model, at_each[at]))
    names = [
        message("{model}, temperature {t}", model=runs[at].model, t=f"{at_each[at]:g}")
        for at in ordered
    ]
    norms = [vignettes.norms[at] for at in ordered]
    yield "answers-by-temperature", answer_shares(names, norms)
