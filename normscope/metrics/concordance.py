"""Where models hold the same norms, and how near they are to people's.

Yan Shvartzshnaider, Vasisht Duddu, John Lacalamita: "LLM-CI: Assessing Contextual Integrity Norms
in Language Models", https://arxiv.org/abs/2409.03735 (flows on which all models agree).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from ..errors import UsageError
from ..messages import marked, message
from .estimate import Estimate, Statistic, estimated, over_scored, undefined
from .groups import Groups, Known, Rows
from .inputs import Bools, Column, Floats, Matrix, Rule, between, numbers, one_of, same_length
from .intervals import Bounds, Interval, mean_interval, normal
from .majority import Asked, Threshold, all_shared, asked_of_each, likert, majority, tally
from .norms import noted, of_columns
from .rates import exact
from .table import broken_down

Prompts = Literal["shared", "own"]
"""Which prompts norms are made of: those that all models were asked, or each model its own."""


_ROUNDING = 1e-12


def norm_agreement(
    answers: Mapping[str, Matrix],
    *,
    groups: Groups | None = None,
    unscored: Mapping[str, Bools] | None = None,
    asked: Mapping[str, Asked] | None = None,
    rule: Rule = "default",
    threshold: Threshold = "simple",
    min_valid: int | None = None,
    prompts: Prompts = "shared",
    known: Known = None,
) -> list[Statistic]:
    """Shares of the flows on which models hold the same norm, over the flows of a context.

    `answers` has items × variants per model, the same items in the same order. `all_agree`: every
    model has a norm by `majority` and it is the same; `all_have_norm`: every one has a norm;
    `agree: a, b` for each two. `all_agree_given` is `all_agree` among the flows on which all have
    a norm. Shares are exact for these flows. A flow is unscored where a model's norm hangs on
    answers that `unscored` marks; a norm that is missing for any other reason is no agreement.

    Norms are over the variants that all models of the comparison were `asked` (a column per
    variant; by default those with an answer or a mark in `unscored`): all models, or the two.
    Where that is not every column, `method` says how many. With `prompts="own"`, as LLM-CI counts,
    each model's norm is over all variants that it was asked, be they others than another's. Levels
    of `groups` that are not `known` are refused.

    >>> same = {"a": [[1, 1], [2, 2]], "b": [[1, 1], [-1, -1]]}
    >>> [(row.name, row.estimate.value) for row in norm_agreement(same)]
    [('all_agree', 0.5), ('all_have_norm', 1.0), ('all_agree_given', 0.5), ('agree: a, b', 0.5)]
    """
    if len(answers) < 2:  # noqa: PLR2004 - an agreement needs two
        raise UsageError(f"{len(answers)} model(s); agreement between models needs two or more")
    matrices = {name: likert(matrix, name) for name, matrix in answers.items()}
    n = same_length(matrices)
    one_of(prompts, "prompts", get_args(Prompts))
    columns = asked_of_each(matrices, unscored, asked)

    def compare(names: Sequence[str]) -> tuple[Floats, Floats, str]:
        shared = all_shared(columns, names)
        if not shared.any() and prompts == "shared":
            return (
                np.full(n, np.nan),
                np.full(n, np.nan),
                message("no variant was asked of all of them"),
            )
        norms, unknown = [], []
        for name in names:
            used = shared if prompts == "shared" else columns[name]
            counted = tally(matrices[name][:, used], asked=True)
            norms.append(majority(counted, rule=rule, threshold=threshold, min_valid=min_valid))
            needed = counted.needed(rule, min_valid)
            gaps = np.zeros(n) if unscored is None else unscored[name][:, used].sum(axis=1)
            unknown.append((counted.valid < needed) & (counted.valid + gaps >= needed))
        note = of_columns(shared, marked("{n} of {m} variants asked of all of them"))
        if prompts == "own" and any((columns[name] != shared).any() for name in names):
            note = message("each model over the variants that it was asked")
        return agree(norms, unknown), _have(norms, unknown), note

    agreeing, have, note = compare(list(answers))
    agreeing_given = np.where(have == 0, np.nan, agreeing)
    pairs = {
        f"agree: {first}, {second}": compare([first, second])
        for first, second in combinations(answers, 2)
    }

    def compute(rows: Rows) -> list[Statistic]:
        all_have = have[rows] != 0
        shares = {
            "all_agree": (agreeing[rows], note),
            "all_have_norm": (have[rows], note),
            "all_agree_given": (agreeing_given[rows][all_have], note),
            **{name: (hit[rows], text) for name, (hit, _, text) in pairs.items()},
        }
        return [
            Statistic(name, "rate", noted(exact(hit), text)) for name, (hit, text) in shares.items()
        ]

    return broken_down(compute, n, groups, known)


def survey_agreement(
    model: Column,
    survey: Column,
    *,
    bounds: Bounds | None = None,
    cases: tuple[Floats, Floats] | None = None,
    level: float = 0.95,
) -> list[Statistic]:
    """How a model's mean acceptability of flows goes with people's mean ratings of them.

    `pearson`, `spearman` (mid-ranks) and `kendall` (τ-b) with Fisher's z interval, tanh(artanh r ±
    z·c/√(n − b)): c² = 1 for Pearson's, 1 + r²/2 for Spearman's (Bonett & Wright 2000), b = 3; c² =
    0.437 and b = 4 for Kendall's (Fieller, Hartley & Pearson 1957). `bias` is the mean of
    model less survey, with Student's t, on the scale of the ratings: bring both to one scale first
    (`survey.Survey`). Flows without a rating are left out; rated ones that the model has no mean
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
            Statistic(name, "score", _fishers_z(*known, n=n, gaps=gaps, level=level))
            for name, known in variances.items()
        ),
        Statistic("bias", "score", _bias(first, second, ends, level)),
    ]


