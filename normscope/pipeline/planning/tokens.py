"""The tokens of a stage: of all of its units, or of a sample of them where there are many."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...judges.engine import LabelRequest, LabelResult, TextRequest, TextResult
from ...judges.engines.counting import NO_TOKENS, Counter, Tokens
from .ranges import Range, ratio, spread_over
from .stages import Stage

MOST_UNITS = 64
"""So many units are counted where a stage has more."""

_LONGEST_S = 20.0
_FEWEST_UNITS = 4


@dataclass(slots=True)
class Recorder:
    """An engine that answers nothing and counts the tokens of what it is asked."""

    counter: Counter
    identity: dict[str, Any]
    name: str = ""
    labels_read: Tokens = NO_TOKENS
    prompts_read: Tokens = NO_TOKENS
    replies: int = 0
    most_written: int = 0

    def labels(self, requests: Sequence[LabelRequest]) -> list[LabelResult]:
        """All labels alike."""
        self.labels_read = self.labels_read.plus(self.counter.labels(requests))
        return [
            LabelResult((-math.log(len(r.scale.labels)),) * len(r.scale.labels)) for r in requests
        ]

    def texts(self, requests: Sequence[TextRequest]) -> list[TextResult]:
        """A dash each."""
        self.prompts_read = self.prompts_read.plus(self.counter.texts(requests))
        self.replies += len(requests)
        self.most_written += sum(request.max_new_tokens for request in requests)
        return [TextResult("-") for _ in requests]

    @property
    def tokens(self) -> Tokens:
        """Those of all prompts."""
        return self.labels_read.plus(self.prompts_read)

    def size(self, *, shared: bool) -> int:
        """By what the time goes: tokens read, those of replies at their longest among them.

        With `shared` the engine reads what the prompts of labels begin with alike once.
        """
        read = self.labels_read.unique if shared else self.labels_read.total
        return read + self.prompts_read.total + self.most_written


@dataclass(frozen=True, slots=True)
class StageTokens:
    """The tokens of a stage's prompts, `total` and `unique` (`judges.engines.counting`).

    `replies` is how many texts are asked for, `most_written` their tokens at their longest, `size`
    what the time goes by. `counted` units were looked at.
    """

    total: Range
    unique: Range
    replies: Range
    most_written: Range
    size: Range
    counted: int


def stage_tokens(stage: Stage, recorder: Recorder, *, shared: bool) -> StageTokens:
    """The tokens of the units that are to be done; with an interval where not all are counted."""
    begun = time.monotonic()
    columns: tuple[list[int], ...] = ([], [], [], [], [])
    rows: list[int] = []
    for at in spread_over(len(stage.units), MOST_UNITS):
        if len(rows) >= _FEWEST_UNITS and time.monotonic() - begun > _LONGEST_S:
            break
        unit = stage.units[at]
        own = Recorder(recorder.counter, recorder.identity)
        stage.do(own, unit.rows)
        written = (own.replies, own.most_written)
        values = (*own.tokens, *written, own.size(shared=shared))
        for column, value in zip(columns, values, strict=True):
            column.append(value)
        rows.append(len(unit.rows))
    total, unique, replies, most_written, size = (_of_all(each, rows, stage) for each in columns)
    return StageTokens(total, unique, replies, most_written, size, counted=len(rows))


def _of_all(counts: list[int], rows: list[int], stage: Stage) -> Range:
    if not rows:
        return Range.exact(0)
    return ratio(counts, rows, of=len(stage.units)).times(stage.rows)
