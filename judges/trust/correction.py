"""Corrected numbers beside the raw ones, as they are kept in a run's folder."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from ...errors import DataError
from ...files import hash_file, read_json, write_json
from ...metrics.estimate import Estimate, Statistic, Unit
from ...records.folder import JUDGEMENTS

CORRECTED = "corrected.json"
FORMAT = 1

Method = Literal["prediction-powered inference", "Rogan–Gladen"]


@dataclass(frozen=True, slots=True)
class Corrected:
    """One number: `raw` as the judge has it, `these` for these items, `new` for new ones.

    `these` is null where only new items can be spoken of. `rectifier` is what was added to λ times
    the raw value (`tuning`); both are null for a correction by a card. `labelled` counts labels,
    `judged` answers with a verdict, `rows` all answers in the denominator.
    """

    name: str
    unit: Unit
    raw: Estimate
    these: Estimate | None
    new: Estimate
    rectifier: float | None
    tuning: float | None
    labelled: int
    judged: int
    rows: int
    group: str = ""
    member: str = ""


@dataclass(frozen=True, slots=True)
class Correction:
    """The numbers of one benchmark corrected in one way.

    `basis` says on what they rest, `judgements` is the hash of the table that was corrected, and
    `agreement` how people agreed, by criterion.
    """

    method: Method
    benchmark: str
    judge: str
    basis: str
    judgements: str
    rows: tuple[Corrected, ...]
    notes: tuple[str, ...] = ()
    agreement: Mapping[str, tuple[Statistic, ...]] | None = None


def write_correction(run: Path, made: Correction) -> Path:
    """Adds the correction to the run's, in place of one of the same kind; returns the file."""
    kept = [
        one
        for one in read_corrections(run)
        if (one.method, one.benchmark) != (made.method, made.benchmark)
        and one.judgements == made.judgements
    ]
    path = run / CORRECTED
    write_json(path, {"format": FORMAT, "corrections": [asdict(one) for one in (*kept, made)]})
    return path


def read_corrections(run: Path) -> tuple[Correction, ...]:
    """The run's corrections, none if there are none."""
    path = run / CORRECTED
    if not path.is_file():
        return ()
    value: Any = read_json(path)
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise DataError(f"{path} is of another version: delete it and correct the run again")
    try:
        return TypeAdapter(tuple[Correction, ...]).validate_python(value["corrections"])
    except (ValidationError, KeyError) as error:
        told = str(error).splitlines()[0]
        raise DataError(f"{path} is damaged ({told}): correct the run again") from None


def current(run: Path) -> tuple[tuple[Correction, ...], int]:
    """The corrections of the run's judgements as they are, and how many are of earlier ones."""
    every = read_corrections(run)
    table = run / JUDGEMENTS
    now = hash_file(table) if table.is_file() else ""
    kept = tuple(one for one in every if one.judgements == now)
    return kept, len(every) - len(kept)
