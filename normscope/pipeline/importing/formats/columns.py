"""A table that grows row by row while a reader goes through a file."""

import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from ..raw import RawAnswers, Role

_TYPES: Mapping[Role, pa.DataType] = {"sample": pa.int32(), "temperature": pa.float64()}


class Columns:
    """The rows of a file, column by column: those with a role, and those that its author added.

    `roles` says which column holds what; they are named as the format names them. An added column
    of the same name has `added.` before it, and is text as in a CSV.
    """

    def __init__(self, roles: Mapping[Role, str], *, added: str) -> None:
        """No row yet."""
        self._roles, self._added = dict(roles), added
        self._place: list[str] = []
        self._rank: list[tuple[int, ...]] = []
        self._fixed: dict[Role, list[Any]] = {role: [] for role in roles}
        self._others: dict[str, list[str | None]] = {}
        self._names = {role_column: f"{added}.{role_column}" for role_column in roles.values()}

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self._place)

    def add(
        self,
        place: str,
        values: Mapping[Role, Any],
        others: Mapping[str, Any] | None = None,
        *,
        rank: tuple[int, ...] = (),
    ) -> None:
        """A row: what it holds by role, null where a role is left out, and what else is there.

        Of the others, lists and objects are left out: no column of answers is one. The rows are
        sorted by their `rank`: tools write answers as they come, and the published majority goes by
        the order in which the prompts were asked.
        """
        for role, column in self._fixed.items():
            column.append(values.get(role))
        for name, value in (others or {}).items():
            if value is None or isinstance(value, dict | list):
                continue
            column = self._others.setdefault(self._names.get(name, name), [])
            column += [None] * (len(self._place) - len(column))
            column.append(value if isinstance(value, str) else json.dumps(value))
        self._place.append(place)
        self._rank.append(rank)

    def answers(self, format: str, note: str = "") -> RawAnswers:  # noqa: A002 - the field's name
        """What was read; a role that no row has a value for is none of the file's.

        Neither is the number of the sample where each prompt has one.
        """
        n = len(self._place)
        columns = {
            self._roles[role]: pa.array(values, _TYPES.get(role, pa.string()))
            for role, values in self._fixed.items()
        }
        empty = {
            role
            for role, name in self._roles.items()
            if role != "answer" and columns[name].null_count == n
        }
        if "sample" in self._fixed and not any(self._fixed["sample"]):
            empty.add("sample")
        for role in empty:
            del columns[self._roles[role]]
        for name, values in self._others.items():
            columns[name] = pa.array(values + [None] * (n - len(values)), pa.string())
        order = pa.array(sorted(range(n), key=self._rank.__getitem__), pa.int64())
        return RawAnswers(
            format=format,
            table=pa.table(columns).take(order),
            place=pa.array(self._place, pa.string()).take(order),
            roles={role: name for role, name in self._roles.items() if role not in empty},
            note=note,
        )
