"""What is asked about an item, and how a distribution over labels becomes a judgement."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..reasons import Reason
from ..records.item import Item
from ..records.judgement import Judgement, RawToken, Source
from .engine import LabelResult
from .own_scales import scale_of
from .rubric import Criterion
from .scale import Scale

ACCEPTABILITY = "acceptability"
OPTION = "option"

LIKERT_SCALE = scale_of(ACCEPTABILITY)
"""The answers to a vignette, read from the model under test itself."""


def own_scale(item: Item, criterion: str) -> Scale:
    """The scale on which the model under test itself answers the item."""
    letters = tuple(option.letter for option in item.options) if criterion == OPTION else ()
    return scale_of(criterion, letters, item.language)


def normalise(logprobs: Sequence[float]) -> tuple[tuple[float, ...], float] | None:
    """Probabilities that sum to 1 over the scale, and the mass that was on it (the coverage).

    Null where no label has any probability at all.

    >>> probs, coverage = normalise((math.log(0.1), math.log(0.3)))
    >>> [round(p, 6) for p in probs], round(coverage, 6)
    ([0.25, 0.75], 0.4)
    """
    most = max(logprobs)
    if not math.isfinite(most):
        return None
    weights = [math.exp(value - most) for value in logprobs]
    total = math.fsum(weights)
    return tuple(weight / total for weight in weights), min(1.0, math.exp(most) * total)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a judge's answer to one criterion came to, before it is decided whether it counts.

    Without `probs` there is a `reason`. `order_shift` is how much higher the expected value is with
    the labels listed as given than with them reversed; null unless both orders were asked.
    """

    probs: tuple[float, ...] | None
    coverage: float | None
    coverage_high: float | None = None
    raw_top: tuple[RawToken, ...] | None = None
    reason: Reason | None = None
    order_shift: float | None = None


def reading(result: LabelResult) -> Reading:
    """The engine's log-probabilities as a distribution on the scale and its coverage.

    Where a server tells no more than its top tokens, `coverage` is what was seen of the scale and
    `coverage_high` the most that it can have been.
    """
    if result.logprobs is None:
        return Reading(None, None, raw_top=result.raw_top, reason=result.reason)
    probs, coverage = normalise(result.logprobs) or (None, 0.0)
    high = min(1.0, coverage + result.unseen) if result.unseen > 0 else None
    return Reading(probs, coverage, high, result.raw_top, result.reason)


def average(scale: Scale, given: Reading, backwards: Reading) -> Reading:
    """The mean of the readings in two orders of the labels, so that a bias for a place cancels.

    Each order counts alike, and the coverage is the lesser of the two: a mean is no surer than
    its worse half. What could not be read in one order is not read.
    """
    if given.probs is None or backwards.probs is None:
        return given if given.probs is None else backwards
    return Reading(
        probs=tuple((p + q) / 2 for p, q in zip(given.probs, backwards.probs, strict=True)),
        coverage=_least(given.coverage, backwards.coverage),
        coverage_high=_least_high((given, backwards)),
        raw_top=given.raw_top,
        order_shift=scale.expected(given.probs) - scale.expected(backwards.probs),
    )


def worst(criterion: Criterion, windows: Sequence[Reading]) -> Reading:
    """The worst of the readings of an answer's windows, with the least coverage of them all.

    What could not be read in one window is not read: it may have been the worst.
    """
    for window in windows:
        if window.probs is None:
            return window
    sign = 1 if criterion.worse == "low" else -1

    def badness(window: Reading) -> tuple[float, float]:
        probs = window.probs or ()
        return sign * value_of(criterion, probs), sign * criterion.scale.expected(probs)

    found = min(windows, key=badness)
    return Reading(
        probs=found.probs,
        coverage=_least(*(window.coverage for window in windows)),
        coverage_high=_least_high(windows),
        raw_top=found.raw_top,
        order_shift=found.order_shift,
    )


def value_of(criterion: Criterion, probs: Sequence[float]) -> float:
    """What is read off the distribution: its expected value, or the value of its mode."""
    return (
        criterion.scale.mode(probs) if criterion.read == "mode" else criterion.scale.expected(probs)
    )


def judged(
    name: str, criterion: Criterion, read: Reading, *, min_coverage: float, windows: int = 1
) -> Judgement:
    """The judge's reading as a judgement: a value where enough mass was seen on the scale.

    A coverage that may only have been high enough is not enough.
    """
    value: float | None = None
    if read.probs is not None and (read.coverage or 0.0) >= min_coverage:
        value = value_of(criterion, read.probs)
    return Judgement(
        criterion=name,
        source=Source.JUDGE_LOGITS,
        labels=criterion.scale.labels,
        probs=read.probs,
        value=value,
        coverage=read.coverage,
        raw_top=read.raw_top,
        reason=None if value is not None else read.reason or Reason.LOW_COVERAGE,
        coverage_high=read.coverage_high,
        windows=windows,
    )


def read_judge(
    name: str, criterion: Criterion, result: LabelResult, *, min_coverage: float
) -> Judgement:
    """What the judge says: the expected value or the mode of its distribution, or why nothing."""
    return judged(name, criterion, reading(result), min_coverage=min_coverage)


def read_model(
    item: Item,
    criterion: str,
    probs: Sequence[float] | None,
    coverage: float | None,
    reason: Reason | None,
    *,
    min_coverage: float,
    coverage_high: float | None = None,
) -> Judgement:
    """What the model under test itself says about the item: its norm, or whether it met the key."""
    scale = own_scale(item, criterion)
    value: float | None = None
    if probs is None or coverage is None:
        reason = reason or Reason.OFF_SCALE
    elif coverage < min_coverage:
        reason = Reason.OFF_SCALE
    elif criterion == ACCEPTABILITY:
        value = scale.mode(probs)
    elif item.answer is None:
        reason = Reason.NO_KEY
    else:
        value = float(scale.favourite(probs) == item.answer)
    return Judgement(
        criterion=criterion,
        source=Source.MODEL_LOGITS,
        labels=scale.labels,
        probs=None if probs is None else tuple(probs),
        value=value,
        coverage=coverage,
        raw_top=None,
        reason=reason,
        coverage_high=coverage_high,
    )


def absent(name: str, scale: Scale, reason: Reason) -> Judgement:
    """A judgement of the judge's that could not be made, and why."""
    return Judgement(name, Source.JUDGE_LOGITS, scale.labels, None, None, None, None, reason)


def _least(*coverages: float | None) -> float:
    return min(coverage or 0.0 for coverage in coverages)


def _least_high(readings: Sequence[Reading]) -> float | None:
    """The most that the least coverage can have been; null where every coverage is exact."""
    if all(read.coverage_high is None for read in readings):
        return None
    return _least(
        *(read.coverage if read.coverage_high is None else read.coverage_high for read in readings)
    )
