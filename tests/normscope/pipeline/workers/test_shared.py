"""A stage done by way of a store: published, finished by somebody, merged as if done here."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from finished_runs import CONFIG, finished_run, scripted

from normscope.api.workers import at_work
from normscope.files import typed
from normscope.judges.engine import Engine, LabelRequest, LabelResult
from normscope.judges.engines.fake import FakeEngine
from normscope.pipeline.inputs import Inputs, OfItems, Whole
from normscope.pipeline.judge import judge
from normscope.pipeline.respond import respond
from normscope.pipeline.tasks import task_of
from normscope.pipeline.workers import Keep, StageWork, Workers
from normscope.pipeline.workers.shared import SharedStage
from normscope.pipeline.workers.worker import Published, finish
from normscope.records.folder import opened
from normscope.records.integrity import UNITS
from normscope.records.model_spec import ModelSpec
from normscope.records.settings import Settings
from normscope.records.unit_store import Part, UnitStore
from normscope.records.units import Unit

TABLES = ("items.parquet", "responses.parquet", "judgements.parquet", "judging.json")


def work_off(part: Part) -> None:
    """What another process does of a stage, which knows the part alone."""
    task = task_of(typed(Published, part.task()).task)
    for parcel in part.parcels():
        finish(part, task, scripted(task.spec), parcel)


@dataclass
class ByStore:
    """Workers that do everything by way of a store; `meanwhile` happens before it is merged."""

    store: UnitStore
    meanwhile: Callable[[Part, str], None] = lambda _part, _stage: None

    def engine(self, spec: ModelSpec) -> Engine:
        engine: Engine = scripted(spec)
        return engine

    def work(self, work: StageWork, engine: Engine, units: Sequence[Unit], keep: Keep) -> None:
        shared = SharedStage.published(self.store, work, engine, units, keep)
        while shared.open:
            work_off(shared.part)
            self.meanwhile(shared.part, work.task.stage)
            shared.absorb()
        shared.remove()


def row(folder: Path, workers: Workers, config: Settings = CONFIG) -> dict[str, bytes]:
    with opened(folder, create=True) as run:
        for stage in (respond, judge):
            stage(run, config, workers)
    return {name: (folder / name).read_bytes() for name in TABLES}


@pytest.fixture
def store(tmp_path: Path) -> UnitStore:
    return UnitStore(tmp_path / "units")


@pytest.fixture(scope="module")
def done_here(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = finished_run(tmp_path_factory.mktemp("runs") / "here")
    return {name: (folder / name).read_bytes() for name in TABLES}


def test_what_was_finished_for_it_is_merged_by_a_process_that_goes_on_alone(
    tmp_path: Path, done_here: dict[str, bytes]
) -> None:
    run = tmp_path / "run"
    finished: set[str] = set()

    def killed(part: Part, _: str) -> None:
        finished.update(part.done())
        raise KeyboardInterrupt

    whole = UnitStore(run / UNITS)
    with pytest.raises(KeyboardInterrupt):
        row(run, ByStore(whole, killed))
    asked: list[str] = []

    def load(spec: ModelSpec) -> FakeEngine:
        engine: FakeEngine = scripted(spec)

        def noted(request: LabelRequest) -> LabelResult:
            asked.append(spec.model)
            return before(request)

        before, engine.on_labels = engine.on_labels, noted
        return engine

    with at_work(run, load) as workers:
        assert row(run, workers) == done_here
    assert finished
    assert CONFIG.model is not None
    assert CONFIG.model.model not in asked
    assert not (run / UNITS).exists()


def test_what_was_finished_is_merged_where_less_goes_through_the_model_at_once(
    store: UnitStore, tmp_path: Path
) -> None:
    def killed(_: Part, stage: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        row(tmp_path / "run", ByStore(store, killed))
    less = replace(CONFIG, model=ModelSpec("model", pack_tokens=512))
    first = iter([True])

    def other(_: Part, stage: str) -> None:
        assert not (stage == "respond:labels" and next(first, False))

    row(tmp_path / "run", ByStore(store, other), less)


@pytest.mark.parametrize("is_killed", [False, True])
def test_units_that_come_late_of_another_run_are_not_taken_for_ours(
    store: UnitStore, tmp_path: Path, is_killed: bool
) -> None:
    other = replace(CONFIG, model=ModelSpec("other"))
    expected = row(tmp_path / "alone", ByStore(UnitStore(tmp_path / "none")), other)
    late: list[tuple[Part, str, str, bytes]] = []

    def note(part: Part, stage: str) -> None:
        late.extend(
            (part, stage, unit, line) for unit in part.done() for line in part.lines([unit])
        )
        if is_killed and stage == "judge":
            raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        row(tmp_path / "run", ByStore(store, note))
    # a machine that was thought lost finishes the same units once more
    for part, _, unit, line in late:
        part.put(unit, line)
    assert {stage for _, stage, _, _ in late} >= {"respond:labels", "judge"}
    # prompts, and the judge and its texts, are the same: so are the names of the units
    assert row(tmp_path / "other", ByStore(store), other) == expected


def test_inputs_are_told_apart_by_all_that_is_in_them() -> None:
    items, more = pa.table({"question": ["a", "b"]}), pa.table({"text": ["No.", "No."]})
    inputs = OfItems(items, np.array([0, 1]), more)
    others = [
        replace(inputs, items=pa.table({"question": ["a", "c"]})),
        replace(inputs, item=np.array([1, 0])),
        replace(inputs, more=pa.table({"text": ["No.", "Yes."]})),
    ]
    several: list[Inputs] = [inputs, *others, Whole(items), Whole(more)]
    contents = [each.content() for each in several]
    assert len({*contents}) == len(contents)
    # in how many pieces a table is in memory, tells nothing
    pieces = pa.concat_tables([items.slice(0, 1), items.slice(1)])
    assert replace(inputs, items=pieces.combine_chunks()).content() == contents[0]
