"""The folder of a run: configuration, journal, tables, and a manifest that says it is whole."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from filelock import FileLock, Timeout

from ..config import RunConfig, dump, read
from ..datasets_builders.item import Item, from_table, to_table
from ..errors import RunError
from ..files import hash_file, named, read_json, read_parquet, write_json, write_parquet, write_text
from .integrity import (
    CONFIG,
    ITEMS,
    JOURNAL,
    JUDGEMENTS,
    JUDGING,
    LOCK,
    MANIFEST,
    REPORT,
    RESPONSES,
    SCORES,
    SEAL,
    STAGES,
    WRITES,
    Finding,
    check,
    is_whole,
    known_hashes,
    miscounted,
    refuse,
)
from .journal import Journal
from .provenance import (
    ASKED,
    REPRODUCES,
    TAKEN,
    Reproduction,
    asked_otherwise,
    resolved_otherwise,
)

__all__ = [
    "CONFIG",
    "ITEMS",
    "JOURNAL",
    "JUDGEMENTS",
    "JUDGING",
    "LOCK",
    "MANIFEST",
    "REPORT",
    "RESPONSES",
    "SCORES",
    "RunFolder",
    "fork",
    "is_whole",
    "opened",
]


@dataclass(slots=True)
class RunFolder:
    """An opened run: only one process holds it at a time."""

    path: Path
    journal: Journal
    config: RunConfig
    whole: bool
    reproduction: Reproduction | None = None
    _checked: set[str] = field(default_factory=set)

    def begin(self, stage: str, asked: RunConfig, resolved: Mapping[str, Any]) -> None:
        """Notes what the stage does, or refuses if it was begun otherwise, naming each field."""
        begun = self.config.resolved.get(stage)
        if begun is not None:
            changed = asked_otherwise(stage, self.config, asked)
            changed = changed or resolved_otherwise(begun, resolved)
            if changed:
                remedy = "use another --out, or the settings that it was begun with"
                lines = "\n".join(
                    f"  {c.field}: was {c.before!r}, now {c.after!r}" for c in changed
                )
                raise RunError(f"{self.path} was begun with other settings ({remedy}):\n{lines}")
        self._refuse_journal()
        every = self._repeating(stage, asked, resolved)
        taken = {name: getattr(asked, name) for name in ASKED[stage]}
        if stage == "respond":
            taken |= {name: getattr(asked, name) for name in TAKEN}
        # what is written again has the same bytes, so that the seal holds meanwhile
        sealed = {SEAL: begun[SEAL]} if begun and SEAL in begun else {}
        self.config = replace(
            self.config,
            **taken,
            max_unscored=asked.max_unscored,
            resolved={**every, stage: {**resolved, **sealed}},
        )
        self._write_config()

    def require(self, stage: str) -> None:
        """Refuses where what the stages up to this one wrote is not as they left it."""
        needed = [name for name in STAGES[: STAGES.index(stage) + 1] if name not in self._checked]
        refuse(self.path, check(self.path, self.config, stages=needed, hashed=self.whole))
        self._checked |= set(needed)

    def seal(self, stage: str) -> None:
        """Notes the hashes of the files that the stage has written, of which every row is there.

        What later stages made of other files than these is no longer sealed.
        """
        refuse(self.path, tuple(miscounted(self.path, self.config, stage)))
        names = (name for name in WRITES[stage] if (self.path / name).is_file())
        files = {name: hash_file(self.path / name) for name in names}
        resolved = {name: dict(noted) for name, noted in self.config.resolved.items()}
        if resolved.get(stage, {}).get(SEAL) != files:
            for later in STAGES[STAGES.index(stage) + 1 :]:
                resolved.get(later, {}).pop(SEAL, None)
                self._checked.discard(later)
        resolved.setdefault(stage, {})[SEAL] = files
        self.config = replace(self.config, resolved=resolved)
        self._write_config()
        self._checked.add(stage)

    def items(self) -> list[Item]:
        """What was asked, in order."""
        return from_table(self.table(ITEMS, made_by="respond"))

    def write_items(self, items: list[Item]) -> None:
        """Keeps exactly what will be asked."""
        write_parquet(self.path / ITEMS, to_table(items))

    def table(self, name: str, *, made_by: str, columns: Sequence[str] | None = None) -> pa.Table:
        """One of the run's tables, or these columns; an error names the verb that makes it."""
        self.require(made_by)
        return read_parquet(self.path / name, columns=columns)

    def scores(self) -> Any:
        """The content of scores.json."""
        self.require("score")
        return read_json(self.path / SCORES)

    def hashes(self, *names: str) -> dict[str, str]:
        """The hashes of these files as they were sealed."""
        known = known_hashes(self.path, self.config)
        return {name: known[name] for name in names}

    def finish(self) -> None:
        """Writes the manifest: from here on the run is whole."""
        self.require(STAGES[-1])
        known = known_hashes(self.path, self.config)
        sealed = {name: known[name] for stage in STAGES for name in WRITES[stage] if name in known}
        others = {name: hash_file(self.path / name) for name in (CONFIG, JOURNAL, REPORT)}
        write_json(self.path / MANIFEST, {"files": {**sealed, **others}})

    def reopen(self) -> None:
        """Takes the manifest away, since a file of the run is about to change.

        What was checked against it alone, in a run from before stages sealed their files, is
        sealed now.
        """
        self.whole = False
        known, resolved = known_hashes(self.path, self.config), dict(self.config.resolved)
        for stage in (name for name in STAGES if name in self._checked):
            files = {name: known[name] for name in WRITES[stage] if name in known}
            resolved[stage] = {**resolved.get(stage, {}), SEAL: files}
        (self.path / MANIFEST).unlink(missing_ok=True)
        if resolved != self.config.resolved:
            self.config = replace(self.config, resolved=resolved)
            self._write_config()

    def _write_config(self) -> None:
        """Writes config.yaml; a run whose settings change is no longer whole."""
        path, text = self.path / CONFIG, dump(self.config)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            self.reopen()
            write_text(path, dump(self.config))

    def _refuse_journal(self) -> None:
        """Refuses to write the tables of a finished run from another journal than it had."""
        known = known_hashes(self.path, self.config).get(JOURNAL)
        if not self.whole and known not in {None, hash_file(self.path / JOURNAL)}:
            refuse(self.path, [Finding(JOURNAL, "changed")])

    def _repeating(
        self, stage: str, asked: RunConfig, resolved: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """What is resolved so far, with how the stage differs from that of the run it repeats."""
        every = self.config.resolved
        if self.reproduction is None:
            return every
        found = self.reproduction.differences(stage, asked, resolved)
        self.reproduction.refuse(found)
        noted = self.reproduction.noted(every.get(REPRODUCES) or {}, stage, found)
        return {**every, REPRODUCES: noted}


@contextmanager
def opened(
    path: Path, *, create: bool = False, reproduction: Reproduction | None = None
) -> Iterator[RunFolder]:
    """The run in the folder, locked for this process until the block ends.

    `reproduction` is the run that it is to repeat.
    """
    path = named(path)
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
        journal = Journal.open(path / JOURNAL)
        yield RunFolder(path, journal, config, is_whole(path), reproduction)
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
        sealed = {SEAL: old.hashes(ITEMS, RESPONSES)}
        responded = {"respond": {**old.config.resolved["respond"], **sealed}}
        new.config = replace(old.config, judge=None, resolved=responded)
        write_text(to / CONFIG, dump(new.config))
