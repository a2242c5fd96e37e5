"""A judge at work: what it is asked about a response, and its answers as rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ..errors import UsageError, nearest
from ..reasons import Reason
from ..records.item import Item
from ..records.journal import Row
from ..records.judgement import Judgement
from ..records.tables import KEYS
from .criteria import Reading, absent, average, judged, reading, worst
from .engine import Engine, LabelRequest
from .rubric import Criterion, Rubric
from .windows import Window

LabelOrders = Literal["given", "both"]
ORDER_SHIFT = "order_shift"
"""The key of a row, beside its columns, of what the order of the labels did to its value."""


@dataclass(frozen=True, slots=True)
class Panel:
    """What is asked about every response of a benchmark: some criteria of a rubric."""

    rubric: Rubric
    criteria: tuple[str, ...]
    hash: str


def panel(used: Rubric, criteria: tuple[str, ...]) -> Panel:
    """The criteria of the rubric, each checked to be one of its own."""
    for criterion in criteria:
        if criterion not in used.criteria:
            told = nearest(criterion, list(used.criteria))
            raise UsageError(f"rubric {used.name!r} has no criterion {criterion!r}; {told}")
    return Panel(used, criteria, used.hash)


class Ask(NamedTuple):
    """What a panel's criteria are asked about: a conversation, and the answer or a part of it."""

    item: Item
    answer: str


