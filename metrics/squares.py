"""Sums of squares of main effects and two-way interactions.

Why these are ours: statsmodels' `anova_lm` fits one response at a time on a design with a row per
vignette; here all responses are split at once, from how often cells meet.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .inputs import Floats
from .intervals import Codes

Factors = tuple[str, ...]
"""A factor by its name, or two that interact."""

_ROUNDING = 1e-9


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
        return np.where(there, self.squares / np.where(there, self.total, 1), np.nan)


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
    squares, degrees = _type_two(y, packed, terms)
    balanced = len(y) > 0 and _balanced(packed)
    return Squares(tuple(degrees), squares, np.square(y).sum(axis=0), balanced)


def _type_two(
    y: Floats, coded: Mapping[str, Codes], terms: Sequence[Factors]
) -> tuple[Floats, list[int]]:
    design = _Design(y, [_cells([coded[name] for name in term]) for term in terms])
    squares, degrees = [], []
    for at, term in enumerate(terms):
        others = [place for place, other in enumerate(terms) if not set(term) <= set(other)]
        base, rank = design.residual(others)
        full, more = design.residual([*others, at])
        squares.append(np.maximum(0, base - full))
        degrees.append(more - rank)
    return np.array(squares).reshape(len(terms), y.shape[1]), degrees


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
