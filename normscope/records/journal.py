"""What was done of a run while it is made: one SQLite table of units.

A unit is a fixed group of rows, planned from the whole input. Any number of processes of one
machine claim units, each by one statement, and write what came out as an Arrow stream. A claim ends
when its process does, whose lock the system then frees; a unit that is done twice has the same
rows. SQLite sees to it that a unit is there whole or not at all, whenever a process is killed.
"""

import json
import secrets
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..errors import RunError
from ..files import replacing
from ..reasons import Reason
from .database import Database
from .processes import hold
from .tables import stream_of, table_of

Numbers = NDArray[np.int64]
Hashes = NDArray[np.uint64]

ROW, PLACE = "row", "place"
"""The columns that say of what comes out of a unit to which of its inputs, and of which place, it
belongs."""

_FORMAT = 0x4E53_0001  # "NS", and the version of the tables
_KEY = np.dtype([("place", "<i8"), ("hash", "<u8")])
_TABLES = """
create table unit (
    stage text not null,
    id integer not null,
    keys blob not null, -- place and hash of each row
    due integer not null default 1,
    claim integer, -- of whose lock the file has the number
    failed integer not null default 0, -- rows that a failed call has left out
    inputs blob, -- of the rows that are due
    rows blob,
    sum integer, -- of the rows, by which damage is found
    primary key (stage, id)
);
-- a claim must not walk over what is done
create index due_unit on unit (stage, id) where due;
create table served (stage text not null, model text not null, primary key (stage, model));
"""
_CLAIM = """
update unit set claim = ?1 where stage = ?2 and id = (
    select id from unit where stage = ?2 and due and claim is null order by id limit 1
) returning id, inputs
"""


class Unit(NamedTuple):
    """Rows that are done together: the place of each among all, its content's hash, its inputs."""

    places: Numbers
    hashes: Hashes
    inputs: pa.Table


class Claimed(NamedTuple):
    """A unit that this process is to do, or those of its rows that are due: their inputs."""

    id: int
    places: Numbers
    inputs: pa.Table


@dataclass(frozen=True, slots=True)
class StageCounts:
    """How many units and rows of a stage are planned and done.

    `failed` rows are absent because a call failed.
    """

    stage: str
    units: int
    units_done: int
    rows: int
    rows_done: int
    failed: int = 0


