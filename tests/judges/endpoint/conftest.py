"""Engines that ask a scripted server, without waiting for real."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from scripted_server import Server

from normscope.judges.engines.endpoint import EndpointEngine, Waiting
from normscope.records.model_spec import EndpointSettings, ModelSpec


@dataclass
class Time:
    """A clock that only sleeping moves."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    @property
    def waiting(self) -> Waiting:
        return Waiting(sleep=self.sleep, clock=lambda: self.now)


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("NORMSCOPE_API_KEY", raising=False)
    yield


@pytest.fixture
def engine_for(time: Time) -> Any:
    """Makes the engine of a server; settings as in `EndpointSettings`."""

    def make(server: Server, *, model: str | None = None, **settings: Any) -> EndpointEngine:
        spec = ModelSpec(model or server.address, endpoint=EndpointSettings(**settings))
        return EndpointEngine(spec, waiting=time.waiting)

    return make
