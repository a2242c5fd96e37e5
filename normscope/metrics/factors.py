"""Which parameter of an information flow moves the norm: sender, recipient, attribute, principle.

The flows of a context cross these factors, mostly completely. Then the sums of squares of the main
effects and of the two-way interactions add up, in any order.

Why the sums are ours: statsmodels' `anova_lm` fits one response at a time on a design with a row
per vignette; here all responses are split at once, from how often cells meet.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..errors import DataError, UsageError
from ..messages import message
from .answers import Answers, MatrixReasons, item_means
from .columns import tabled
from .estimate import Estimate, Statistic, Target, estimated, undefined
from .groups import CROSS, cluster_codes, first_seen
from .inputs import Floats, Matrix
from .intervals import Codes, Interval, student
from .norms import acceptability, noted
from .resampling import FEWEST, jackknife

FACTOR = "factor"
"""The group of the shares among a run's statistics."""

Factors = tuple[str, ...]
"""A factor by its name, or two that interact."""

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Term:
    """A factor, or two that interact, and its part of what varies between the flows' means.

    `share` is its sum of squares over the total one, η², with an interval over variants. In a
    design that is not balanced it is of type II: what the term adds to all others that do not
    contain it, and the shares do not add up to those of the whole.
    """

    factors: tuple[str, ...]
    degrees: int
    squares: float
    share: Estimate


@dataclass(frozen=True, slots=True)
class FactorEffects:
    """The marginal means of every level, the terms, and what is left over."""

    means: tuple[Statistic, ...]
    terms: tuple[Term, ...]
    residual_share: float | None
    balanced: bool
    flows: int


def factor_effects(
    answers: Matrix | Answers,
    factors: Mapping[str, Iterable[Any]],
    *,
    reasons: MatrixReasons = None,
    variants: Sequence[Hashable] | None = None,
    level: float = 0.95,
) -> FactorEffects:
    """Marginal means and sums of squares of the flows' mean answers (items × variants, −2 … +2).

    The mean of a level is that over its flows of each variant's answers, then over the variants:
    the `mean_acceptability` of `norm_consensus`, with Student's t over the variants (target: new
    variants) and with unscored answers, those missing without a respondent's reason, at the ends of
    the scale in its lowest and highest case. A factor's squares in a balanced design are
    Σ nₐ(mₐ − m)², a pair's Σ nₐᵦ(mₐᵦ − mₐ − mᵦ + m)²; a share's interval is a jackknife's over the
    variants. Flows without an answer or without a level of some factor are left out of the squares.
    Vignettes are no sample, so there is no F test.

    >>> flows = {"sender": list("xxyy"), "recipient": list("abab")}
    >>> result = factor_effects([[2], [0], [0], [-2]], flows)
    >>> [(term.factors, term.share.value) for term in result.terms]  # 4 and 4 of 8
    [(('sender',), 0.5), (('recipient',), 0.5), (('sender', 'recipient'), 0.0)]
    """
    whole = Answers.of(answers, reasons)
    matrix, gaps = whole.values, whole.unscored
    columns = tabled(factors, "factors")
    if not columns:
        raise UsageError("no factors; give {'sender': [...], ...} with a level per item")
    levels = {name: _levels(name, column, len(matrix)) for name, column in columns.items()}
    codes = cluster_codes(variants, matrix.shape[1])
    means = [
        Statistic(
            "mean_acceptability",
            "score",
            acceptability(matrix[own == at], gaps[own == at], codes, level=level),
            group=name,
            member=member,
        )
        for name, (own, members) in levels.items()
        for at, member in enumerate(members)
    ]
    flows = item_means(matrix)
    usable = np.all([own >= 0 for own, _ in levels.values()], axis=0)
    used = usable & ~np.isnan(flows)
    coded = {name: own[used] for name, (own, _) in levels.items()}
    terms: list[Factors] = [(name,) for name in levels]
    terms += combinations(levels, 2)
    left = [other[used] for other in _without_each(matrix, codes)]
    # without a variant some flow may have no answer left: such a column cannot be split
    responses = [flows[used], *(other for other in left if not np.isnan(other).any())]
    split = sums_of_squares(np.stack(responses, axis=1), coded, terms)
    shares = split.shares()
    n = int(used.sum())
    result = tuple(
        Term(
            term,
            split.degrees[at],
            float(split.squares[at, 0]),
            _share(shares[at, 0], shares[at, 1:], n, level),
        )
        for at, term in enumerate(terms)
    )
    residual = 1 - float(shares[:, 0].sum()) if split.balanced else np.nan
    left_over = None if np.isnan(residual) else residual
    return FactorEffects(tuple(means), result, left_over, split.balanced, n)


