"""Results of Anthropic's message batches: JSONL, a call a line, with `custom_id` and `result`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ....judges.engines.endpoint.replies import error_text, printable
from ....rows import json_lines
from ..raw import RawAnswers
from .batch_calls import Call, answers_of
from .content import FILTERED, Part, record, text_of

NAME = "Anthropic batch results"
_LONGEST = 200


class _Message(BaseModel):
    model: str | None = None
    content: list[Part]
    stop_reason: str | None = None


class _Result(BaseModel):
    """`type` is succeeded, errored, canceled or expired; only the first has a message."""

    type: str
    message: _Message | None = None
    error: Any = None


class _Line(BaseModel):
    custom_id: str
    result: _Result


def is_format(first: Mapping[str, Any], path: Path) -> bool:  # noqa: ARG001
    """Whether the first record is of such a file."""
    return "custom_id" in first and isinstance(first.get("result"), dict)


def read(path: Path, requests: Path | None = None) -> RawAnswers:
    """The answers of the calls; `requests` has a line with `custom_id` and `params` for each."""
    return answers_of(list(_calls(path)), path, NAME, requests)


def _calls(path: Path) -> Iterator[Call]:
    for number, row in json_lines(path):
        line = record(_Line, row, f"{path}:{number}")
        result, place = line.result, f"line {number}"
        if result.message is None:
            # an error of the interface stands within one of the batch
            inner = result.error.get("error") if isinstance(result.error, dict) else result.error
            why = printable(error_text({"error": inner}), _LONGEST) or result.type
            yield Call(place, line.custom_id, failed=why)
        elif result.message.stop_reason == "refusal":
            # a classifier beside the model ended the text; a refusal in words ends as any answer
            yield Call(place, line.custom_id, model=result.message.model, failed=FILTERED)
        else:
            answer = text_of(result.message.content)
            yield Call(place, line.custom_id, (answer,), result.message.model)