class Journal(Database):
    """The units of every stage of a run; in memory where it has no path."""

    def __init__(self, path: Path | None, *, reads: bool = False) -> None:
        """Opens the journal, or makes it; one that is only read is not changed.

        A `RunError` where the file is another's, or lies where locks of other processes are not
        seen.
        """
        super().__init__(path, _TABLES, mark=_FORMAT, reads=reads)
        self._id = secrets.randbits(62)
        self._lock = None
        if path is not None and not reads:
            # together, so that nobody takes the new file for one that was left behind
            with self._at_once():
                self._lock = hold(self._lock_file(self._id))
            self.free()

    def plan(self, stage: str, units: Iterable[Unit]) -> int:
        """Notes the whole work of a stage, and which of it is due; how many rows there are.

        What is done is due no more, but for rows that a failed call has left out: those are asked
        again, without the rest of their unit. A `RunError` where the input is not
        the one that was planned: other rows, or another content of one that is done.
        """
        ((known,),) = self._do("select count(*) from unit where stage = ?", stage)
        total = number = 0
        left = iter(units)
        # several units at a time: each commit waits for the disk
        while several := list(islice(left, 256)):
            with self._at_once():
                for unit in several:
                    self._plan_unit(stage, number, unit)
                    total, number = total + len(unit.places), number + 1
        if known > number:
            raise self._other_input(stage)
        return total

    def order(self, stage: str, rows: int) -> Numbers | None:
        """The places in the order in which the stage was planned; null where it was not wholly."""
        keys = self._do("select keys from unit where stage = ? order by id", stage)
        places = np.frombuffer(b"".join(key for (key,) in keys), _KEY)["place"]
        return places if len(places) == rows else None

    def claim(self, stage: str) -> Claimed | None:
        """The next unit that is due and that nobody is at; null where there is none."""
        for number, content in self._do(_CLAIM, self._id, stage):
            inputs = table_of(content)
            places = inputs[PLACE].to_numpy()
            return Claimed(number, places, inputs.drop_columns([PLACE]))
        return None

    def due_units(self, stage: str) -> Iterator[tuple[Claimed, bytes]]:
        """The units that are due, with their inputs as an Arrow stream; none is claimed."""
        query = "select id, inputs from unit where stage = ? and due and id > ? order by id limit 1"
        last = -1
        # one at a time: a reader that stays keeps all that is written meanwhile in a second file
        while found := self._do(query, stage, last):
            ((last, content),) = found
            inputs = table_of(content)
            unit = Claimed(last, inputs[PLACE].to_numpy(), inputs.slice(0, 0))
            yield unit, stream_of(inputs.drop_columns([PLACE]))

    def put(
        self, stage: str, claimed: Claimed, rows: pa.Table, *, served: Iterable[str] = ()
    ) -> None:
        """Keeps what came out of a unit, unless another process has done so.

        The column `row` says of each row to which of the inputs it belongs, and `reason` where a
        call failed. `served` are the models that a server has answered with.
        """
        places = pa.array(claimed.places).take(rows[ROW].cast(pa.int64()))
        rows = rows.drop_columns([ROW]).append_column(PLACE, places)
        ((keys, before),) = self._do(
            "select keys, rows from unit where stage = ? and id = ?", stage, claimed.id
        )
        if before is not None:
            old = table_of(before)
            done = pc.is_in(old[PLACE], value_set=pa.array(claimed.places))
            rows = pa.concat_tables([old.filter(pc.invert(done)), rows])
            # in the order of the unit, and of one row as they came
            planned = pa.array(np.frombuffer(keys, _KEY)["place"])
            order = np.argsort(pc.index_in(rows[PLACE], value_set=planned), kind="stable")
            rows = rows.take(pa.array(order))
        content = stream_of(rows)
        self._do(
            "update unit set rows = ?, sum = ?, failed = ?, due = 0, claim = null, inputs = null"
            " where stage = ? and id = ? and due",
            *(content, zlib.crc32(content), len(failed_places(rows)), stage, claimed.id),
        )
        for model in served:
            self._do("insert or ignore into served values (?, ?)", stage, model)

    def free(self) -> None:
        """Frees what processes that are gone had claimed."""
        if self.path is None:
            return
        living = []
        with self._at_once():
            for file in self.path.parent.glob(f"{self.path.name}-*.lock"):
                if lock := hold(file):
                    lock.release()
                    file.unlink(missing_ok=True)
                else:
                    living.append(int(file.stem.rpartition("-")[2], 16))
            self._do(
                "update unit set claim = null where due and claim is not null"
                " and claim not in (select value from json_each(?))",
                json.dumps(living),
            )

    def due(self, stage: str) -> int:
        """How many rows are still to be done."""
        query = "select coalesce(sum(length(keys)), 0) from unit where stage = ? and due"
        ((size,),) = self._do(query, stage)
        return int(size) // _KEY.itemsize

    def tables(self, stage: str) -> Iterator[pa.Table]:
        """What came out of each unit of a stage, in their order; `place` says of which row.

        A `RunError` where one is not there.
        """
        if self.due(stage):
            raise RunError(f"{self.path}: {stage}: rows that nobody has done: {self.due(stage):,}")
        query = "select rows, sum from unit where stage = ? order by id"
        for rows, known in self._db.execute(query, (stage,)):
            if zlib.crc32(rows) != known:
                raise RunError(f"{self.path} is damaged: give the same command again")
            yield table_of(rows)

    def served(self, stage: str) -> tuple[str, ...]:
        """The models that a server answered with in a stage and its parts, in their order."""
        query = "select model from served where stage || ':' like ? || ':%' order by rowid"
        names = self._do(query, stage)
        return tuple(dict.fromkeys(name for (name,) in names))

    def counts(self, stage: str) -> StageCounts:
        """How much of a stage is planned and done."""
        (counts,) = self._do(_COUNTS, stage, _KEY.itemsize)
        return StageCounts(stage, *counts)

    def lacking(self, stage: str, units: Iterable[Unit]) -> dict[int, int]:
        """The units that are not done as they are planned now, and how many of their rows."""
        query = "select keys, rows, sum from unit where stage = ? and id = ? and rows is not null"
        result = {}
        for number, unit in enumerate(units):
            done = 0
            for keys, rows, crc in self._do(query, stage, number):
                was = np.frombuffer(keys, _KEY)
                if zlib.crc32(rows) == crc and np.array_equal(was["place"], unit.places):
                    done = int((was["hash"] == unit.hashes).sum())
            if done < len(unit.places):
                result[number] = len(unit.places) - done
        return result

    @property
    def has_failed(self) -> bool:
        """Whether a call has failed for a row, and was not made again since."""
        return bool(self._do("select 1 from unit where failed limit 1"))

    def copy(self, to: Path, *, without: str = "") -> None:
        """Writes another journal, without a stage and its parts if one is named."""
        with replacing(to) as part:
            self._do("vacuum into ?", str(part))
            with closing(sqlite3.connect(part, isolation_level=None)) as copy:
                # a kill must leave no second file, which nobody would sweep
                copy.execute("pragma journal_mode = off")
                copy.execute("delete from unit where stage || ':' like ? || ':%'", (without,))
                copy.execute("delete from served where stage || ':' like ? || ':%'", (without,))
                copy.execute("update unit set claim = null")
                copy.execute("vacuum")

    def shrink(self) -> None:
        """Gives back the room of inputs that were done."""
        self._do("vacuum")

    def close(self) -> None:
        """Leaves the journal to others; the last one leaves one file."""
        with suppress(sqlite3.Error, RunError, OSError), closing(self._db):
            if self._lock is not None:
                # before the database is left, since it is what a kill here would leave
                self._lock_file(self._id).unlink(missing_ok=True)
                # what this one had claimed, and those that were killed
                self.free()
        if self._lock is not None:
            self._lock.release()

    def _plan_unit(self, stage: str, number: int, unit: Unit) -> None:
        keys = _keys(unit)
        planned = self._do(
            "select keys, due, failed, rows, sum from unit where stage = ? and id = ?",
            *(stage, number),
        )
        if not planned:
            self._do(
                "insert into unit (stage, id, keys, inputs) values (?, ?, ?, ?)",
                *(stage, number, keys, _inputs_of(unit, np.ones(len(unit.places), np.bool_))),
            )
            return
        ((before, due, failed, rows, known_sum),) = planned
        is_damaged = rows is not None and zlib.crc32(rows) != known_sum
        if before == keys and not is_damaged and (due or not failed):
            return
        open_rows = np.ones(len(unit.places), np.bool_)
        if rows is not None and not is_damaged:
            was = np.frombuffer(before, _KEY)
            if not np.array_equal(was["place"], unit.places):
                raise self._other_input(stage)
            open_rows = np.isin(unit.places, failed_places(table_of(rows)))
            # of an answer that a failed call had left out another may have come since
            if ((was["hash"] != unit.hashes) & ~open_rows).any():
                raise self._other_input(stage)
        self._do(
            "update unit set keys = ?, due = 1, inputs = ?, rows = ? where stage = ? and id = ?",
            *(keys, _inputs_of(unit, open_rows), None if is_damaged else rows, stage, number),
        )

    def _other_input(self, stage: str) -> RunError:
        return RunError(
            f"{self.path}: {stage} was begun with another input than the one that is there now: "
            "name another --out, or put the input back as it was"
        )

    def _lock_file(self, number: int) -> Path:
        return Path(f"{self.path}-{number:x}.lock")


_COUNTS = """
select count(*), count(rows), coalesce(sum(length(keys)), 0) / ?2,
    coalesce(sum(length(keys)) filter (where rows is not null), 0) / ?2, coalesce(sum(failed), 0)
from unit where stage = ?1
"""


def failed_places(rows: pa.Table) -> Numbers:
    """The places of rows that are absent because a call failed, each once."""
    failed = rows.filter(pc.equal(rows["reason"], str(Reason.CALL_FAILED)))[PLACE]
    places: Numbers = np.unique(failed.to_numpy())
    return places


def _keys(unit: Unit) -> bytes:
    keys = np.empty(len(unit.places), _KEY)
    keys["place"], keys["hash"] = unit.places, unit.hashes
    return keys.tobytes()


def _inputs_of(unit: Unit, rows: NDArray[np.bool_]) -> bytes:
    inputs = unit.inputs.append_column(PLACE, pa.array(unit.places))
    return stream_of(inputs if rows.all() else inputs.filter(pa.array(rows)))
