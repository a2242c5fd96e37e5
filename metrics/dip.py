"""Hartigan's dip: how far a sample is from any distribution with a single mode.

J. A. Hartigan, P. M. Hartigan: "The Dip Test of Unimodality", Annals of Statistics 13 (1985).
"""

import math

import numpy as np
from numpy.typing import NDArray

from ..messages import joined, message
from .inputs import Column, Floats, numbers
from .significance import Test, untested

_SMALLEST = 4
# up to so many points a hull is not thinned first; a pass that keeps more than this ends it
_MANY, _HARDLY = 1000, 0.95

_TAILS = np.array([0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001])
LEAST_P, MOST_P = float(_TAILS[-1]), float(_TAILS[0])
"""A p at either of them is a bound."""

_SIZES = np.array([4, 6, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1000])
_QUANTILES = np.array(
    [
        [0.25, 0.2645, 0.3136, 0.3753, 0.4131, 0.4479, 0.4623, 0.4735, 0.484, 0.488],
        [0.3005, 0.3443, 0.3661, 0.3896, 0.4031, 0.4368, 0.4726, 0.4986, 0.518, 0.5314],
        [0.3136, 0.3407, 0.3557, 0.4021, 0.4351, 0.4681, 0.4863, 0.5049, 0.5264, 0.5548],
        [0.3097, 0.3483, 0.3763, 0.4149, 0.4422, 0.4763, 0.5027, 0.5287, 0.5613, 0.5764],
        [0.3242, 0.3618, 0.3867, 0.4262, 0.4595, 0.4988, 0.5272, 0.5521, 0.5834, 0.6083],
        [0.3285, 0.369, 0.3956, 0.4351, 0.47, 0.5119, 0.5399, 0.5677, 0.5978, 0.6199],
        [0.3362, 0.3764, 0.4041, 0.4466, 0.4824, 0.5246, 0.5521, 0.5786, 0.6115, 0.64],
        [0.3449, 0.3868, 0.415, 0.4593, 0.498, 0.5408, 0.5744, 0.6033, 0.6298, 0.6523],
        [0.3542, 0.3968, 0.4266, 0.4714, 0.5098, 0.5546, 0.587, 0.6257, 0.6584, 0.6783],
        [0.3619, 0.4058, 0.4345, 0.4801, 0.5197, 0.5685, 0.6004, 0.6356, 0.6769, 0.7066],
        [0.368, 0.4144, 0.4449, 0.489, 0.5329, 0.5818, 0.6155, 0.6485, 0.687, 0.7074],
        [0.3717, 0.4165, 0.4467, 0.4948, 0.5354, 0.5867, 0.622, 0.6513, 0.6898, 0.7156],
    ]
)
"""Of √n · dip over 20,000 uniform samples of each size."""


def dip(values: Column) -> float | None:
    """The dip: the least sup |Fₙ − U| over all unimodal U; null for no values.

    The greatest convex minorant G of Fₙ left of a mode and the least concave majorant L right of it
    are fitted on an interval that shrinks to the modal one while their distance exceeds what the
    fit outside of it misses (the paper, section 5). It lies between 1/(2n) and 1/4.

    >>> dip([0, 0, 1, 1])  # two atoms: a line from one to the other misses each by 1/4
    0.25
    >>> dip(range(10))  # evenly spaced: 1/(2n)
    0.05
    """
    array = numbers(values, "values")
    known = np.sort(array[~np.isnan(array)])
    return _dip(*_distinct(known)) if len(known) else None


def dip_test(values: Column, *, jitter: bool = True, seed: int = 0) -> Test:
    """The dip test: p is how often a uniform sample of this size has so large a dip.

    The uniform is the unimodal distribution nearest to two modes, so p is no too small for any
    other. Under four values there is no test. Tied values would count as modes of their own: with
    `jitter` they are spread over the room between their neighbours, each half of the way (uniform
    draws from `seed`). p comes from simulated quantiles of √n · dip; under 0.001 it is
    given as 0.001, above 0.5 as 0.5, and `note` says so.

    >>> apart = [0.1 * i for i in range(20)] + [10 + 0.1 * i for i in range(20)]
    >>> result = dip_test(apart)
    >>> round(result.p, 6), result.note
    (0.001, 'p is at most this; 0 of 40 values tied')
    """
    array = numbers(values, "values")
    known = np.sort(array[~np.isnan(array)])
    n = len(known)
    if n < _SMALLEST:
        return untested(
            "dip", "dip", n=n, why=message("{n} values are too few for a dip test", n=n)
        )
    distinct, count = _distinct(known)
    tied = int(count[count > 1].sum())
    if len(distinct) == 1:
        note = message("all values are equal: one mode, no test")
        return Test("dip", 0.0, None, None, n, 0.0, "dip", note)
    if jitter and tied:
        distinct, count = _distinct(np.sort(_spread(distinct, count, seed)))
    result = _dip(distinct, count)
    p = _tail(math.sqrt(n) * result, n)
    notes = [message("{tied} of {n} values tied", tied=tied, n=n)]
    if p >= MOST_P:
        notes.insert(0, message("p is at least this"))
    elif p <= LEAST_P:
        notes.insert(0, message("p is at most this"))
    return Test("dip", result, p, math.log10(p), n, result, "dip", joined(notes, "; "))


