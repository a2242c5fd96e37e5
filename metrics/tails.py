"""The natural logarithms of the tails of the normal, t, F and χ², also where a float holds 0.

Why these are ours: `logsf` of scipy's t, F and χ² is the log of a tail that has become 0 (−inf).
"""

import math

from scipy.special import betainc, betaln, chdtrc, gammaln, hyp2f1, log_ndtr

# below it the series and the continued fraction take over, well before a float underflows
_TINY = 1e-250
# so far out in the tail the fraction converges in fewer
_TERMS = 60


def log_normal_tail(z: float) -> float:
    """Log of the two-sided tail of the normal.

    >>> round(math.exp(log_normal_tail(1.959964)), 4)
    0.05
    """
    return min(0.0, math.log(2) + float(log_ndtr(-abs(z))))


def log_t_tail(t: float, degrees: float) -> float:
    """Log of the two-sided tail of Student's t.

    >>> round(math.exp(log_t_tail(2.228139, 10)), 4)
    0.05
    """
    return _log_beta(degrees / (degrees + t * t), degrees / 2, 0.5)


def log_f_tail(f: float, upper: float, lower: float) -> float:
    """Log of the tail of F with `upper` (numerator) and `lower` degrees of freedom.

    >>> round(math.exp(log_f_tail(4.102821, 2, 10)), 4)
    0.05
    """
    return _log_beta(lower / (lower + upper * f), lower / 2, upper / 2)


def log_chi2_tail(statistic: float, degrees: float) -> float:
    """Log of the tail of χ², by its continued fraction where a float underflows.

    >>> round(math.exp(log_chi2_tail(5.991465, 2)), 4)
    0.05
    >>> log_chi2_tail(4000, 2)  # e^(−x/2)
    -2000.0
    """
    tail = float(chdtrc(degrees, statistic))
    if tail > _TINY:
        return math.log(tail)
    x, shape = statistic / 2, degrees / 2
    below = 0.0
    for term in range(_TERMS, 0, -1):
        below = term * (term - shape) / (x + 2 * term + 1 - shape - below)
    return shape * math.log(x) - x - float(gammaln(shape)) - math.log(x + 1 - shape - below)


def _log_beta(x: float, a: float, b: float) -> float:
    """Log of the incomplete beta I_x(a, b) = xᵃ/(a B(a, b)) · ₂F₁(a, 1 − b; a + 1; x)."""
    share = float(betainc(a, b, x))
    if share > _TINY:
        return math.log(share)
    series = float(hyp2f1(a, 1 - b, a + 1, x))
    return a * math.log(x) - math.log(a) - float(betaln(a, b)) + math.log(series)
