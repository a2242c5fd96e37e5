"""Options with a value per row, pooled over the processes as `evaluate` pools the columns.

`evaluate` hands the main process every process's columns and its own options alone: groups and
reasons of the others' rows would be missing. So each process leaves its options beside its rows.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import DataError
from ..files import read_json, write_text

Options = Mapping[str, Any]


def leave(path: Path, options: Options) -> None:
    """Writes a process's options per row, plain lists, where the main process will look for them.

    Their order is kept: that of the groups in the result.
    """
    write_text(path, json.dumps(options, ensure_ascii=False))


def collect(paths: Sequence[Path]) -> dict[str, Any]:
    """The options of all processes in their order, and their files gone.

    >>> pool("groups", [{"area": ["x"]}, {"area": ["y", "x"]}])
    {'area': ['x', 'y', 'x']}
    """
    told = [read_json(path) for path in paths]
    for path in paths:
        path.unlink()
    names = dict.fromkeys(name for options in told for name in options)
    return {name: pool(name, [options.get(name) for options in told]) for name in names}


def pool(name: str, values: Sequence[Any]) -> Any:
    """Lists one after another, mappings of lists by key; whatever is no list must be one value."""
    first = values[0]
    kinds = {type(value) for value in values}
    if kinds == {list}:
        return [one for value in values for one in value]
    if kinds == {dict} and all(set(value) == set(first) for value in values):
        return {key: pool(f"{name}, {key}", [value[key] for value in values]) for key in first}
    if any(value != first for value in values):
        remedy = "give every process its own rows' values, under the same names, or none of them"
        raise DataError(f"{name} differs in kind between the processes; {remedy}")
    return first
