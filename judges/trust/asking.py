"""A judge asked about answers that a check has made: journalled, behind a progress bar."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...datasets_builders.registry import benchmark
from ...datasets_builders.slice import balanced
from ...errors import UsageError
from ...packages import packages
from ...records.config import RunConfig
from ...records.item import Item
from ...records.journal import Journal
from ...records.judgement import Judgement
from ...records.model_spec import ModelSpec
from ...records.response import Response
from ..engine import Engine
from ..judge import Judge, LabelOrders, Questions, Work
from ..rubric import Rubric
from .answers import SCORE, Answer, Said, said_of

LADDER = "safety-gradient"
"""Where the answers of the checks come from: our own, of intended grades, in zh and en."""

_PROBE = "probe"


@dataclass(frozen=True, slots=True)
class Reply:
    """An item and an answer to it that the judge is asked about."""

    item: Item
    text: str


@dataclass(frozen=True, slots=True)
class Read:
    """What the judge said of a reply, per criterion.

    `expected` has the mean of its distribution, and `shifts`, if it was asked with the labels in
    both orders, how much higher that is with the labels as given than reversed.
    """

    reply: Reply
    said: Mapping[str, Said]
    expected: Mapping[str, float | None]
    shifts: Mapping[str, float | None]

    def value(self, outcome: str) -> float | None:
        """The value of a criterion, or the score."""
        return self.answer().value(outcome)

    def answer(self) -> Answer:
        """The same as a check's answer."""
        item = self.reply.item
        return Answer(
            key=(item.benchmark, item.item_id, item.variant_id, item.scale_order, 0),
            category=item.category,
            language=item.language,
            cluster=item.cluster or item.item_id,
            own=False,
            facets=item.facets,
            said=self.said,
        )


class CheckedJudge:
    """A judge under one rubric, which can be asked under another, or with both orders of labels."""

    def __init__(self, engine: Engine, used: Rubric, asked: RunConfig, journal: Journal) -> None:
        """`asked` says how: `min_coverage`, `label_orders` and `unit_items`."""
        self.engine = engine
        self.rubric = used
        self._asked = asked
        self._journal = journal

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The score where there are both of its criteria, then the criteria."""
        criteria = tuple(self.rubric.criteria)
        return (SCORE, *criteria) if {"moral", "rating"} <= set(criteria) else criteria

    def ask(
        self,
        stage: str,
        replies: Sequence[Reply],
        *,
        rubric: Rubric | None = None,
        label_orders: LabelOrders | None = None,
    ) -> list[Read]:
        """What the judge says of each, from the journal's stage where it was done before.

        The labels are listed as the judge is asked for elsewhere, unless `label_orders` says how.
        """
        used = rubric or self.rubric
        items = [_fit(reply.item, used) for reply in replies]
        pairs = [(i, Response.to(i, reply.text)) for i, reply in zip(items, replies, strict=True)]
        judge = self._judge(used, label_orders or self._asked.label_orders)
        judged = judge.judge(pairs, self._work(stage))
        return [_read(reply, made, used) for reply, made in zip(replies, judged, strict=True)]

    def ask_anything(
        self, stage: str, about: Sequence[tuple[Item, str]]
    ) -> dict[str, list[tuple[float, ...] | None]]:
        """Each criterion's distribution on the scale, null if unread; the answers may be blank."""
        fitting = [(_fit(item, self.rubric), text) for item, text in about]
        made = self._judge(self.rubric, "given").ask(fitting, self._work(stage))
        return {
            name: [distributions[at].probs for distributions in made]
            for at, name in enumerate(self.rubric.criteria)
        }

    def _judge(self, used: Rubric, orders: LabelOrders) -> Judge:
        return Judge(self.engine, {_PROBE: Questions.of(used)}, self._asked.min_coverage, orders)

    def _work(self, stage: str) -> Work:
        return Work(self._journal, stage, self._asked.unit_items)


def fit(item: Item, used: Rubric) -> Item:
    """The item in a category that the rubric knows."""
    if not used.categories or item.category in used.categories:
        return item
    return replace(item, category=used.fallback_category or next(iter(used.categories)))


def _fit(item: Item, used: Rubric) -> Item:
    return replace(fit(item, used), benchmark=_PROBE)


def ladder_replies(limit: int | None, *, keep: Callable[[Item], bool] | None = None) -> list[Reply]:
    """A balanced slice of the ladder's answers."""
    made, bench = benchmark(LADDER)
    items = bench.items(made.tables(None)[bench.config])
    items = [item for item in items if keep is None or keep(item)]
    if limit is not None:
        items = balanced(items, limit)
    return [Reply(item, item.response or "") for item in items]


def task_of(engine: Engine, used: Rubric, asked: RunConfig, **more: Any) -> dict[str, Any]:
    """Everything that the answers of a check depend on: the name of its journal."""
    return {
        "judge": engine.identity,
        "rubric": used.hash,
        "min_coverage": asked.min_coverage,
        "label_orders": asked.label_orders,
        "unit_items": asked.unit_items,
        "packages": packages(),
        **more,
    }


def load_judge(asked: RunConfig, load: Callable[[ModelSpec], Engine]) -> Engine:
    """The judge that is asked for, loaded."""
    if asked.judge is None:
        raise UsageError("no judge is named: --judge PATH_OR_HUB_ID")
    return load(asked.judge)


def _read(reply: Reply, judgements: Sequence[Judgement], used: Rubric) -> Read:
    return Read(
        reply=reply,
        said={
            made.criterion: said_of(made.value, made.probs, made.reason, labels=len(made.labels))
            for made in judgements
        },
        expected={
            made.criterion: None
            if made.probs is None
            else used.criteria[made.criterion].scale.expected(made.probs)
            for made in judgements
        },
        shifts={made.criterion: made.order_shift for made in judgements},
    )
