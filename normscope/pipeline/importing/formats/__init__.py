"""Readers of files that other tools wrote; each is a module with `is_format` and `read`."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from ..raw import RawAnswers
from . import anthropic_batch, chat, inspect_log, lm_eval, openai_batch


class Reader(Protocol):
    """A module that reads a format."""

    NAME: str
    """How people call it."""

    def is_format(self, first: Mapping[str, Any], path: Path) -> bool:
        """Whether a file is of the format, by its first record, empty where it has none."""

    def read(self, path: Path, requests: Path | None = None) -> RawAnswers:
        """The file's answers; `requests` is the file that knows the prompts, if they are apart."""


READERS: Mapping[str, Reader] = MappingProxyType(
    {
        "openai-batch": openai_batch,
        "anthropic-batch": anthropic_batch,
        "lm-eval": lm_eval,
        "inspect": inspect_log,
        "chat": chat,
    }
)
"""The readers by the name that `--format` takes, in the order in which a file is tried."""
