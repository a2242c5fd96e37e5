"""A bar: what a run will be held to, written into a file before the run is made.

Each line fixes a benchmark's statistic with its margin, the items and how they are judged, by
their hashes. The gate is the usual one (`gate`); the file says who stated what, and that nothing
was changed since.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import ConfigError, UsageError
from ..files import hash_file, hash_value, write_text
from ..format import shortened
from ..records.item import ItemKey
from ..records.run import Run
from ..yaml import convert, line_of, plain, read_text
from .same import REVISION, measured

_HEAD = "# What later runs are held to: normscope compare BASELINE NEW --bar {name}\n"


@dataclass(frozen=True, slots=True)
class Fixed:
    """A line: the margin of a statistic, and the hashes of the items and of the judge."""

    benchmark: str
    statistic: str
    margin: float | str
    items: str
    judge: str


@dataclass(frozen=True, slots=True)
class _File:
    alpha: float
    margins: tuple[Fixed, ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """What a file fixes: the margin of each benchmark's statistic, with the line it stands on."""

    name: str
    hash: str
    alpha: float
    fixed: tuple[Fixed, ...]
    lines: tuple[int, ...]

    @classmethod
    def read(cls, path: Path) -> "Bar":
        """The bar in the file; a `ConfigError` names the line of what cannot be meant."""
        value, lines = plain(read_text(path), name=str(path))
        file = convert(value, _File, name=str(path), lines=lines)
        if not file.margins:
            raise ConfigError(f"{path} fixes no margin")
        numbers = tuple(line_of(("margins", at), lines) for at in range(len(file.margins)))
        if len({(each.benchmark, each.statistic) for each in file.margins}) < len(file.margins):
            raise ConfigError(f"{path} fixes two margins of one statistic")
        return cls(path.name, hash_file(path), file.alpha, file.margins, numbers)

    @property
    def by_statistic(self) -> dict[tuple[str, str], tuple[int, float | str]]:
        """By benchmark and statistic the line and the margin that stands there."""
        pairs = zip(self.fixed, self.lines, strict=True)
        return {(each.benchmark, each.statistic): (line, each.margin) for each, line in pairs}

    def refuse_changed(self, runs: Sequence[Run]) -> None:
        """A `UsageError` that names the line where the items or the judge of a run differ."""
        for run in runs:
            for fixed, line in zip(self.fixed, self.lines, strict=True):
                for what, hash_of in _HASHES.items():
                    then, now = getattr(fixed, what), hash_of(run, fixed.benchmark)
                    if then != now:
                        raise UsageError(
                            f"CHANGED: {self.name}:{line} fixes the {what} of {fixed.benchmark} as "
                            f"{shortened(then)}, and {run.name} has {shortened(now)}: measure it "
                            "as it was fixed, or set another bar before another run"
                        )


def write_bar(path: Path, run: Run, margins: Mapping[tuple[str, str], float], alpha: float) -> Path:
    """Writes a bar for runs that are measured as this one was; returns the path.

    `margins` are by benchmark and statistic. A file that is there is left alone.
    """
    if path.exists():
        raise UsageError(f"{path} exists: a bar stays as it was set, name another file")
    rows = [
        {
            "benchmark": benchmark,
            "statistic": statistic,
            "margin": margin,
            **{what: hash_of(run, benchmark) for what, hash_of in _HASHES.items()},
        }
        for (benchmark, statistic), margin in margins.items()
    ]
    lines = "".join(f"- {json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    write_text(path, f"{_HEAD.format(name=path.name)}alpha: {alpha:g}\nmargins:\n{lines}")
    return path


def _items_hash(run: Run, benchmark: str) -> str:
    """The SHA-256 of the dataset's revision, and of which of its prompts the run asked."""
    asked = run.items.table.filter(run.items.column("benchmark").equals(benchmark))
    keys = sorted(zip(*(asked[name].to_pylist() for name in ItemKey._fields), strict=True))
    return hash_value([measured(run, benchmark)[REVISION], keys])


def _judge_hash(run: Run, benchmark: str) -> str:
    """The SHA-256 of how the benchmark's responses are read: by which judge, rubric and rules.

    The model under test and how it writes are none of it.
    """
    fields = measured(run, benchmark)
    others = {name for name in fields if name == REVISION or name.startswith("decoding ")}
    return hash_value({name: fields[name] for name in fields.keys() - others})


_HASHES = {"items": _items_hash, "judge": _judge_hash}
"""What a line fixes besides the margin."""