class Bench:
    """A judge at work: an engine, and what it is asked about each benchmark."""

    def __init__(
        self,
        engine: Engine,
        panels: Mapping[str, Panel],
        min_coverage: float,
        label_orders: LabelOrders = "given",
    ) -> None:
        """`panels` by benchmark; `min_coverage` is the mass on the scale that a reading needs.

        With `label_orders` both, every criterion is asked with its labels in both orders, and the
        distributions are averaged.
        """
        self._engine = engine
        self.panels = panels
        self.min_coverage = min_coverage
        self.label_orders = label_orders
        self._orders = (False, True) if label_orders == "both" else (False,)
        self._languages: Sequence[str] | None = engine.identity.get("languages")

    def sort_key(self, item: Item, response: Row) -> tuple[str, ...]:
        """Brings together what shares a beginning: rubric, category, language, question."""
        return (item.benchmark, item.category, item.language, item.question, response["text"] or "")

    def judge(self, pairs: list[tuple[Item, Row]]) -> list[list[Row]]:
        """One row per criterion for each response, in their order.

        An answer that is too long for the judge's context is judged in overlapping windows, the
        same ones for every criterion, and the worst one counts. Where not even the question fits,
        the response is unscored.
        """
        readings: dict[int, list[tuple[Window, list[Reading]]]] = {}
        probed: set[int] = set()
        pending = [
            (index, Window(0, len(response["text"])))
            for index, (item, response) in enumerate(pairs)
            if self._reason_before_judging(item, response) is None
        ]
        while pending:
            asks = [Ask(pairs[i][0], window.of(pairs[i][1]["text"])) for i, window in pending]
            again: list[tuple[int, Window]] = []
            for (index, window), found in zip(pending, self.ask(asks), strict=True):
                parts = window.halves(pairs[index][1]["text"]) if _is_too_long(found) else None
                if parts is None:
                    readings.setdefault(index, []).append((window, found))
                else:
                    again += [(index, part) for part in parts]
            hopeless = self._hopeless(pairs, {index for index, _ in again} - probed)
            probed |= {index for index, _ in again}
            for index, found in hopeless.items():
                readings[index] = [(Window(0, 0), found)]
            pending = [(index, part) for index, part in again if index not in hopeless]
        return [self._rows(*pair, readings.get(index, [])) for index, pair in enumerate(pairs)]

    def ask(self, asks: Sequence[Ask]) -> list[list[Reading]]:
        """The reading of each of the panel's criteria about each of these."""
        results = iter(self._engine.labels([request for ask in asks for request in self._of(ask)]))
        return [
            [
                self._read(criterion, [reading(next(results)) for _ in self._orders])
                for criterion in criteria
            ]
            for criteria in (self.criteria(ask.item.benchmark).values() for ask in asks)
        ]

    def criteria(self, benchmark: str) -> dict[str, Criterion]:
        """The criteria that are asked about a benchmark, by name."""
        asked = self.panels[benchmark]
        return {name: asked.rubric.criteria[name] for name in asked.criteria}

    def _of(self, ask: Ask) -> Iterator[LabelRequest]:
        item, used = ask.item, self.panels[ask.item.benchmark].rubric
        turns = tuple((turn.role, turn.content) for turn in item.messages)
        for name, criterion in self.criteria(item.benchmark).items():
            for backwards in self._orders:
                prompt = used.render(
                    name,
                    category=item.category,
                    language=item.language,
                    turns=turns,
                    answer=ask.answer,
                    backwards=backwards,
                )
                yield LabelRequest((("user", prompt),), criterion.scale, used.lead(item.language))

    def _hopeless(
        self, pairs: list[tuple[Item, Row]], indices: Iterable[int]
    ) -> dict[int, list[Reading]]:
        """Those whose question alone is too long: shortening the answer would not help."""
        asked = sorted(indices)
        found = self.ask([Ask(pairs[index][0], "") for index in asked]) if asked else []
        return {i: read for i, read in zip(asked, found, strict=True) if _is_too_long(read)}

    def _read(self, criterion: Criterion, orders: Sequence[Reading]) -> Reading:
        return orders[0] if len(orders) == 1 else average(criterion.scale, *orders)

    def _rows(
        self, item: Item, response: Row, found: list[tuple[Window, list[Reading]]]
    ) -> list[Row]:
        rows = []
        windows = [read for _, read in sorted(found, key=lambda pair: pair[0].low)]
        for at, (name, criterion) in enumerate(self.criteria(item.benchmark).items()):
            if not windows:
                reason = self._reason_before_judging(item, response) or Reason.CALL_FAILED
                rows.append(self._row(item, response, absent(name, criterion.scale, reason), None))
                continue
            read = worst(criterion, [readings[at] for readings in windows])
            made = judged(
                name, criterion, read, min_coverage=self.min_coverage, windows=len(windows)
            )
            rows.append(self._row(item, response, made, read.order_shift))
        return rows

    def _reason_before_judging(self, item: Item, response: Row) -> Reason | None:
        """Why there is nothing to judge, or why this judge must not: it does not know the language.

        A judge that was made for some languages says so in its identity; others are asked in all.
        """
        if response["reason"] is not None:
            return Reason(response["reason"])
        if not (response["text"] or "").strip():
            return Reason.NO_ANSWER
        covered = self._languages is None or item.language in self._languages
        return None if covered else Reason.LANGUAGE_NOT_COVERED

    def _row(self, item: Item, response: Row, made: Judgement, shift: float | None) -> Row:
        used = self.panels[item.benchmark].hash
        row = row_of(response, made, judge=self._engine.name, rubric_hash=used)
        return row if self.label_orders == "given" else row | {ORDER_SHIFT: shift}


def row_of(response: Row, made: Judgement, *, judge: str | None, rubric_hash: str | None) -> Row:
    """The judgement as a row of `judgements.parquet`, beside the keys of its response."""
    keys = {name: response[name] for name in KEYS}
    # not dataclasses.asdict: its deep copies took longer than the prompts took to write
    columns = {name: getattr(made, name) for name in Judgement.__slots__}
    if made.raw_top is not None:
        columns["raw_top"] = tuple({"token": t.token, "prob": t.prob} for t in made.raw_top)
    return {**keys, "judge": judge, "rubric_hash": rubric_hash, **columns}


def item_key(row: Row | Item) -> tuple[str, ...]:
    """What ties a response or judgement to its item."""
    if isinstance(row, Item):
        return (row.benchmark, row.item_id, row.variant_id, row.scale_order)
    return (row["benchmark"], row["item_id"], row["variant_id"], row["scale_order"])


def _is_too_long(found: Iterable[Reading]) -> bool:
    return any(read.reason == Reason.TEXT_TOO_LONG for read in found)
