"""What is asked about an item, and how a distribution over labels becomes a judgement."""

import math
from collections.abc import Sequence

from ..datasets_builders.item import Item
from ..datasets_builders.taxonomy import LIKERT
from ..reasons import Reason
from .engine import LabelResult
from .judgement import Judgement, Source
from .rubric import Head
from .scale import Scale, letters

ACCEPTABILITY = "acceptability"
OPTION = "option"


def _spellings(label: str) -> tuple[str, ...]:
    capital = label[0].upper() + label[1:]
    return (label, f" {label}", capital, f" {capital}")


LIKERT_SCALE = Scale(
    labels=LIKERT,
    values=(-2.0, -1.0, 0.0, 1.0, 2.0),
    forms={label: _spellings(label) for label in LIKERT},
)
"""The answers to a vignette, read from the model under test itself."""


def own_scale(item: Item, head: str) -> Scale:
    """The scale on which the model under test itself answers the item."""
    return (
        letters(tuple(option.letter for option in item.options)) if head == OPTION else LIKERT_SCALE
    )


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


def read_judge(name: str, head: Head, result: LabelResult, *, min_coverage: float) -> Judgement:
    """What the judge says: the expected value or the mode of its distribution, or why nothing."""
    read = None if result.logprobs is None else normalise(result.logprobs)
    if read is None:
        return absent(name, head.scale, result.reason or Reason.LOW_COVERAGE)
    probs, coverage = read
    covered = coverage >= min_coverage
    value = head.scale.mode(probs) if head.read == "mode" else head.scale.expected(probs)
    return Judgement(
        head=name,
        source=Source.JUDGE_LOGITS,
        labels=head.scale.labels,
        probs=probs,
        value=value if covered else None,
        coverage=coverage,
        raw_top=result.raw_top,
        reason=None if covered else Reason.LOW_COVERAGE,
    )


def read_model(
    item: Item,
    head: str,
    probs: Sequence[float] | None,
    coverage: float | None,
    reason: Reason | None,
    *,
    min_coverage: float,
) -> Judgement:
    """What the model under test itself says about the item: its norm, or whether it met the key."""
    scale = own_scale(item, head)
    value: float | None = None
    if probs is None or coverage is None:
        reason = reason or Reason.OFF_SCALE
    elif coverage < min_coverage:
        reason = Reason.OFF_SCALE
    elif head == ACCEPTABILITY:
        value = scale.mode(probs)
    elif item.answer is None:
        reason = Reason.NO_KEY
    else:
        value = float(scale.labels[int(scale.mode(probs))] == item.answer)
    return Judgement(
        head=head,
        source=Source.MODEL_LOGITS,
        labels=scale.labels,
        probs=None if probs is None else tuple(probs),
        value=value,
        coverage=coverage,
        raw_top=None,
        reason=reason,
    )


def absent(name: str, scale: Scale, reason: Reason) -> Judgement:
    """A judgement of the judge's that could not be made, and why."""
    return Judgement(name, Source.JUDGE_LOGITS, scale.labels, None, None, None, None, reason)
