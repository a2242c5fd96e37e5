"""Units of work in a folder that several processes or machines see: what is to be done, and done.

    driver.json, driver.lock    who merges what is finished
    parts/<name>/               a task of a stage
        task.json               what is asked; written last, and names the folder of the units
        units-<id>/…            the units with their inputs, some MB in each Parquet file
        done/<unit>.jsonl       a finished unit: a line of the journal
        claims/<unit>.lock      who works at it

Any number of processes may write finished units, each file whole or not at all. A unit follows from
its inputs alone, so that one which is done twice gives the same file twice. Nothing that was read
before is remembered, since others write meanwhile.
"""

import io
import json
import os
import shutil
import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import RunError
from ..files import canonical_json
from .locks import held, is_held

_FILE_BYTES = 4 << 20
_FILE_UNITS = 256
"""What a file of units holds at most: enough for few files, little enough to be read at once."""

_DRIVER, _LOCK = "driver.json", "driver.lock"
_SCHEMA = pa.schema(
    [
        ("name", pa.string()),
        ("numbers", pa.list_(pa.int64())),
        ("hashes", pa.list_(pa.string())),
        # an Arrow IPC stream, since the inputs of each stage have columns of their own
        ("inputs", pa.binary()),
    ]
)


class Parcel(NamedTuple):
    """A unit as a worker gets it: nothing else is needed to do it.

    `numbers` and `hashes` are those of its rows, which `inputs` has one by one.
    """

    name: str
    numbers: tuple[int, ...]
    hashes: tuple[str, ...]
    inputs: pa.Table

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> "Parcel":
        """The unit of a row of a file of units."""
        with pa.ipc.open_stream(row["inputs"]) as reader:
            inputs = reader.read_all()
        return cls(row["name"], tuple(row["numbers"]), tuple(row["hashes"]), inputs)

    def row(self) -> dict[str, Any]:
        """The unit as a row of a file of units."""
        sink = io.BytesIO()
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.ipc.new_stream(sink, self.inputs.schema, options=options) as writer:
            writer.write_table(self.inputs)
        return {**self._asdict(), "inputs": sink.getvalue()}


@dataclass(frozen=True, slots=True)
class Part:
    """The units of one task, in a folder of its own."""

    folder: Path

    def publish(self, task: Mapping[str, Any], parcels: Iterable[Parcel]) -> None:
        """Writes what is to be done, in place of what was published before.

        Workers see it from the moment when all of it is there. What is finished stays.
        """
        folder = f"units-{uuid4().hex[:8]}"
        files: list[tuple[str, int]] = []
        for rows in _files_of(parcels):
            name, sink = f"part-{len(files):05}.parquet", io.BytesIO()
            pq.write_table(pa.Table.from_pylist(rows, schema=_SCHEMA), sink, compression="none")
            write(self.folder / folder / name, sink.getvalue())
            files.append((name, len(rows)))
        plan = {"task": task, "folder": folder, "files": files}
        write(self._task, canonical_json(plan).encode())
        # what a publication that was stopped has left goes, too
        for path in self.folder.glob("units-*"):
            if path.name != folder:
                shutil.rmtree(path, ignore_errors=True)

    @property
    def is_published(self) -> bool:
        """Whether there are units to be done."""
        return self._task.exists()

    def task(self) -> Mapping[str, Any]:
        """What is asked."""
        task: Mapping[str, Any] = self._plan()["task"]
        return task

    def files(self) -> list[tuple[Path, int]]:
        """The Parquet files of the units, and how many units each has."""
        plan = self._plan()
        return [(self.folder / plan["folder"] / name, units) for name, units in plan["files"]]

    def parcels(self, *, start: float = 0.0) -> Iterator[Parcel]:
        """The units in their order, beginning at this share of them and going round.

        Workers that begin at different shares meet late, and all come to all units.
        """
        files = self.files()
        total = sum(units for _, units in files)
        first = int(start * total)
        for begin, end in ((first, total), (0, first)):
            at = 0
            for file, units in files:
                low, high = max(begin - at, 0), min(end - at, units)
                at += units
                if low < high:
                    for content in contents([file]):
                        rows = pq.read_table(io.BytesIO(content)).slice(low, high - low)
                        yield from map(Parcel.of_row, rows.to_pylist())

    @contextmanager
    def claimed(self, unit: str) -> Iterator[bool]:
        """Whether this process may do the unit: while the block lasts, no other one may."""
        path = self.folder / "claims" / f"{unit}.lock"
        path.parent.mkdir(parents=True, exist_ok=True)
        with held(path) as is_free:
            yield is_free

    def put(self, unit: str, line: bytes) -> None:
        """Keeps a finished unit, whole or not at all; from now on it counts as done."""
        write(self._done(unit), line)

    def is_done(self, unit: str) -> bool:
        """Whether the unit is finished and kept here."""
        return self._done(unit).exists()

    def done(self) -> set[str]:
        """The names of the finished units that are kept here."""
        there = names(self.folder / "done")
        return {name.removesuffix(".jsonl") for name in there if name.endswith(".jsonl")}

    def lines(self, units: Iterable[str]) -> Iterator[bytes]:
        """The lines of these units, of those that are kept here."""
        return contents(map(self._done, units))

    def drop(self, unit: str) -> None:
        """Takes a finished unit away: it is damaged, and is to be done again."""
        self._done(unit).unlink(missing_ok=True)

    def withdraw(self) -> None:
        """Publishes the units no longer: no worker begins one. What is finished stays."""
        self._task.unlink(missing_ok=True)

    def remove(self) -> None:
        """Takes all of it away, when what is finished has been merged."""
        # others may be removing it too, or be late with a file of theirs
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def _task(self) -> Path:
        return self.folder / "task.json"

    def _done(self, unit: str) -> Path:
        return self.folder / "done" / f"{unit}.jsonl"

    def _plan(self) -> Any:
        for content in contents([self._task]):
            return json.loads(content)
        raise RunError(f"{self.folder} has no units: its driver has merged or never published them")


