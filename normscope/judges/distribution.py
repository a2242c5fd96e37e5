"""How probable each label of a scale is, and the judgement that it comes to.

A distribution is what an engine told, the mean over two orders of the labels, or the worst of an
answer's windows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..reasons import Reason
from ..records.judgement import Judgement, RawToken, Source
from ..records.response import ResponseKey
from .engine import LabelResult, TextResult
from .rubric import Criterion, Questions
from .rules import read_verdict
from .scale import Scale


@dataclass(frozen=True, slots=True)
class Distribution:
    """A distribution over a scale, before it is decided whether it counts, or why there is none.

    Without `probs` there is a `reason`. `coverage` is the mass on the scale before renormalising;
    where a server tells no more than its top tokens, what was seen of it, and `coverage_high` the
    most that it can have been. `order_shift` is how much higher the expected value is with the
    labels listed as given than with them reversed; null unless both orders were asked.

    A verdict in text has all of the probability on one label, no coverage, and its `reply`.
    """

    probs: tuple[float, ...] | None
    coverage: float | None
    coverage_high: float | None = None
    raw_top: tuple[RawToken, ...] | None = None
    reason: Reason | None = None
    order_shift: float | None = None
    reply: str | None = None

    @classmethod
    def of_reply(cls, scale: Scale, result: TextResult, label: str | None) -> "Distribution":
        """The label that was read in the judge's reply; null if none was."""
        # a judge that writes nothing has failed at judging: it is no respondent
        if result.reason is not None and result.reason != Reason.NO_ANSWER:
            return cls(None, None, reason=result.reason)
        if label is None:
            return cls(None, None, reason=Reason.UNREADABLE_VERDICT, reply=result.text)
        probs = tuple(float(each == label) for each in scale.labels)
        return cls(probs, None, reply=result.text)

    @classmethod
    def of(cls, result: LabelResult) -> "Distribution":
        """The engine's log-probabilities, renormalised."""
        if result.logprobs is None:
            return cls(None, None, raw_top=result.raw_top, reason=result.reason)
        probs, coverage = normalise(result.logprobs) or (None, 0.0)
        high = min(1.0, coverage + result.unseen) if result.unseen > 0 else None
        return cls(probs, coverage, high, result.raw_top, result.reason)


def distributions(asked: Questions, results: Sequence[LabelResult]) -> tuple[Distribution, ...]:
    """The distribution of each criterion from the results of its `label_requests`."""
    guard, each = asked.rubric.guard, len(results) // len(asked.criteria)
    several = (results[at : at + each] for at in range(0, len(results), each))
    found = []
    for (name, criterion), of_one in zip(asked.criteria.items(), several, strict=True):
        if guard is None:
            read = [*map(Distribution.of, of_one)]
            found.append(average(criterion.scale, *read) if len(read) > 1 else read[0])
        else:
            read = [Distribution.of(guard.summed(name, result)) for result in of_one]
            # of a guard with policies the worst counts
            found.append(worst(criterion, read))
    return tuple(found)


def verdicts(asked: Questions, results: Sequence[TextResult]) -> tuple[Distribution, ...]:
    """The verdict of each criterion from the results of `text_requests`."""
    guard, found = asked.rubric.guard, []
    for at, (name, criterion) in enumerate(asked.criteria.items()):
        read = []
        # a guard says everything in one reply, or of several policies in one each
        for result in results if guard else [results[at]]:
            text, scale = result.text or "", criterion.scale
            label = guard.label_in(name, text) if guard else read_verdict(name, scale, text).label
            read.append(Distribution.of_reply(scale, result, label))
        found.append(worst(criterion, read))
    return tuple(found)


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
    # relative to the greatest: exp of a log-probability below −745 would be 0
    weights = [math.exp(value - most) for value in logprobs]
    total = math.fsum(weights)
    return tuple(weight / total for weight in weights), min(1.0, math.exp(most) * total)


def average(scale: Scale, forwards: Distribution, backwards: Distribution) -> Distribution:
    """The mean over two orders of the labels, so that a bias for a place cancels.

    Each order counts alike, and the coverage is the lesser of the two: a mean is no surer than
    its worse half. What could not be read in one order is not read.
    """
    if forwards.probs is None or backwards.probs is None:
        return forwards if forwards.probs is None else backwards
    return Distribution(
        probs=tuple((p + q) / 2 for p, q in zip(forwards.probs, backwards.probs, strict=True)),
        coverage=_least(forwards.coverage, backwards.coverage),
        coverage_high=_least_high((forwards, backwards)),
        raw_top=forwards.raw_top,
        order_shift=scale.expected(forwards.probs) - scale.expected(backwards.probs),
    )


def worst(criterion: Criterion, windows: Sequence[Distribution]) -> Distribution:
    """The worst over an answer's windows, with the least coverage of them all.

    What could not be read in one window is not read, nor is a class where one window is tied: it
    may have been the worst.
    """
    for window in windows:
        if window.probs is None:
            return window
    # a mode leaves many windows level: the expected value decides between them
    sign = 1 if criterion.worse == "low" else -1

    def badness(window: Distribution) -> tuple[float, float]:
        probs = window.probs or ()
        value = criterion.value(probs)
        worth = -math.inf if value is None else sign * value
        return worth, sign * criterion.scale.expected(probs)

    chosen = min(windows, key=badness)
    return Distribution(
        probs=chosen.probs,
        coverage=_least(*(window.coverage for window in windows)),
        coverage_high=_least_high(windows),
        raw_top=chosen.raw_top,
        order_shift=chosen.order_shift,
        reply=chosen.reply,
    )


def judgement_of(
    distribution: Distribution,
    name: str,
    criterion: Criterion,
    *,
    key: ResponseKey,
    min_coverage: float,
    source: Source = Source.JUDGE_LOGITS,
    windows: int = 1,
    judge: str | None = None,
    rubric_hash: str | None = None,
) -> Judgement:
    """What the distribution comes to: a value where enough mass was seen on the scale.

    A coverage that may only have been high enough is not enough; a verdict in text has none. A
    class that is read off a tie is none either (`likeliest`).
    """
    value: float | None = None
    coverage, reason = distribution.coverage, Reason.LOW_COVERAGE
    if distribution.probs is not None and (coverage is None or coverage >= min_coverage):
        value, reason = criterion.value(distribution.probs), Reason.TIE
    return Judgement(
        key=key,
        criterion=name,
        source=source,
        labels=criterion.scale.labels,
        probs=distribution.probs,
        value=value,
        reason=None if value is not None else distribution.reason or reason,
        coverage=distribution.coverage,
        coverage_high=distribution.coverage_high,
        windows=windows,
        raw_top=distribution.raw_top,
        judge=judge,
        rubric_hash=rubric_hash,
        reply=distribution.reply,
        order_shift=distribution.order_shift,
    )


def _least(*coverages: float | None) -> float | None:
    """The least of the coverages; null where there are none, in text."""
    numbers = [coverage for coverage in coverages if coverage is not None]
    return min(numbers, default=None)


def _least_high(several: Sequence[Distribution]) -> float | None:
    """The most that the least coverage can have been; null where every coverage is exact."""
    if all(each.coverage_high is None for each in several):
        return None
    return _least(
        *(each.coverage if each.coverage_high is None else each.coverage_high for each in several)
    )
