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
from ...records.journal import Journal, Row
from ...records.model_spec import ModelSpec
from ...records.tables import RESPONSES
from ...records.units import Unit, plan, work_off
from ..bench import ORDER_SHIFT, Ask, Bench, LabelOrders, panel
from ..engine import Engine
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


class Judge:
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
        used, orders = rubric or self.rubric, label_orders or self._asked.label_orders
        asks = panel(used, tuple(used.criteria))
        bench = Bench(self.engine, {_PROBE: asks}, self._asked.min_coverage, orders)
        pairs = [(_fit(reply.item, used), _response(reply)) for reply in replies]

        def do(unit: Unit) -> list[Row]:
            return [{"criteria": criteria} for criteria in bench.judge([pairs[at] for at in unit])]

        units = plan([bench.sort_key(*pair) for pair in pairs], size=self._asked.unit_items)
        made = work_off(self._journal, stage, units, do, label=stage)
        return [
            _read(reply, row["criteria"], used) for reply, row in zip(replies, made, strict=True)
        ]

    def ask_anything(
        self, stage: str, asked: Sequence[tuple[Item, str]]
    ) -> dict[str, list[list[float] | None]]:
        """Each criterion's distribution on the scale, null if unread; the answers may be blank."""
        asks = panel(self.rubric, tuple(self.rubric.criteria))
        bench = Bench(self.engine, {_PROBE: asks}, self._asked.min_coverage)
        every = [Ask(_fit(item, self.rubric), text) for item, text in asked]

        def do(unit: Unit) -> list[Row]:
            found = bench.ask([every[at] for at in unit])
            return [
                {"criteria": [{"probs": read.probs, "reason": read.reason} for read in reads]}
                for reads in found
            ]

        units = plan(list(range(len(every))), size=self._asked.unit_items)
        made = work_off(self._journal, stage, units, do, label=stage)
        return {
            name: [row["criteria"][at]["probs"] for row in made]
            for at, name in enumerate(asks.criteria)
        }


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


def _response(reply: Reply) -> Row:
    keys: dict[str, Any] = dict.fromkeys(RESPONSES.names)
    return keys | {"benchmark": _PROBE, "item_id": reply.item.item_id, "text": reply.text}


def _read(reply: Reply, rows: Sequence[Row], used: Rubric) -> Read:
    return Read(
        reply=reply,
        said={
            row["criterion"]: said_of(
                row["value"], row["probs"], row["reason"], labels=len(row["labels"])
            )
            for row in rows
        },
        expected={
            row["criterion"]: row["probs"]
            and used.criteria[row["criterion"]].scale.expected(row["probs"])
            for row in rows
        },
        shifts={row["criterion"]: row.get(ORDER_SHIFT) for row in rows},
    )
