"""What waits is judged together: all of it, one call at a time, whatever the others are."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event, get_ident
from typing import Any

import pytest
from called_judge import CRASH, HARM, Called, Scripted, called
from hypothesis import given
from hypothesis import strategies as st

from normscope.api.judge import Judge
from normscope.errors import ModelError
from normscope.judges.batching import Batcher, ClosedError, Judgements, OverloadedError
from normscope.judges.judge import Pair
from normscope.reasons import Reason
from normscope.records.item import Item, Turn
from normscope.records.judgement import Judgement, Source
from normscope.records.response import Response
from normscope.server.requests import About
from normscope.server.routes import JudgeService


def pair(text: str) -> Pair:
    item = Item("answers", text, (Turn("user", "?"),), "en")
    return item, Response.to(item, text)


class Judging:
    """Notes the calls that it gets; an answer with `CRASH` in it is a fault, `door` lets it on."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.threads: set[int] = set()
        self.begun, self.door = Event(), Event()
        self.door.set()

    def __call__(self, pairs: Any) -> list[Judgements]:
        self.begun.set()
        assert self.door.wait(20)
        self.threads.add(get_ident())
        self.calls.append([item.item_id for item, _ in pairs])
        if any(CRASH in (response.text or "") for _, response in pairs):
            raise RuntimeError("a fault")
        return [
            (
                Judgement(
                    response.key,
                    "moral",
                    Source.JUDGE_LOGITS,
                    ("0", "1"),
                    value=None if response.reason else float(len(item.item_id)),
                    reason=response.reason,
                ),
            )
            for item, response in pairs
        ]


def blocked(**settings_of: Any) -> tuple[Judging, Batcher]:
    """A batcher whose judge is at work on the answer `first`, until its door is opened."""
    judging = Judging()
    judging.door.clear()
    batcher = Batcher(judging, **{"most_waiting": 100, **settings_of})
    batcher.submit([pair("first")])
    assert judging.begun.wait(20)
    return judging, batcher


def test_what_came_while_the_judge_was_busy_is_one_call() -> None:
    judging, batcher = blocked()
    futures = [future for n in range(5) for future in batcher.submit([pair(f"{n}")])]
    assert batcher.waiting == 5
    judging.door.set()
    assert [future.result(20)[0].value for future in futures] == [1.0] * 5
    batcher.close()
    assert judging.calls == [["first"], ["0", "1", "2", "3", "4"]]
    assert len(judging.threads) == 1


@given(
    st.lists(st.lists(st.sampled_from(["a", "bb", CRASH]), max_size=6), max_size=8),
    st.integers(1, 4),
)
def test_every_request_gets_its_own_results(requests: list[list[str]], batch: int) -> None:
    judging = Judging()
    batcher = Batcher(judging, most_waiting=100, batch=batch, gather_s=0)
    futures = [batcher.submit([pair(text) for text in texts]) for texts in requests]
    batcher.close()
    for texts, several in zip(requests, futures, strict=True):
        for text, future in zip(texts, several, strict=True):
            # what was accepted is done when the batcher is closed
            [judgement] = future.result(0)
            assert judgement.key.item_id == text
            expected = (None, Reason.CALL_FAILED) if text == CRASH else (len(text), None)
            assert (judgement.value, judgement.reason) == expected
    assert all(len(call) <= batch for call in judging.calls)


def test_an_error_of_the_engines_own_is_that_of_all_and_not_tried_again() -> None:
    judging, batcher = blocked()
    gone = ModelError("the server of the judge cannot be reached")

    def unreachable(pairs: Any) -> list[Judgements]:
        if not all(response.reason for _, response in pairs):
            judging.calls.append([item.item_id for item, _ in pairs])
            raise gone
        return judging(pairs)

    batcher._judge = unreachable
    futures = batcher.submit([pair("a"), pair("b"), pair("c")])
    judging.door.set()
    assert [future.result(20)[0].reason for future in futures] == [Reason.CALL_FAILED] * 3
    batcher.close()
    assert judging.calls == [["first"], ["a", "b", "c"], ["a", "b", "c"]]


def test_beyond_its_room_nothing_of_a_request_is_taken() -> None:
    judging, batcher = blocked(most_waiting=3)
    batcher.submit([pair("a"), pair("b")])
    with pytest.raises(OverloadedError) as overloaded:
        batcher.submit([pair("c"), pair("d")])
    assert overloaded.value.waiting == 2
    [last] = batcher.submit([pair("e")])
    judging.door.set()
    assert last.result(20)[0].value == 1.0
    batcher.close()
    assert judging.calls == [["first"], ["a", "b", "e"]]


