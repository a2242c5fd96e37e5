"""An append-only file of finished units: what is in it is not requested again.

One JSON line per unit of work, in the hands of the system before the next unit begins, so that it
outlives the process, and on the disk within a quarter of a second. Each line has a checksum of its
own, as each frame of SQLite's write-ahead log has. A line that does not match its checksum, or that
a crash has torn, is as if it had not been written: its unit alone is done again.

Of the lines only an index is kept in memory (which rows, where in the file), so that a journal may
have millions of rows; what is in them is read when somebody asks for it.
"""

import hashlib
import io
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from ..errors import RunError
from ..files import canonical_json, replacing
from ..reasons import Reason

Row = dict[str, Any]
Numbers = NDArray[np.int64]
Hashes = NDArray[np.bytes_]
"""The content hash of each row, 16 hexadecimal digits or none."""

SYNC_S = 0.25
"""For how long, in seconds, the system may keep what was written from the disk."""

HASH = 16
"""How many hexadecimal digits the hash of a row's content has."""

_SUM = 16  # hexadecimal digits, 64 bits: what is guarded against is damage, not an attacker
# what tells of the rows stands before them, so that an index is made without reading them
_LINE = re.compile(
    rb'\{"sum":"([0-9a-f]{%d})",("head":(\{[^{}]*\}),"rows":(\[.*\])\})\n' % _SUM, re.DOTALL
)


class Entry(NamedTuple):
    """A finished unit, or some of its rows that were done again: one line of a journal.

    `numbers` are the rows' among the inputs of the stage, `hashes` those of their contents (empty
    where the number says enough), `served` the models that a server answered with.
    """

    stage: str
    unit: str
    numbers: list[int]
    hashes: list[str]
    rows: list[Row]
    served: list[str]

    def line(self) -> bytes:
        """The entry as it is kept: JSON with a checksum, and a line feed."""
        head = self._asdict()
        rows = head.pop("rows")
        head["failed"] = [at for at, row in enumerate(rows) if call_failed(row)]
        # braces end the head, and a server may be called anything
        told = canonical_json(head)[1:-1].replace("{", r"\u007b").replace("}", r"\u007d")
        content = f'"head":{{{told}}},"rows":{canonical_json(rows)}}}'.encode()
        return b'{"sum":"%s",%s\n' % (_sum(content), content)


def read_line(line: bytes) -> Entry | None:
    """The entry of a line as it was written; null of any other line."""
    told = _line_of(line)
    if told is None:
        return None
    stage, known = told
    try:
        rows = _rows(line)
    except (ValueError, RecursionError):
        return None
    if len(rows) != len(known.numbers):
        return None
    hashes = [each.decode() for each in known.hashes.tolist()]
    numbers: list[int] = known.numbers.tolist()
    return Entry(stage, known.unit, numbers, hashes if any(hashes) else [], rows, [*known.served])


def call_failed(row: Row) -> bool:
    """Whether the row, or one of the judgements in it, is absent because a call failed."""
    return any(each.get("reason") == Reason.CALL_FAILED for each in row.get("criteria", [row]))


@dataclass(frozen=True, slots=True)
class Line:
    """Where an entry stands in the file, and which rows are in it."""

    offset: int
    length: int
    unit: str
    numbers: Numbers
    hashes: Hashes
    failed: tuple[int, ...]
    served: tuple[str, ...]


@dataclass(slots=True)
class Kept:
    """Of each row of a stage the line that holds it and its place there; −1 where there is none.

    Of a row that is there more than once the first counts that no failed call has left out:
    `again` is how many others there are.
    """

    line: NDArray[np.int32]
    place: NDArray[np.int32]
    failed: NDArray[np.bool_]
    again: int = 0

    @property
    def there(self) -> NDArray[np.bool_]:
        """Which rows are there."""
        result: NDArray[np.bool_] = self.line >= 0
        return result


