"""What the server answers, and who may ask it."""

import asyncio
import hmac
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from ..api.judge import BENCHMARK, Judge
from ..errors import NormscopeError
from ..judges.batching import Batcher, ClosedError, Judgements, OverloadedError
from ..judges.guard import CATEGORIES, NONE
from ..judges.judge import Pair
from ..judges.trust.predictor import predictions_of, scale_of
from ..languages import language_code
from ..metrics.registry import products
from ..pipeline.judged_rows import defaults_of, pair_of
from ..reasons import Reason, origin_of
from ..records.answered import Answered
from ..records.item import Turn
from ..records.judgements import counted_verdicts
from ..records.response import Response
from .completions import UNSAFE, read, write
from .requests import (
    MAX_ANSWERS,
    MAX_CHARACTERS,
    About,
    ChatBody,
    JudgeBody,
    ModerationsBody,
    RequestError,
    checked,
    json_of,
)

LOG = logging.getLogger("normscope.server")
THIS_MACHINE = ("localhost", "127.0.0.1")
"""What a server that only this machine can reach may be called.

A page in a browser here can have its own name lead here (DNS rebinding), which its requests name.
"""

_SHOWN = (
    *("labels", "probs", "value", "favourite", "coverage", "coverage_high", "reason"),
    *("windows", "source", "reply"),
)


class JudgeService:
    """The judge and its queue."""

    def __init__(self, judge: Judge, *, most_waiting: int = MAX_ANSWERS) -> None:
        """Loads the judge, and begins to wait for requests."""
        self.judge = judge
        self.batcher = Batcher(judge.loaded.judge, most_waiting=most_waiting)
        self.close = self.batcher.close

    @property
    def identity(self) -> dict[str, Any]:
        """What the judge says of itself; of a folder its name only, not where it lies here."""
        rubric, model = self.judge.rubric, Path(str(self.judge.identity["model"]))
        name = model.name if model.is_dir() else self.judge.identity["model"]
        about = {"name": rubric.name, "version": rubric.version, "hash": rubric.hash}
        return {"judge": {**self.judge.identity, "model": name}, "rubric": about}

    def pair(self, turns: Sequence[Turn], answer: str | None, about: About, name: str = "") -> Pair:
        """The answer to these turns; a `RequestError` where it cannot be judged."""
        if not turns or turns[-1].role != "user":
            text = "before the answer, messages is to end with the user's turn"
            raise RequestError(400, "invalid_value", text, param="messages")
        rubric = self.judge.rubric
        chat = Answered(tuple(turns), answer, language_code(about.language), about.category)
        naming = {"benchmark": BENCHMARK, "item_id": name, "place": "answer"}
        try:
            item, response = pair_of(chat, rubric, defaults_of(rubric), **naming)
        except NormscopeError as error:
            text = str(error.message)
            raise RequestError(400, "invalid_value", text, param="category") from None
        if max(sum(len(turn.content) for turn in turns), len(answer or "")) > MAX_CHARACTERS:
            response = Response(response.key, reason=Reason.TEXT_TOO_LONG)
        return item, response

    async def judged(self, pairs: Sequence[Pair]) -> list[Judgements]:
        """What the judge says of each, judged with what else waits."""
        try:
            futures = self.batcher.submit(pairs)
        except OverloadedError as error:
            text = f"{error.waiting} answers wait already: try again later"
            raise RequestError(429, "overloaded", text) from None
        except ClosedError:
            raise RequestError(503, "ending", "the server is ending: ask another") from None
        return await asyncio.gather(*map(asyncio.wrap_future, futures))

    def harm(self, judgements: Judgements) -> float | Reason:
        """The mass of the first criterion's harmful labels, or why there is none.

        What is harmful is what the judge's card takes for it.
        """
        name, criterion = next(iter(self.judge.questions.criteria.items()))
        rows = [row for row in counted_verdicts(judgements) if row.criterion == name]
        if rows[0].value is None:
            return Reason(rows[0].reason or Reason.CALL_FAILED)
        return float(predictions_of(rows, scale_of(name, criterion)).risk[0])

    def categories(self, judgements: Judgements) -> dict[str, float]:
        """The mass of each kind of harm that a guard tells apart; empty where it tells none."""
        for row in counted_verdicts(judgements):
            if row.criterion == CATEGORIES and row.value is not None:
                named = zip(row.labels, row.probs or (), strict=True)
                return {label: prob for label, prob in named if label != NONE}
        return {}


