"""Units done by a real cluster of two machines, of which workers and a machine are lost."""

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest
from ray_cluster import TwoMachines, two_machines

from normscope.errors import NormscopeError, RunError, UsageError
from normscope.judges.engines import load
from normscope.launch import Launch
from normscope.pipeline.judge import judge
from normscope.pipeline.respond import respond
from normscope.pipeline.workers import cluster as cluster_module
from normscope.pipeline.workers.cluster import clustered
from normscope.pipeline.workers.here import Here
from normscope.pipeline.workers.processes import sharing
from normscope.pipeline.workers.shared import SharedStage
from normscope.records.cluster import ClusterSettings
from normscope.records.folder import opened
from normscope.records.integrity import UNITS
from normscope.records.model_spec import ModelSpec
from normscope.records.settings import Settings
from normscope.records.unit_store import UnitStore

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(900)]

VIGNETTES, GRADED_SET = "ci-vignettes:coppa", "safety-gradient"
TABLES = ("items.parquet", "responses.parquet", "judgements.parquet", "judging.json")


@pytest.fixture(scope="module")
def machines() -> Iterator[TwoMachines]:
    with two_machines() as cluster:
        yield cluster


def on(machines: TwoMachines, **more: Any) -> ClusterSettings:
    return ClusterSettings(machines.address, **more)


def row(folder: Path, config: Settings, cluster: ClusterSettings | None = None) -> dict[str, bytes]:
    """The tables of a run, made here or on the cluster."""
    at_work = clustered(cluster, folder) if cluster else nullcontext(Here(load))
    with opened(folder, create=True) as run, at_work as workers:
        respond(run, config, workers)
        if config.judge is not None:
            judge(run, config, workers)
    return tables(folder)


def tables(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in TABLES if (folder / name).exists()}


class Meanwhile:
    """Does things while units come to be done, each when so many are there."""

    def __init__(self, folder: Path, *what: tuple[int, Callable[[], object]]) -> None:
        """The folder is the run's."""
        self._store = UnitStore(folder / UNITS)
        self._left = sorted(what, key=lambda each: each[0])
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> "Meanwhile":
        self._thread.start()
        return self

    def __exit__(self, _: object, error: object, __: object) -> None:
        self._over.set()
        self._thread.join()
        assert error is not None or not self._left, "the run was over before all had happened"

    def _watch(self) -> None:
        while self._left and not self._over.wait(0.2):
            parts = self._store.parts()
            done = sum(len(part.done()) for part in parts)
            while self._left and done >= self._left[0][0]:
                _, do = self._left.pop(0)
                do()


def kill_an_actor(machines: TwoMachines, chance: random.Random) -> None:
    for process in chance.sample(alive := machines.actors(), min(1, len(alive))):
        process.kill()


def test_a_judge_on_the_cluster_gives_the_same_judgements(
    machines: TwoMachines, tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = Settings(
        benchmark=(GRADED_SET,),
        judge=ModelSpec(str(tiny_model)),
        limit={"all": 24},
        unit_items=4,
    )
    here = row(tmp_path / "here", config)
    folder = tmp_path / "cluster"
    capfd.readouterr()
    assert row(folder, config, on(machines)) == here
    # the driver says how the judge computes, and no machine repeats it
    assert capfd.readouterr().err.count(f"{tiny_model}: prefix tree") == 1


def test_units_may_lie_in_another_folder(
    machines: TwoMachines, tiny_model: Path, tmp_path: Path
) -> None:
    config = Settings(
        benchmark=(VIGNETTES,), model=ModelSpec(str(tiny_model)), limit={"all": 10}, unit_items=4
    )
    here = row(tmp_path / "here", config)
    folder = tmp_path / "cluster"
    units = tmp_path / "units"
    assert row(folder, config, on(machines, units=str(units))) == here
    assert UnitStore(units).parts() == []


def test_what_processes_of_a_launch_have_finished_is_merged_by_a_cluster(
    machines: TwoMachines, tiny_model: Path, tmp_path: Path
) -> None:
    config = Settings(
        benchmark=(VIGNETTES,), model=ModelSpec(str(tiny_model)), limit={"all": 10}, unit_items=4
    )
    here = row(tmp_path / "here", config)
    folder = tmp_path / "run"

    def killed(shared: SharedStage) -> int:
        if shared.part.done():
            raise KeyboardInterrupt
        return 0

    with opened(folder, create=True) as run, pytest.MonkeyPatch.context() as patch:
        # the driver is gone when one of its own units is done
        patch.setattr(SharedStage, "absorb", killed)
        with suppress(KeyboardInterrupt), sharing(folder / UNITS, load, Launch()) as workers:
            respond(run, config, workers)
    (part,) = UnitStore(folder / UNITS).parts()
    (unit,) = part.done()
    (line,) = part.lines([unit])
    assert row(folder, config, on(machines)) == here
    # it is the first, since it was merged before the cluster did anything
    assert (folder / "journal.jsonl").read_bytes().startswith(line)
    assert not (folder / UNITS).exists()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"cluster_actors": 50}, "no room for 50 actors"),
        ({"cluster_gpus": 1}, "no room for 1 actors of 1 CPUs and 1 GPUs"),
        ({"cluster_cpus": 3}, "no room for 1 actors of 3 CPUs"),
    ],
)
def test_actors_that_would_never_begin_are_refused_at_once(
    machines: TwoMachines, tmp_path: Path, more: dict[str, Any], says: str
) -> None:
    with (
        clustered(on(machines, **more), tmp_path) as cluster,
        pytest.raises(UsageError, match=says),
    ):
        cluster.engine(ModelSpec("any"))


