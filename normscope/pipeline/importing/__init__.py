"""Recorded answers as one table, whatever file they stand in."""

import os
from pathlib import Path
from typing import Any

from ...tables import Table, read_table
from ...text_tables import json_lines
from . import inspect_log, lm_eval, openai_batch


def read_answers(source: Any) -> Table:
    """The rows of a table, or those of a log of Inspect, lm-eval's samples or a batch's output.

    A log is known by its ending, the others by the fields of their first line. The columns of a log
    are named as roles; a table's are named by whoever made it.
    """
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if path.suffix in inspect_log.SUFFIXES:
            return inspect_log.read(path)
        if path.suffix == ".jsonl" and path.is_file():
            _, first = next(iter(json_lines(path)), (0, {}))
            if first.keys() >= lm_eval.FIELDS:
                return lm_eval.read(path)
            if first.keys() >= openai_batch.FIELDS:
                return openai_batch.read(path)
    return read_table(source)
