"""Fleets of scripted servers, without waiting for real."""

from collections.abc import Callable
from typing import Any

import pytest
from fleets import Clock
from scripted_server import Server

from normscope.judges.engines.fleet import FleetEngine
from normscope.records.model_spec import EndpointSettings, ModelSpec


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NORMSCOPE_API_KEY", raising=False)


@pytest.fixture
def fleet_of(clock: Clock) -> Callable[..., FleetEngine]:
    """Makes the engine of several servers; settings as in `EndpointSettings`."""

    def make(*servers: Server | str, **settings: Any) -> FleetEngine:
        addresses = [server if isinstance(server, str) else server.address for server in servers]
        spec = ModelSpec(",".join(addresses), endpoint=EndpointSettings(**settings))
        return FleetEngine(spec, waiting=clock.waiting)

    return make
