"""Some units of a stage done for a few seconds, to see how long all of them will take."""

import io
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow.parquet as pq

from ...judges.engine import Engine, lanes_of
from ...progress import bar, hidden
from ...records import judgement as judgement_rows
from ...records import response as response_rows
from ...records.journal import Row, read_line
from ...records.tables import of_json
from ...records.units import Unit, each_done, entry_of, unit_of
from .ranges import Range, ratio, spread_over
from .stages import Stage
from .tokens import Recorder

PIECES = 4
"""Into so many pieces the time of a calibration is cut at least: one piece has no interval."""

FIRST_ROWS = 8
"""How many rows are done first, to see how many can be: as many as a local engine writes at once.
"""


@dataclass(frozen=True, slots=True)
class Piece:
    """Units, or parts of them, that were done together: their size, and what came of them.

    `bytes` is what the rows take on the disk.
    """

    seconds: float
    size: int
    rows: tuple[Row, ...]
    bytes: int


@dataclass(frozen=True, slots=True)
class Measured:
    """What was seen of a stage.

    `pace` is the seconds per token of size (`tokens.StageTokens`), null where nothing was timed;
    `row_bytes` what a row takes on the disk, in the journal and in its table. `rows` were done.
    """

    pace: Range | None
    row_bytes: float | None
    rows: tuple[Row, ...] = ()


NOTHING = Measured(None, None)


def measure(
    stage: Stage, engine: Engine, recorder: Recorder, *, seconds: float, shared: bool
) -> Measured:
    """Does units spread over the stage for about so many seconds; nothing of it is kept.

    At least two pieces of a few rows are done and timed, however long they take, since one has no
    interval: first some that are not timed, for an engine's first pass is slower than all others.
    """
    if not stage.units or seconds <= 0:
        return NOTHING
    pieces = list(_pieces(stage, engine, recorder, seconds, shared=shared))
    rows = tuple(row for piece in pieces for row in piece.rows)
    sizes = [piece.size for piece in pieces]
    # rows of which nothing is asked (a language that the judge does not know) have no size
    took = [piece.seconds for piece in pieces]
    pace = ratio(took, sizes) if any(sizes) else Range.exact(0.0)
    return Measured(pace, sum(piece.bytes for piece in pieces) / len(rows), rows)


def _pieces(
    stage: Stage, engine: Engine, recorder: Recorder, seconds: float, *, shared: bool
) -> Iterator[Piece]:
    lanes = lanes_of(engine)
    order = spread_over(len(stage.units), len(stage.units))
    begun = time.monotonic()
    stage.do(engine, stage.units[order[0]].rows[:FIRST_ROWS])
    # what was not timed still tells how many rows can be done in what is left
    each = (time.monotonic() - begun) / min(FIRST_ROWS, len(stage.units[order[0]].rows))
    with bar(round(seconds), label=f"calibrate {stage.name}", unit="s") as progress:
        for start in range(0, len(order), lanes.number):
            left = seconds - (time.monotonic() - begun)
            if start > lanes.number and left <= 0:
                return
            units = [stage.units[at] for at in order[start : start + lanes.number]]
            share = min(left, seconds / PIECES)
            most = max(FIRST_ROWS, int(share / each)) if each > 0 else len(units[0].rows)
            parts = [_part(stage, unit, most) for unit in units]
            piece = _done(stage, engine, recorder, parts, shared=shared)
            each = piece.seconds / max(1, len(piece.rows))
            progress.update(min(round(piece.seconds), progress.total - progress.n))
            yield piece


def _part(stage: Stage, unit: Unit, rows: int) -> Unit:
    """The unit, or its first rows where it has more than these."""
    if len(unit.rows) <= rows:
        return unit
    return unit_of(unit.rows[:rows], stage.work.planned.hashes)


def _done(
    stage: Stage, engine: Engine, recorder: Recorder, units: Sequence[Unit], *, shared: bool
) -> Piece:
    size = 0
    for unit in units:
        own = Recorder(recorder.counter, recorder.identity)
        stage.do(own, unit.rows)
        size += own.size(shared=shared)
    begun = time.perf_counter()
    with hidden():
        done = list(each_done(units, lambda u: stage.do(engine, u.rows), lanes=lanes_of(engine)))
    rows = tuple(row for _, several in done for row in several)
    size_on_disk = sum(_kept(stage, unit, several) for unit, several in done)
    return Piece(time.perf_counter() - begun, size, rows, size_on_disk)


def _kept(stage: Stage, unit: Unit, rows: Sequence[Row]) -> int:
    """Keeps the rows as a run does, but in memory: the bytes of journal and table."""
    line = entry_of(stage.work.planned, unit, rows).line()
    entry = read_line(line)
    several = [each for row in entry.rows for each in row.get("criteria", [row])] if entry else []
    if not several or "facts" in several[0]:
        return len(line)
    schema = judgement_rows.SCHEMA if "criteria" in rows[0] else response_rows.SCHEMA
    written = io.BytesIO()
    pq.write_table(of_json(several, schema), written, compression="zstd")
    return len(line) + len(written.getvalue())
