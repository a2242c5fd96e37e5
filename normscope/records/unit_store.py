"""Units of work on storage that several machines share: what is to be done, and what is.

    stages/<stage>/task.json        what is asked; written last, and names the folder of the units
                   units-<id>/…     the units with their inputs, some MB in each Parquet file
                   done/<unit>.jsonl   a finished unit: a line of the journal
    claims/<stage>/<unit>.lock      who works at it, on a disk
    parts/<name>/                   a store within this one
    driver.json, driver.lock        who merges what is finished

Any number of processes may write finished units. A unit follows from its inputs alone, so that one
which is done twice gives the same file twice.
"""

import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import RunError
from ..files import canonical_json, hash_value
from .driving import driver_id, driving, is_driven
from .locks import held
from .storage import Storage

_FILE_BYTES = 4 << 20
_FILE_UNITS = 256
"""What a file of units holds at most: enough for few files, little enough to be read at once."""

_STAGES, _PARTS, _CLAIMS = "stages", "parts", "claims"
_TASK = "task.json"
_UNIT = re.compile(r"[0-9A-Za-z_-]{1,64}")
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
class UnitStore:
    """The units of the stages of a run, at a path or a URL that all of its workers reach."""

    storage: Storage

    @classmethod
    def open(cls, where: str) -> "UnitStore":
        """The store at a folder, or a URL as fsspec knows it (`s3://bucket/run`, `gs://`, `hf://`).

        A `ConfigError` where nothing here can reach it. Nothing is written.
        """
        return cls(Storage.open(where))

    @property
    def address(self) -> str:
        """What another process opens the store by, whatever folder it is in."""
        return self.storage.where if self.storage.folder is None else self.storage.root

    def parts(self) -> "dict[str, UnitStore]":
        """The stores within this one, by name."""
        return {name: self.part(name) for name in self.storage.names(_PARTS)}

    def part(self, name: str) -> "UnitStore":
        """A store within this one, of which nobody else's units are."""
        return UnitStore.open(f"{self.address}/{_PARTS}/{name}")

    def remove_all(self) -> None:
        """Takes away all that is not published any more, as of a store within another one."""
        for folder in (_STAGES, _CLAIMS):
            self.storage.remove(folder)
        if self.storage.folder is not None:
            with suppress(OSError):
                self.storage.folder.rmdir()

    @property
    def has_units(self) -> bool:
        """Whether units are published that are not merged, here or in a store within this one."""
        return any(each.stages() for each in (self, *self.parts().values()))

    def check_writes(self) -> None:
        """A `RunError` where nothing can be written, before hours are spent on a result."""
        name = f".write-{uuid4().hex}"
        self.storage.write(name, b"")
        self.storage.remove(name)

    def publish(self, stage: str, task: Mapping[str, Any], parcels: Iterable[Parcel]) -> None:
        """Writes what is to be done, in place of what was published of the stage before.

        Workers see it from the moment when all of it is there. What is finished stays.
        """
        folder = f"units-{uuid4().hex[:8]}"
        files: list[tuple[str, int]] = []
        units: list[list[Any]] = []
        for rows in _files_of(parcels):
            name = f"part-{len(files):05}.parquet"
            sink = io.BytesIO()
            pq.write_table(pa.Table.from_pylist(rows, schema=_SCHEMA), sink, compression="none")
            self.storage.write(f"{_folder(stage)}/{folder}/{name}", sink.getvalue())
            files.append((name, len(rows)))
            units += [[row["name"], row["numbers"], row["hashes"]] for row in rows]
        plan = hash_value([task, units])
        there = self._plan(stage)
        if there is not None and there["plan"] == plan and self._has_files(stage, there):
            self.storage.remove(f"{_folder(stage)}/{folder}")
            return
        value = {"task": task, "folder": folder, "files": files, "plan": plan}
        self.storage.write(f"{_folder(stage)}/{_TASK}", canonical_json(value).encode())
        # what a publication that was stopped has left goes, too
        for name in self.storage.names(_folder(stage)):
            if name.startswith("units-") and name != folder:
                self.storage.remove(f"{_folder(stage)}/{name}")

    def stages(self) -> list[str]:
        """The stages that are published."""
        stages = [name.replace(".", ":") for name in self.storage.names(_STAGES)]
        return [stage for stage in stages if self._plan(stage) is not None]

    def task(self, stage: str) -> Mapping[str, Any]:
        """What is asked in the stage."""
        task: Mapping[str, Any] = self._published(stage)["task"]
        return task

    def units(self, stage: str) -> int:
        """How many units are published."""
        return sum(units for _, units in self._published(stage)["files"])

    def parcels(self, stage: str, *, start: float = 0.0) -> Iterator[Parcel]:
        """The units in their order, beginning at this share of them and going round.

        Workers that begin at different shares meet late, and all come to all units.
        """
        plan = self._published(stage)
        files = [
            (f"{_folder(stage)}/{plan['folder']}/{name}", units) for name, units in plan["files"]
        ]
        first = int(start * sum(units for _, units in files))
        # (file, from, to): the first file in two halves, the later half now and the other at last
        spans, tail = [], []
        for name, units in files:
            cut = min(max(first, 0), units)
            spans.append((name, cut, units))
            tail.append((name, 0, cut))
            first -= units
        for name, begin, end in spans + tail:
            if begin < end:
                for content in self.storage.read([name]):
                    rows = pq.read_table(io.BytesIO(content)).slice(begin, end - begin)
                    yield from map(Parcel.of_row, rows.to_pylist())

    def parcel_files(self, stage: str) -> list[str]:
        """The Parquet files of the units, as `arrow_filesystem` has them."""
        plan = self._published(stage)
        folder = f"{_folder(stage)}/{plan['folder']}"
        return [self.storage.path(f"{folder}/{name}") for name, _ in plan["files"]]

    def arrow_filesystem(self) -> Any:
        """The file system of `parcel_files`, Arrow's."""
        return self.storage.arrow()

    def put(self, stage: str, unit: str, line: bytes) -> None:
        """Keeps a finished unit, whole or not at all; from now on it counts as done."""
        self.storage.write(_done(stage, unit), line)

    def is_published(self, stage: str) -> bool:
        """Whether there are units of the stage to be done."""
        return self.storage.has(f"{_folder(stage)}/{_TASK}")

    def is_done(self, stage: str, unit: str) -> bool:
        """Whether the unit is finished and kept here."""
        return self.storage.has(_done(stage, unit))

    def done(self, stage: str) -> set[str]:
        """The names of the finished units that are kept here."""
        names = self.storage.names(f"{_folder(stage)}/done")
        return {name.removesuffix(".jsonl") for name in names if name.endswith(".jsonl")}

    def lines(self, stage: str, units: Iterable[str]) -> Iterator[bytes]:
        """The lines of these units, of those that are kept here."""
        return self.storage.read(_done(stage, unit) for unit in units)

    def drop(self, stage: str, unit: str) -> None:
        """Takes a finished unit away: it is damaged, and is to be done again."""
        self.storage.remove(_done(stage, unit))

    def withdraw(self, stage: str) -> None:
        """Publishes the stage no longer: no worker begins a unit of it. What is finished stays."""
        self.storage.remove(f"{_folder(stage)}/{_TASK}")

    def remove(self, stage: str) -> None:
        """Takes away all of a stage, when what is finished has been merged."""
        self.withdraw(stage)
        self.storage.remove(_folder(stage))
        self.storage.remove(_claims(stage))

    @contextmanager
    def claimed(self, stage: str, unit: str) -> Iterator[bool]:
        """Whether this process may do the unit: while the block lasts, no other one may.

        The system frees the claim of a process that dies. Only where the store is on a disk.
        """
        folder = self.storage.folder
        if folder is None:
            raise RunError(
                f"{self.storage.where} has no locks, with which processes share units: name a "
                "folder on a disk that all of them see"
            )
        path = folder / _claims(stage) / f"{_checked(unit)}.lock"
        path.parent.mkdir(parents=True, exist_ok=True)
        with held(path) as is_free:
            yield is_free

    @contextmanager
    def driving(self, who: str, *, take_over: bool = False) -> Iterator[None]:
        """One driver at a time plans and merges; a second one gets a `RunError` that names it.

        `who` says whose work it is: the run. `take_over` is for a driver on another machine that is
        known to be gone; on a disk, and of a dead process of this machine, that is seen by itself.
        """
        with driving(self.storage, who, take_over=take_over):
            yield

    def is_driven(self) -> bool:
        """Whether a driver is at work: its workers end where it is gone."""
        return is_driven(self.storage)

    def driver(self) -> str | None:
        """What tells the driver noted last from every other one; null if there was none."""
        return driver_id(self.storage)

    def _plan(self, stage: str) -> Any:
        for content in self.storage.read([f"{_folder(stage)}/{_TASK}"]):
            try:
                plan = json.loads(content)
            except (ValueError, RecursionError):
                return None  # of a storage that keeps part of what is written
            known = isinstance(plan, dict) and plan.keys() >= {"task", "folder", "files", "plan"}
            return plan if known else None
        return None

    def _has_files(self, stage: str, plan: Any) -> bool:
        """Whether the files of the units are all there: a storage may lose one."""
        names = self.storage.names(f"{_folder(stage)}/{plan['folder']}")
        return {name for name, _ in plan["files"]} <= {*names}

    def _published(self, stage: str) -> Any:
        plan = self._plan(stage)
        if plan is None:
            raise RunError(
                f"{self.storage.where} has no units of the stage {stage!r}: its driver has merged "
                "or never published them"
            )
        return plan


def _name(stage: str) -> str:
    """The name of a stage's folder: a colon is not in every file system's names."""
    if "." in stage or "/" in stage:
        raise ValueError(f"{stage!r} is no name of a stage")
    return stage.replace(":", ".")


def _checked(unit: str) -> str:
    """The name of a unit; what others may have written must not lead out of the storage."""
    if not _UNIT.fullmatch(unit):
        raise RunError(
            f"{unit!r} is no name of a unit: somebody else has changed the units; name other "
            "storage with --units, or remove what is there"
        )
    return unit


def _folder(stage: str) -> str:
    return f"{_STAGES}/{_name(stage)}"


def _claims(stage: str) -> str:
    return f"{_CLAIMS}/{_name(stage)}"


def _done(stage: str, unit: str) -> str:
    return f"{_folder(stage)}/done/{_checked(unit)}.jsonl"


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
