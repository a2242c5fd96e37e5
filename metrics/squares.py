"""Sums of squares of main effects and two-way interactions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

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

    Balanced (all combinations of levels equally often): from marginal means, Σ nₐ(mₐ − m)² and
    Σ nₐᵦ(mₐᵦ − mₐ − mᵦ + m)². Otherwise of type II: by how much the term lowers the residual
    squares of the model of all terms that do not contain it.

    >>> codes = {"a": np.array([0, 0, 1, 1]), "b": np.array([0, 1, 0, 1])}
    >>> found = sums_of_squares(np.array([[2.0], [0], [0], [-2]]), codes, [("a",), ("a", "b")])
    >>> found.squares[:, 0].tolist(), found.balanced
    ([4.0, 0.0], True)
    """
    packed = {name: np.unique(own, return_inverse=True)[1] for name, own in factors.items()}
    y = responses - responses.mean(axis=0) if len(responses) else responses
    balanced = len(y) > 0 and _balanced(packed)
    split = _from_means if balanced else _type_two
    squares, degrees = split(y, packed, terms)
    return Squares(tuple(degrees), squares, np.square(y).sum(axis=0), balanced)


def _from_means(
    y: Floats, coded: Mapping[str, Codes], terms: Sequence[Factors]
) -> tuple[Floats, list[int]]:
    mains = {name: _fitted(y, own) for name, own in coded.items()}
    squares, degrees = [], []
    for term in terms:
        effect = _fitted(y, _cells([coded[name] for name in term]))
        if len(term) > 1:
            effect = effect - sum(mains[name] for name in term)
        squares.append(np.square(effect).sum(axis=0))
        degrees.append(int(np.prod([int(coded[name].max(initial=0)) for name in term])))
    return np.array(squares), degrees


def _type_two(
    y: Floats, coded: Mapping[str, Codes], terms: Sequence[Factors]
) -> tuple[Floats, list[int]]:
    columns = {term: _dummies(_cells([coded[name] for name in term])) for term in terms}
    squares, degrees = [], []
    for term in terms:
        others = [columns[one] for one in terms if not set(term) <= set(one)]
        base, rank = _residual(y, others)
        full, more = _residual(y, [*others, columns[term]])
        squares.append(np.maximum(0, base - full))
        degrees.append(more - rank)
    return np.array(squares).reshape(len(terms), y.shape[1]), degrees


def _residual(y: Floats, parts: list[Floats]) -> tuple[Floats, int]:
    """The residual squares of each response, and the rank of the design."""
    design = np.concatenate([np.ones((len(y), 1)), *parts], axis=1)
    # few columns and many rows: the normal equations, for all responses at once
    values, vectors = np.linalg.eigh(design.T @ design)
    kept = values > _ROUNDING * max(1.0, float(values.max(initial=0)))
    base = vectors[:, kept] / np.sqrt(values[kept])
    explained = np.square(base.T @ (design.T @ y)).sum(axis=0)
    return np.square(y).sum(axis=0) - explained, int(kept.sum())


def _fitted(y: Floats, cell: Codes) -> Floats:
    """The mean of each row's cell."""
    hits = _dummies(cell)
    means: Floats = (hits.T @ y) / hits.sum(axis=0)[:, None]
    return means[cell]


def _dummies(cell: Codes) -> Floats:
    found: Floats = (cell[:, None] == np.arange(int(cell.max(initial=-1)) + 1)).astype(np.float64)
    return found


def _cells(codes: Sequence[Codes]) -> Codes:
    """The combination of levels of each row, as small integers."""
    joint: NDArray[np.intp] = codes[0]
    for own in codes[1:]:
        joint = joint * (int(own.max(initial=0)) + 1) + own
    return np.unique(joint, return_inverse=True)[1].astype(np.intp)


def _balanced(coded: Mapping[str, Codes]) -> bool:
    """Whether levels of any two factors meet equally often, as do all combinations there are."""
    return all(_evenly([coded[a], coded[b]]) for a, b in combinations(coded, 2)) and _evenly(
        list(coded.values()), complete=False
    )


def _evenly(codes: list[Codes], *, complete: bool = True) -> bool:
    count = np.bincount(_cells(codes))
    full = int(np.prod([int(own.max(initial=0)) + 1 for own in codes]))
    return (len(count) == full or not complete) and int(count.min()) == int(count.max())