def _bias(model: Floats, survey: Floats, ends: tuple[Floats, Floats], level: float) -> Estimate:
    """The mean difference; its cases are of the model's lowest values and of its highest."""
    missing = np.isnan(model)
    n, gaps = int((~missing).sum()), int(missing.sum())
    closed = not np.isnan(ends[0]).any()
    cases = [(end - survey)[~np.isnan(end)] for end in ends]
    present = (model - survey)[~missing]
    lowest, highest = (float(case.mean()) if closed and len(case) else None for case in cases)
    result = estimated(
        float(present.mean()) if n else None,
        mean_interval(present, level=level) if n else None,
        n=n,
        unscored=gaps,
        cases=(lowest, highest),
        level=level,
    )
    return replace(result, method=over_scored(result.method, gaps))


def agree(norms: Sequence[Floats], unknown: Sequence[Bools]) -> Floats:
    """Per flow whether all models have the same norm: 1, 0, or NaN where that is not known.

    `norms` has a column of flows per model, NaN where it has no norm; `unknown` says where answers
    that we failed to get could still make one. Two models that differ do so whatever a third says.

    >>> one, two, three = np.array([1.0, 1]), np.array([-1.0, 1]), np.array([np.nan, np.nan])
    >>> agree([one, two, three], [np.zeros(2, bool), np.zeros(2, bool), np.ones(2, bool)])
    array([ 0., nan])
    """
    stack = np.stack(norms)
    same: Bools = np.logical_and.reduce(stack == stack[0])
    with np.errstate(invalid="ignore"):
        differ = np.fmax.reduce(stack) > np.fmin.reduce(stack)
    return _open(same, stack, unknown, differ)


def _have(norms: Sequence[Floats], unknown: Sequence[Bools]) -> Floats:
    stack = np.stack(norms)
    all_have: Bools = np.logical_and.reduce(~np.isnan(stack))
    return _open(all_have, stack, unknown, np.zeros_like(all_have))


def _open(hit: Bools, norms: Floats, unknown: Sequence[Bools], settled: Bools) -> Floats:
    """The outcome, NaN where unscored answers alone keep it from being known.

    It is known where some model surely has no norm, or two have unlike ones (`settled`).
    """
    waiting = np.stack(unknown)
    lost = np.isnan(norms) & ~waiting
    hangs = waiting.any(axis=0) & ~lost.any(axis=0) & ~settled
    return np.where(hangs, np.nan, hit)


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
    value: float | None, less: int, factor: float, method: str, *, n: int, gaps: int, level: float
) -> Estimate:
    """The correlation of n flows with tanh(artanh r ± z · √(factor / (n − less)))."""
    if value is None:
        why = message("fewer than two flows have both")
        if n > 1:
            why = message("a column does not vary")
        return undefined(why, n=n, unscored=gaps, level=level)
    if n <= less or abs(value) >= 1:
        why = message("no interval: r is ±1")
        if n <= less:
            why = message("no interval: fewer than {least} flows", least=less + 1)
        return estimated(value, None, n=n, unscored=gaps, method=why, level=level)
    half = normal(level) * (factor / (n - less)) ** 0.5
    low, high = (float(np.tanh(np.arctanh(value) + way * half)) for way in (-1, 1))
    limits = Interval(low, high, over_scored(method, gaps))
    return estimated(value, limits, n=n, unscored=gaps, level=level)
