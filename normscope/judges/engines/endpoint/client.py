"""Calls to a server: retried where that can help, within a budget, and without a trace.

Nothing here logs, and no message holds a key or a prompt. The caller gets the reply, or one of the
reasons why there is none; what concerns every call alike (the key, the budget, a server that is
gone) is a `ModelError`, so that the unit in progress is not written down as failed.
"""

import asyncio
import math
import random
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import httpx2
from pydantic import ValidationError
from pydantic_core import from_json

from ....errors import ModelError
from ....records.model_spec import EndpointSettings
from .replies import HIDDEN, Reply, error_text, printable

R = TypeVar("R", bound=Reply)

ATTEMPTS = 6
LONGEST_WAIT = 120.0  # a server that asks for more is left alone: the run is resumed later
_FIRST_WAIT, _MOST_WAIT = 0.5, 30.0
_RETRIED = frozenset({408, 409, 425, 429})
_NEVER = frozenset({501, 505})
_TOO_MUCH = frozenset({429, 503, 529})
_TOO_LONG = re.compile(
    r"context.?(?:length|window|size)|maximum (?:context|model length)|max_model_len"
    r"|exceed\w{0,10}.{0,40}context|too long|max_new_tokens` must be|maximum (?:number of )?tokens",
    re.IGNORECASE,
)
MOST_BYTES = 64 << 20
"""The largest reply that is read, unpacked; the echo of 100,000 tokens has about 30 MB."""
_MOST_ERROR = 1 << 20
# Others (zstd) can make gigabytes of what is read at once.
_ENCODINGS = "gzip, deflate"
_READ_WORDS, _MOST_WORDS = 4_000, 240  # of an error: that are looked through, that are shown
_MOST_SERVED = 8
_REPEATED = 24  # so many characters in common with the prompt are no coincidence
_LEFT = (
    "finished units are in the journal, the one in progress is asked again: "
    "give the same command to go on"
)


@dataclass(frozen=True, slots=True)
class Refused:
    """The server will not answer this request, now or later; or could not after every retry."""

    status: int | None
    message: str
    too_long: bool = False
    may_pass: bool = False
    """Whether it was asked as often as may be and the server never said that it will not."""

    @property
    def is_away(self) -> bool:
        """Whether no server answered, or none for now: a reply or an error of its own is one."""
        return self.may_pass and self.status not in {200, httpx2.codes.INTERNAL_SERVER_ERROR}


class _NotReadError(Exception):
    """A reply that is not read to its end; says why."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """How time passes: the real one, or a test's."""

    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic


@dataclass(slots=True)
class Spent:
    """How many requests one server has got, at most `most` (null: no bound), and who answered."""

    most: int | None
    requests: int = 0
    served: dict[str, None] = field(default_factory=dict)

    def count_request(self) -> None:
        """Counts one request before it is sent, or says that the budget is spent."""
        if self.most is not None and self.requests >= self.most:
            raise ModelError(
                f"the budget max_requests = {self.most:,} is spent; {_LEFT}, with a fresh budget"
            )
        self.requests += 1

    def note_server(self, reply: Reply) -> None:
        """Notes who has answered."""
        # some servers name another model with every reply
        if reply.served and len(self.served) < _MOST_SERVED:
            self.served[reply.served] = None


class Gate:
    """Lets calls through in their order, so many at once, none in a pause."""

    def __init__(self, most: int, waiting: Waiting) -> None:
        """Nobody is inside yet."""
        self._slots, self._waiting = asyncio.Semaphore(max(1, most)), waiting
        # before any clock's beginning
        self._opens = -math.inf

    def pause(self, seconds: float) -> None:
        """Lets nobody through for so long."""
        self._opens = max(self._opens, self._waiting.clock() + seconds)

    async def __aenter__(self) -> None:
        await self._slots.acquire()
        try:
            while (wait := self._opens - self._waiting.clock()) > 0:
                await self._waiting.sleep(wait)
        except BaseException:
            self._slots.release()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._slots.release()


