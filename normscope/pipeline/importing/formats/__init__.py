"""Readers of files that other tools wrote; each is a module with `is_format` and `read`."""

import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, cast

from ..raw import RawAnswers

READERS: Mapping[str, str] = MappingProxyType(
    {
        "openai-batch": "openai_batch",
        "anthropic-batch": "anthropic_batch",
        "lm-eval": "lm_eval",
        "inspect": "inspect_log",
        "chat": "chat",
    }
)
"""The module that reads each format, by the name that `--format` takes; tried in this order."""

AUTO, TABLE = "auto", "table"
FORMATS = (AUTO, TABLE, *READERS)
"""What `--format` takes; a table is CSV, JSONL or Parquet with a column per thing."""

_LOOKED_AT = 1 << 26


class Reader(Protocol):
    """A module that reads a format."""

    NAME: str
    """How people call it."""

    def is_format(self, first: Mapping[str, Any], path: Path) -> bool:
        """Whether a file is of the format, by its first record, empty where it has none."""

    def read(self, path: Path, requests: Path | None = None) -> RawAnswers:
        """The file's answers; `requests` is the file that knows the prompts, if they are apart."""


def reader(name: str) -> Reader:
    """The reader of the format."""
    # what a reader imports is not loaded to show the help of a verb
    return cast("Reader", import_module(f".{READERS[name]}", __name__))


def reader_of(path: Path) -> Reader | None:
    """The reader whose format the file has, by its first record or its ending; null is a table's.

    What cannot be read is a table's too, whose reader says what is wrong with it.
    """
    first = _first(path)
    return next((r for r in map(reader, READERS) if r.is_format(first, path)), None)


def _first(path: Path) -> Mapping[str, Any]:
    """The first object of a JSONL file; nothing of other files."""
    if path.suffix != ".jsonl":
        return {}
    with path.open("rb") as file:
        while (line := file.readline(_LOOKED_AT)) and not line.strip():
            pass
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