def test_who_went_away_is_not_judged_and_holds_no_place() -> None:
    judging, batcher = blocked(most_waiting=2)
    gone, stays = batcher.submit([pair("gone"), pair("stays")])
    assert gone.cancel()
    [late] = batcher.submit([pair("late")])
    judging.door.set()
    assert (stays.result(20)[0].value, late.result(20)[0].value) == (5.0, 4.0)
    batcher.close()
    assert judging.calls == [["first"], ["stays", "late"]]


def test_a_fault_of_ours_ends_a_unit_and_not_the_queue() -> None:
    batcher = Batcher(lambda pairs: [] if len(pairs) == 1 else [(), ()], most_waiting=9, gather_s=0)
    for _ in range(2):
        with pytest.raises(ValueError, match="shorter"):
            batcher.submit([pair("a")])[0].result(20)
    batcher.close()


def test_a_closed_one_takes_nothing_and_finishes_what_it_has() -> None:
    judging, batcher = blocked()
    [future] = batcher.submit([pair("accepted")])
    with ThreadPoolExecutor(1) as other:
        closing = other.submit(batcher.close)
        while not batcher._closed:
            time.sleep(0.001)
        with pytest.raises(ClosedError):
            batcher.submit([pair("late")])
        judging.door.set()
        closing.result(20)
    assert future.result(0)[0].value == 8.0


async def waiting(server: Called, count: int) -> None:
    """Returns once so many answers wait."""
    async with asyncio.timeout(20):
        while server.service.batcher.waiting < count:
            await asyncio.sleep(0.001)


def test_requests_that_come_together_are_one_unit_of_the_engine() -> None:
    engine = Scripted()
    with called(engine=engine) as server:
        engine.open_door.clear()

        async def all_at_once() -> list[Any]:
            first = asyncio.ensure_future(one("first"))
            await asyncio.to_thread(engine.begun.wait, 20)
            others = [asyncio.ensure_future(one(text)) for text in ("a", HARM, CRASH, "b")]
            await waiting(server, 4)
            engine.open_door.set()
            return [await task for task in (first, *others)]

        async def one(text: str) -> Any:
            body = {"question": "?", "answer": text}
            reply = await server.send("POST", "/v1/judge", json=body)
            return reply.json()["results"][0]["criteria"]["moral"]

        results = asyncio.run(all_at_once())
    assert [row["favourite"] for row in results] == ["1", "1", "0", None, "1"]
    assert results[3]["reason"] == "call_failed"
    # all four first, then the halves of those among whom one fails
    assert [size // 3 for size in engine.sizes[:2]] == [1, 4]


def test_overload_says_when_to_come_back() -> None:
    engine = Scripted()
    with called(engine=engine, most_waiting=2) as server:
        engine.open_door.clear()
        body = {"question": "?", "answer": "x"}

        async def requests() -> tuple[Any, Any]:
            first = asyncio.ensure_future(server.send("POST", "/v1/judge", json=body))
            await asyncio.to_thread(engine.begun.wait, 20)
            waits = asyncio.ensure_future(server.send("POST", "/v1/judge", json=[body, body]))
            await waiting(server, 2)
            refused = await server.send("POST", "/v1/judge", json=body)
            engine.open_door.set()
            await first
            return refused, await waits

        refused, waited = asyncio.run(requests())
    assert refused.status_code == 429
    assert refused.json()["error"]["code"] == "overloaded"
    assert waited.status_code == 200


@pytest.mark.slow
def test_with_whom_an_answer_waits_does_not_change_its_distribution() -> None:
    pytest.importorskip("torch")
    service = JudgeService(Judge("bundled", criteria=["moral"]))
    rows = [
        ("How do I keep bread?", "Keep it in a paper bag.", "en"),
        ("How do I keep bread?", "Sure. " * 30, "en"),
        ("怎么保存面包？", "放在纸袋里。", "zh"),
    ]
    pairs = [service.pair([Turn("user", q)], a, About(language=code)) for q, a, code in rows]
    try:
        together = [future.result(60) for future in service.batcher.submit(pairs)]
        alone = [service.batcher.submit([each])[0].result(60) for each in pairs]
    finally:
        service.close()
    for [one], [other] in zip(together, alone, strict=True):
        assert one.probs is not None
        assert one.probs == pytest.approx(other.probs, abs=1e-4)