@dataclass(slots=True)
class Journal:
    """The finished units of every stage; in memory where it has no path."""

    path: Path | None
    count: int = 0
    """How many lines there were when it was read."""
    damaged: int = 0
    """How many of them were damaged, and are no units."""
    is_torn: bool = False
    """Whether the only damaged one is the last, which a crash has cut off."""
    _lines: dict[str, list[Line]] = field(default_factory=dict)
    _memory: io.BytesIO = field(default_factory=io.BytesIO)
    _synced: float = 0.0

    @classmethod
    def open(cls, path: Path | None) -> "Journal":
        """The journal at `path`, new if there is none; damaged lines are reported and taken out."""
        if path is None:
            return cls(path)
        path.touch()
        journal = cls.read(path)
        if journal.damaged:
            journal.copy(path)
            damage = (
                "the last line was torn"
                if journal.is_torn
                else f"damaged lines: {journal.damaged:,}"
            )
            again = "what is not in the others is asked again"
            tqdm.write(f"{path}: {damage} (of {journal.count:,}); {again}", file=sys.stderr)
            return cls.read(path)
        return journal

    @classmethod
    def read(cls, path: Path) -> "Journal":
        """The journal at `path`, whose damaged lines are counted; nothing is written."""
        journal = cls(path)
        with path.open("rb") as file:
            offset = 0
            for line in file:
                if (told := _line_of(line)) is not None:
                    journal._note(*told, offset)
                else:
                    journal.is_torn = not journal.damaged and not line.endswith(b"\n")
                    journal.damaged += 1
                journal.count, offset = journal.count + 1, offset + len(line)
        return journal

    @property
    def has_failed(self) -> bool:
        """Whether a call has failed for a row, and was not made again since."""
        return any(self.kept(stage).failed.any() for stage in self._lines)

    def lines(self, stage: str) -> Sequence[Line]:
        """The lines of a stage, in the order in which they were written."""
        return self._lines.get(stage, [])

    def kept(self, stage: str, hashes: Hashes | None = None) -> Kept:
        """Which rows of the stage are there, of as many as there are `hashes`, each with its own.

        Without hashes of all that were ever written, whatever their contents.
        """
        lines = self.lines(stage)
        last = max((int(line.numbers.max(initial=-1)) for line in lines), default=-1)
        total = last + 1 if hashes is None else len(hashes)
        kept = Kept(
            np.full(total, -1, np.int32), np.full(total, -1, np.int32), np.zeros(total, np.bool_)
        )
        for at, line in enumerate(lines):
            failed = np.zeros(len(line.numbers), np.bool_)
            failed[list(line.failed)] = True
            places = np.flatnonzero(line.numbers < total)
            if hashes is not None:
                places = places[line.hashes[places] == hashes[line.numbers[places]]]
            numbers = line.numbers[places]
            new = kept.line[numbers] < 0
            better = new | (kept.failed[numbers] & ~failed[places])
            kept.again += int((~better).sum())
            places, numbers = places[better], numbers[better]
            kept.line[numbers], kept.place[numbers] = at, places
            kept.failed[numbers] = failed[places]
        return kept

    def rows(self, stage: str, numbers: Numbers, kept: Kept) -> list[Row]:
        """These rows of the stage, all of which are there, in this order."""
        result: list[Row] = [{}] * len(numbers)
        lines, places = kept.line[numbers], kept.place[numbers]
        for at in dict.fromkeys(lines.tolist()):
            of_line = self._read(self.lines(stage)[at])
            for where in np.flatnonzero(lines == at).tolist():
                result[where] = of_line[places[where]]
        return result

    def served(self, stage: str) -> tuple[str, ...]:
        """The models that a server answered with in a stage and its parts, in their order."""
        lines = sorted(
            (line for name, lines in self._lines.items() if _is_of(name, stage) for line in lines),
            key=lambda line: line.offset,
        )
        return tuple(dict.fromkeys(name for line in lines for name in line.served))

    def append(self, *entries: Entry) -> None:
        """Keeps finished units."""
        lines = [entry.line() for entry in entries]
        whole = [(line, told) for line in lines if (told := _line_of(line)) is not None]
        with self._opened("ab") as file:
            offset = file.seek(0, os.SEEK_END)
            try:
                left = memoryview(b"".join(line for line, _ in whole))
                while left:
                    left = left[file.write(left) :]
            except BaseException:
                # what a full disk has kept of a line would damage the one that is written next
                file.truncate(offset)
                raise
            # units of a model take longer than this: each of them survives a power cut
            if self.path is not None and monotonic() - self._synced >= SYNC_S:
                os.fsync(file.fileno())
                self._synced = monotonic()
        for line, told in whole:
            self._note(*told, offset)
            offset += len(line)

    def sync(self) -> None:
        """Sees to it that all that was written is on the disk."""
        if self.path is not None:
            with self.path.open("ab") as file:
                os.fsync(file.fileno())

    def copy(self, to: Path, *, leaving_out: str | None = None) -> None:
        """Writes another journal, without a stage and its parts."""
        kept = sorted(
            (line.offset, line.length)
            for stage, lines in self._lines.items()
            if leaving_out is None or not _is_of(stage, leaving_out)
            for line in lines
        )
        with replacing(to) as part, part.open("wb") as file, self._opened("rb") as source:
            for offset, length in kept:
                source.seek(offset)
                file.write(source.read(length))

    def _read(self, line: Line) -> list[Row]:
        with self._opened("rb") as file:
            file.seek(line.offset)
            rows = _rows(file.read(line.length))
        if len(rows) != len(line.numbers):
            raise RunError(f"{self.path} was changed while it was read: start again")
        return rows

    def _note(self, stage: str, line: Line, offset: int) -> None:
        self._lines.setdefault(stage, []).append(replace(line, offset=offset))

    @contextmanager
    def _opened(self, mode: str) -> Iterator[BinaryIO]:
        if self.path is None:
            yield self._memory
            return
        # what is appended is written at once, so that what was not can be taken back
        with self.path.open(mode, buffering=0 if mode == "ab" else -1) as file:
            yield file  # type: ignore[misc]  # opened as bytes


def _is_of(name: str, stage: str) -> bool:
    """Whether it is the name of the stage or of a part of it (`respond:texts`)."""
    return name.partition(":")[0] == stage


def _line_of(line: bytes) -> tuple[str, Line] | None:
    """The stage of a line, and what it tells of its rows; null of a line not written so."""
    match = _LINE.fullmatch(line)
    if match is None or _sum(match[2]) != match[1]:
        return None
    try:
        head = json.loads(match[3])
        numbers = np.array(head["numbers"], np.int64)
        known = Line(
            offset=0,
            length=len(line),
            unit=head["unit"],
            numbers=numbers,
            hashes=np.array(head["hashes"] or [""] * len(numbers), f"S{HASH}"),
            failed=tuple(head["failed"]),
            served=tuple(head["served"]),
        )
        stage: str = head["stage"]
        ok = all(0 <= at < len(numbers) for at in known.failed)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        # a checksum can be had for anything
        return None
    ok &= numbers.ndim == 1 and len(known.hashes) == len(numbers) and isinstance(stage, str)
    return (stage, known) if ok and (numbers >= 0).all() else None


def _rows(line: bytes) -> list[Row]:
    match = _LINE.fullmatch(line)
    rows: list[Row] = json.loads(match[4]) if match else []
    return rows


def _sum(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest()[:_SUM].encode()
