"""The silver key's own errors, and what they do to a rate of agreement with it.

CHiSafetyBench's authors published no answers. The key was made for this project; 68 of its items go
back to SafetyBench, whose answers are public, 34 of them with an identical stem.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import DataError
from ..messages import Message, joined, marked, message
from .estimate import Estimate
from .inputs import Floats
from .intervals import square_and_add, wilson

CONFIDENCES = (3, 2, 1)

_WITH_KEY_ERROR = marked("{method}, and the key's own error (wrong of those checked: {each})")


@dataclass(frozen=True, slots=True)
class Checked:
    """How many of the key's answers were checked against people's, and how many were wrong."""

    wrong: int
    n: int


CHECKED = {3: Checked(1, 27), 2: Checked(2, 6), 1: Checked(0, 1)}
"""By confidence, the items with an identical stem: 31 of 34 right, Wilson 77–97 %
(`silver_key.csv`, columns `safetybench_answer` and `safetybench_match`)."""


def with_key_error(
    estimate: Estimate, confidence: Sequence[int | None] | None, *, level: float
) -> Estimate:
    """The estimate with an interval for the agreement with a key without errors.

    If a share e of the key is wrong, agreement with the right one is within e of that with the
    silver one. e = Σ W_s e_s over the confidences s of these items (unknown: all 34 pooled), its
    upper distance √Σ W_s²(u_s − e_s)² with u_s Wilson's upper limit. The interval goes from
    low − e to high + e, the two distances squared and added (Zou & Donner 2008).

    >>> from normscope.metrics.rates import rate
    >>> result = with_key_error(rate([1] * 90 + [0] * 10), [3] * 100, level=0.95)
    >>> round(result.low, 3), round(result.high, 3)  # e 1/27, at most 0.183; Wilson's low 0.826
    (0.699, 1.0)
    """
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return estimate
    wrong, beyond = _key_error(_shares(confidence), level)
    value = estimate.value
    low = value - wrong - square_and_add(value - estimate.low, beyond)
    high = value + wrong + square_and_add(estimate.high - value, beyond)
    facts = joined(
        message(
            "{wrong} of {n} at {confidence}",
            wrong=CHECKED[confidence_level].wrong,
            n=CHECKED[confidence_level].n,
            confidence=confidence_level,
        )
        for confidence_level in CONFIDENCES
    )
    text = message(_WITH_KEY_ERROR, method=estimate.method, each=facts)
    return replace(estimate, low=max(0.0, low), high=min(1.0, high), method=text)


def has_key_error(estimate: Estimate) -> bool:
    """Whether the key's own error is in the interval, as its method says, from a file too."""
    method = estimate.method
    return isinstance(method, Message) and method.id == _WITH_KEY_ERROR


def _key_error(shares: Floats | None, level: float) -> tuple[float, float]:
    """The expected share of wrong answers in the key, and how far above it the limit is."""
    if shares is None:
        pooled = Checked(
            sum(checked.wrong for checked in CHECKED.values()),
            sum(checked.n for checked in CHECKED.values()),
        )
        rates, tops = _limits([pooled], level)
        return float(rates[0]), float(tops[0] - rates[0])
    rates, tops = _limits([CHECKED[confidence] for confidence in CONFIDENCES], level)
    return float(shares @ rates), float(np.sqrt(np.square(shares * (tops - rates)).sum()))


def _limits(checked: Sequence[Checked], level: float) -> tuple[Floats, Floats]:
    rates = np.array([sample.wrong / sample.n for sample in checked])
    tops = np.array([wilson(sample.wrong, sample.n, level=level).high for sample in checked])
    return rates, tops


def _shares(confidence: Sequence[int | None] | None) -> Floats | None:
    """The share of items at each confidence."""
    if confidence is None or not len(confidence):
        return None
    values = list(confidence)
    for row, value in enumerate(values):
        if value not in CONFIDENCES:
            raise DataError(f"confidence, row {row} (from 0): {value!r} is not one of 3, 2, 1")
    counts = np.array([values.count(value) for value in CONFIDENCES], dtype=np.float64)
    shares: Floats = counts / len(values)
    return shares
