"""Recorded answers as one table, whatever file they stand in."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...tables import Table, read_table
from . import inspect_log, lm_eval, openai_batch

_FIRST_LINE = 1 << 26


def read_answers(source: Any) -> Table:
    """The rows of a table, or those of a log of Inspect, lm-eval's samples or a batch's output.

    A log is known by its ending, the others by the fields of their first line. The columns of a log
    are named as roles; a table's are named by whoever made it.
    """
    if not isinstance(source, str | os.PathLike):
        return read_table(source)
    path = Path(source)
    if path.suffix in inspect_log.SUFFIXES:
        return inspect_log.read(path)
    reads = _reader_of(path) if path.suffix == ".jsonl" else None
    return read_table(path) if reads is None else reads(path)


def _reader_of(path: Path) -> Callable[[Path], Table] | None:
    """What reads a JSONL file of this first line; null is a table."""
    # what cannot be read is told by the reader of tables
    first: Mapping[str, Any] = {}
    if path.is_file():
        with path.open("rb") as file:
            line = file.readline(_FIRST_LINE)
        try:
            first = dict(json.loads(line))
        except (ValueError, TypeError, RecursionError):
            return None
    known = {lm_eval.FIELDS: lm_eval.read, openai_batch.FIELDS: openai_batch.read}
    return next((read for fields, read in known.items() if fields <= first.keys()), None)
