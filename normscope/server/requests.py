"""A request read within its limits, and its answers judged while its client waits."""

import asyncio
from collections.abc import Sequence
from typing import Any

from starlette.requests import ClientDisconnect, Request

from . import limits
from .bodies import read_json
from .errors import RequestError, too_large
from .service import Accepted, ClientGoneError, JudgedRequest, JudgeService


async def json_of(request: Request) -> Any:
    """The JSON value of the body, which must come in time and not be too large."""
    content = bytearray()
    try:
        async with asyncio.timeout(limits.BODY_S):
            async for piece in request.stream():
                content += piece
                if len(content) > limits.MAX_BODY_BYTES:
                    raise too_large()
    except TimeoutError:
        text = f"the body did not come within {limits.BODY_S:g} seconds"
        raise RequestError(408, "too_slow", text) from None
    except ClientDisconnect:
        raise ClientGoneError from None
    # a whole body takes up to a second: others are answered meanwhile
    return await asyncio.to_thread(read_json, bytes(content))


async def judged(
    service: JudgeService, accepted: Sequence[Accepted], request: Request
) -> list[JudgedRequest]:
    """Each judged, in their order; a `ClientGoneError` once the client waits no more."""

    async def gone() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    return await service.judged(accepted, gone)