def _spread(distinct: Floats, count: NDArray[np.intp], seed: int) -> Floats:
    """The values, tied ones spread uniformly half of the way to their neighbours."""
    middles = (distinct[1:] + distinct[:-1]) / 2
    left = np.concatenate([distinct[:1], middles])
    right = np.concatenate([middles, distinct[-1:]])
    share = np.random.default_rng(seed).random(int(count.sum()))
    place = np.repeat(np.arange(len(distinct)), count)
    alone = count[place] == 1
    drawn = left[place] + share * (right - left)[place]
    spread: Floats = np.where(alone, distinct[place], drawn)
    return spread


def _tail(root: float, n: int) -> float:
    """The p of √n · dip, between the table's sizes and tails on logarithmic axes."""
    size = np.log(_SIZES)
    # beyond the largest size `interp` keeps its row: there √n · dip hardly depends on n
    at = [float(np.interp(math.log(n), size, column)) for column in _QUANTILES.T]
    if not at[0] < root < at[-1]:
        return float(_TAILS[0] if root <= at[0] else _TAILS[-1])
    return float(np.exp(np.interp(root, at, np.log(_TAILS))))


def _distinct(ordered: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """The distinct values of sorted ones, and how often each occurs."""
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return ordered[first], np.diff(first, append=len(ordered))


def _dip(x: Floats, count: NDArray[np.intp]) -> float:
    """The dip of distinct points, each as often as it occurs."""
    # n·Fₙ just before and at each
    after = np.cumsum(count).astype(np.float64)
    before, n = after - count, float(count.sum())
    low, high, least = 0, len(x) - 1, 1.0
    while high > low:
        span = slice(low, high + 1)
        convex = low + _hull(x[span], before[span], 1)
        concave = low + _hull(x[span], after[span], -1)
        under = np.interp(x[span], x[convex], before[convex])
        over = np.interp(x[span], x[concave], after[concave])
        apart = over - under
        at_convex, at_concave = apart[convex - low], apart[concave - low]
        if at_convex.max() > at_concave.max():
            left = int(convex[at_convex.argmax()])
            right = int(concave[np.searchsorted(concave, left)])
            widest = float(at_convex.max())
        else:
            right = int(concave[at_concave.argmax()])
            left = int(convex[np.searchsorted(convex, right, side="right") - 1])
            widest = float(at_concave.max())
        if widest <= least:
            break
        # an atom at the end of the modal interval may be the mode itself and is not missed
        missed_left = (after[span] - under)[: left - low]
        missed_right = (over - before[span])[right - low + 1 :]
        least = max(least, float(missed_left.max(initial=0)), float(missed_right.max(initial=0)))
        if (left, right) == (low, high):
            break
        low, high = left, right
    return least / 2 / n


def _hull(x: Floats, y: Floats, sign: int) -> NDArray[np.intp]:
    """The vertices of the lower (1) or upper (−1) convex hull of a curve."""
    places = _thinned(x, sign * y)
    xs, ys = x[places].tolist(), (sign * y[places]).tolist()
    hull: list[int] = []
    for point in range(len(xs)):
        while len(hull) > 1:
            first, last = hull[-2], hull[-1]
            rise = (ys[last] - ys[first]) * (xs[point] - xs[first])
            if rise < (ys[point] - ys[first]) * (xs[last] - xs[first]):
                break
            hull.pop()
        hull.append(point)
    return places[hull]


def _thinned(x: Floats, y: Floats) -> NDArray[np.intp]:
    """The places left when points above the line between their neighbours are dropped, repeatedly.

    Such a point is no vertex of the lower hull, whatever becomes of its neighbours.
    """
    places = np.arange(len(x))
    while len(places) > _MANY:
        u, v = x[places], y[places]
        below = (v[1:-1] - v[:-2]) * (u[2:] - u[:-2]) < (v[2:] - v[:-2]) * (u[1:-1] - u[:-2])
        kept = np.concatenate([[True], below, [True]])
        if kept.mean() > _HARDLY:
            break
        places = places[kept]
    return places
