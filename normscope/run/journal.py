"""An append-only file of finished units: what is in it is never done again.

One JSON line per unit, flushed to the disk before the next unit begins. A line without its line
end was torn by a crash: it is cut off before anything is appended, and its unit is done anew.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import RunError
from ..files import canonical_json

Row = dict[str, Any]


@dataclass(slots=True)
class Journal:
    """The finished units of every stage, by number."""

    path: Path
    _units: dict[tuple[str, int], list[Row]]

    @classmethod
    def open(cls, path: Path) -> "Journal":
        """The journal at `path`, made if there is none, without its torn end."""
        path.touch()
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        units: dict[tuple[str, int], list[Row]] = {}
        lines = whole.splitlines(keepends=True)
        kept = 0
        for number, line in enumerate(lines, start=1):
            try:
                entry = json.loads(line)
                units[entry["stage"], entry["unit"]] = entry["rows"]
            except (ValueError, KeyError, TypeError) as error:
                if number == len(lines):
                    break
                raise RunError(
                    f"{path} is damaged in line {number} of {len(lines)}: cut the file off before "
                    "that line and run again; what stands before it is kept"
                ) from error
            kept += len(line)
        if kept != len(data):
            with path.open("r+b") as file:
                file.truncate(kept)
                os.fsync(file.fileno())
        return cls(path, units)

    def rows(self, stage: str, unit: int) -> list[Row] | None:
        """The rows of a finished unit, null if it is not finished."""
        return self._units.get((stage, unit))

    def append(self, stage: str, unit: int, rows: list[Row]) -> list[Row]:
        """Keeps the rows of a finished unit for good, and returns them as they will be read."""
        line = canonical_json({"stage": stage, "unit": unit, "rows": rows})
        with self.path.open("ab") as file:
            file.write(line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        kept: list[Row] = json.loads(line)["rows"]
        self._units[stage, unit] = kept
        return kept

    def copy(self, to: Path, *, leaving_out: str) -> None:
        """Writes the finished units of every stage but one into another journal."""
        other = Journal.open(to)
        for (stage, unit), rows in self._units.items():
            if stage != leaving_out:
                other.append(stage, unit, rows)
