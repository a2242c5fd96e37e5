"""The folder of a run: configuration, journal, tables, and a manifest that says it is whole."""

import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from filelock import FileLock, Timeout

from ..config import RunConfig, dump, read
from ..datasets_builders.item import Item, from_table, to_table
from ..errors import RunError
from ..files import hash_file, read_json, read_parquet, write_json, write_parquet, write_text
from .journal import Journal

ITEMS, RESPONSES, JUDGEMENTS = "items.parquet", "responses.parquet", "judgements.parquet"
JUDGING = "judging.json"
SCORES, REPORT, CONFIG = "scores.json", "report.html", "config.yaml"
MANIFEST, JOURNAL, LOCK = "manifest.json", "journal.jsonl", ".lock"

# What each stage was asked; of `source` the hash of what was read stands in `resolved`.
_ASKED = {
    "respond": (
        "benchmark",
        "model",
        "limit",
        "channels",
        "option_orders",
        "decoding",
        "unit_items",
    ),
    "judge": ("judge", "rubric", "label_orders", "min_coverage", "unit_items"),
}

_HOW = re.compile(r"\.endpoint\.(?!api$)|\.pack_tokens$")
"""How a server is asked and how much goes through a model at once may change when a run goes on:
the first decides nothing, the second no more than rounding, and a full memory asks for it."""

_TAKEN = ("source", "unpinned", "attributes")
"""What is noted with the responses and may change: no answer depends on it."""


@dataclass(slots=True)
class RunFolder:
    """An opened run: only one process holds it at a time."""

    path: Path
    journal: Journal
    config: RunConfig
    whole: bool

    def begin(self, stage: str, asked: RunConfig, resolved: Mapping[str, Any]) -> None:
        """Notes what the stage does, or refuses if it was begun otherwise, naming each field."""
        begun = self.config.resolved.get(stage)
        if begun is not None:
            told = _differences(stage, self.config, asked, begun, resolved)
            if told:
                remedy = "use another --out, or the settings that it was begun with"
                raise RunError(f"{self.path} was begun with other settings ({remedy}):\n{told}")
        taken = {name: getattr(asked, name) for name in _ASKED[stage]}
        if stage == "respond":
            taken |= {name: getattr(asked, name) for name in _TAKEN}
        self.config = replace(
            self.config,
            **taken,
            max_unscored=asked.max_unscored,
            resolved={**self.config.resolved, stage: dict(resolved)},
        )
        write_text(self.path / CONFIG, dump(self.config))

    def items(self) -> list[Item]:
        """What was asked, in order."""
        return from_table(self.table(ITEMS, made_by="respond"))

    def write_items(self, items: list[Item]) -> None:
        """Keeps exactly what will be asked."""
        write_parquet(self.path / ITEMS, to_table(items))

    def table(self, name: str, *, made_by: str) -> pa.Table:
        """One of the run's tables, or an error that names the verb that makes it."""
        if not (self.path / name).exists():
            told = f"run `normscope {made_by}` on it first"
            raise RunError(f"{self.path} has no {name} yet: {told}")
        return read_parquet(self.path / name)

    def scores(self) -> Any:
        """The content of scores.json."""
        if not (self.path / SCORES).exists():
            raise RunError(f"{self.path} has no {SCORES} yet: run `normscope score` on it first")
        return read_json(self.path / SCORES)

    def finish(self) -> None:
        """Writes the manifest: from here on the run is whole."""
        names = [CONFIG, ITEMS, RESPONSES, JUDGEMENTS, SCORES, REPORT]
        if (self.path / JUDGING).exists():
            names.append(JUDGING)
        write_json(self.path / MANIFEST, {"files": {n: hash_file(self.path / n) for n in names}})

    def reopen(self) -> None:
        """Takes the manifest away, since a file of the run is about to change."""
        self.whole = False
        (self.path / MANIFEST).unlink(missing_ok=True)


@contextmanager
def opened(path: Path, *, create: bool = False) -> Iterator[RunFolder]:
    """The run in the folder, locked for this process until the block ends."""
    if not create and not (path / CONFIG).is_file():
        raise RunError(f"{path} is not a run: it has no {CONFIG} (`normscope run` makes one)")
    if path.is_dir() and not (path / CONFIG).exists():
        strangers = sorted(p.name for p in path.iterdir() if p.name not in {JOURNAL, LOCK})
        if strangers:
            raise RunError(
                f"{path} is no run folder but holds {strangers[0]!r}: name an empty or new folder"
            )
    path.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise RunError(f"{path} is in use by another process: wait for it or stop it") from None
    try:
        config = read(path / CONFIG) if (path / CONFIG).exists() else RunConfig()
        yield RunFolder(path, Journal.open(path / JOURNAL), config, is_whole(path))
    finally:
        lock.release()


def fork(path: Path, to: Path) -> None:
    """A new run in `to` with the responses of the run in `path`, to be judged otherwise."""
    with opened(path) as old, opened(to, create=True) as new:
        old.table(RESPONSES, made_by="respond")
        if (to / CONFIG).exists():
            raise RunError(f"{to} is a run already: name a new folder")
        old.journal.copy(to / JOURNAL, leaving_out="judge")
        for name in (ITEMS, RESPONSES):
            shutil.copyfile(path / name, to / name)
        responded = {"respond": old.config.resolved["respond"]}
        new.config = replace(old.config, judge=None, resolved=responded)
        write_text(to / CONFIG, dump(new.config))


def is_whole(path: Path) -> bool:
    """Whether the run was finished and none of its files has changed since."""
    if not (path / MANIFEST).is_file():
        return False
    files: dict[str, str] = read_json(path / MANIFEST)["files"]
    return all(
        (path / name).is_file() and hash_file(path / name) == known for name, known in files.items()
    )


def _differences(
    stage: str,
    was: RunConfig,
    now: RunConfig,
    begun: Mapping[str, Any],
    resolved: Mapping[str, Any],
) -> str:
    """What was asked otherwise, a line each; where nothing was, what came out otherwise."""
    asked = [_flat({name: getattr(c, name) for name in _ASKED[stage]}) for c in (was, now)]
    for before, after in (asked, (_flat(begun), _flat(resolved))):
        lines = [
            f"  {name}: was {before.get(name)!r}, now {after.get(name)!r}"
            for name in dict.fromkeys((*before, *after))
            if not _HOW.search(name) and before.get(name) != after.get(name)
        ]
        if lines:
            return "\n".join(lines)
    return ""


def _flat(value: Any, prefix: str = "") -> dict[str, Any]:
    """Nested values by their dotted path; null and absent are the same.

    >>> _flat({"a": {"b": 1}, "c": None})
    {'a.b': 1}
    """
    if hasattr(value, "__dataclass_fields__"):
        value = {name: getattr(value, name) for name in value.__dataclass_fields__}
    if isinstance(value, Mapping):
        parts = [_flat(part, f"{prefix}{name}.") for name, part in value.items()]
        return {name: part for flat in parts for name, part in flat.items()}
    if isinstance(value, tuple):
        value = list(value)
    return {} if value is None else {prefix.removesuffix("."): value}
