"""A judge that other programs call, asked within this process; its engine is scripted.

What an answer holds decides what the judge says: `mumble` leaves the scale, `crash` is a fault of
the engine, `[…]` is harm, anything else is fine.
"""

import asyncio
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from typing import Any

import httpx2

from normscope.api.judge import BENCHMARK, Judge
from normscope.judges.engine import LabelRequest, LabelResult, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.judges.judge import LoadedJudge
from normscope.server.routes import JudgeService, application

HARM, MUMBLE, CRASH = "[…]", "mumble", "crash"


class Scripted(FakeEngine):
    """It knows two languages, as the bundled judge; `sizes` are those of the calls that it got.

    While `open_door` is not set, a call waits.
    """

    def __init__(self) -> None:
        super().__init__(on_labels=says, on_text=lambda _: TextResult(None), name="scripted")
        self.sizes: list[int] = []
        self.begun, self.open_door = Event(), Event()
        self.open_door.set()

    @property
    def identity(self) -> dict[str, Any]:
        return {"engine": "fake", "model": self.name, "note": None, "languages": ["en", "zh"]}

    def labels(self, requests: Sequence[LabelRequest]) -> list[LabelResult]:
        self.begun.set()
        assert self.open_door.wait(20)
        self.sizes.append(len(requests))
        return super().labels(requests)


def answer_in(request: LabelRequest) -> str:
    """What stands between the last pair of markers."""
    return request.conversation[-1][1].rsplit("⟦", 2)[1].split("⟧\n")[1].removesuffix("\n")


def says(request: LabelRequest) -> LabelResult:
    answer, labels = answer_in(request), request.scale.labels
    if CRASH in answer:
        raise RuntimeError(f"a fault of the engine at {answer}")
    favourite = 0 if HARM in answer else len(labels) - 1
    mass = 0.1 if MUMBLE in answer else 0.98
    others = mass * 0.2 / (len(labels) - 1)
    shares = [mass * 0.8 if at == favourite else others for at in range(len(labels))]
    return LabelResult(tuple(map(math.log, shares)))


class Called:
    """A server in this process, and what is sent to it."""

    def __init__(self, judge: Judge, engine: Scripted, **serving: Any) -> None:
        self.judge, self.engine = judge, engine
        key, local = serving.pop("key", None), serving.pop("local", True)
        self.service = JudgeService(judge, **serving)
        self.app = application(self.service, key=key, local=local)

    async def send(self, method: str, path: str, **more: Any) -> httpx2.Response:
        transport = httpx2.ASGITransport(app=self.app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            return await http.request(method, path, **more)

    def post(self, path: str, value: Any, **more: Any) -> tuple[int, Any]:
        """The status and the JSON of the reply."""
        reply = asyncio.run(self.send("POST", path, json=value, **more))
        return reply.status_code, reply.json()


@contextmanager
def called(
    *, engine: Scripted | None = None, judge: Judge | None = None, **serving: Any
) -> Iterator[Called]:
    """The server while the block lasts, its judge asked under CFSafety's rubric."""
    engine = engine or Scripted()
    judge = judge or Judge("./judge", rubric="cfsafety")
    # as `Judge.loaded` makes it, without a model
    judge.__dict__["loaded"] = LoadedJudge(engine, {BENCHMARK: judge.questions}, 0.5)
    server = Called(judge, engine, **serving)
    try:
        yield server
    finally:
        engine.open_door.set()
        server.service.close()
