"""A judge asked about answers that a check has made: journalled, behind a progress bar."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...datasets_builders.registry import benchmark
from ...datasets_builders.slice import balanced
from ...packages import packages
from ...records.config import RunConfig
from ...records.item import Item
from ...records.journal import Journal
from ...records.judgement import Judgement
from ...records.response import Response
from ..engine import Engine
from ..judge import Judge, LabelOrders, Questions, Work
from ..rubric import Rubric
from ..rubric_file import Criterion
from .answers import SCORE, JudgedAnswer, criterion_result

GRADED_SET = "safety-gradient"
"""Where the answers of the checks come from: our own, of intended grades, in zh and en."""

_PROBE = "probe"


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An item and an answer to it that the judge is asked about."""

    item: Item
    text: str


@dataclass(frozen=True, slots=True)
class ProbedAnswer:
    """A given answer as it was judged.

    `expected` has, per criterion, the mean of its distribution, and `shifts`, if it was asked with
    the labels in both orders, how much higher that is with the labels as given than reversed.
    """

    given: GivenAnswer
    judged: JudgedAnswer
    expected: Mapping[str, float | None]
    shifts: Mapping[str, float | None]

    def value(self, outcome: str) -> float | None:
        """The value of a criterion, or the score."""
        return self.judged.value(outcome)


class CheckedJudge:
    """A judge under one rubric, which can be asked under another, or with both orders of labels."""

    def __init__(
        self, engine: Engine, rubric: Rubric, requested: RunConfig, journal: Journal
    ) -> None:
        """`requested` says how: `min_coverage`, `label_orders` and `unit_items`."""
        self.engine = engine
        self.rubric = rubric
        self._requested = requested
        self._journal = journal

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The score where there are both of its criteria, then the criteria."""
        criteria = tuple(self.rubric.criteria)
        return (SCORE, *criteria) if {"moral", "rating"} <= set(criteria) else criteria

    def ask(
        self,
        stage: str,
        answers: Sequence[GivenAnswer],
        *,
        rubric: Rubric | None = None,
        label_orders: LabelOrders | None = None,
    ) -> list[ProbedAnswer]:
        """How each is judged, from the journal's stage where it was done before.

        The labels are listed as the judge is asked for elsewhere, unless `label_orders` says how.
        """
        rubric = rubric or self.rubric
        items = [_probe_item(given.item, rubric) for given in answers]
        pairs = [
            (item, Response.to(item, given.text))
            for item, given in zip(items, answers, strict=True)
        ]
        judge = self._judge(rubric, label_orders or self._requested.label_orders)
        judged = judge.judge(pairs, self._work(stage))
        return [
            _probed(given, several, rubric.criteria)
            for given, several in zip(answers, judged, strict=True)
        ]

    def ask_anything(
        self, stage: str, about: Sequence[tuple[Item, str]]
    ) -> dict[str, list[float | None]]:
        """Each criterion's expected value, null if unread; the answers may be blank."""
        fitting = [(_probe_item(item, self.rubric), text) for item, text in about]
        distributions = self._judge(self.rubric, "given").ask(fitting, self._work(stage))
        return {
            name: [_expected(criterion, row[at].probs) for row in distributions]
            for at, (name, criterion) in enumerate(self.rubric.criteria.items())
        }

    def _judge(self, rubric: Rubric, orders: LabelOrders) -> Judge:
        questions = {_PROBE: Questions.of(rubric)}
        return Judge(self.engine, questions, self._requested.min_coverage, orders)

    def _work(self, stage: str) -> Work:
        return Work(self._journal, stage, self._requested.unit_items)


def fit(item: Item, rubric: Rubric) -> Item:
    """The item in a category that the rubric knows."""
    return replace(item, category=rubric.category_for(item.category))


def graded_answers(
    limit: int | None, *, keep: Callable[[Item], bool] | None = None
) -> list[GivenAnswer]:
    """A balanced part of the graded set."""
    builder, config = benchmark(GRADED_SET)
    items = config.items(builder.tables(None)[config.config])
    items = [item for item in items if keep is None or keep(item)]
    if limit is not None:
        items = balanced(items, limit)
    return [GivenAnswer(item, item.response or "") for item in items]


def task_of(engine: Engine, rubric: Rubric, requested: RunConfig, **more: Any) -> dict[str, Any]:
    """Everything that the results of a check depend on: the name of its journal."""
    return {
        "judge": engine.identity,
        "rubric": rubric.hash,
        "min_coverage": requested.min_coverage,
        "label_orders": requested.label_orders,
        "unit_items": requested.unit_items,
        "packages": packages(),
        **more,
    }


def _probe_item(item: Item, rubric: Rubric) -> Item:
    return replace(fit(item, rubric), benchmark=_PROBE)


def _probed(
    given: GivenAnswer, judgements: Sequence[Judgement], criteria: Mapping[str, Criterion]
) -> ProbedAnswer:
    item = given.item
    judged = JudgedAnswer(
        key=(item.benchmark, item.item_id, item.variant_id, item.scale_order, 0),
        category=item.category,
        language=item.language,
        cluster=item.cluster or item.item_id,
        by_model=False,
        facets=item.facets,
        results={
            each.criterion: criterion_result(
                each.value, each.probs, each.reason, labels=len(each.labels)
            )
            for each in judgements
        },
    )
    return ProbedAnswer(
        given=given,
        judged=judged,
        expected={
            each.criterion: _expected(criteria[each.criterion], each.probs) for each in judgements
        },
        shifts={each.criterion: each.order_shift for each in judgements},
    )


def _expected(criterion: Criterion, probs: Sequence[float] | None) -> float | None:
    return None if probs is None else criterion.scale.expected(probs)
