"""Output of OpenAI's batches, as vLLM, Azure and Mistral write it too: JSONL, a call a line.

A line has `custom_id`, and `response` with `status_code` and `body`, or `error`. The body is that
of chat completions, of responses or of completions. Lines of the error file may stand below those
of the output file.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ....errors import DataError
from ....judges.engines.endpoint.replies import error_text, printable
from ....messages import message
from ....rows import json_lines
from ..raw import RawAnswers
from .batch_calls import Call, answers_of
from .content import FILTERED, ChatTurn, Part, record, text_of

NAME = "OpenAI batch output"
_OK = 200
_LONGEST = 200


class _Choice(BaseModel):
    message: ChatTurn | None = None
    text: str | None = None
    finish_reason: str | None = None


class _Output(BaseModel):
    """A part of a response: a message, or reasoning, a call of a tool …."""

    type: str = ""
    content: list[Part] | None = None


class _Body(BaseModel):
    model: str | None = None
    choices: list[_Choice] = []
    output: list[_Output] = []
    error: Any = None

    @property
    def answers(self) -> list[str | None]:
        """A text for each choice."""
        if self.choices:
            return [c.message.text if c.message else c.text for c in self.choices]
        parts = [p for out in self.output if out.type == "message" for p in out.content or []]
        return [text_of(parts)] if self.output else []


class _Response(BaseModel):
    status_code: int
    body: Any = None


class _Line(BaseModel):
    custom_id: str
    response: _Response | None = None
    error: Any = None


def is_format(first: Mapping[str, Any], path: Path) -> bool:  # noqa: ARG001
    """Whether the first record is of such a file, or of the input of its batch."""
    return "custom_id" in first and not first.keys().isdisjoint({"response", "error", "body"})


def read(path: Path, requests: Path | None = None) -> RawAnswers:
    """The answers of the calls; `requests` is the batch's input, which knows the prompts."""
    return answers_of(list(_calls(path)), path, NAME, requests)


def _calls(path: Path) -> Iterator[Call]:
    for number, row in json_lines(path):
        where, place = f"{path}:{number}", f"line {number}"
        if "body" in row and "response" not in row:
            raise DataError(
                message(
                    "{where}: a request without an answer: this is the input of a batch; name its "
                    "output, and this file by --requests",
                    where=where,
                )
            )
        line = record(_Line, row, where)
        response = line.response
        if response is None or response.status_code != _OK:
            yield Call(place, line.custom_id, failed=_why(line))
            continue
        body = record(_Body, response.body if isinstance(response.body, dict) else {}, where)
        if body.error:
            yield Call(place, line.custom_id, model=body.model, failed=_said({"error": body.error}))
        elif not body.answers:
            raise DataError(
                message(
                    "{where}: the body of {id} has no choices and no output; only chat "
                    "completions, responses and completions have answers",
                    where=where,
                    id=repr(line.custom_id),
                )
            )
        elif any(choice.finish_reason == "content_filter" for choice in body.choices):
            # what a filter cut off or kept back is not what the model said
            yield Call(place, line.custom_id, model=body.model, failed=FILTERED)
        else:
            yield Call(place, line.custom_id, body.answers, body.model)


def _why(line: _Line) -> str:
    """Why a call brought nothing."""
    status = f"status {line.response.status_code}" if line.response else "no response"
    body = line.response.body if line.response else None
    return _said(body) or _said({"error": line.error}) or status


def _said(body: Any) -> str:
    return printable(error_text(body), _LONGEST)
