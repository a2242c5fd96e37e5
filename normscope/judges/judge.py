"""A judge: an engine that is asked a rubric's questions about items and responses to them.

The one loop in which judgements are made, for a run, a file, a check of the judge, a Space and
Python alike: units of work planned from the whole input, kept in a journal where there is one.

An answer that is too long for the judge's context is judged in overlapping windows. It is halved
until each part fits, whatever the engine: no tokenizer is needed to know where. Parts meet in the
middle and are read with a margin on either side, so that what stands at a seam is read whole once;
a margin ends where a paragraph, a sentence or a word ends, if one ends near.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from itertools import chain, islice, product
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa

from ..errors import UsageError
from ..reasons import Reason
from ..records.item import Item
from ..records.journal import PLACE, ROW, Journal, Unit
from ..records.judgement import SCHEMA, Judgement, Source
from ..records.judgements import counting
from ..records.model_spec import ModelSpec
from ..records.response import Response
from ..records.settings import Channel, Settings
from ..records.tables import from_table, to_table
from ..records.units import groups, in_order, work_off
from .distribution import Distribution, distributions, judgement_of, verdicts, worst
from .engine import (
    Engine,
    lanes_of,
    served_by,
)
from .rubric import Criterion, Questions, Rubric

LabelOrders = Literal["given", "both"]
SOURCES: Mapping[Channel, Source] = {"labels": Source.JUDGE_LOGITS, "text": Source.JUDGE_TEXT}
"""Who speaks in each of a judge's channels."""

STAGE = "judge"

LEAST = 200
"""A window of fewer characters is not halved: then it is not the answer that is too long."""

# a margin's least and greatest share of the part's length
_NEAR, _FAR = 0.04, 0.2
_ENDS = tuple(
    re.compile(pattern)
    for pattern in (r"\n\s*\n\s*", r"\n\s*", r"[.!?…]+[\"'”’)]*\s+|[。！？；…]+[”’」』）]*", r"\s+")
)
_LEFT_OUT = "[…]"

