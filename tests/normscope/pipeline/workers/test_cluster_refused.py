"""What keeps a cluster from being used is said within seconds, and loses nothing."""

import socket
import time
from pathlib import Path

import pytest

from normscope.errors import (
    ConfigError,
    NormscopeError,
    RunError,
)
from normscope.pipeline.stage import Order
from normscope.pipeline.workers.cluster import UnitActor, clustered
from normscope.records.cluster import WorkSettings
from normscope.records.model_spec import ModelSpec


def refused(address: str) -> NormscopeError:
    with (
        clustered(WorkSettings(address)) as cluster,
        pytest.raises(NormscopeError) as caught,
    ):
        cluster.engine(ModelSpec("any"))
    return caught.value


@pytest.mark.parametrize("address", ["ray://127.0.0.1:{port}", "127.0.0.1:{port}"])
def test_a_cluster_that_does_not_answer(address: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        there = address.format(port=free.getsockname()[1])
        begun = time.monotonic()
        error = refused(there)
    assert isinstance(error, RunError)
    assert there in str(error)
    assert "Connection refused" in str(error)
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize("address", ["nonsense", "ray://host", "host:door"])
def test_an_address_that_is_none(address: str) -> None:
    error = refused(address)
    assert isinstance(error, ConfigError)
    assert f"cluster {address} is no address: auto, ray://" in str(error)


def test_a_machine_says_what_is_not_as_at_the_driver() -> None:
    actor = UnitActor(Order({}, {}, {"normscope": "9.9"}))
    with pytest.raises(RunError, match=r"on \S+: .*normscope: \S+ here, 9\.9 there"):
        actor.do(b"")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"cluster_actors": 4}, "cluster_actors belongs to cluster"),
        ({"cluster": "auto", "cluster_actors": 0}, "cluster_actors is 0: at least 1"),
        ({"cluster": "auto", "cluster_gpus": -0.5}, "cluster_gpus is -0.5: at least 0"),
    ],
)
def test_flags_that_cannot_be_meant(given: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        WorkSettings.of({"settings": {**given, "another": None}})


def test_a_journal_may_be_named_without_a_cluster() -> None:
    folder = WorkSettings.of({"settings": {"journal": "~/local"}}).journal_folder
    assert folder == Path.home() / "local"