def factor_statistics(effects: FactorEffects) -> list[Statistic]:
    """The share of each term as the statistic `factor_share`, of the group `FACTOR`.

    Nothing where the flows do not vary.

    >>> flows = {"sender": list("xxyy"), "recipient": list("abab")}
    >>> rows = factor_statistics(factor_effects([[2], [0], [0], [-2]], flows))
    >>> [(row.member, row.estimate.value) for row in rows]
    [('sender', 0.5), ('recipient', 0.5), ('sender × recipient', 0.0)]
    """
    shares = {CROSS.join(term.factors): term.share for term in effects.terms}
    if all(share.value is None for share in shares.values()):
        return []
    if not effects.balanced:
        note = message("type II: what it adds to all others that do not contain it")
        shares = {name: noted(share, note) for name, share in shares.items()}
    return [
        Statistic("factor_share", "rate", share, group=FACTOR, member=name)
        for name, share in shares.items()
    ]


def _share(value: float, left: Floats, n: int, level: float) -> Estimate:
    target: Target = "new prompt variants"
    k = len(left)
    if np.isnan(value):
        return undefined(message("the flows do not vary"), target=target, n=n, level=level)
    value = float(value)
    if k < FEWEST or np.isnan(left).any():
        text, limits = message("fewer than three prompt variants: no jackknife"), None
    else:
        text = message("jackknife over {n} prompt variants, t", n=k)
        low, high = jackknife(value, left, student(level, k - 1))
        limits = Interval(max(0.0, low), min(1.0, high), text)
    return estimated(
        value, limits, n=n, cases=(value, value), target=target, method=text, level=level
    )


def _levels(name: str, column: Iterable[Any], n: int) -> tuple[Codes, list[str]]:
    codes, members = first_seen(column)
    if len(codes) != n:
        raise DataError(f"factor {name!r} has {len(codes)} levels where there are {n} items")
    return codes, members


def _without_each(matrix: Floats, codes: Codes | None) -> list[Floats]:
    """The flows' means without each variant."""
    columns = np.arange(matrix.shape[1]) if codes is None else codes
    return [item_means(matrix[:, columns != variant]) for variant in np.unique(columns)]


@dataclass(frozen=True, slots=True)
class Squares:
    """Per term its degrees of freedom, and per term and response its sum of squares.

    `total` is the sum of squares of each response about its mean.
    """

    degrees: tuple[int, ...]
    squares: Floats
    total: Floats
    balanced: bool

    def shares(self) -> Floats:
        """The squares over the total ones, NaN where a response does not vary."""
        there = self.total > _ROUNDING
        # what lies beyond these digits is rounding
        shares = np.round(self.squares / np.where(there, self.total, 1), 12)
        return np.where(there, shares, np.nan)