Pair = tuple[Item, Response]
"""An item and a response to it."""


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a text, from `low` to below `high`; the margins come on top."""

    low: int
    high: int

    def of(self, text: str) -> str:
        """The part as the judge is shown it, with a mark where something was left out.

        >>> Window(4, 7).of("one two three")
        '[…] two […]'
        """
        low, high = self.with_margins(text)
        before = f"{_LEFT_OUT} " if low else ""
        after = f" {_LEFT_OUT}" if high < len(text) else ""
        return f"{before}{text[low:high].strip()}{after}"

    def with_margins(self, text: str) -> tuple[int, int]:
        """Where what the judge is shown begins, and where it ends."""
        near, far = (round((self.high - self.low) * share) for share in (_NEAR, _FAR))
        low, high = max(0, self.low - far), min(len(text), self.high + far)
        return (
            _first_end(text, low, self.low - near) if self.low else 0,
            _last_end(text, self.high + near, high) if self.high < len(text) else high,
        )

    def halves(self) -> tuple["Window", "Window"] | None:
        """The two parts of the window; null where it is too short for that."""
        if self.high - self.low < LEAST:
            return None
        middle = (self.low + self.high) // 2
        return Window(self.low, middle), Window(middle, self.high)


class Work(NamedTuple):
    """How a judge's work is kept: in which journal, under which stage, in units of which size.

    Without a journal nothing is kept.
    """

    journal: Journal | None
    stage: str = STAGE
    unit_items: int = 64


@dataclass(frozen=True, slots=True)
class LoadedJudge:
    """An engine, and what it is asked about each benchmark.

    `min_coverage` is the mass on the scale that a judgement needs. With `label_orders` both, every
    criterion is asked with its labels in both orders, and the distributions are averaged. In the
    channel text the judge writes its verdict, asked with the labels as given, and a rule reads it.
    """

    engine: Engine
    questions: Mapping[str, Questions]
    min_coverage: float
    label_orders: LabelOrders = "given"
    channels: tuple[Channel, ...] = ("labels",)

    def __post_init__(self) -> None:
        """Refuses what cannot be asked of a guard, and another chat template than its file's."""
        for rubric in {each.hash: each.rubric for each in self.questions.values()}.values():
            if (guard := rubric.guard) is None:
                continue
            if self.label_orders == "both":
                raise UsageError(
                    f"{rubric.name} has no labels to reverse: --set label_orders=given"
                )
            if guard.text_only and "labels" in self.channels:
                raise UsageError(
                    f"{rubric.name} reasons before its verdict: --set judge_channels=text"
                )
            there = self.engine.identity.get("chat_template")
            if guard.template and guard.template != there:
                raise UsageError(
                    f"{rubric.name} was written for the chat template {guard.template[:12]}, and "
                    f"{self.engine.name!r} has {str(there)[:12]}: see that its fields are the "
                    "same, and name the new hash in a file of your own (--rubric FILE)"
                )

    @property
    def counting(self) -> "LoadedJudge":
        """The judge asked in one channel, the one that counts where it is asked in both."""
        return replace(self, channels=(counting_channel(self.channels),))

    def judge(self, pairs: Sequence[Pair], work: Work | None = None) -> list[tuple[Judgement, ...]]:
        """A judgement per channel and criterion for each response, in their order.

        The windows of a long answer are the same ones for every criterion, and the worst one
        counts. Where not even the question fits, the response is unscored. Without `work` all is
        one unit, and nothing is kept.
        """
        if work is None:
            return self._judge_unit(pairs)

        def do(inputs: pa.Table) -> pa.Table:
            return judged_table(
                self._judge_unit([pairs[at] for at in inputs["number"].to_pylist()])
            )

        order = in_order([sort_key(*pair) for pair in pairs])
        units = (
            Unit(rows, np.zeros(len(rows), np.uint64), pa.table({"number": rows}))
            for rows in groups(order, size=work.unit_items)
        )
        opened = closing(Journal(None)) if work.journal is None else nullcontext(work.journal)
        with opened as journal:
            work_off(
                journal,
                work.stage,
                units,
                do,
                label=work.stage,
                served=served_by(self.engine),
                lanes=lanes_of(self.engine),
            )
            return judgements_of(journal.tables(work.stage), len(pairs))

    def ask(self, about: Sequence[tuple[Item, str]]) -> list[tuple[Distribution, ...]]:
        """The distribution of each channel and criterion about each item and answer, blank too."""
        by_channel = [
            (self._ask_labels if channel == "labels" else self._ask_text)(about)
            for channel in self.channels
        ]
        return [tuple(chain(*several)) for several in zip(*by_channel, strict=True)]

    def criteria(self, benchmark: str) -> Mapping[str, Criterion]:
        """The criteria that are asked about a benchmark, by name."""
        return self.questions[benchmark].criteria

    def _judge_unit(self, pairs: Sequence[Pair]) -> list[tuple[Judgement, ...]]:
        """The judgements of a unit, all windows of a size in one call of the engine."""
        read: dict[int, list[tuple[Window, tuple[Distribution, ...]]]] = {}
        probed: set[int] = set()
        pending = [
            (index, Window(0, len(response.text or "")))
            for index, (item, response) in enumerate(pairs)
            if self._reason_before_judging(item, response) is None
        ]
        while pending:
            texts = [(pairs[index][0], pairs[index][1].text or "") for index, _ in pending]
            about = [
                (item, window.of(text))
                for (item, text), (_, window) in zip(texts, pending, strict=True)
            ]
            again: list[tuple[int, Window]] = []
            for (index, window), result in zip(pending, self.ask(about), strict=True):
                halves = window.halves() if _is_too_long(result) else None
                if halves is None:
                    read.setdefault(index, []).append((window, result))
                else:
                    again += [(index, half) for half in halves]
            hopeless = self._hopeless(pairs, {index for index, _ in again} - probed)
            probed |= {index for index, _ in again}
            for index, result in hopeless.items():
                read[index] = [(Window(0, 0), result)]
            pending = [(index, half) for index, half in again if index not in hopeless]
        return [
            tuple(self._judgements(*pair, read.get(index, []))) for index, pair in enumerate(pairs)
        ]

    def _ask_labels(self, about: Sequence[tuple[Item, str]]) -> list[tuple[Distribution, ...]]:
        orders = (False, True) if self.label_orders == "both" else (False,)
        questions = [self.questions[item.benchmark] for item, _ in about]
        requests = [
            each.label_requests(*pair, orders=orders)
            for each, pair in zip(questions, about, strict=True)
        ]
        results = iter(self.engine.labels([*chain(*requests)]))
        return [
            distributions(each, [*islice(results, len(several))])
            for each, several in zip(questions, requests, strict=True)
        ]

    def _ask_text(self, about: Sequence[tuple[Item, str]]) -> list[tuple[Distribution, ...]]:
        questions = [self.questions[item.benchmark] for item, _ in about]
        requests = [each.text_requests(*pair) for each, pair in zip(questions, about, strict=True)]
        results = iter(self.engine.texts([*chain(*requests)]))
        return [
            verdicts(each, [*islice(results, len(several))])
            for each, several in zip(questions, requests, strict=True)
        ]

    def _hopeless(
        self, pairs: Sequence[Pair], indices: Iterable[int]
    ) -> dict[int, tuple[Distribution, ...]]:
        """Those whose question alone is too long: shortening the answer would not help."""
        tried = sorted(indices)
        results = self.ask([(pairs[index][0], "") for index in tried]) if tried else []
        return {i: result for i, result in zip(tried, results, strict=True) if _is_too_long(result)}

    def _judgements(
        self,
        item: Item,
        response: Response,
        read: list[tuple[Window, tuple[Distribution, ...]]],
    ) -> Iterator[Judgement]:
        windows = [
            distributions for _, distributions in sorted(read, key=lambda window: window[0].low)
        ]
        before = self._reason_before_judging(item, response) or Reason.CALL_FAILED
        criteria = product(self.channels, self.criteria(item.benchmark).items())
        for at, (channel, (name, criterion)) in enumerate(criteria):
            yield judgement_of(
                worst(criterion, [distributions[at] for distributions in windows])
                # nothing was read: the response's own reason, or a call that failed
                if windows
                else Distribution(None, None, reason=before),
                name,
                criterion,
                key=response.key,
                source=SOURCES[channel],
                min_coverage=self.min_coverage,
                windows=max(1, len(windows)),
                judge=self.engine.name,
                rubric_hash=self.questions[item.benchmark].hash,
            )

    def _reason_before_judging(self, item: Item, response: Response) -> Reason | None:
        """Why there is nothing to judge, or why this judge must not: it does not know the language.

        A judge that was made for some languages says so in its identity; others are asked in all.
        """
        if response.reason is not None:
            return response.reason
        if not (response.text or "").strip():
            return Reason.NO_ANSWER
        languages = languages_of(self.engine, self.questions[item.benchmark].rubric)
        covered = languages is None or item.language in languages
        return None if covered else Reason.LANGUAGE_NOT_COVERED


