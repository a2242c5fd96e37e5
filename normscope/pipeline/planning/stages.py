"""The stages of a run as they will be done, planned before anybody has answered."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from ...judges.engine import Engine
from ...records import response as response_rows
from ...records.config import RunConfig
from ...records.item import Item
from ...records.item import to_table as to_items
from ...records.journal import Journal, Numbers, Row
from ...records.model_spec import ModelSpec
from ...records.provenance import BenchmarkItems
from ...records.response import Response, ResponseKey
from ...records.units import Unit, lacking
from ..inputs import OfItems
from ..judge import facts_of
from ..judge import work_of as judge_work
from ..respond import CHANNELS, REFERENCE, requested_of
from ..respond import work_of as channel_work
from ..workers import StageWork

Reply = Callable[[Item, int], str]
"""What is taken for the model's reply to an item; the number tells the replies apart."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage's work, and the units of it that are not done yet."""

    work: StageWork
    units: Sequence[Unit]

    @property
    def name(self) -> str:
        """What it is called in the journal."""
        return self.work.task.stage

    @property
    def spec(self) -> ModelSpec:
        """The model that is asked."""
        return self.work.task.spec

    @property
    def rows(self) -> int:
        """How many rows are to be done."""
        return sum(len(unit.rows) for unit in self.units)

    def do(self, engine: Engine, rows: Numbers) -> list[Row]:
        """What is kept of these rows."""
        return self.work.task.do(engine, self.work.inputs.take(rows))


def model_stages(
    items: list[Item],
    taken: Mapping[str, BenchmarkItems],
    config: RunConfig,
    journal: Journal | None = None,
) -> list[Stage]:
    """What the model under test is asked; less what the journal has, if there is one."""
    requested, table = requested_of(items, taken, config), to_items(items).combine_chunks()
    each = (channel_work(channel, items, requested, taken, config) for channel in CHANNELS)
    return [
        _stage(StageWork(work.task, work.planned, OfItems(table, work.item, work.more)), journal)
        for work in each
        if work is not None
    ]


def judge_stages(
    items: pa.Table,
    responses: pa.Table,
    benchmarks: Mapping[str, BenchmarkItems],
    config: RunConfig,
    journal: Journal | None = None,
) -> list[Stage]:
    """What the judge is asked about these responses, and what it is asked without any."""
    work = judge_work(items, responses, benchmarks, config)
    if work is None:
        return []
    judging = StageWork(work.task, work.planned, work.inputs)
    return [_stage(each, journal) for each in (judging, facts_of(work))]


def expected_responses(
    items: Sequence[Item], taken: Mapping[str, BenchmarkItems], config: RunConfig, reply: Reply
) -> pa.Table:
    """The responses of a run to what is judged, as far as they are known: texts of their place."""
    judged = {name for name, about in taken.items() if about.rubric is not None}
    expected = []
    for number, item in enumerate(items):
        if item.benchmark not in judged:
            continue
        if item.response is not None:
            expected.append(Response.to(item, item.response, model=REFERENCE))
            continue
        for each in config.replies(labelled=taken[item.benchmark].labelled):
            if each is not None:
                key = ResponseKey(*item.key, each.sample, each.temperature, "")
                expected.append(Response(key, reply(item, number + each.sample)))
    return response_rows.to_table(expected)


def _stage(work: StageWork, journal: Journal | None) -> Stage:
    units = work.planned.units if journal is None else lacking(journal, work.planned)
    return Stage(work, units)
