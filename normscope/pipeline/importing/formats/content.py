"""Turns of conversations as the chat interfaces write them, checked for what is used of them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import AliasChoices, BaseModel, Field, ValidationError

from ....errors import DataError, UsageError
from ....messages import message

FILTERED = "stopped by the provider's content filter"
"""Why a call failed whose text, if there is any, is cut off or not the model's."""

_TEXT = {"", "text", "output_text", "input_text"}
_Record = TypeVar("_Record", bound=BaseModel)


class Part(BaseModel):
    """One of several parts of a turn; what is no text (an image, reasoning) has none."""

    type: str = ""
    text: str | None = None
    # OpenAI writes the words of a refusal here, Inspect whether the text is one
    refusal: str | bool | None = None


class ChatTurn(BaseModel):
    """A turn: who speaks, and a text or a list of parts."""

    # ShareGPT's names are taken too
    role: str = Field("", validation_alias=AliasChoices("role", "from"))
    content: str | list[Part] | None = Field(
        None, validation_alias=AliasChoices("content", "value")
    )
    refusal: str | None = None

    @property
    def text(self) -> str | None:
        """What was said, null where nothing was; a refusal that is set apart is an answer too.

        >>> ChatTurn(content=[Part(type="reasoning"), Part(type="text", text="neutral")]).text
        'neutral'
        """
        if isinstance(self.content, str):
            return self.content or self.refusal or ""
        return text_of(self.content or []) or self.refusal


def text_of(parts: list[Part]) -> str | None:
    """The text of the parts, or the refusal among them."""
    texts = [part.text for part in parts if part.type in _TEXT and part.text is not None]
    refusals = [part.refusal for part in parts if isinstance(part.refusal, str)]
    return "".join(texts or refusals) if texts or refusals else None


def record(kind: type[_Record], value: Mapping[str, Any], where: str) -> _Record:
    """The value as a record of the kind, or a `DataError` that names the place and the field."""
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        raise DataError(
            message(
                "{where}: {field} is not as the format has it ({problem}); correct it, or name "
                "another format by --format",
                where=where,
                field=".".join(str(key) for key in first["loc"]),
                problem=first["msg"],
            )
        ) from None


def refuse_requests(requests: Path | None, name: str) -> None:
    """A `UsageError` where a batch's requests were named for a format that has the prompts."""
    if requests is not None:
        raise UsageError(
            message(
                "--requests {requests} is for the output of a batch; {format} has the prompts "
                "beside the answers: leave it out",
                requests=requests,
                format=name,
            )
        )
