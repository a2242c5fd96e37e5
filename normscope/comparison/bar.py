"""A bar: what a run will be held to, written into a file before the run is made.

Each line fixes a benchmark's statistic with its margin, the items and how they are judged, by
their hashes. The gate is the usual one (`gate`); the file says who stated what, and that nothing
was changed since.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
    line: int = 0


@dataclass(frozen=True, slots=True)
class Bar:
    """What a file fixes: the margin of each benchmark's statistic, with the line it stands on."""

    alpha: float
    margins: tuple[Fixed, ...]
    name: str = ""
    hash: str = ""

    @classmethod
    def read(cls, path: Path) -> "Bar":
        """The bar in the file; a `ConfigError` names the line of what cannot be meant."""
        value, lines = plain(read_text(path), name=str(path))
        bar = convert(value, cls, name=str(path), lines=lines)
        if not bar.margins:
            raise ConfigError(f"{path} fixes no margin")
        margins = tuple(
            replace(fixed, line=line_of(("margins", at), lines))
            for at, fixed in enumerate(bar.margins)
        )
        bar = replace(bar, margins=margins, name=path.name, hash=hash_file(path))
        if len(bar.by_statistic) < len(margins):
            raise ConfigError(f"{path} fixes two margins of one statistic")
        return bar

    @property
    def by_statistic(self) -> dict[tuple[str, str], Fixed]:
        """What is fixed, by benchmark and statistic."""
        return {(fixed.benchmark, fixed.statistic): fixed for fixed in self.margins}

    def refuse_changed(self, runs: Sequence[Run]) -> None:
        """A `UsageError` that names the line where the items or the judge of a run differ."""
        for run in runs:
            for fixed in self.margins:
                for what, hash_of in _HASHES.items():
                    then, now = getattr(fixed, what), hash_of(run, fixed.benchmark)
                    if then != now:
                        raise UsageError(
                            f"CHANGED: {self.name}:{fixed.line} fixes the {what} of "
                            f"{fixed.benchmark} as {shortened(then)}, and {run.name} has "
                            f"{shortened(now)}: measure it as it was fixed, or set another bar "
                            "before another run"
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
    items = run.items.table.filter(run.items.column("benchmark").equals(benchmark))
    keys = sorted(zip(*(items[name].to_pylist() for name in ItemKey._fields), strict=True))
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
