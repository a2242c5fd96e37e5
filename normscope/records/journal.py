"""An append-only file of results: what is in it is not requested again.

One JSON line per unit of work, flushed to the disk before the next unit begins. Each line has a
checksum of its own, as each frame of SQLite's write-ahead log has. A line that does not match its
checksum, or that a crash has torn, is as if it had not been written: its unit alone is done again.
"""

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from ..files import canonical_json, replacing

Row = dict[str, Any]

_SUM = 16  # hexadecimal digits, 64 bits: what is guarded against is damage, not an attacker
_LINE = re.compile(rb'\{"sum":"([0-9a-f]{%d})",(.+\})\n' % _SUM, re.DOTALL)


class _Entry(NamedTuple):
    """A line: the rows of a unit, each with its name, and which models a server answered with."""

    stage: str
    names: list[str]
    rows: list[Row]
    served: list[str]


@dataclass(slots=True)
class Journal:
    """The rows of every stage by their names; of a row that was written twice, the later one."""

    path: Path
    _entries: list[_Entry] = field(default_factory=list)
    _rows: dict[str, dict[str, Row]] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path) -> "Journal":
        """The journal at `path`, new if there is none; damaged lines are reported and taken out."""
        path.touch()
        journal = cls(path)
        with path.open("rb") as file:
            lines = [(_read(line), line.endswith(b"\n")) for line in file]
        for entry, _ in lines:
            if entry is not None:
                journal._keep(entry)
        damaged = sum(entry is None for entry, _ in lines)
        if damaged:
            _write(path, journal._entries)
            is_torn = damaged == 1 and not lines[-1][1]
            damage = "the last line was torn" if is_torn else f"damaged lines: {damaged:,}"
            again = "what is not in the others is asked again"
            tqdm.write(f"{path}: {damage} (of {len(lines):,}); {again}", file=sys.stderr)
        return journal

    def rows(self, stage: str) -> Mapping[str, Row]:
        """The rows of a stage that are there, by name."""
        return self._rows.get(stage, {})

    def all_rows(self) -> Iterator[Row]:
        """The rows of all stages."""
        return (row for rows in self._rows.values() for row in rows.values())

    def served(self, stage: str) -> tuple[str, ...]:
        """The models that a server answered with in a stage and its parts, in their order."""
        lists = (entry.served for entry in self._entries if entry.stage.partition(":")[0] == stage)
        return tuple(dict.fromkeys(name for served in lists for name in served))

    def append(
        self, stage: str, names: Sequence[str], rows: Sequence[Row], *, served: Sequence[str] = ()
    ) -> list[Row]:
        """Keeps a unit's rows under their names, and returns them as they will be read."""
        line = _line(_Entry(stage, list(names), list(rows), list(served)))
        with self.path.open("ab") as file:
            file.write(line)
            file.flush()
            # before the next unit begins: an answer that was paid for survives a power cut
            os.fsync(file.fileno())
        # read back from its JSON: a resumed run sees these very values
        kept = _Entry(**_content(line))
        self._keep(kept)
        return kept.rows

    def copy(self, to: Path, *, leaving_out: str) -> None:
        """Writes another journal, without a stage and its parts."""
        kept = [entry for entry in self._entries if entry.stage.partition(":")[0] != leaving_out]
        _write(to, kept)

    def _keep(self, entry: _Entry) -> None:
        self._entries.append(entry)
        rows = zip(entry.names, entry.rows, strict=True)
        self._rows.setdefault(entry.stage, {}).update(rows)


def _write(path: Path, entries: Iterable[_Entry]) -> None:
    with replacing(path) as part, part.open("wb") as file:
        file.writelines(map(_line, entries))


def _line(entry: _Entry) -> bytes:
    content = canonical_json(entry._asdict()).encode()
    return b'{"sum":"%s",%s\n' % (_sum(content), content[1:])


def _read(line: bytes) -> _Entry | None:
    """The entry of a line as it was written; null of any other line."""
    match = _LINE.fullmatch(line)
    if match is None or _sum(b"{" + match[2]) != match[1]:
        return None
    try:
        entry = _Entry(**_content(line))
        return entry if len(entry.names) == len(entry.rows) else None
    except (ValueError, TypeError, RecursionError):
        # a checksum can be had for anything
        return None


def _content(line: bytes) -> dict[str, Any]:
    return {name: value for name, value in json.loads(line).items() if name != "sum"}


def _sum(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest()[:_SUM].encode()
