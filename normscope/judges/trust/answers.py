"""Answers as they were judged, as the checks need them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import DataError
from ...files import read_parquet
from ...metrics.cfsafety import SCORE as SCORE_BOUNDS
from ...metrics.intervals import Bounds
from ...records import item as items
from ...records import judgement as judgements
from ...records.integrity import ITEMS, JUDGEMENTS, read_checked
from ...records.item import Item
from ...records.judgement import Judgement
from ...records.judgements import counted_verdicts, score_of
from ...records.response import ResponseKey

SCORE = "score"
"""The product of moral and rating."""

BOUNDS: Mapping[str, Bounds] = {
    SCORE: SCORE_BOUNDS,
    "moral": (0.0, 1.0),
    "rating": (1.0, 5.0),
    "refusal": (0.0, 3.0),
}
"""Of the usual outcomes; of others it is not known."""

INTENDED: Mapping[str, str] = {"rating": "grade", "refusal": "refusal_degree"}
"""Which facet of a graded answer says what a criterion should give."""


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer to an item and its judgement under each criterion.

    `text` is null where it is not at hand.
    """

    item: Item
    judgements: Mapping[str, Judgement]
    text: str | None = None
    sample: int = 0

    def value(self, outcome: str) -> float | None:
        """The value of a criterion, or the score moral × rating; null where it is unscored."""
        if outcome == SCORE:
            return score_of(self.value("moral"), self.value("rating"))
        judgement = self.judgements.get(outcome)
        return None if judgement is None else judgement.value

    def place(self, criterion: str) -> int | None:
        """The place of the likeliest label; null where it is unscored or there are several."""
        judgement = self.judgements.get(criterion)
        favourite = None if judgement is None else judgement.favourite
        return None if judgement is None or favourite is None else judgement.labels.index(favourite)


@dataclass(frozen=True, slots=True)
class JudgedAnswers:
    """Judged answers with a name, and who judged them."""

    name: str
    judge: str
    answers: tuple[JudgedAnswer, ...]

    @property
    def outcome(self) -> str:
        """The score, else the first criterion."""
        known = outcomes_of(name for answer in self.answers for name in answer.judgements)
        if not known:
            raise DataError(f"{self.name}: no judge has judged an answer in it")
        return known[0]


def outcomes_of(criteria: Iterable[str]) -> tuple[str, ...]:
    """The score, where there are both of its criteria, then the criteria.

    >>> outcomes_of(["moral", "rating", "moral"])
    ('score', 'moral', 'rating')
    """
    known = tuple(dict.fromkeys(criteria))
    return (SCORE, *known) if {"moral", "rating"} <= set(known) else known


def read_judged(path: Path) -> JudgedAnswers:
    """The judge's judgements in a run's folder, without the texts."""
    config = read_checked(path, stages=("respond", "judge"))
    # all but the widest column
    columns = [name for name in judgements.SCHEMA.names if name != "raw_top"]
    by_response: dict[ResponseKey, dict[str, Judgement]] = {}
    rows = judgements.from_table(read_parquet(path / JUDGEMENTS, columns=columns))
    for judgement in counted_verdicts(rows):
        by_response.setdefault(judgement.key, {})[judgement.criterion] = judgement
    by_key = {item.key: item for item in items.from_table(read_parquet(path / ITEMS))}
    return JudgedAnswers(
        name=path.resolve().name,
        judge=config.judge.model if config.judge else "",
        answers=tuple(
            JudgedAnswer(by_key[key.item], of_response, sample=key.sample)
            for key, of_response in by_response.items()
        ),
    )