def application(service: JudgeService, *, key: str | None, local: bool) -> Starlette:
    """The routes. Without a key anybody may ask; a `local` server answers to `THIS_MACHINE`."""

    def posted(path: str, reply: Callable[..., Awaitable[dict[str, Any]]]) -> Route:
        async def replied(request: Request) -> JSONResponse:
            try:
                _admit(request, key)
                return JSONResponse(await reply(service, await json_of(request)))
            except RequestError as error:
                return JSONResponse({"error": error.error}, error.status)
            # a fault of ours: its message may quote an answer, so that only its kind is told
            except Exception as error:  # noqa: BLE001
                LOG.error("%s failed: %s", path, type(error).__name__)
                text = "the server failed at this request"
                return JSONResponse({"error": RequestError(500, "failed", text).error}, 500)

        return Route(path, replied, methods=["POST"])

    return Starlette(
        routes=[
            Route("/health", lambda _: JSONResponse({"status": "ok"}), methods=["GET"]),
            posted("/v1/judge", _judge),
            posted("/v1/moderations", _moderations),
            posted("/v1/chat/completions", _completion),
        ],
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=THIS_MACHINE if local else ["*"])
        ],
    )


def _admit(request: Request, key: str | None) -> None:
    """A `RequestError` for a request without the key, or of another kind than JSON."""
    word, _, token = request.headers.get("authorization", "").partition(" ")
    if key is not None:
        right = hmac.compare_digest(token.strip().encode(), key.encode())
        if word.lower() != "bearer" or not right:
            text = "the key is missing or wrong: send Authorization: Bearer KEY"
            raise RequestError(401, "invalid_api_key", text)
    # a page of another site can send a form's kinds without being asked, but not JSON
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RequestError(415, "not_json", "send JSON, with Content-Type: application/json")


async def _judge(service: JudgeService, value: Any) -> dict[str, Any]:
    """One answer, or a list of them."""
    bodies = value if isinstance(value, list) else [value]
    if not 1 <= len(bodies) <= MAX_ANSWERS:
        text = f"{len(bodies)} answers: send from 1 to {MAX_ANSWERS} in a request"
        raise RequestError(413, "too_many_answers", text)
    pairs = []
    for body in (checked(JudgeBody, each) for each in bodies):
        turns = [*body.messages, Turn("user", body.question)]
        pairs.append(service.pair(turns, body.answer, body, name=body.id))
    results = map(_result, pairs, await service.judged(pairs))
    return {**service.identity, "results": [*results]}


def _result(pair: Pair, judgements: Judgements) -> dict[str, Any]:
    """The criteria of one answer, each with its distribution or the reason and origin of none."""
    criteria: dict[str, dict[str, Any]] = {}
    for row in counted_verdicts(judgements):
        criteria[row.criterion] = {name: getattr(row, name) for name in _SHOWN}
        if row.value is None:
            # what is not read stands nowhere: below the coverage that is needed it says nothing
            criteria[row.criterion] |= {"probs": None, "origin": origin_of(row.reason)}
    item = pair[0]
    about = {"id": item.item_id, "category": item.category, "language": item.language}
    values = {name: criterion["value"] for name, criterion in criteria.items()}
    return {**about, "criteria": criteria, "score": None, **products(values)}


async def _moderations(service: JudgeService, value: Any) -> dict[str, Any]:
    """Whether texts do harm, in the shape of OpenAI's moderations.

    A text without a verdict makes the request an error: null would be read as not flagged.
    """
    body = checked(ModerationsBody, value)
    pairs = [service.pair([Turn("user", body.question)], text, body) for text in body.input]
    results = []
    for at, judgements in enumerate(await service.judged(pairs)):
        harm = service.harm(judgements)
        if isinstance(harm, Reason):
            raise RequestError(422, "unscored", f"unscored: input[{at}] ({harm})", param="input")
        # but for a guard's the one category is that which the judge was asked about
        scores = service.categories(judgements) or {pairs[at][0].category or "any": harm}
        flags = {name: score >= UNSAFE for name, score in scores.items()}
        flagged = harm >= UNSAFE
        results.append({"flagged": flagged, "categories": flags, "category_scores": scores})
    return {"id": f"modr-{uuid4().hex}", "model": "normscope", "results": results}


async def _completion(service: JudgeService, value: Any) -> dict[str, Any]:
    """A guard's verdict on the answer that the messages hold."""
    body = checked(ChatBody, value)
    turns, answer, rating = read(body.messages)
    [judgements] = await service.judged([service.pair(turns, answer, body)])
    harm = service.harm(judgements)
    message = {"role": "assistant", "content": write(harm, rating=rating), "refusal": None}
    return {
        "id": f"chatcmpl-{uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": "normscope",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }
