"""A judge that is asked about answers to check it, and what it says of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...builders.registry import benchmark
from ...builders.slice import balanced
from ...metrics.registry import products
from ...records.item import Item
from ...records.journal import Journal
from ...records.judgement import Judgement
from ...records.response import Response
from ...records.settings import Settings
from ..engine import Engine
from ..judge import LabelOrders, LoadedJudge, Work
from ..rubric import Questions, Rubric

SCORE = "score"
"""The product of moral and rating."""


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer to an item, and its judgement under each criterion."""

    item: Item
    text: str
    judgements: Mapping[str, Judgement]

    def value(self, outcome: str) -> float | None:
        """The value of a criterion, or the score moral × rating; null where it is unscored."""
        values = {name: judgement.value for name, judgement in self.judgements.items()}
        return (values | products(values)).get(outcome)

    def place(self, criterion: str) -> int | None:
        """The place of the likeliest label; null where it is unscored or there are several."""
        judgement = self.judgements.get(criterion)
        favourite = None if judgement is None else judgement.favourite
        return None if judgement is None or favourite is None else judgement.labels.index(favourite)


def outcomes_of(criteria: Iterable[str]) -> tuple[str, ...]:
    """The score, where there are both of its criteria, then the criteria.

    >>> outcomes_of(["moral", "rating", "moral"])
    ('score', 'moral', 'rating')
    """
    present = tuple(dict.fromkeys(criteria))
    return (*products(dict.fromkeys(present)), *present)


GivenAnswer = tuple[Item, str]
"""An item and an answer to it that the judge is asked about."""


@dataclass(frozen=True, slots=True)
class CheckedJudge:
    """A judge under a rubric. `config` says how it is asked: coverage, orders, items per unit."""

    engine: Engine
    rubric: Rubric
    config: Settings
    journal: Journal

    @property
    def outcomes(self) -> tuple[str, ...]:
        """What it judges answers by."""
        return outcomes_of(self.rubric.criteria)

    def judge(
        self,
        stage: str,
        answers: Sequence[GivenAnswer],
        *,
        label_orders: LabelOrders | None = None,
    ) -> list[JudgedAnswer]:
        """How each is judged, from the journal's stage where it was done before.

        The labels are listed as the judge is asked for elsewhere, unless `label_orders` says how.
        """
        # the answers keep their own category: only the question about them falls back
        pairs = [
            (fit(item, self.rubric), Response.to(fit(item, self.rubric), text))
            for item, text in answers
        ]
        judge = LoadedJudge(
            self.engine,
            dict.fromkeys((item.benchmark for item, _ in answers), Questions.of(self.rubric)),
            self.config.min_coverage,
            label_orders or self.config.label_orders,
        )
        judged = judge.judge(pairs, Work(self.journal, stage, self.config.unit_items))
        return [
            JudgedAnswer(item, text, {each.criterion: each for each in several})
            for (item, text), several in zip(answers, judged, strict=True)
        ]


def fit(item: Item, rubric: Rubric) -> Item:
    """The item in a category that the rubric knows."""
    return replace(item, category=rubric.category_for(item.category))


def graded_answers(
    limit: int | None, *, keep: Callable[[Item], bool] | None = None
) -> list[GivenAnswer]:
    """A balanced part of the graded set: our own answers of intended grades, in zh and en."""
    builder, config = benchmark("safety-gradient")
    items = config.items(builder.tables(None)[config.config])
    items = [item for item in items if keep is None or keep(item)]
    if limit is not None:
        items = balanced(items, limit)
    return [(item, item.response or "") for item in items]
