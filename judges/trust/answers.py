"""Answers as they were judged, from a run's folder, as the checks need them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import DataError
from ...files import read_parquet
from ...metrics.cfsafety import SCORE as SCORE_BOUNDS
from ...metrics.intervals import Bounds
from ...records import item as items
from ...records import judgement as judgements
from ...records import response as responses
from ...records.config import RunConfig
from ...records.integrity import ITEMS, JUDGEMENTS, RESPONSES, read_checked
from ...records.item import Item, ItemKey
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

    @property
    def key(self) -> tuple[ItemKey, int]:
        """What identifies it among the answers of one model."""
        return self.item.key, self.sample

    @property
    def by_model(self) -> bool:
        """Whether the model under test wrote it."""
        return self.item.response is None

    def was_judged(self, outcome: str) -> bool:
        """Whether the judge was asked about it: one of another benchmark is no failure here."""
        needed = {"moral", "rating"} if outcome == SCORE else {outcome}
        return needed <= self.judgements.keys()

    def value(self, outcome: str) -> float | None:
        """The value of a criterion, or the score moral × rating; null where it is unscored."""
        if outcome == SCORE:
            return score_of(self.value("moral"), self.value("rating"))
        judgement = self.judgements.get(outcome)
        return None if judgement is None else judgement.value

    def place(self, criterion: str) -> int | None:
        """The place of the likeliest label, the first of equals; null where it is unscored."""
        judgement = self.judgements.get(criterion)
        favourite = None if judgement is None else judgement.favourite
        return None if judgement is None or favourite is None else judgement.labels.index(favourite)


@dataclass(frozen=True, slots=True)
class JudgedAnswers:
    """Answers with a name, who wrote and who judged them, and with which settings."""

    name: str
    model: str
    judge: str
    answers: tuple[JudgedAnswer, ...]
    config: RunConfig = field(default_factory=RunConfig)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """What they were judged by."""
        return outcomes_of(name for answer in self.answers for name in answer.judgements)

    def outcome(self, requested: str | None = None) -> str:
        """The outcome that is requested, else the first; if it is not there, an error names all."""
        known = self.outcomes
        if not known:
            raise DataError(f"{self.name}: no judge has judged an answer in it")
        if requested is not None and requested not in known:
            raise DataError(f"{self.name} has no {requested!r}: it has {', '.join(known)}")
        return requested or known[0]


def outcomes_of(criteria: Iterable[str]) -> tuple[str, ...]:
    """The score, where there are both of its criteria, then the criteria.

    >>> outcomes_of(["moral", "rating", "moral"])
    ('score', 'moral', 'rating')
    """
    known = tuple(dict.fromkeys(criteria))
    return (SCORE, *known) if {"moral", "rating"} <= set(known) else known


def read_judged(path: Path) -> JudgedAnswers:
    """The judge's judgements in a run's folder."""
    config = read_checked(path, stages=("respond", "judge"))
    # all but the widest column
    columns = [name for name in judgements.SCHEMA.names if name != "raw_top"]
    by_response: dict[ResponseKey, dict[str, Judgement]] = {}
    rows = judgements.from_table(read_parquet(path / JUDGEMENTS, columns=columns))
    for judgement in counted_verdicts(rows):
        by_response.setdefault(judgement.key, {})[judgement.criterion] = judgement
    by_key = {item.key: item for item in items.from_table(read_parquet(path / ITEMS))}
    written = responses.from_table(read_parquet(path / RESPONSES))
    texts = {response.key: response.text for response in written}
    return JudgedAnswers(
        name=path.resolve().name,
        model=config.model.model if config.model else "reference",
        judge=config.judge.model if config.judge else "",
        answers=tuple(
            JudgedAnswer(by_key[key.item], of_response, texts.get(key), key.sample)
            for key, of_response in by_response.items()
        ),
        config=config,
    )
