"""A stage done by way of a store: published, finished by somebody, merged as if done here."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from finished_runs import CONFIG, finished_run, scripted

from normscope.api.workers import at_work
from normscope.errors import RunError
from normscope.files import typed
from normscope.judges.engine import Engine, LabelRequest, LabelResult
from normscope.judges.engines.fake import FakeEngine
from normscope.pipeline.judge import judge
from normscope.pipeline.respond import respond
from normscope.pipeline.tasks import task_of
from normscope.pipeline.workers import Keep, StageWork, Workers
from normscope.pipeline.workers.shared import SharedStage
from normscope.pipeline.workers.worker import Published, check_identity, check_versions, finish
from normscope.records.config import RunConfig
from normscope.records.folder import opened
from normscope.records.integrity import UNITS
from normscope.records.model_spec import ModelSpec
from normscope.records.unit_store import UnitStore
from normscope.records.units import Unit

TABLES = ("items.parquet", "responses.parquet", "judgements.parquet", "judging.json")


def worked(store: UnitStore, stage: str) -> int:
    """What another process does of a stage, which knows the store alone; how many units it did."""
    published = typed(Published, store.task(stage))
    task = task_of(published.task)
    before = store.done(stage)
    for parcel in store.parcels(stage):
        finish(store, task, scripted(task.spec), parcel)
    return len(store.done(stage) - before)


@dataclass
class ByStore:
    """Workers that do everything by way of a store; `meanwhile` happens before it is merged."""

    store: UnitStore
    meanwhile: Callable[[UnitStore, str], None] = lambda _store, _stage: None

    def engine(self, spec: ModelSpec) -> Engine:
        engine: Engine = scripted(spec)
        return engine

    def work(self, work: StageWork, engine: Engine, units: Sequence[Unit], keep: Keep) -> None:
        shared = SharedStage.published(self.store, work, engine, units, keep)
        while shared.open:
            worked(self.store, work.task.stage)
            self.meanwhile(self.store, work.task.stage)
            shared.absorb()
        shared.remove()


def row(folder: Path, workers: Workers, config: RunConfig = CONFIG) -> dict[str, bytes]:
    with opened(folder, create=True) as run:
        for stage in (respond, judge):
            stage(run, config, workers)
    return {name: (folder / name).read_bytes() for name in TABLES}


@pytest.fixture
def store(tmp_path: Path) -> UnitStore:
    return UnitStore.open(str(tmp_path / "units"))


@pytest.fixture(scope="module")
def done_here(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = finished_run(tmp_path_factory.mktemp("runs") / "here")
    return {name: (folder / name).read_bytes() for name in TABLES}


def test_the_tables_are_those_of_one_process(
    store: UnitStore, tmp_path: Path, done_here: dict[str, bytes]
) -> None:
    assert row(tmp_path / "run", ByStore(store)) == done_here
    assert store.stages() == []


def test_a_finished_unit_that_is_damaged_is_done_again(
    store: UnitStore, tmp_path: Path, done_here: dict[str, bytes]
) -> None:
    damaged = set()

    def damage(store: UnitStore, stage: str) -> None:
        if stage not in damaged:
            unit = min(store.done(stage))
            store.put(stage, unit, next(store.lines(stage, [unit]))[:-20])
            damaged.add(stage)

    assert row(tmp_path / "run", ByStore(store, damage)) == done_here
    assert "judge" in damaged


def test_what_was_finished_for_a_driver_that_was_killed_is_merged_by_the_next(
    store: UnitStore, tmp_path: Path, done_here: dict[str, bytes]
) -> None:
    def killed(_: UnitStore, stage: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        row(tmp_path / "run", ByStore(store, killed))
    (stage,) = store.stages()
    finished = store.done(stage)
    done_again: list[str] = []

    def note(store: UnitStore, of_stage: str) -> None:
        if of_stage == stage:
            done_again.extend(store.done(of_stage) - finished)

    assert row(tmp_path / "run", ByStore(store, note)) == done_here
    assert finished
    assert done_again == []


@pytest.mark.parametrize("part", ["", "other", "of this task"])
def test_what_was_finished_for_it_is_merged_by_a_process_that_goes_on_alone(
    tmp_path: Path, done_here: dict[str, bytes], part: str
) -> None:
    run = tmp_path / "run"
    finished: set[str] = set()

    def killed(store: UnitStore, stage: str) -> None:
        finished.update(store.done(stage))
        raise KeyboardInterrupt

    whole = UnitStore.open(str(run / UNITS))
    with pytest.raises(KeyboardInterrupt):
        row(run, ByStore(whole.part(part) if part else whole, killed))
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


def test_units_of_another_task_are_not_taken_for_ours(store: UnitStore, tmp_path: Path) -> None:
    def killed(_: UnitStore, stage: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        row(tmp_path / "run", ByStore(store, killed))
    other = replace(CONFIG, model=ModelSpec("other"))
    with pytest.raises(RunError, match=r"another task \(the stage 'respond:labels', spec.model\)"):
        row(tmp_path / "other", ByStore(store), other)
    # how much goes through the model at once may change when a run goes on
    larger = replace(CONFIG, model=ModelSpec("model", pack_tokens=2048))
    row(tmp_path / "run", ByStore(store), larger)


def test_a_worker_with_another_version_or_device_does_nothing() -> None:
    with pytest.raises(RunError, match=r"other versions .*normscope: 0\.\S+ here, 9\.9 there"):
        check_versions({"normscope": "9.9"})
    check_identity({"device": "cpu", "batch": (1, 2)}, {"device": "cpu", "batch": [1, 2]})
    with pytest.raises(RunError, match="device: cpu here, cuda there"):
        check_identity({"device": "cuda"}, {"device": "cpu"})
