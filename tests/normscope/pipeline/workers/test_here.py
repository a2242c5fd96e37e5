"""Several processes share the units of a run: the result is that of one, whatever becomes of them.

Processes are threads here where only what they do to the folder matters; locks of the system are
of an opened file, not of a process.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from finished_runs import CONFIG, answer, judged_row, reply, scripted

from normscope.errors import ModelError, RunError
from normscope.judges.engine import Engine, LabelRequest, LabelResult
from normscope.judges.engines.fake import FakeEngine
from normscope.launch import Launch
from normscope.pipeline.judge import judge
from normscope.pipeline.respond import respond
from normscope.pipeline.stage import Order
from normscope.pipeline.workers.here import sharing, work_for
from normscope.records.folder import opened
from normscope.records.integrity import JUDGEMENTS, JUDGING, RESPONSES
from normscope.records.model_spec import ModelSpec
from normscope.records.processes import LAUNCH
from normscope.records.settings import Settings

SMALL = replace(CONFIG, unit_items=4)
Load = Callable[[ModelSpec], Engine]


def asked(folder: Path, load: Load, *, count: int = 1, config: Settings = SMALL) -> Path:
    """The run's first two stages by the first of so many processes."""
    with (
        opened(folder, create=True) as run,
        sharing(folder, load, Launch(0, count)) as workers,
    ):
        respond(run, config, workers)
        judge(run, config, workers)
    return folder


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same in one process."""
    folder = tmp_path_factory.mktemp("runs") / "alone"
    with opened(folder, create=True) as run:
        judged_row(run, SMALL)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    names = (RESPONSES, JUDGEMENTS, JUDGING, "config.yaml")
    return {name: (folder / name).read_bytes() for name in names}


class Counting:
    """Engines that note what they were asked; the first one's waits until another's was."""

    def __init__(self, *, alone: bool = False) -> None:
        self.by_rank: dict[int, list[LabelRequest]] = {}
        self.others = threading.Event()
        if alone:
            self.others.set()

    def loading(self, rank: int) -> Load:
        mine = self.by_rank.setdefault(rank, [])

        def on_labels(request: LabelRequest) -> LabelResult:
            if rank == 0:
                assert self.others.wait(20)
            else:
                self.others.set()
            mine.append(request)
            result: LabelResult = answer(request)
            return result

        return lambda spec: FakeEngine(on_labels, reply, name=spec.model)


@contextmanager
def helping(folder: Path, *loads: Load) -> Iterator[list["Future[None]"]]:
    """The other processes of a launch; the block is the first one's."""
    with ThreadPoolExecutor(len(loads)) as pool:
        yield [
            pool.submit(work_for, folder, load, Launch(rank, len(loads) + 1))
            for rank, load in enumerate(loads, start=1)
        ]


def test_three_processes_share_the_units_and_make_the_run_that_one_makes(
    alone: Path, tmp_path: Path
) -> None:
    engines, folder = Counting(), tmp_path / "run"
    with helping(folder, engines.loading(1), engines.loading(2)) as others:
        asked(folder, engines.loading(0), count=3)
    assert [other.result() for other in others] == [None, None]
    assert files(folder) == files(alone)
    # nothing is asked twice, and nobody is left without work
    one = Counting(alone=True)
    asked(tmp_path / "one", one.loading(0))
    requests = chain.from_iterable(engines.by_rank.values())
    assert sorted(map(repr, requests)) == sorted(map(repr, one.by_rank[0]))
    assert engines.by_rank[0]
    assert engines.by_rank[1] + engines.by_rank[2]
    assert not (folder / LAUNCH).exists()


def test_a_worker_that_fails_ends_alone_and_its_unit_is_done_by_another(
    alone: Path, tmp_path: Path
) -> None:
    engines, folder = Counting(), tmp_path / "run"

    def broken(spec: ModelSpec) -> FakeEngine:
        def on_labels(_: LabelRequest) -> LabelResult:
            engines.others.set()
            raise RunError("out of order")

        return FakeEngine(on_labels, reply, name=spec.model)

    with helping(folder, broken) as others:
        asked(folder, engines.loading(0), count=2)
    assert files(folder) == files(alone)
    with pytest.raises(RunError, match="out of order"):
        others[0].result()


class Killed(BaseException):
    """The process is gone: nothing is cleaned up."""


def killed_after(units: int) -> Load:
    """Engines whose process dies in the unit after so many."""
    left = iter(range(units))

    class Mortal(FakeEngine):
        def labels(self, requests: Sequence[LabelRequest]) -> list[LabelResult]:
            if next(left, None) is None:
                raise Killed
            return super().labels(requests)

    return lambda spec: Mortal(answer, reply, name=spec.model)


def test_what_was_finished_before_the_driver_was_killed_is_not_done_again(
    alone: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    with pytest.raises(Killed):
        asked(folder, killed_after(5))
    # what it left of the launch tells nobody anything
    (folder / LAUNCH).mkdir()
    (folder / LAUNCH / "rank-1").touch()
    rest = Counting(alone=True)
    asked(folder, rest.loading(0))
    one = Counting(alone=True)
    asked(tmp_path / "one", one.loading(0))
    # five units of four prompts
    assert len(rest.by_rank[0]) == len(one.by_rank[0]) - 20
    assert files(folder) == files(alone)
    assert not (folder / LAUNCH).exists()


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ({"packages": {"normscope": "9.9"}}, r"other versions .*normscope: .* here, 9\.9 there"),
        ({"identity": {"engine": "cuda"}}, "compute otherwise .*engine: fake here, cuda there"),
    ],
)
def test_a_process_that_would_do_otherwise_says_in_what(
    other: dict[str, Any], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order_of = Order.of

    def of(*given: Any) -> Order:
        return replace(order_of(*given), **other)

    monkeypatch.setattr(Order, "of", of)
    with helping(tmp_path, scripted) as others, pytest.raises(RunError, match=expected):
        asked(tmp_path, lambda spec: waiting(spec, others[0]))


def waiting(spec: ModelSpec, other: "Future[None]") -> FakeEngine:
    """An engine that goes on when the other process has ended, with its error."""

    def on_labels(_: LabelRequest) -> LabelResult:
        other.result(20)
        raise AssertionError("the other process has not refused")

    return FakeEngine(on_labels, reply, name=spec.model)


def test_a_model_that_no_process_can_load_does_not_end_those_that_wait_for_the_next(
    alone: Path, tmp_path: Path
) -> None:
    def loading(spec: ModelSpec) -> Engine:
        if spec.model == "gone":
            raise ModelError("it is gone")
        engine: Engine = scripted(spec)
        return engine

    folder = tmp_path / "run"
    with helping(folder, loading) as others, opened(folder, create=True) as run:  # noqa: SIM117
        with sharing(folder, loading, Launch(0, 2)) as workers:
            with pytest.raises(ModelError, match="it is gone"):
                workers.engine(ModelSpec("gone"))
            respond(run, SMALL, workers)
            judge(run, SMALL, workers)
    assert others[0].result() is None
    assert files(folder) == files(alone)
