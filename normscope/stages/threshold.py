"""How the scores move with the coverage that a reading needs, from the distributions kept.

A judgement below the threshold keeps its distribution and its coverage, so every other threshold
can be looked at without asking anybody again. The statistics come under the group `min_coverage`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..datasets_builders.item import Item
from ..judges.heads import read_model
from ..judges.judgement import Source
from ..judges.scale import Scale
from ..metrics.estimate import Statistic
from ..reasons import Reason
from ..run.journal import Row

GROUP = "min_coverage"
# not 0: what is read off next to nothing is no number, and a judge that answers prose has none
THRESHOLDS = (0.1, 0.25, 0.5, 0.75, 0.9)

Pairs = Sequence[tuple[Item, Row]]
"""Items and judgements about them."""


@dataclass(frozen=True, slots=True)
class HeadRead:
    """What is needed to read a head's value off its distribution again."""

    scale: Scale
    read: str

    def value(self, probs: Sequence[float]) -> float:
        """The expected value, or the most probable label's."""
        return self.scale.mode(probs) if self.read == "mode" else self.scale.expected(probs)


def heads_of(facts: Mapping[str, Any]) -> dict[tuple[str, str], HeadRead]:
    """The judge's heads by benchmark and name, as `judging.json` has them."""
    return {
        (head["benchmark"], head["head"]): HeadRead(
            Scale(tuple(head["labels"]), tuple(head["values"])), head["read"]
        )
        for head in facts.get("heads", ())
    }


def by_threshold(
    pairs: Pairs,
    score: Callable[[Pairs], Iterable[Statistic]],
    *,
    heads: Mapping[tuple[str, str], HeadRead],
    used: float,
) -> Iterator[Statistic]:
    """The overall statistics at each of `THRESHOLDS` and at the one that was used, rising.

    `score` makes the overall statistics of judgements. Nothing comes out where no judgement has a
    coverage: text rules know none.
    """
    if not any(_can_move(row, heads) for _, row in pairs):
        return
    for threshold in sorted({*THRESHOLDS, used}):
        moved = [(item, at_threshold(item, row, threshold, heads)) for item, row in pairs]
        for statistic in score(moved):
            yield replace(statistic, group=GROUP, member=f"{threshold:g}")


def at_threshold(
    item: Item, row: Row, threshold: float, heads: Mapping[tuple[str, str], HeadRead]
) -> Row:
    """The judgement as it would have been with this threshold."""
    if not _can_move(row, heads):
        return row
    probs, coverage = row["probs"], row["coverage"]
    if row["source"] == Source.MODEL_LOGITS:
        made = read_model(item, row["head"], probs, coverage, None, min_coverage=threshold)
        return row | {"value": made.value, "reason": made.reason and str(made.reason)}
    if coverage < threshold:
        return row | {"value": None, "reason": str(Reason.LOW_COVERAGE)}
    head = heads[row["benchmark"], row["head"]]
    return row | {"value": head.value(probs), "reason": None}


def _can_move(row: Row, heads: Mapping[tuple[str, str], HeadRead]) -> bool:
    known = row["source"] == Source.MODEL_LOGITS or (row["benchmark"], row["head"]) in heads
    return known and row["probs"] is not None and row["coverage"] is not None
