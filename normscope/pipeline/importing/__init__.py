"""Recorded answers as one table, whatever file they stand in."""

import os
from pathlib import Path
from typing import Any

from ...tables import Table, read_table
from ...text_tables import json_lines
from . import inspect_log, lm_eval


def read_answers(source: Any) -> Table:
    """The rows of a table, or those of a log of Inspect or of lm-eval's samples.

    A log is known by its ending, samples by the fields of their first line. The columns of both
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
    return read_table(source)
