"""How a model's answers to vignettes go with people's mean ratings of them."""

from dataclasses import replace

import numpy as np

from ..messages import message
from .answers import item_means
from .estimate import Estimate, Statistic, estimated, over_scored, undefined
from .groups import group_means
from .inputs import Bools, Column, Floats, between, numbers, same_length
from .intervals import Bounds, Codes, Interval, mean_interval, normal
from .norms import ACCEPTABILITY

_ROUNDING = 1e-12


def survey_agreement(
    model: Column,
    survey: Column,
    *,
    bounds: Bounds | None = None,
    cases: tuple[Floats, Floats] | None = None,
) -> list[Statistic]:
    """How a model's mean acceptability of flows goes with people's mean ratings of them.

    `pearson`, `spearman` (mid-ranks) and `kendall` (τ-b) with Fisher's z interval, tanh(artanh r ±
    z·c/√(n − b)): c² = 1 for Pearson's, 1 + r²/2 for Spearman's (Bonett & Wright 2000), b = 3; c² =
    0.437 and b = 4 for Kendall's (Fieller, Hartley & Pearson 1957). `bias` is the mean of
    model less survey, with Student's t, on the scale of the ratings: bring both to one scale first
    (`rescaled`). Flows without a rating are left out; rated ones that the model has no mean
    for are unscored. With the model's `bounds`, outside which no rating may lie, they stand at
    either end in the bias's `lowest` and `highest`; correlations have neither. `cases` are the
    model's lowest and highest values where those are not simply the bounds. A column that does not
    vary has no correlation.

    >>> result = survey_agreement([0, 1, 2, 4], [1, 2, 3, 5])
    >>> [(row.name, round(row.estimate.value, 6)) for row in result]
    [('pearson', 1.0), ('spearman', 1.0), ('kendall', 1.0), ('bias', -1.0)]
    """
    same_length({"model": model, "survey": survey})
    first, second = numbers(model, "model"), numbers(survey, "survey")
    rated = ~np.isnan(second)
    ends = first, first
    if bounds is not None:
        between(second, "survey", *bounds)
        least, most = (np.where(np.isnan(first), end, first) for end in bounds)
        ends = cases or (least, most)
    first, second, ends = first[rated], second[rated], (ends[0][rated], ends[1][rated])
    both = ~np.isnan(first)
    scores, ratings, gaps = first[both], second[both], int((~both).sum())
    n = len(scores)
    r, rho, tau = _correlations(scores, ratings)
    variances = {
        "pearson": (r, 3, 1.0, message("Fisher's z")),
        "spearman": (
            rho,
            3,
            1 + (rho or 0) ** 2 / 2,
            message("Fisher's z, Bonett and Wright's variance"),
        ),
        "kendall": (tau, 4, 0.437, message("Fisher's z, Fieller, Hartley and Pearson's variance")),
    }
    return [
        *(
            Statistic(name, "score", _fishers_z(*known, n=n, gaps=gaps))
            for name, known in variances.items()
        ),
        Statistic("bias", "score", _bias(first, second, ends)),
    ]


def _bias(model: Floats, survey: Floats, ends: tuple[Floats, Floats]) -> Estimate:
    """The mean difference; its cases are of the model's lowest values and of its highest."""
    missing = np.isnan(model)
    n, gaps = int((~missing).sum()), int(missing.sum())
    closed = not np.isnan(ends[0]).any()
    cases = [(end - survey)[~np.isnan(end)] for end in ends]
    present = (model - survey)[~missing]
    lowest, highest = (float(case.mean()) if closed and len(case) else None for case in cases)
    result = estimated(
        float(present.mean()) if n else None,
        mean_interval(present) if n else None,
        n=n,
        unscored=gaps,
        cases=(lowest, highest),
    )
    return replace(result, method=over_scored(result.method, gaps))


def rescaled(value: float, scale: Bounds) -> float:
    """The value of a scale on that of the answers, the ends of the one on those of the other.

    >>> rescaled(0.75, (0, 1))
    1.0
    """
    low, high = ACCEPTABILITY
    return low + (high - low) / (scale[1] - scale[0]) * (value - scale[0])


def agreement_with(
    answers: Floats, unscored: Bools, units: Codes, ratings: Floats
) -> list[Statistic]:
    """`survey_agreement` of a model's answers (items × variants) with the units' ratings.

    A unit's model value is the mean over its items of their mean answers. An item that the model
    itself left unanswered throughout counts in none; one of which nothing is scored by our failure
    stands at either end of the scale in the lowest and the highest case.
    """
    means = item_means(answers)
    silent = np.isnan(means) & ~unscored.any(axis=1)
    selected = (units >= 0) & ~silent
    used, place = np.unique(units[selected], return_inverse=True)
    value, *ends = (
        group_means(np.where(np.isnan(means[selected]), end, means[selected]), place, len(used))
        for end in (np.nan, *ACCEPTABILITY)
    )
    return survey_agreement(value, ratings[used], cases=(ends[0], ends[1]), bounds=ACCEPTABILITY)


def _correlations(first: Floats, second: Floats) -> tuple[float | None, float | None, float | None]:
    """Pearson's r, Spearman's ρ and Kendall's τ-b; null where a column does not vary."""
    if not len(first) or np.ptp(first) <= _ROUNDING or np.ptp(second) <= _ROUNDING:
        return None, None, None
    from scipy import stats

    r, rho, tau = (
        # a perfect one is ±1, whatever the last digits are
        round(float(statistic(first, second).statistic), 12)
        for statistic in (stats.pearsonr, stats.spearmanr, stats.kendalltau)
    )
    return r, rho, tau


def _fishers_z(
    value: float | None, less: int, factor: float, method: str, *, n: int, gaps: int
) -> Estimate:
    """The correlation of n flows with tanh(artanh r ± z · √(factor / (n − less)))."""
    if value is None:
        why = message("fewer than two flows have both")
        if n > 1:
            why = message("a column does not vary")
        return undefined(why, n=n, unscored=gaps)
    if n <= less or abs(value) >= 1:
        why = message("no interval: r is ±1")
        if n <= less:
            why = message("no interval: fewer than {least} flows", least=less + 1)
        return estimated(value, None, n=n, unscored=gaps, method=why)
    half = normal() * (factor / (n - less)) ** 0.5
    low, high = (float(np.tanh(np.arctanh(value) + way * half)) for way in (-1, 1))
    limits = Interval(low, high, over_scored(method, gaps))
    return estimated(value, limits, n=n, unscored=gaps)
