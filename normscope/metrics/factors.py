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
from .answers import Answers, item_means
from .columns import tabled
from .estimate import Estimate, Statistic, Target, estimated
from .groups import CROSS, cluster_codes, first_seen
from .inputs import Floats, Matrix
from .intervals import Codes, Interval, student
from .norms import noted
from .resampling import FEWEST, jackknife

FACTOR = "factor"
"""The group of the shares among a run's statistics."""

Factors = tuple[str, ...]
"""A factor by its name, or two that interact."""

_ROUNDING = 1e-9


def factor_effects(
    answers: Matrix | Answers,
    factors: Mapping[str, Iterable[Any]],
    *,
    variants: Sequence[Hashable] | None = None,
) -> list[Statistic]:
    """The share of each factor, and of each two together, in what varies between flows.

    `answers` is items × variants, −2 … +2; what varies are the items' mean answers. A share
    (`factor_share` in the group `FACTOR`) is a sum of squares over the total one, η²: in a balanced
    design Σ nₐ(mₐ − m)² of a factor, Σ nₐᵦ(mₐᵦ − mₐ − mᵦ + m)² of a pair. In any other design it is
    of type II, what the term adds to all others that do not contain it, and the shares do not add
    up. Its interval is a jackknife's over the variants. Flows without an answer or without a level
    of some factor are left out. Vignettes are no sample, so there is no F test. Nothing where the
    flows do not vary.

    >>> flows = {"sender": list("xxyy"), "recipient": list("abab")}
    >>> rows = factor_effects([[2], [0], [0], [-2]], flows)
    >>> [(row.member, row.estimate.value) for row in rows]  # 4 and 4 of 8
    [('sender', 0.5), ('recipient', 0.5), ('sender × recipient', 0.0)]
    """
    matrix, columns = Answers.of(answers).values, tabled(factors, "factors")
    if not columns:
        raise UsageError("no factors; give {'sender': [...], ...} with a level per item")
    levels = {name: _levels(name, column, len(matrix)) for name, column in columns.items()}
    codes = cluster_codes(variants, matrix.shape[1])
    flows = item_means(matrix)
    used = np.all([own >= 0 for own in levels.values()], axis=0) & ~np.isnan(flows)
    coded = {name: own[used] for name, own in levels.items()}
    terms: list[Factors] = [(name,) for name in levels]
    terms += combinations(levels, 2)
    left = [other[used] for other in _without_each(matrix, codes)]
    # without a variant some flow may have no answer left: such a column cannot be split
    responses = [flows[used], *(other for other in left if not np.isnan(other).any())]
    split = sums_of_squares(np.stack(responses, axis=1), coded, terms)
    shares = split.shares()
    if np.isnan(shares[:, 0]).all():
        return []
    note = message("type II: what it adds to all others that do not contain it")
    n = int(used.sum())
    return [
        Statistic(
            "factor_share",
            "rate",
            noted(_share(float(of[0]), of[1:], n), "" if split.balanced else note),
            group=FACTOR,
            member=CROSS.join(term),
        )
        for term, of in zip(terms, shares, strict=True)
    ]


def _share(value: float, left: Floats, n: int) -> Estimate:
    target: Target = "new prompt variants"
    k = len(left)
    if k < FEWEST or np.isnan(left).any():
        text, limits = message("fewer than three prompt variants: no jackknife"), None
    else:
        text = message("jackknife over {n} prompt variants, t", n=k)
        low, high = jackknife(value, left, student(k - 1))
        limits = Interval(max(0.0, low), min(1.0, high), text)
    return estimated(value, limits, n=n, cases=(value, value), target=target, method=text)


def _levels(name: str, column: Iterable[Any], n: int) -> Codes:
    codes, _ = first_seen(column)
    if len(codes) != n:
        raise DataError(f"factor {name!r} has {len(codes)} levels where there are {n} items")
    return codes


def _without_each(matrix: Floats, codes: Codes | None) -> list[Floats]:
    """The flows' means without each variant."""
    columns = np.arange(matrix.shape[1]) if codes is None else codes
    return [item_means(matrix[:, columns != variant]) for variant in np.unique(columns)]


@dataclass(frozen=True, slots=True)
class Squares:
    """Per term and response its sum of squares; `total` is that of each response about its mean."""

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
    squares = []
    for at, term in enumerate(terms):
        others = [place for place, other in enumerate(terms) if not set(term) <= set(other)]
        squares.append(np.maximum(0, design.residual(others) - design.residual([*others, at])))
    table = np.array(squares).reshape(len(terms), y.shape[1])
    balanced = len(y) > 0 and _balanced(packed)
    return Squares(table, np.square(y).sum(axis=0), balanced)


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

    def residual(self, terms: Sequence[int]) -> Floats:
        """The residual squares of each response given these terms."""
        chosen = np.concatenate([self.places[0], *(self.places[at + 1] for at in terms)])
        values, vectors = np.linalg.eigh(self.gram[np.ix_(chosen, chosen)])
        # singular by design, since the cells of each term add up to the constant
        there = values > _ROUNDING * max(1.0, float(values.max(initial=0)))
        base = vectors[:, there] / np.sqrt(values[there])
        explained = np.square(base.T @ self.moments[chosen]).sum(axis=0)
        rest: Floats = self.total - explained
        return rest


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
