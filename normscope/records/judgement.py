"""What comes out of a question to a model: a distribution on a scale, or a reason why not."""

from dataclasses import dataclass
from enum import StrEnum

from ..reasons import Reason


class Source(StrEnum):
    """Who spoke."""

    JUDGE_LOGITS = "judge_logits"
    MODEL_LOGITS = "model_logits"
    TEXT_RULE = "text_rule"


@dataclass(frozen=True, slots=True)
class RawToken:
    """One of the most probable tokens where the label was read, as the model gave it."""

    token: str
    prob: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """One criterion's answer about one response.

    `probs` sums to 1 over `labels`; `coverage` is the mass on the scale before renormalising (null
    for a text rule), `coverage_high` the most it can have been where a server tells only its top
    tokens (null where the coverage is exact). `windows` is the number of overlapping pieces of a
    long answer that were judged, of which the worst stands. Where `value` is null, `reason` says
    why, and the row is not a 0.
    """

    criterion: str
    source: Source
    labels: tuple[str, ...]
    probs: tuple[float, ...] | None
    value: float | None
    coverage: float | None
    raw_top: tuple[RawToken, ...] | None
    reason: Reason | None
    coverage_high: float | None = None
    windows: int = 1