def languages_of(engine: Engine, rubric: Rubric) -> Sequence[str] | None:
    """The languages that a judge was made for, by itself or by a guard's file; null if any."""
    own: Sequence[str] | None = engine.identity.get("languages")
    return own or (rubric.guard.languages if rubric.guard else None)


def counting_channel(channels: Iterable[Channel]) -> Channel:
    """Of the judge's channels the one that counts (`records.judgements`).

    >>> counting_channel(("labels", "text"))
    'labels'
    """
    by_source = {str(SOURCES[channel]): channel for channel in channels}
    return by_source[counting(by_source)]


def judge_of(config: Settings, benchmarks: Iterable[str] = ()) -> ModelSpec:
    """The judge that the configuration names; a `UsageError` where the benchmarks lack one."""
    if config.judge is None:
        names = ", ".join(benchmarks)
        lacks = f"{names} needs a judge" if names else "no judge is named"
        raise UsageError(f"{lacks}: --judge PATH_OR_HUB_ID")
    return config.judge


_ROWS = SCHEMA.append(pa.field("order_shift", pa.float64()))
"""The columns of judgements as they are kept in a journal."""


def judged_table(judged: Sequence[tuple[Judgement, ...]]) -> pa.Table:
    """The judgements of a unit's rows as a journal keeps them."""
    rows = np.repeat(np.arange(len(judged), dtype=np.int32), [*map(len, judged)])
    return to_table(chain(*judged), _ROWS).append_column(ROW, pa.array(rows))


def judgements_of(tables: Iterable[pa.Table], count: int) -> list[tuple[Judgement, ...]]:
    """The judgements that the journal has of so many rows, each at its row's place."""
    result: list[tuple[Judgement, ...]] = [()] * count
    for table in tables:
        judgements = from_table(table, Judgement)
        for place, each in zip(table[PLACE].to_pylist(), judgements, strict=True):
            result[place] += (each,)
    return result


def sort_key(item: Item, response: Response) -> tuple[str, ...]:
    """Brings together what shares a beginning: rubric, category, language, question."""
    return (item.benchmark, item.category, item.language, item.question, response.text or "")


def _is_too_long(distributions: Iterable[Distribution]) -> bool:
    return any(each.reason == Reason.TEXT_TOO_LONG for each in distributions)


def _last_end(text: str, low: int, high: int) -> int:
    """The last place between the two where something ends: the greatest thing that does."""
    for end in _ENDS:
        if places := [result.end() for result in end.finditer(text, low, high)]:
            return places[-1]
    return high


def _first_end(text: str, low: int, high: int) -> int:
    for end in _ENDS:
        if result := end.search(text, low, high):
            return result.end()
    return low
