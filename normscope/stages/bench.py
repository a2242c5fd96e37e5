"""A judge at work: what it is asked about a response, and its answers as rows."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ..datasets_builders.item import Item
from ..errors import UsageError, nearest
from ..judges.engine import Engine, LabelRequest
from ..judges.heads import absent, read_judge
from ..judges.judgement import Judgement
from ..judges.rubric import Rubric
from ..reasons import Reason
from ..run.journal import Row
from ..run.tables import KEYS


@dataclass(frozen=True, slots=True)
class Panel:
    """What is asked about every response of a benchmark: some heads of a rubric."""

    rubric: Rubric
    heads: tuple[str, ...]
    hash: str


def panel(used: Rubric, heads: tuple[str, ...]) -> Panel:
    """The heads of the rubric, each checked to be one of its own."""
    for head in heads:
        if head not in used.heads:
            told = nearest(head, list(used.heads))
            raise UsageError(f"rubric {used.name!r} has no head {head!r}; {told}")
    return Panel(used, heads, used.hash)


class Bench:
    """A judge at work: an engine, and what it is asked about each benchmark."""

    def __init__(self, engine: Engine, panels: Mapping[str, Panel], min_coverage: float) -> None:
        """`panels` by benchmark; `min_coverage` is the mass on the scale that a reading needs."""
        self._engine = engine
        self._panels = panels
        self._min_coverage = min_coverage

    def sort_key(self, item: Item, response: Row) -> tuple[str, ...]:
        """Brings together what shares a beginning: rubric, category, language, question."""
        return (item.benchmark, item.category, item.language, item.question, response["text"] or "")

    def judge(self, pairs: list[tuple[Item, Row]]) -> list[list[Row]]:
        """One row per head for each response, in their order."""
        asked: list[tuple[int, str]] = []
        requests: list[LabelRequest] = []
        for index, (item, response) in enumerate(pairs):
            if _reason_before_judging(response) is None:
                for head in self._panels[item.benchmark].heads:
                    asked.append((index, head))
                    requests.append(self._request(item, head, response["text"]))
        results = dict(zip(asked, self._engine.labels(requests), strict=True))
        return [
            [
                self._row(item, response, self._read(item, head, response, results.get((i, head))))
                for head in self._panels[item.benchmark].heads
            ]
            for i, (item, response) in enumerate(pairs)
        ]

    def _request(self, item: Item, head: str, text: str) -> LabelRequest:
        used = self._panels[item.benchmark].rubric
        prompt = used.render(
            head,
            category=item.category,
            language=item.language,
            turns=tuple((turn.role, turn.content) for turn in item.messages),
            answer=text,
        )
        scale, lead = used.heads[head].scale, used.lead(item.language)
        return LabelRequest(turns=(("user", prompt),), scale=scale, lead=lead)

    def _read(self, item: Item, head: str, response: Row, result: Any) -> Judgement:
        asked = self._panels[item.benchmark].rubric.heads[head]
        if result is None:
            reason = _reason_before_judging(response) or Reason.CALL_FAILED
            return absent(head, asked.scale, reason)
        return read_judge(head, asked, result, min_coverage=self._min_coverage)

    def _row(self, item: Item, response: Row, made: Judgement) -> Row:
        return row_of(
            response, made, judge=self._engine.name, rubric_hash=self._panels[item.benchmark].hash
        )


def row_of(response: Row, made: Judgement, *, judge: str | None, rubric_hash: str | None) -> Row:
    """The judgement as a row of `judgements.parquet`, beside the keys of its response."""
    keys = {name: response[name] for name in KEYS}
    return {**keys, "judge": judge, "rubric_hash": rubric_hash, **asdict(made)}


def item_key(row: Row | Item) -> tuple[str, ...]:
    """What ties a response or judgement to its item."""
    if isinstance(row, Item):
        return (row.benchmark, row.item_id, row.variant_id, row.scale_order)
    return (row["benchmark"], row["item_id"], row["variant_id"], row["scale_order"])


def _reason_before_judging(response: Row) -> Reason | None:
    """Why there is nothing to judge: the model did not answer, or could not be asked."""
    if response["reason"] is not None:
        return Reason(response["reason"])
    return None if (response["text"] or "").strip() else Reason.NO_ANSWER
