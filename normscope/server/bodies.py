"""What clients send, checked: our own request, and those of the dialects that others speak."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field, ValidationError

from ..records.item import Turn
from . import limits
from .errors import RequestError

Body = TypeVar("Body", bound=BaseModel)


def _storable(value: Any) -> Any:
    """A text without halves of characters: JSON can spell them, and UTF-8 cannot hold them."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(_storable)]
Name = Annotated[str, Field(max_length=limits.MAX_NAME), BeforeValidator(_storable)]
"""What the reply says again: an id, a category, a language."""


class TextPart(BaseModel):
    """A piece of a turn's content; only text can be judged."""

    type: Literal["text"]
    text: Text


def _part(value: Any) -> Any:
    return {"type": "text", "text": value} if isinstance(value, str) else value


Parts = Annotated[
    list[Annotated[TextPart, BeforeValidator(_part)]],
    # a million pieces that are wrong would be a million errors
    FailFast(),
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
]
"""A text, or pieces of text."""


class TurnBody(BaseModel):
    """One turn of a conversation."""

    role: Literal["system", "developer", "user", "assistant"]
    content: Parts

    @property
    def turn(self) -> Turn:
        """The turn as an item has it."""
        text = "".join(part.text for part in self.content)
        # a developer's turn is what a system's is in other models
        return Turn("system" if self.role == "developer" else self.role, text)


class JudgeBody(BaseModel):
    """One answer to be judged, and the question or conversation that it is the answer to."""

    model_config = ConfigDict(extra="forbid")

    question: Text | None = None
    messages: Annotated[list[TurnBody], FailFast()] = []
    answer: Text | None = None
    category: Name | None = None
    language: Name | None = None
    criteria: Annotated[list[Name], FailFast()] = []
    id: Name | None = None


class Guarded(BaseModel):
    """What requests of the dialects can say beside what their tool sends."""

    model: Text = ""
    category: Name | None = None
    language: Name | None = None
    criterion: Name | None = None


class ModerationsBody(Guarded):
    """A request for moderations as OpenAI has it: a text, or several."""

    input: Parts
    question: Text | None = None

    @property
    def answers(self) -> list[str]:
        """The texts that are judged, each as an answer."""
        return [part.text for part in self.input]


class ChatBody(Guarded):
    """A request for a chat completion; how to sample means nothing to a judge and is passed by."""

    messages: Annotated[list[TurnBody], FailFast()] = Field(min_length=1)
    stream: bool | None = None
    n: int | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None


def read_json(content: bytes) -> Any:
    """The JSON value of a body; a `RequestError` where it is none, or one of too many values."""
    try:
        value = json.loads(content, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        raise RequestError(
            400, "invalid_json", "the body is not JSON: send one JSON value"
        ) from None
    _refuse_many(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The pairs of a JSON object; of two with the same key neither could be preferred."""
    value = dict(pairs)
    if len(value) < len(pairs):
        name = str(_storable(Counter(key for key, _ in pairs).most_common(1)[0][0]))
        name = name[: limits.MAX_NAME]
        text = f"{name!r} stands twice in one object: send every field once"
        raise RequestError(400, "duplicate_key", text, param=name)
    return value


def _refuse_many(value: Any) -> None:
    # before they are checked: 1.3 million empty parts took 9 s and 630 MB
    waiting, count = [value], 0
    while waiting:
        value = waiting.pop()
        if isinstance(value, list | dict):
            count += len(value)
            if count > limits.MAX_VALUES:
                text = (
                    f"the body has more than {limits.MAX_VALUES:,} values (fields, turns, parts of "
                    "turns, answers): send fewer at once"
                )
                raise RequestError(413, "too_many_values", text)
            waiting.extend(value.values() if isinstance(value, dict) else value)


def checked(kind: type[Body], value: Any, *, place: str = "") -> Body:
    """The value as a body of that kind; a `RequestError` names the first field that is wrong."""
    if not isinstance(value, Mapping):
        kind_of = type(value).__name__
        where = place or "the body"
        raise RequestError(
            400, "invalid_type", f"{where} is a JSON object, not {kind_of}", param=place
        )
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        # never what was given: it may be an answer
        first = error.errors(include_input=False, include_url=False)[0]
        # of a field that there is not, the name is the client's, too
        name = ".".join(map(str, first["loc"]))[: limits.MAX_NAME]
        param = f"{place}.{name}" if place else name
        text = f"{param}: {first['msg']}"
        if first["type"] == "extra_forbidden":
            text = f"{param}: there is no such field; known: {', '.join(kind.model_fields)}"
        raise RequestError(400, first["type"], text, param=param) from None
