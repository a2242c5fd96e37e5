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
from normscope.extras import packages
from normscope.pipeline.workers.cluster import clustered
from normscope.pipeline.workers.on_nodes import checked, raise_if_error
from normscope.records.cluster import ClusterSettings
from normscope.records.model_spec import ModelSpec


def refused(address: str, folder: Path) -> NormscopeError:
    with (
        clustered(ClusterSettings(address), folder) as cluster,
        pytest.raises(NormscopeError) as caught,
    ):
        cluster.engine(ModelSpec("any"))
    assert not (folder / ".units").exists()
    return caught.value


@pytest.mark.parametrize("address", ["ray://127.0.0.1:{port}", "127.0.0.1:{port}"])
def test_a_cluster_that_does_not_answer(address: str, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        there = address.format(port=free.getsockname()[1])
        begun = time.monotonic()
        error = refused(there, tmp_path)
    assert isinstance(error, RunError)
    assert there in str(error)
    assert "Connection refused" in str(error)
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize("address", ["nonsense", "ray://host", "host:door"])
def test_an_address_that_is_none(address: str, tmp_path: Path) -> None:
    error = refused(address, tmp_path)
    assert isinstance(error, ConfigError)
    assert f"--cluster {address} is no address: auto, local, ray://" in str(error)


def test_a_second_driver_of_the_same_units(tmp_path: Path) -> None:
    first, second = (clustered(ClusterSettings("local"), tmp_path) for _ in range(2))
    with first, pytest.raises(RunError, match="is being worked on by"), second:
        pass


def test_a_machine_says_what_is_not_as_at_the_driver(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    seen.touch()
    assert "error" not in checked(str(seen), packages())
    elsewhere = checked(str(tmp_path / "elsewhere" / "seen"), packages())
    with pytest.raises(ConfigError, match=r"on \S+: .*/elsewhere is not the folder .*--units"):
        raise_if_error(elsewhere)
    with pytest.raises(RunError, match=r"normscope: .* here, 9\.9 there"):
        raise_if_error(checked(str(seen), {"normscope": "9.9"}))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"cluster_actors": 4}, "--cluster-actors belongs to --cluster"),
        ({"units": "/shared/x"}, "--units belongs to --cluster"),
        ({"cluster": "auto", "cluster_actors": 0}, "--cluster-actors is 0: at least 1"),
        ({"cluster": "auto", "cluster_gpus": -0.5}, "--cluster-gpus is -0.5: at least 0"),
    ],
)
def test_flags_that_cannot_be_meant(given: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        ClusterSettings.of({**given, "units_of_others": None})