@dataclass(slots=True)
class Caller:
    """A connection to the server, on which at most `settings.concurrency` calls are in flight."""

    where: str
    secret: str | None
    settings: EndpointSettings
    http: httpx2.AsyncClient
    gate: Gate
    spent: Spent
    waiting: Waiting
    attempts: int = ATTEMPTS

    async def ask(
        self, path: str, body: Any, shape: type[R], *, counted: bool = True
    ) -> R | Refused:
        """The reply in its shape; a body of null is a GET. What is not counted spends nothing."""
        problem = Refused(None, "")
        for attempt in range(self.attempts):
            if attempt:
                await self.waiting.sleep(_backoff(attempt))
            async with self.gate:
                if counted:
                    self.spent.count_request()
                try:
                    async with asyncio.timeout(self.settings.timeout_s):
                        response, content = await self._send(path, body)
                except _NotReadError as error:
                    return Refused(None, str(error))
                except (TimeoutError, httpx2.TimeoutException):
                    problem = Refused(None, f"no answer within {self.settings.timeout_s:g} s")
                    continue
                except httpx2.RequestError as error:
                    problem = Refused(None, _clean(f"{type(error).__name__}: {error}", self, body))
                    # nothing was sent: no prompt is the reason, and the run is stopped rather than
                    # marked as failed
                    if isinstance(error, httpx2.ConnectError) and attempt == self.attempts - 1:
                        raise unreachable(self, problem) from None
                    continue
                status = response.status_code
                if status == httpx2.codes.OK:
                    try:
                        reply = shape.model_validate_json(content, context=self.secret)
                    except ValidationError:
                        problem = Refused(status, "the reply is not of the API's shape")
                        continue
                    if counted and body is not None:
                        self.spent.note_server(reply)
                    return reply
                words = _words(response, content)
                problem = Refused(status, _clean(words, self, body), _is_too_long(status, words))
                if not self._may_retry(problem):
                    return problem
                self._rest(response, attempt + 1)
        return replace(problem, may_pass=True)

    async def _send(self, path: str, body: Any) -> tuple[httpx2.Response, bytes]:
        """A reply with its body: of one that is no success, at most the beginning."""
        method = "GET" if body is None else "POST"
        headers = {"Accept-Encoding": _ENCODINGS}
        async with self.http.stream(method, path, json=body, headers=headers) as response:
            return response, await _content(response)

    def _may_retry(self, problem: Refused) -> bool:
        status, message = problem.status or 0, problem.message
        if status == httpx2.codes.UNAUTHORIZED:
            raise unauthorized(self, problem)
        if status == httpx2.codes.PAYMENT_REQUIRED or "insufficient_quota" in message:
            raise ModelError(f"{self.where} wants to be paid first ({message or status}); {_LEFT}")
        # llama_cpp.server answers 500 when it was started without the logits of every token
        hopeless = "logprobs" in message or problem.too_long or status in _NEVER
        return status in _RETRIED or (status >= 500 and not hopeless)  # noqa: PLR2004

    def _rest(self, response: httpx2.Response, attempt: int) -> None:
        """Has all calls wait as long as the server asks, and a while where there are too many."""
        seconds = _retry_after(response.headers.get("retry-after"), time.time())
        if seconds > LONGEST_WAIT:
            raise ModelError(f"{self.where} asks to be left alone for {seconds:.0f} s; {_LEFT}")
        self.gate.pause(max(seconds, _backoff(attempt) * (response.status_code in _TOO_MUCH)))


def unreachable(caller: Caller, problem: Refused) -> ModelError:
    """The error of a server that is not there, or not there now."""
    text = problem.message or f"status {problem.status}"
    return ModelError(
        f"{caller.where} cannot be reached ({text}): check that the server runs and the address is "
        f"right; {_LEFT}"
    )


def unauthorized(caller: Caller, refused: Refused) -> ModelError:
    """The error of a server that wants a key, or another one."""
    text = f"{refused.status}{refused.message and ': ' + refused.message}"
    return ModelError(
        f"{caller.where} does not let us in ({text}): set the environment variable "
        f"{caller.settings.api_key_env} to a key that is valid there"
    )


def _clean(text: str, caller: Caller, body: Any) -> str:
    """The words without the key, not too many of them, and none if they repeat the prompt."""
    if caller.secret:
        text = text.replace(caller.secret, HIDDEN)
    text = printable(text, _MOST_WORDS)
    prompt = _prompt(body)
    pieces = (text[at : at + _REPEATED] for at in range(len(text) - _REPEATED + 1))
    return "(its words repeat the prompt)" if any(p in prompt for p in pieces) else text


def _prompt(body: Any) -> str:
    if not isinstance(body, dict):
        return ""
    return "\0".join([body.get("prompt", ""), *(t["content"] for t in body.get("messages", ()))])


def _is_too_long(status: int, words: str) -> bool:
    too_large = status == httpx2.codes.CONTENT_TOO_LARGE
    return too_large or (status in {400, 422, 500} and bool(_TOO_LONG.search(words)))


async def _content(response: httpx2.Response) -> bytes:
    """The body, unpacked; raises `_NotReadError` where it does not end in time."""
    encoding = response.headers.get("content-encoding", "identity").lower()
    if encoding not in {"identity", *_ENCODINGS.split(", ")}:
        raise _NotReadError(
            f"the reply is packed as {printable(encoding, 20)}, which was not offered"
        )
    is_ok = response.status_code == httpx2.codes.OK
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        # of an error the beginning is enough, however long the page
        if not is_ok and len(content) > _MOST_ERROR:
            break
        if len(content) > MOST_BYTES:
            raise _NotReadError(f"the reply has more than {MOST_BYTES >> 20} MiB")
    return bytes(content)


def _words(response: httpx2.Response, content: bytes) -> str:
    if response.is_redirect:
        return "it sends us to another address: give that one"
    try:
        return error_text(from_json(content))[:_READ_WORDS]
    except ValueError:
        return ""


def _backoff(attempt: int) -> float:
    """Seconds before the attempt: doubled each time, bounded, and spread so that calls part."""
    whole = min(_MOST_WAIT, _FIRST_WAIT * 2.0 ** (attempt - 1))
    return whole * random.uniform(0.5, 1.0)  # noqa: S311 - decides when, not what


def _retry_after(value: str | None, now: float) -> float:
    """Seconds to wait by a Retry-After header: a number, or a date; 0 if it says neither.

    >>> _retry_after("7", 0.0), _retry_after("Thu, 01 Jan 1970 00:00:09 GMT", 4.0)
    (7.0, 5.0)
    """
    if not value:
        return 0.0
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - now
        # a number that no date can hold
        except (ValueError, OverflowError):
            return 0.0
    return max(0.0, seconds) if math.isfinite(seconds) else 0.0
