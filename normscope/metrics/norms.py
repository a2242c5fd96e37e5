"""The norms that a model's answers to vignettes agree on, over variants of the same vignette.

The vignettes of a context are enumerated: shares of all of them are exact, shares of a slice have
the interval of a sample without replacement. What could have been otherwise is the variant, over
which `mean_acceptability` has its interval.
"""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..errors import UsageError
from ..messages import joined, marked, message
from .answers import Answers, MatrixReasons
from .estimate import Estimate, Statistic, Target, estimated, over_scored, undefined
from .groups import Groups, Rows, cluster_codes
from .inputs import Bools, Floats, Matrix, Rule
from .intervals import LEVEL, Bounds, Codes, Interval, mean_interval
from .majority import LIKERT, Threshold
from .rates import enumerated
from .reliability import over_variants
from .table import broken_down
from .vignette_norms import vignette_norms

ACCEPTABILITY: Bounds = (LIKERT[0], LIKERT[-1])


def norm_consensus(
    answers: Matrix | Answers,
    *,
    groups: Groups | None = None,
    reasons: MatrixReasons = None,
    rule: Rule = "default",
    threshold: Threshold = "simple",
    min_valid: int | None = None,
    variants: Sequence[Hashable] | None = None,
    population: float | None = None,
) -> list[Statistic]:
    """Shares of the items by the norm their answers make, and the mean acceptability.

    `answers` is items × variants, −2 … +2 or NaN. `reasons` says why an answer is missing, one per
    answer or one for all: a respondent's is no answer; any other, or none, is unscored. An item
    with `enough` valid answers of the variants asked (`requested_columns`) is decided by them; one
    that falls short because of unscored answers is unscored, else it has *no answer*.

    Shares of all items: `simple_majority` and `super_majority` (see `majority`), `undecided`
    (enough answers, no simple majority), `no_answer`, `unanimous`, and by the sign of the norm that
    `threshold` makes, `accept_share`, `reject_share` and `neutral_share`. They are exact for these
    items; unscored items leave a range open. With `population`, how many items the enumeration has
    from which these were drawn, their intervals are for all of it (`enumerated`; `math.inf`: they
    stand for others without end). How many of them are of a level of `groups` is not known: at most
    these and all that were not drawn.

    `mean_acceptability` is the mean of the columns' means over valid answers; its t interval is
    over the columns (clusters of them, where `variants` names columns alike), its target new prompt
    variants, its n the variants. Unscored answers stand at −2 and +2 in its lowest and highest
    case.

    How alike the answers to an item are: `variant_variance`, `flip_rate`, `raw_agreement`, and the
    ordinal `alpha` (`reliability.over_variants`, with an interval over the variants); n counts
    items with two answers or more.

    >>> table = norm_consensus([[1, 1, 1], [-1, -1, 2], [0, 1, 2]])
    >>> [round(row.estimate.value, 3) for row in table[:8]]
    [0.667, 0.667, 0.333, 0.0, 0.333, 0.333, 0.333, 0.0]
    """
    whole = Answers.of(answers, reasons)
    matrix, unscored, requested = whole.values, whole.unscored, whole.requested
    left = _left_out(len(matrix), population)
    shares = vignette_norms(
        matrix, unscored, rule=rule, threshold=threshold, min_valid=min_valid, requested=requested
    ).outcomes
    columns = cluster_codes(variants, matrix.shape[1])
    note = of_columns(requested, marked("{n} of {m} variants asked"), columns)

    def compute(rows: Rows) -> list[Statistic]:
        n = len(matrix[rows])
        total = None if left is None else left + n
        # of a level there are so many at most
        share_of = partial(enumerated, at_most=n < len(matrix))
        table = [
            Statistic(name, "rate", noted(share_of(hit[rows], population=total), note))
            for name, hit in shares.items()
        ]
        result = acceptability(matrix[rows], unscored[rows], columns)
        table.append(Statistic("mean_acceptability", "score", result))
        alike = over_variants(matrix[rows], unscored[rows], variants=columns)
        return table + alike

    return broken_down(compute, len(matrix), groups)


def _left_out(n: int, population: float | None) -> float | None:
    """How many items of the enumeration were not drawn; null if nobody says."""
    if population is not None and population < n:
        raise UsageError(f"population {population} for {n} items: it counts these and all others")
    return None if population is None else population - n


def acceptability(
    matrix: Floats,
    unscored: Bools,
    columns: Codes | None,
) -> Estimate:
    """The mean over the variants' means; in its cases the unscored are at the ends of the scale."""
    sums, failed = np.nansum(matrix, axis=0), unscored.sum(axis=0)
    valid = (~np.isnan(matrix)).sum(axis=0)
    used, scored = valid + failed > 0, valid > 0
    target: Target = "new prompt variants"
    if not used.any():
        return undefined(message("nothing scored"), target=target)
    lowest, highest = (
        float(((sums + bound * failed)[used] / (valid + failed)[used]).mean())
        for bound in ACCEPTABILITY
    )
    n = _variants(columns, scored)
    rest: dict[str, Any] = {
        "unscored": _variants(columns, used) - n,
        "cases": (lowest, highest),
        "target": target,
    }
    if not n:
        return undefined(message("nothing scored"), **rest)
    codes = None if columns is None else cluster_codes(columns[scored], int(scored.sum()))
    means = sums[scored] / valid[scored]
    limits = interval_of_means(means, codes, bounds=ACCEPTABILITY)
    method = over_scored(limits.method, int(failed.sum()))
    return estimated(float(means.mean()), limits, n=n, method=method, **rest)


def interval_of_means(
    means: Floats, codes: Codes | None, *, bounds: Bounds, level: float = LEVEL
) -> Interval:
    """Student's t interval of the mean of the variants' means (`mean_interval`), which says so.

    With `codes` a variant has several columns: orders of the scale, samples.

    >>> result = interval_of_means(np.array([0.0, 1.0]), None, bounds=ACCEPTABILITY)
    >>> result.low, result.high, result.method  # 0.5 ± 12.7 · 0.5, within the bounds
    (-2.0, 2.0, 't, on the means of 2 prompt variants')
    """
    result = mean_interval(means, clusters=codes, bounds=bounds, level=level)
    assert result is not None  # noqa: S101 - bounds are given
    slots = {"method": result.method, "n": len(means)}
    text = message("{method}, on the means of {n} prompt variants", **slots)
    if codes is not None:
        text = message(
            "{method}, on the means of {n} columns (orders of the scale, samples) of {m} prompt "
            "variants",
            m=len(np.unique(codes)),
            **slots,
        )
    return Interval(result.low, result.high, text)


def _variants(codes: Codes | None, columns: Bools) -> int:
    """How many variants the columns are of: orders of the scale and samples are none."""
    return int(columns.sum()) if codes is None else len(np.unique(codes[columns]))


def of_columns(columns: Bools, text: str, codes: Codes | None = None) -> str:
    """How many variants are marked, in the text's slots `n` and `m`; empty where all columns are.

    Columns of one code are one variant.

    >>> of_columns(np.array([True, False]), "{n} of {m} variants asked")
    '1 of 2 variants asked'
    """
    all_columns = np.ones_like(columns)
    n, m = _variants(codes, columns), _variants(codes, all_columns)
    return "" if columns.all() else message(text, n=n, m=m)


def noted(estimate: Estimate, note: str) -> Estimate:
    """The estimate with the note in its method."""
    return replace(estimate, method=joined([estimate.method, note], "; ")) if note else estimate
