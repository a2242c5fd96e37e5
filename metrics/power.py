"""What a number of items can show, and how many items a difference needs.

Two-sided tests at `alpha`; `power` is the chance to find the difference if it is there.
"""

import math

from scipy.optimize import brentq
from scipy.special import nctdtr, ndtri, stdtrit

from ..errors import UsageError

_MOST = 10**9


def items_for_rates(
    difference: float, *, discordant: float, alpha: float = 0.05, power: float = 0.8
) -> int:
    """How many items two paired rates need to differ by `difference` and be found to.

    n = (z_{α/2} √ψ + z_β √(ψ − δ²))² / δ², ψ the share of items on which the two disagree
    (Miettinen 1968; Connor 1987). ψ is at least δ: a pilot's share, or p₁(1 − p₂) + p₂(1 − p₁) if
    nothing is known of the two together.

    >>> items_for_rates(0.1, discordant=0.2)  # (1.96 √0.2 + 0.8416 √0.19)² / 0.01 = 154.4
    155
    """
    _check(alpha, power)
    if not 0 < abs(difference) <= discordant <= 1:
        told = f"difference {difference} of rates that disagree on {discordant} of items"
        raise UsageError(f"{told}: it must not be 0, and no larger than that share")
    return math.ceil(_for_rates(abs(difference), discordant, alpha, power) - 1e-9)


def smallest_rate_difference(
    n: int, *, discordant: float, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """The smallest difference of paired rates that n items show, null if not even ψ itself.

    >>> round(smallest_rate_difference(155, discordant=0.2), 3)
    0.1
    """
    _check(alpha, power)
    if not 0 < discordant <= 1 or n < 1:
        raise UsageError(f"n {n}, discordant {discordant}: n is 1 or more and the share in (0, 1]")
    if _for_rates(discordant, discordant, alpha, power) > n:
        return None
    return float(brentq(lambda d: _for_rates(d, discordant, alpha, power) - n, 1e-9, discordant))


def items_for_means(
    difference: float, *, sd: float, alpha: float = 0.05, power: float = 0.8
) -> int:
    """How many pairs (items, or wordings) a mean difference needs, sd that of the differences.

    The smallest n at which the paired t test has this power, from the noncentral t with
    δ√n/sd and n − 1 degrees of freedom.

    >>> items_for_means(0.5, sd=1)  # Cohen's d of 0.5: 34 pairs
    34
    """
    _check(alpha, power)
    if difference == 0 or sd <= 0:
        raise UsageError(f"difference {difference}, sd {sd}: neither may be 0")
    effect = abs(difference) / sd
    low, high = 1, 2
    while _t_power(effect, high, alpha) < power:
        low, high = high, 2 * high
        if high > _MOST:
            raise UsageError(f"difference {difference} needs more than {_MOST:,} items")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _t_power(effect, middle, alpha) >= power else (middle, high)
    return high


def smallest_mean_difference(
    n: int, *, sd: float, alpha: float = 0.05, power: float = 0.8
) -> float:
    """The smallest mean difference that n pairs show, sd that of the differences.

    >>> round(smallest_mean_difference(11, sd=1), 2)  # eleven wordings: nearly one sd
    0.94
    """
    _check(alpha, power)
    if n < 2 or sd <= 0:  # noqa: PLR2004 - a spread needs two
        raise UsageError(f"n {n}, sd {sd}: n is 2 or more and sd above 0")
    most = 1.0
    while _t_power(most, n, alpha) < power:
        most *= 2
    return sd * float(brentq(lambda effect: _t_power(effect, n, alpha) - power, 0, most))


def _for_rates(difference: float, discordant: float, alpha: float, power: float) -> float:
    wide = math.sqrt(discordant)
    narrow = math.sqrt(max(0.0, discordant - difference**2))
    return ((-ndtri(alpha / 2) * wide + ndtri(power) * narrow) / difference) ** 2


def _t_power(effect: float, n: int, alpha: float) -> float:
    degrees, shift = n - 1, effect * math.sqrt(n)
    beyond = float(-stdtrit(degrees, alpha / 2))
    return float(1 - nctdtr(degrees, shift, beyond) + nctdtr(degrees, shift, -beyond))


def _check(alpha: float, power: float) -> None:
    if not 0 < alpha < power < 1:
        raise UsageError(f"alpha {alpha}, power {power}: both in (0, 1), power the larger")