@dataclass(frozen=True, slots=True)
class UnitStore:
    """The units of a run, in a folder that all of its workers see."""

    folder: Path

    def parts(self) -> list[Part]:
        """The tasks that something is left of."""
        return [self.part(name) for name in names(self.folder / "parts")]

    def part(self, name: str) -> Part:
        """The task of this name, of which nobody else's units are."""
        return Part(self.folder / "parts" / name)

    @property
    def has_units(self) -> bool:
        """Whether units are published that are not merged."""
        return any(part.is_published for part in self.parts())

    @contextmanager
    def driving(self, who: str) -> Iterator[None]:
        """One driver at a time plans and merges; a second one gets a `RunError` that names it.

        `who` says whose work it is: the run. Of a driver that has died the system frees the lock.
        """
        note = {
            "who": who,
            "host": socket.gethostname(),
            "process": os.getpid(),
            "since": datetime.now(UTC).isoformat(timespec="seconds"),
            "id": uuid4().hex,
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        # a worker that looks whether there is a driver holds it for a moment, too
        with held(self.folder / _LOCK, wait_s=1) as is_free:
            if not is_free:
                known = self._driver()
                raise RunError(
                    f"{self.folder} is being worked on by process {known.get('process')} of "
                    f"{known.get('host')}, for {known.get('who')}, since {known.get('since')}: "
                    "wait for it or stop it"
                )
            write(self.folder / _DRIVER, json.dumps(note).encode())
            yield

    def is_driven(self) -> bool:
        """Whether a driver is at work: its workers end where it is gone."""
        return is_held(self.folder / _LOCK)

    def driver(self) -> str | None:
        """What tells the driver noted last from every other one; null if there was none."""
        return self._driver().get("id")

    def _driver(self) -> dict[str, Any]:
        for content in contents([self.folder / _DRIVER]):
            with suppress(ValueError):
                note: dict[str, Any] = json.loads(content)
                return note
        return {}


def names(folder: Path) -> list[str]:
    """The names in a folder, sorted; none where there is no such folder."""
    try:
        return sorted(path.name for path in folder.iterdir())
    except FileNotFoundError:
        return []


def write(path: Path, content: bytes) -> None:
    """Writes a file that other machines may read, whole or not at all.

    A `RunError` where the disk refuses it, as a full one does.
    """
    # not `files.replacing`: that looks through the folder, which may hold a million files, and a
    # process of another machine may have the same number
    part = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with part.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise RunError(
            f"{path}: the disk refuses ({error.strerror}). What is finished stays: make room or "
            "grant access, or name another folder with --units; then start the same command again"
        ) from error


def contents(paths: Iterable[Path]) -> Iterator[bytes]:
    """The contents of those files that are there, in their order."""
    for path in paths:
        with suppress(FileNotFoundError):
            yield path.read_bytes()


def _files_of(parcels: Iterable[Parcel]) -> Iterator[list[dict[str, Any]]]:
    """The rows of each file; one at a time is in memory."""
    rows: list[dict[str, Any]] = []
    size = 0
    for parcel in parcels:
        row = parcel.row()
        rows.append(row)
        size += len(row["inputs"])
        if size >= _FILE_BYTES or len(rows) >= _FILE_UNITS:
            yield rows
            rows, size = [], 0
    if rows:
        yield rows