def sums_of_squares(
    responses: Floats, factors: Mapping[str, Codes], terms: Sequence[Factors]
) -> Squares:
    """The squares of each term, for responses of n rows × m columns.

    Of type II: by how much the term lowers the residual squares of the model of all terms that do
    not contain it. In a balanced design (all combinations of levels equally often) these are
    Σ nₐ(mₐ − m)² and Σ nₐᵦ(mₐᵦ − mₐ − mᵦ + m)² of the marginal means, and add up.

    >>> codes = {"a": np.array([0, 0, 1, 1]), "b": np.array([0, 1, 0, 1])}
    >>> terms = [("a",), ("b",), ("a", "b")]
    >>> result = sums_of_squares(np.array([[2.0], [0], [0], [-2]]), codes, terms)
    >>> result.squares[:, 0].round(9).tolist(), result.balanced
    ([4.0, 4.0, 0.0], True)
    """
    packed = {name: np.unique(codes, return_inverse=True)[1] for name, codes in factors.items()}
    y = responses - responses.mean(axis=0) if len(responses) else responses
    design = _Design(y, [_cells([packed[name] for name in term]) for term in terms])
    squares, degrees = [], []
    for at, term in enumerate(terms):
        others = [place for place, other in enumerate(terms) if not set(term) <= set(other)]
        base, rank = design.residual(others)
        full, more = design.residual([*others, at])
        squares.append(np.maximum(0, base - full))
        degrees.append(more - rank)
    table = np.array(squares).reshape(len(terms), y.shape[1])
    balanced = len(y) > 0 and _balanced(packed)
    return Squares(tuple(degrees), table, np.square(y).sum(axis=0), balanced)


class _Design:
    """Least squares on the cells of terms, from how often cells meet: few columns, many rows."""

    def __init__(self, y: Floats, cells: Sequence[Codes]) -> None:
        # the constant is a term of one cell, in the first place
        columns = [np.zeros(len(y), dtype=np.intp), *cells]
        sizes = [int(codes.max(initial=-1)) + 1 for codes in columns]
        ends = np.cumsum(sizes)
        self.places = [np.arange(end - size, end) for size, end in zip(sizes, ends, strict=True)]
        cell = np.stack(columns) + (ends - sizes)[:, None]
        row = np.broadcast_to(np.arange(len(y)), cell.shape)
        ones = np.ones(cell.size)
        inside: Any = csr_array((ones, (row.ravel(), cell.ravel())), shape=(len(y), int(ends[-1])))
        self.gram: Floats = (inside.T @ inside).toarray()
        self.moments: Floats = inside.T @ y
        self.total = np.square(y).sum(axis=0)

    def residual(self, terms: Sequence[int]) -> tuple[Floats, int]:
        """The residual squares of each response given these terms, and the rank of the design."""
        chosen = np.concatenate([self.places[0], *(self.places[at + 1] for at in terms)])
        values, vectors = np.linalg.eigh(self.gram[np.ix_(chosen, chosen)])
        # singular by design, since the cells of each term add up to the constant
        there = values > _ROUNDING * max(1.0, float(values.max(initial=0)))
        base = vectors[:, there] / np.sqrt(values[there])
        explained = np.square(base.T @ self.moments[chosen]).sum(axis=0)
        return self.total - explained, int(there.sum())


def _cells(codes: Sequence[Codes]) -> Codes:
    """The combination of levels of each row, as small integers."""
    joint: NDArray[np.intp] = codes[0]
    for column in codes[1:]:
        joint = joint * (int(column.max(initial=0)) + 1) + column
    return np.unique(joint, return_inverse=True)[1].astype(np.intp)


def _balanced(coded: Mapping[str, Codes]) -> bool:
    """Whether levels of any two factors meet equally often, as do all combinations there are."""
    return all(_evenly([coded[a], coded[b]]) for a, b in combinations(coded, 2)) and _evenly(
        list(coded.values()), complete=False
    )


def _evenly(codes: list[Codes], *, complete: bool = True) -> bool:
    count = np.bincount(_cells(codes))
    full = int(np.prod([int(column.max(initial=0)) + 1 for column in codes]))
    return (len(count) == full or not complete) and int(count.min()) == int(count.max())
