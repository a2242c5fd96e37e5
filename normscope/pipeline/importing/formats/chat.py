"""Conversations as JSONL: `messages` as the chat interfaces have them, or ShareGPT's.

The last turn is the answer, the one before it the prompt. What else a line has (`item_id`, `model`,
`metadata` …) is a column.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, FiniteFloat

from ....errors import DataError
from ....messages import message
from ....rows import json_lines
from ..raw import RawAnswers
from .columns import Columns
from .content import ChatTurn, record, refuse_requests

NAME = "chat JSONL"

_MODEL = {"assistant", "gpt", "chatgpt", "model", "bot"}
"""Who the model is, by the names that conversations give it."""


class _Line(BaseModel):
    messages: list[ChatTurn] = []
    conversations: list[ChatTurn] = []
    model: str | None = None
    temperature: FiniteFloat | None = None
    metadata: Any = None


def is_format(first: Mapping[str, Any], path: Path) -> bool:  # noqa: ARG001
    """Whether the first record is a conversation."""
    return any(isinstance(first.get(name), list) for name in ("messages", "conversations"))


def read(path: Path, requests: Path | None = None) -> RawAnswers:
    """The last turn of each conversation, which is the model's, as the answer to that before."""
    refuse_requests(requests, NAME)
    columns = Columns(
        {"prompt": "prompt", "answer": "last turn", "model": "model", "temperature": "temperature"},
        added="line",
    )
    for number, row in json_lines(path):
        where = f"{path}:{number}"
        line = record(_Line, row, where)
        turns = line.messages or line.conversations
        last = turns[-1] if turns else None
        if last is None or last.role.lower() not in _MODEL:
            raise DataError(
                message(
                    "{where}: the last of {n} turns is {role}, not the model's: there is no "
                    "answer; leave the line out",
                    where=where,
                    n=len(turns),
                    role=repr(last.role) if last else message("none"),
                )
            )
        columns.add(
            f"line {number}",
            {
                "prompt": turns[-2].text if len(turns) > 1 else None,
                "answer": last.text,
                "model": line.model,
                "temperature": line.temperature,
            },
            {
                **(line.metadata if isinstance(line.metadata, dict) else {}),
                **{name: row[name] for name in row if name not in _Line.model_fields},
            },
        )
    return columns.answers(NAME)
