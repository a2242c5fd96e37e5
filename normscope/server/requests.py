"""What clients send, checked; whoever asks may send anything."""

import asyncio
import json
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field, ValidationError
from starlette.requests import Request

from ..records.item import Turn

MAX_BYTES = 4_000_000
"""Of a request's body."""
MAX_ANSWERS = 256
"""In one request, and of those that wait."""
MAX_CHARACTERS = 100_000
"""Of a question with all that comes before it, and of an answer; a longer one is unscored."""
MAX_NAME = 200
"""Of an id, a category, a language."""

Body = TypeVar("Body", bound=BaseModel)


class RequestError(Exception):
    """A request that cannot be judged: a status, a code, the wrong field."""

    def __init__(self, status: int, code: str, text: str, *, param: str | None = None) -> None:
        """`code` is for programs, `text` for people."""
        super().__init__(text)
        self.status = status
        self.error = {"message": text, "type": code, "code": code, "param": param}


Name = Annotated[str, Field(max_length=MAX_NAME), BeforeValidator(lambda value: value or "")]
Turns = Annotated[list[Turn], FailFast()]


class About(BaseModel):
    """What a request says of its answers; what is left out is the rubric's own fallback."""

    category: Name = ""
    language: Name = ""


class JudgeBody(About):
    """An answer to be judged, the question, and what was said before it."""

    model_config = ConfigDict(extra="forbid")

    question: str
    messages: Turns = []
    answer: str | None
    id: Name = ""


class ModerationsBody(About):
    """A request for moderations as OpenAI has it: a text, or several, each judged as an answer."""

    input: Annotated[
        list[str],
        Field(min_length=1, max_length=MAX_ANSWERS),
        BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
    ]
    question: str = ""


class ChatBody(About):
    """A request for a chat completion; how to sample means nothing to a judge and is passed by."""

    messages: Turns = Field(min_length=1)
    stream: Literal[False] | None = None


async def json_of(request: Request) -> Any:
    """The JSON value of the body; a `RequestError` where it is none, or is too large."""
    content = bytearray()
    async for piece in request.stream():
        content += piece
        if len(content) > MAX_BYTES:
            text = f"the body has more than {MAX_BYTES:,} bytes: send fewer answers at once"
            raise RequestError(413, "too_large", text)
    # a whole body takes up to a second
    return await asyncio.to_thread(read_json, bytes(content))


def read_json(content: bytes) -> Any:
    """The JSON value of a body; a `RequestError` where it is none."""
    try:
        value = json.loads(content, object_pairs_hook=_object)
        # JSON can spell halves of characters, which UTF-8 cannot hold
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        text = "the body is not JSON in whole characters: send one JSON value"
        raise RequestError(400, "invalid_json", text) from None
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The pairs of a JSON object; of two with the same key neither could be preferred."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise RequestError(400, "duplicate_key", "a field stands twice in one object: send it once")
    return value


def checked(kind: type[Body], value: Any) -> Body:
    """The value as a body of that kind; a `RequestError` names the first field that is wrong."""
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        # never what was given: it may be an answer
        first = error.errors(include_input=False, include_url=False)[0]
        # of a field that there is not, the name is the client's, too
        param = ".".join(map(str, first["loc"]))[:MAX_NAME]
        raise RequestError(400, first["type"], f"{param}: {first['msg']}", param=param) from None
