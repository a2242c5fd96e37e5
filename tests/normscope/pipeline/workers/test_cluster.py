"""Units done by a real cluster of two machines, of which workers and a machine are lost."""

import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest
from crash_points import units_of
from ray_cluster import TwoMachines, two_machines

from normscope.errors import NormscopeError, RunError, UsageError
from normscope.judges.engines import load
from normscope.pipeline import stage
from normscope.pipeline.judge import judge
from normscope.pipeline.respond import respond
from normscope.pipeline.workers.cluster import clustered
from normscope.pipeline.workers.here import Here
from normscope.records.cluster import WorkSettings
from normscope.records.folder import opened
from normscope.records.integrity import JOURNAL
from normscope.records.model_spec import ModelSpec
from normscope.records.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(900)]

VIGNETTES, GRADED_SET = "ci-vignettes:coppa", "safety-gradient"
TABLES = ("items.parquet", "responses.parquet", "judgements.parquet", "judging.json")


@pytest.fixture(scope="module")
def machines() -> Iterator[TwoMachines]:
    with two_machines() as cluster:
        yield cluster


def on(machines: TwoMachines, **more: Any) -> WorkSettings:
    return WorkSettings(machines.address, **more)


def row(folder: Path, config: Settings, cluster: WorkSettings | None = None) -> dict[str, bytes]:
    """The tables of a run, made here or on the cluster."""
    at_work = clustered(cluster) if cluster else nullcontext(Here(load))
    with opened(folder, create=True) as run, at_work as workers:
        respond(run, config, workers)
        if config.judge is not None:
            judge(run, config, workers)
    return tables(folder)


def tables(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in TABLES if (folder / name).exists()}


def done(folder: Path) -> int:
    """How many units of the run's first stage are done."""
    if not (folder / JOURNAL).exists():
        return 0
    with closing(sqlite3.connect(folder / JOURNAL, timeout=60)) as db, suppress(sqlite3.Error):
        ((units,),) = db.execute("select count(*) from unit where rows is not null").fetchall()
        return int(units)
    return 0


class Meanwhile:
    """Does things while units come to be done, each when so many are there."""

    def __init__(self, folder: Path, *what: tuple[int, Callable[[], object]]) -> None:
        """The folder is the run's."""
        self._folder = folder
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
            while self._left and done(self._folder) >= self._left[0][0]:
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
        clustered(on(machines, **more)) as cluster,
        pytest.raises(UsageError, match=says),
    ):
        cluster.engine(ModelSpec("any"))


def test_a_model_that_no_machine_can_load_is_said_with_the_machine(
    machines: TwoMachines, tmp_path: Path
) -> None:
    begun = time.monotonic()
    with (
        clustered(on(machines)) as cluster,
        pytest.raises(NormscopeError, match=r"on \S+: .*no-such-model"),
    ):
        cluster.engine(ModelSpec(str(tmp_path / "no-such-model")))
    assert time.monotonic() - begun < 60


def test_machines_with_another_version_are_refused(
    machines: TwoMachines, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "packages", lambda: {"normscope": "9.9"})
    config = Settings(benchmark=(VIGNETTES,), model=ModelSpec(str(tiny_model)), limit={"all": 1})
    with pytest.raises(RunError, match=r"on \S+: .*normscope: \S+ here, 9\.9 there"):
        row(tmp_path / "run", config, on(machines))


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
    assert units_of(folder / JOURNAL) == units_of(tmp_path / "here" / JOURNAL)
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
    command += ["--benchmark", VIGNETTES, "--limit", "40", "--set", "unit_items=1"]
    command += [
        "--set",
        f"cluster={machines.address}",
        "--set",
        "cluster_actors=2",
        "--out",
        str(folder),
    ]
    for units in (40, 160, 300):
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as driver:
            while driver.poll() is None and done(folder) < units:
                time.sleep(0.2)
            driver.kill()
        assert driver.returncode == -signal.SIGKILL
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert tables(folder) == here
    assert units_of(folder / JOURNAL) == units_of(tmp_path / "here" / JOURNAL)
