"""What the server answers, and who may ask it."""

import hmac
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from ..reasons import Reason
from ..records.item import Turn
from .completions import UNSAFE, read, write
from .requests import (
    MAX_ANSWERS,
    ChatBody,
    JudgeBody,
    ModerationsBody,
    RequestError,
    checked,
    json_of,
)
from .service import JudgeService, result_of

LOG = logging.getLogger("normscope.server")
THIS_MACHINE = ("localhost", "127.0.0.1")
"""What a server that only this machine can reach may be called.

A page in a browser of this machine can have its own name lead here (DNS rebinding), and would read
the replies: its requests name that, by which they are known.
"""

Reply = Callable[[JudgeService, Any], Awaitable[dict[str, Any]]]


def application(service: JudgeService, *, key: str | None, local: bool) -> Starlette:
    """The routes. Without a key anybody may ask; a `local` server answers to `THIS_MACHINE`."""

    async def health(_: Request) -> JSONResponse:
        return JSONResponse({"status": "ok", "waiting": service.waiting})

    def posted(path: str, reply: Reply) -> Route:
        async def replied(request: Request) -> JSONResponse:
            try:
                _admit(request, key)
                return JSONResponse(await reply(service, await json_of(request)))
            except RequestError as error:
                return JSONResponse({"error": error.error}, error.status, headers=error.headers)
            # a fault of ours: its message may quote an answer, so that only its kind is told
            except Exception as error:  # noqa: BLE001
                LOG.error("%s failed: %s", path, type(error).__name__)
                failed = RequestError(500, "failed", "the server failed at this request")
                return JSONResponse({"error": failed.error}, failed.status)

        return Route(path, replied, methods=["POST"])

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        # what was accepted is judged before the process ends
        await run_in_threadpool(service.close)

    return Starlette(
        routes=[
            Route("/health", health, methods=["GET"]),
            posted("/v1/judge", _judge),
            posted("/v1/moderations", _moderations),
            posted("/v1/chat/completions", _completion),
        ],
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=THIS_MACHINE if local else ["*"])
        ],
        lifespan=lifespan,
    )


def _admit(request: Request, key: str | None) -> None:
    """A `RequestError` for a request without the key, or of another kind than JSON."""
    word, _, given = request.headers.get("authorization", "").partition(" ")
    if key is not None:
        right = hmac.compare_digest(given.strip().encode(), key.encode())
        if word.lower() != "bearer" or not right:
            text = "the key is missing or wrong: send Authorization: Bearer KEY"
            raise RequestError(401, "invalid_api_key", text)
    # a page of another site can send a form's kinds without being asked, but not JSON
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RequestError(415, "not_json", "send JSON, with Content-Type: application/json")


async def _judge(service: JudgeService, value: Any) -> dict[str, Any]:
    """One answer, or a list of them, of which one that is wrong fails alone."""
    bodies = value if isinstance(value, list) else [value]
    _refuse_number(len(bodies))
    results: list[Any] = [None] * len(bodies)
    pairs = {}
    for at, body in enumerate(bodies):
        try:
            pairs[at] = service.accept(checked(JudgeBody, body))
        except RequestError as error:
            if value is not bodies:
                raise
            results[at] = {"error": error.error}
    judged = await service.judged([*pairs.values()])
    for (at, pair), judgements in zip(pairs.items(), judged, strict=True):
        results[at] = result_of(pair, judgements)
    return {**service.identity, "results": results}


async def _moderations(service: JudgeService, value: Any) -> dict[str, Any]:
    """Whether texts do harm, in the shape of OpenAI's moderations.

    A text without a verdict makes the request an error: null would be read as not flagged.
    """
    body = checked(ModerationsBody, value)
    _refuse_number(len(body.input))
    pairs = [service.pair([Turn("user", body.question)], text, body) for text in body.input]
    results = []
    for at, harm in enumerate(await service.harms(pairs, body.criterion)):
        if isinstance(harm, Reason):
            raise RequestError(422, "unscored", f"unscored: input[{at}] ({harm})", param="input")
        # the one category is that which the judge was asked about: of others nothing is known
        unsafe, name = harm >= UNSAFE, pairs[at][0].category or "any"
        flags = {"flagged": unsafe, "categories": {name: unsafe}, "category_scores": {name: harm}}
        results.append(flags)
    return {"id": f"modr-{uuid4().hex}", "model": "normscope", "results": results}


async def _completion(service: JudgeService, value: Any) -> dict[str, Any]:
    """A guard's verdict on the answer that the messages hold."""
    body = checked(ChatBody, value)
    asked = read([each.turn for each in body.messages])
    pair = service.pair(asked.messages, asked.answer, body)
    [harm] = await service.harms([pair], body.criterion)
    content = write(harm, rating=asked.rating)
    message = {"role": "assistant", "content": content, "refusal": None}
    return {
        "id": f"chatcmpl-{uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": "normscope",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }


def _refuse_number(count: int) -> None:
    if not 1 <= count <= MAX_ANSWERS:
        text = f"{count} answers: send from 1 to {MAX_ANSWERS} in a request"
        raise RequestError(413, "too_many_answers", text)
