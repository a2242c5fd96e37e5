"""The sealed key of a sample: what was drawn, with which chances, from which runs.

It stays with whoever asked for the labels. Raters get the sheets alone, which show neither the
judge's labels nor the strata made of them.
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...errors import DataError
from ...files import (
    hash_file,
    hash_value,
    read_json,
    read_parquet,
    typed_of_file,
    write_json,
    write_parquet,
)

KEY, FRAME, SHEETS = "key.json", "frame.parquet", "sheets"
FORMAT = 3

_FRAME = pa.schema(
    [
        pa.field("row", pa.string(), nullable=False),
        pa.field("stratum", pa.string(), nullable=False),
        pa.field("drawn", pa.bool_(), nullable=False),
        pa.field("probability", pa.float64(), nullable=False),
        pa.field("cluster", pa.string(), nullable=False),
        pa.field("digest", pa.string()),
        pa.field("labels", pa.list_(pa.string())),
    ]
)


@dataclass(frozen=True, slots=True)
class SampledRun:
    """A run, or a file of texts, that a sample was drawn from: its files by hash.

    `where` is its folder, or the file, as seen from the sample's folder.
    """

    run: str
    where: str
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Key:
    """What the sample is of: its runs, the criteria and their labels, the draw.

    `instrument` names
    the rubric or, where `by_rule`, the text rule that read the answers, `version` and `hash` are
    its. `frame` is the hash of the table of all rows. Whoever changes one of these changes the
    seal, and no sheet fits any longer.
    """

    runs: tuple[SampledRun, ...]
    benchmark: str
    instrument: str
    version: int
    hash: str
    by_rule: bool
    criteria: Mapping[str, tuple[str, ...]]
    strata: tuple[str, ...]
    n: int
    seed: int
    raters: int
    frame: str
    normscope: str
    format: int = FORMAT

    @property
    def run(self) -> str:
        """The names of the runs."""
        return ", ".join(run.run for run in self.runs)

    @property
    def seal(self) -> str:
        """What each sheet carries to say which sample it belongs to."""
        # a letter first: a spreadsheet would take some hashes for numbers
        return "s" + hash_value(asdict(self))[:16]


@dataclass(frozen=True, slots=True)
class Drawn:
    """One row of the frame: its stratum, whether it was drawn, with which chance.

    `digest` is the hash of the question and the answer as they stand on the sheets, null where the
    row was not drawn; `labels` are those that it may get where they are not the criterion's.
    """

    row: str
    stratum: str
    drawn: bool
    probability: float
    cluster: str
    digest: str | None
    labels: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """A key and the rows of its frame, in the run's order."""

    key: Key
    rows: tuple[Drawn, ...]

    def of(self, rows: Collection[str]) -> "Sample":
        """The same with these rows alone, such as those of one run of several."""
        return Sample(self.key, tuple(row for row in self.rows if row.row in rows))

    @property
    def drawn(self) -> tuple[Drawn, ...]:
        """The rows that people label."""
        return tuple(row for row in self.rows if row.drawn)

    def labels(self, row: Drawn, criterion: str) -> tuple[str, ...]:
        """The labels that a row may get."""
        return row.labels or self.key.criteria[criterion]


def write_frame(folder: Path, rows: list[Drawn]) -> str:
    """Writes the table of all rows; returns its hash."""
    table = pa.Table.from_pylist([asdict(row) for row in rows], schema=_FRAME)
    write_parquet(folder / FRAME, table)
    return hash_file(folder / FRAME)


def write_key(folder: Path, key: Key) -> None:
    """Writes the key, with its seal."""
    write_json(folder / KEY, {**asdict(key), "seal": key.seal})


def read_sample(folder: Path) -> Sample:
    """The sample in the folder; a `DataError` if it is none, or was changed since it was drawn."""
    if not (folder / KEY).is_file():
        raise DataError(
            f"{folder} has no {KEY}: name the folder that `normscope annotate sample` wrote"
        )
    value: dict[str, Any] = read_json(folder / KEY)
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise DataError(f"{folder / KEY} is no key of this version: draw the sample anew")
    # the seal is of everything else in the file
    seal = value.pop("seal", None)
    remedy = "restore it, or draw the sample anew"
    key = typed_of_file(Key, value, path=folder / KEY, remedy=remedy)
    remedy = "restore the file, for the labels cannot be weighted without it"
    if key.seal != seal:
        raise DataError(f"{folder / KEY} was changed after the sample was drawn: {remedy}")
    path = folder / FRAME
    if not path.is_file() or hash_file(path) != key.frame:
        raise DataError(f"{path} is missing or was changed after the sample was drawn: {remedy}")
    # Arrow gives the labels of a row back as a list
    rows = read_parquet(path).to_pylist()
    return Sample(
        key,
        tuple(Drawn(**{**row, "labels": row["labels"] and tuple(row["labels"])}) for row in rows),
    )
