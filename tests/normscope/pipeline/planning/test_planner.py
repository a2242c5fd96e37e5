"""Plans of scripted models whose pace is known: what is told is what the run then takes."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from finished_runs import CONFIG, GRADED_SET, VIGNETTES, answer, reply, scripted
from undrawn import undrawn

from normscope.judges.engine import LabelRequest, LabelResult, TextRequest, TextResult
from normscope.judges.engines.choosing import Way
from normscope.judges.engines.counting import ByteCounter
from normscope.judges.engines.fake import FakeEngine
from normscope.pipeline.judge import judge
from normscope.pipeline.planning import calibration, planner
from normscope.pipeline.planning.planner import Planner
from normscope.pipeline.respond import respond
from normscope.pipeline.workers.here import Here
from normscope.progress import hidden
from normscope.records.config import RunConfig
from normscope.records.folder import opened
from normscope.records.model_spec import ModelSpec

__all__ = ["undrawn"]

PACE, PER_REPLY, LOADING = 0.0005, 0.3, 7.0
WHOLE = replace(CONFIG, limit={}, variants=("0",))
WRITTEN = RunConfig(
    benchmark=(GRADED_SET,), model=ModelSpec("model"), judge=ModelSpec("judge"), limit={"all": 200}
)


@dataclass
class Clock:
    """A clock that goes on when an engine works."""

    now: float = 0.0
    loaded: int = 0

    def __call__(self) -> float:
        return self.now


@dataclass
class Timed:
    """An engine that takes a known time: so much for each shared token, so much for a reply."""

    clock: Clock
    name: str
    languages: Sequence[str] | None = None

    @property
    def identity(self) -> dict[str, Any]:
        known = {"engine": "timed", "model": self.name, "parameters": 10, "dtype": "float32"}
        return known | {"languages": self.languages}

    def labels(self, requests: Sequence[LabelRequest]) -> list[LabelResult]:
        self.clock.now += PACE * ByteCounter().labels(requests).unique
        k = len(requests[0].scale.labels)
        return [LabelResult((-math.log(k),) * len(r.scale.labels)) for r in requests]

    def texts(self, requests: Sequence[TextRequest]) -> list[TextResult]:
        self.clock.now += PER_REPLY * len(requests)
        return [TextResult("Ask somebody whom you trust.") for _ in requests]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    clock = Clock()
    for module in (calibration, planner):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=clock, perf_counter=clock))
    with hidden():
        yield clock


def planner_of(clock: Clock, **settings: Any) -> Planner:
    def load(spec: ModelSpec) -> Timed:
        clock.now += LOADING
        clock.loaded += 1
        return Timed(clock, spec.model)

    return Planner(load, counted=lambda _: ByteCounter(), **settings)


def taken(clock: Clock, config: RunConfig, folder: Path) -> float:
    """The time of the run itself."""
    begun = clock.now
    workers = Here(lambda spec: Timed(clock, spec.model))
    with opened(folder, create=True) as run:
        respond(run, config, workers)
        judge(run, config, workers)
    return clock.now - begun


def test_the_time_is_that_of_the_run(clock: Clock, tmp_path: Path) -> None:
    config = replace(WHOLE, limit={"all": 150})
    plan = planner_of(clock).plan(config)
    assert clock.loaded == 2
    assert plan.loading is not None
    assert plan.loading.value == pytest.approx(2 * LOADING)
    assert plan.seconds is not None
    assert plan.seconds.value - 2 * LOADING == pytest.approx(
        taken(clock, config, tmp_path / "run"), rel=0.02
    )
    stages = {stage.stage: stage for stage in plan.stages}
    assert list(stages) == ["respond:labels", "judge", "judge:facts"]
    assert stages["respond:labels"].rows == 150
    assert stages["judge"].rows == 150


def test_a_calibration_is_as_long_as_it_is_said_to_be(clock: Clock) -> None:
    config = replace(WHOLE, benchmark=(VIGNETTES,), judge=None)
    plan = planner_of(clock, seconds=10.0).plan(config)
    assert clock.now - LOADING == pytest.approx(10, abs=4)
    assert plan.seconds is not None
    assert plan.seconds.value > 40
    assert plan.seconds.low is not None
    assert plan.seconds.high is not None
    assert plan.seconds.low < plan.seconds.value < plan.seconds.high


def test_several_processes_share_the_time_of_the_work_and_not_of_the_loading(clock: Clock) -> None:
    one, three = (planner_of(clock, processes=n).plan(WRITTEN) for n in (1, 3))
    first, second = (plan.stages[0].seconds for plan in (one, three))
    assert first is not None
    assert second is not None
    # of four units one of the three does two
    assert one.stages[0].units == 4
    assert second.value == pytest.approx(first.value / 2)
    # what is one unit takes no less for that the others have nothing to do
    assert three.stages[1].units == 1
    assert three.stages[1].seconds == pytest.approx(one.stages[1].seconds)
    assert one.loading is not None
    assert three.loading is not None
    assert three.loading.value == pytest.approx(one.loading.value)


def test_replies_are_timed_by_their_number_and_the_judge_is_planned_with_them(
    clock: Clock,
) -> None:
    config = replace(CONFIG, benchmark=(VIGNETTES,), channels=("text",), judge=None)
    plan = planner_of(clock).plan(config)
    (texts,) = plan.stages
    assert texts.seconds is not None
    assert texts.seconds.value == pytest.approx(66 * PER_REPLY, rel=0.1)
    # "Ask somebody whom you trust." is 28 bytes
    assert texts.written is not None
    assert texts.written.value == 66 * 7
    assert texts.most_written == 66 * config.decoding.max_new_tokens


def test_without_a_calibration_nothing_is_loaded_and_no_time_is_told(clock: Clock) -> None:
    plan = planner_of(clock, seconds=0).plan(CONFIG)
    assert clock.loaded == 0
    assert plan.seconds is None
    assert plan.bytes is None
    assert plan.tokens.value > 0
    assert any("four bytes" in text for text in plan.caveats)


def test_answers_that_nobody_has_given_are_stood_in_for(clock: Clock, small_source: Path) -> None:
    config = RunConfig(
        benchmark=("cfsafety",),
        model=ModelSpec("model"),
        judge=ModelSpec("judge"),
        source=str(small_source),
        unpinned=True,
    )
    without = planner_of(clock, seconds=0).plan(config)
    assert any("not known yet" in text for text in without.caveats)
    seen = planner_of(clock).plan(config)
    assert not any("not known yet" in text for text in seen.caveats)
    asked = {stage.stage: stage.rows for stage in seen.stages}
    assert asked == {"respond:texts": 30, "judge": 30, "judge:facts": 1}


def test_of_a_begun_run_what_is_left_is_planned(clock: Clock, tmp_path: Path) -> None:
    config, calls = replace(CONFIG, unit_items=4), iter(range(9))

    def once(request: LabelRequest) -> Any:
        if next(calls) == 4:
            raise KeyboardInterrupt
        return answer(request)

    workers = Here(lambda spec: FakeEngine(once, reply, name=spec.model))
    with opened(tmp_path / "run", create=True) as run:
        with pytest.raises(KeyboardInterrupt):
            respond(run, config, workers)
        plan = planner_of(clock, seconds=0).plan(config, run)
        stages = {stage.stage: (stage.rows, stage.all_rows) for stage in plan.stages}
        assert stages == {"respond:labels": (62, 66), "judge": (6, 6), "judge:facts": (1, 1)}
        respond(run, config, Here(scripted))
        plan = planner_of(clock, seconds=0).plan(config, run)
    assert [stage.stage for stage in plan.stages] == ["judge", "judge:facts"]


def test_what_the_judge_says_of_fixed_answers_is_timed_by_itself_where_nothing_else_is_left(
    clock: Clock, tmp_path: Path
) -> None:
    taken(clock, CONFIG, tmp_path / "run")
    journal = tmp_path / "run/journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(line for line in lines if '"judge:facts"' not in line))
    with opened(tmp_path / "run") as run:
        plan = planner_of(clock).plan(CONFIG, run)
    (facts,) = plan.stages
    assert facts.stage == "judge:facts"
    assert facts.seconds is not None
    assert facts.seconds.value > 0


def test_rows_of_which_nothing_is_asked_take_no_time(clock: Clock) -> None:
    def load(spec: ModelSpec) -> Timed:
        return Timed(clock, spec.model, languages=["zh"])

    plan = Planner(load, counted=lambda _: ByteCounter()).plan(WRITTEN)
    whole = planner_of(clock).plan(WRITTEN)
    assert plan.seconds is not None
    assert whole.seconds is not None
    # half of the graded answers are in English
    taken_by_judge, by_whole = (p.stages[0].seconds for p in (plan, whole))
    assert taken_by_judge is not None
    assert by_whole is not None
    assert 0.3 * by_whole.value < taken_by_judge.value < 0.7 * by_whole.value


def test_it_can_be_planned_with_the_scripted_engine_as_it_is() -> None:
    with hidden():
        plan = Planner(scripted, counted=lambda _: ByteCounter()).plan(CONFIG)
    assert plan.items == {VIGNETTES: 6, GRADED_SET: 6}
    assert plan.bytes is not None
    assert plan.bytes > 0


def test_what_prompts_begin_with_is_counted_once_unless_they_stand_in_padded_rows() -> None:
    once = {way for way in Way if planner._shares({"batching": str(way)})}
    assert once == {Way.TREE, Way.CARRIED}