def test_a_model_that_no_machine_can_load_is_said_with_the_machine(
    machines: TwoMachines, tmp_path: Path
) -> None:
    begun = time.monotonic()
    with (
        clustered(on(machines), tmp_path) as cluster,
        pytest.raises(NormscopeError, match=r"on \S+: .*no-such-model"),
    ):
        cluster.engine(ModelSpec(str(tmp_path / "no-such-model")))
    assert time.monotonic() - begun < 60


def test_machines_with_another_version_are_refused(
    machines: TwoMachines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_module, "packages", lambda: {"normscope": "9.9"})
    with (
        clustered(on(machines), tmp_path) as cluster,
        pytest.raises(RunError, match=r"on \S+: .*normscope: \S+ here, 9\.9 there"),
    ):
        cluster.engine(ModelSpec("any"))


def test_five_thousand_units_are_those_of_one_process_though_workers_and_a_machine_are_lost(
    tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = Settings(
        benchmark=(VIGNETTES,), model=ModelSpec(str(tiny_model)), limit={"all": 455}, unit_items=1
    )
    here = row(tmp_path / "here", config)
    chance = random.Random(20)
    folder = tmp_path / "cluster"
    with two_machines() as machines:
        kills = [
            (number, lambda: kill_an_actor(machines, chance))
            for number in sorted(chance.sample(range(200, 3000), 4))
        ]
        capfd.readouterr()
        with Meanwhile(folder, *kills, (1500, machines.remove_other)):
            assert row(folder, config, on(machines, cluster_actors=2)) == here
    assert len(here["responses.parquet"]) > 50_000
    lines = (folder / "journal.jsonl").read_bytes().splitlines()
    assert len(lines) == len(set(lines)) == 5005
    assert not (folder / UNITS).exists()
    out, err = capfd.readouterr()
    assert out == ""
    assert "a machine was lost" in err


def test_a_driver_that_is_killed_again_and_again_loses_and_repeats_nothing(
    machines: TwoMachines, tiny_model: Path, tmp_path: Path
) -> None:
    config = Settings(
        benchmark=(VIGNETTES,), model=ModelSpec(str(tiny_model)), limit={"all": 40}, unit_items=1
    )
    here = row(tmp_path / "here", config)
    folder = tmp_path / "cluster"
    command = [sys.executable, "-m", "normscope", "respond", "--model", str(tiny_model)]
    command += ["--benchmark", VIGNETTES, "--limit", "40", "--unit-items", "1"]
    command += ["--cluster", machines.address, "--cluster-actors", "2", "--out", str(folder)]
    journal = folder / "journal.jsonl"
    for lines in (40, 160, 300):
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as driver:
            while driver.poll() is None and count_lines(journal) < lines:
                time.sleep(0.2)
            driver.kill()
        assert driver.returncode == -signal.SIGKILL
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert tables(folder) == here
    assert count_lines(journal) == len(set(journal.read_bytes().splitlines())) == 440


def count_lines(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") if journal.exists() else 0
