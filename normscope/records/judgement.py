"""What comes out of a question to a model: a distribution on a scale, or a reason why not."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import pyarrow as pa

from ..reasons import Reason
from .response import ResponseKey
from .tables import KEY_FIELDS, PROBS, TEXT, never_null


class Source(StrEnum):
    """Who spoke, and how: in labels, or in text that a rule has read.

    Of the judge the rule reads the verdict that it wrote, of the model under test its answer.
    """

    JUDGE_LOGITS = "judge_logits"
    JUDGE_TEXT = "judge_text"
    MODEL_LOGITS = "model_logits"
    TEXT_RULE = "text_rule"

    @property
    def is_judge(self) -> bool:
        """Whether the judge spoke, not the model under test."""
        return self in {Source.JUDGE_LOGITS, Source.JUDGE_TEXT}


class RawToken(NamedTuple):
    """One of the most probable tokens where the label was read, as the model gave it."""

    token: str
    prob: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """The result for one response under one criterion.

    `judge` is the judge's name, null where the model under test speaks for itself, and
    `rubric_hash` that of the rubric, scale or rule. `probs` sums to 1 over `labels`; `coverage` is
    the mass on the scale before renormalising (null for a text rule), `coverage_high` the most it
    can have been where a server tells only its top tokens (null where the coverage is exact).
    `windows` is the number of overlapping pieces of a long answer that were judged, of which the
    worst stands. `reply` is what a judge wrote whose verdict a rule read. Where `value` is null,
    `reason` says why, and the row is not a 0.

    `order_shift` is how much higher the expected value is with the labels listed as given than
    with them reversed, null unless both orders were requested; it is no column of the table.
    """

    key: ResponseKey
    criterion: str
    source: Source
    labels: tuple[str, ...]
    probs: tuple[float, ...] | None = None
    value: float | None = None
    reason: Reason | None = None
    coverage: float | None = None
    coverage_high: float | None = None
    windows: int = 1
    raw_top: tuple[RawToken, ...] | None = None
    judge: str | None = None
    rubric_hash: str | None = None
    reply: str | None = None
    order_shift: float | None = None

    @property
    def favourite(self) -> str | None:
        """The `likeliest` label; null at a tie, and where there is no value."""
        if self.value is None or not self.probs:
            return None
        place = likeliest(self.probs)
        return None if place is None else self.labels[place]


TIE = 1e-9
"""The share of the highest probability by which another may be lower and still tie with it.

Far above what rounding moves (1e-15), far below what tells two labels apart. No label of a tie is
the answer: a judge has then failed to judge, the model under test has named two labels.
"""


def likeliest(probs: Sequence[float]) -> int | None:
    """The place of the highest probability; null where there is a `TIE` for it.

    >>> likeliest([0.2, 0.5, 0.3]), likeliest([0.4, 0.2, 0.4])
    (1, None)
    """
    least = max(probs) * (1 - TIE)
    top = [place for place, prob in enumerate(probs) if prob >= least]
    return top[0] if len(top) == 1 else None


SCHEMA = pa.schema(
    [
        *KEY_FIELDS,
        pa.field("judge", TEXT),
        pa.field("rubric_hash", TEXT),
        *never_null(TEXT, "criterion", "source"),
        pa.field("labels", pa.list_(TEXT)),
        pa.field("probs", PROBS),
        pa.field("value", pa.float64()),
        pa.field("coverage", pa.float64()),
        pa.field("coverage_high", pa.float64()),
        pa.field("windows", pa.int32()),
        pa.field("reply", TEXT),
        pa.field("raw_top", pa.list_(pa.struct([("token", TEXT), ("prob", pa.float64())]))),
        pa.field("reason", TEXT),
    ]
)
