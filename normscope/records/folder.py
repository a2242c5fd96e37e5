"""The folder of a run: configuration, journal, tables, and a manifest that says it is whole."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..errors import RunError
from ..files import (
    hash_file,
    named,
    replacing,
    sweep,
    write_json,
    write_parquet,
    write_text,
)
from . import item
from .absent import failed_calls
from .integrity import (
    CONFIG,
    ITEMS,
    JOURNAL,
    MANIFEST,
    RATINGS,
    REPORT,
    STAGES,
    is_whole,
    miscounted,
    refuse,
    refuse_no_run,
    seals,
    written,
)
from .item import Item, Rating
from .journal import Journal
from .processes import LOCK, locked
from .provenance import Provenance, Repetition, ResponsesProvenance, StageProvenance
from .reproduction import (
    Reproduction,
    provenance_differences,
    settings_differences,
    settings_of,
)
from .run import Run
from .run_log import note
from .settings import Settings, dump, read
from .tables import to_table
from .units import journal_path

MOST_SERVED = 8
"""How many models that a server answered with are noted: some name another with every reply."""


@dataclass(slots=True)
class RunFolder:
    """An opened run: only one process holds it at a time."""

    path: Path
    config: Settings
    whole: bool
    reproduction: Reproduction | None = None
    retry_failed: bool = False
    journal_folder: Path | None = None
    """Where its journal lies; null: in the run's folder."""
    _journal: Journal | None = None
    _checked: set[str] = field(default_factory=set)
    _noted: set[str] = field(default_factory=set)
    """The stages whose beginning stands in the run's log, and not yet their end."""

    @property
    def journal(self) -> Journal:
        """What was answered; opened when it is first needed."""
        if self._journal is None:
            path, whole = journal_path(self.path, self.journal_folder), self.path / JOURNAL
            if not path.exists() and whole.exists():
                # the folder that it was made in is gone
                shutil.copyfile(whole, path)
            self._journal = Journal(path)
        return self._journal

    def close(self) -> None:
        """Leaves the journal."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def begin(self, stage: str, requested: Settings, stage_provenance: StageProvenance) -> None:
        """Notes what makes the stage, or refuses if it was begun otherwise, naming each field."""
        begun = self.config.provenance.of(stage)
        is_sealed = bool(self.config.provenance.files(stage))
        if begun is not None:
            changed = settings_differences(stage, self.config, requested)
            changed = changed or provenance_differences(begun, stage_provenance)
            if changed:
                lines = "\n".join(
                    f"  {c.field}: was {c.before!r}, now {c.after!r}" for c in changed
                )
                raise RunError(
                    f"{self.path} was begun with other settings (use another --out, or the "
                    f"settings that it was begun with):\n{lines}"
                )
        asks_again = self.retry_failed and bool(failed_calls(self.path).get(stage))
        if asks_again and self.whole:
            self.reopen()
        provenance = self._repeating(stage, requested, stage_provenance)
        if begun is not None:
            # the hashes and servers that it noted are not undone
            stage_provenance = replace(stage_provenance, files=begun.files, served=begun.served)
        # what was copied when the stage began goes on with its copies, which are no other files
        names = settings_of(stage, first=begun is None)
        self.config = replace(
            self.config,
            **{name: getattr(requested, name) for name in names},
            provenance=provenance.put(stage, stage_provenance),
        )
        self._write_config()
        # who asks again for what is there does nothing
        if not is_sealed or asks_again:
            note(self.path, stage, "start")
            self._noted.add(stage)

    def seal(self, stage: str, *, served: Sequence[str] = ()) -> None:
        """Notes the hashes of the files that the stage has written, of which every row is there.

        What later stages made of other files than these is no longer sealed. `served` are the
        models that a server has answered with.
        """
        refuse(self.path, tuple(miscounted(self.path, self.config, stage)))
        names = (n for n in written(stage, self.config) if (self.path / n).is_file())
        files = {name: hash_file(self.path / name) for name in names}
        provenance = self.config.provenance
        if provenance.files(stage) != files:
            for later in STAGES[STAGES.index(stage) + 1 :]:
                if provenance.of(later):
                    provenance = provenance.noted(later, files={})
                self._checked.discard(later)
        provenance = provenance.noted(stage, files=files)
        if served:
            provenance = provenance.noted(stage, served=tuple(served[:MOST_SERVED]))
        self.config = replace(self.config, provenance=provenance)
        self._write_config()
        self._checked.add(stage)
        if stage in self._noted:
            self._noted.discard(stage)
            note(self.path, stage, "end")

    def write_items(self, items: list[Item]) -> None:
        """Keeps exactly the items that will be requested."""
        write_parquet(self.path / ITEMS, to_table(items, item.SCHEMA))

    def write_ratings(self, rows: Sequence[Rating]) -> None:
        """Keeps what people said of the items, if there is anything."""
        if rows:
            write_parquet(self.path / RATINGS, to_table(rows, item.RATING_SCHEMA))

    def read(self) -> Run:
        """The run as who reads it has it; what was checked before is not checked again."""
        return Run(self.path.name, self.config, self.path, whole=self.whole, checked=self._checked)

    def finish(self) -> None:
        """Writes the manifest: from here on the run is whole."""
        self.read().require(STAGES[-1])
        others = {name: hash_file(self.path / name) for name in (CONFIG, REPORT)}
        if self._journal is not None:
            self._journal.shrink()
            if self.journal_folder is not None:
                self._journal.copy(self.path / JOURNAL)
        write_json(self.path / MANIFEST, {"files": {**seals(self.config), **others}})
        self.whole = True

    def reopen(self) -> None:
        """Takes the manifest away, since a file of the run is about to change."""
        self.whole = False
        (self.path / MANIFEST).unlink(missing_ok=True)

    def _write_config(self) -> None:
        """Writes config.yaml; a run whose settings change is no longer whole."""
        path, text = self.path / CONFIG, dump(self.config)
        # the same text leaves the manifest, and so a whole run, as it is
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            self.reopen()
            write_text(path, text)

    def _repeating(
        self, stage: str, requested: Settings, stage_provenance: StageProvenance
    ) -> Provenance:
        """The provenance, with how the stage differs from that of the run it repeats."""
        provenance = self.config.provenance
        if self.reproduction is None:
            return provenance
        repeated = self.reproduction
        changed = tuple(repeated.differences(stage, requested, stage_provenance))
        note = provenance.repeats or Repetition(repeated.name, repeated.config_hash)
        note = replace(note, differs={**note.differs, stage: changed})
        return replace(provenance, repeats=note)


@contextmanager
def opened(
    path: Path,
    *,
    create: bool = False,
    reproduction: Reproduction | None = None,
    retry_failed: bool = False,
    journal: Path | None = None,
) -> Iterator[RunFolder]:
    """The run in the folder, locked for this process until the block ends.

    `reproduction` is the run that it is to repeat; with `retry_failed` what a failed call has left
    unanswered is asked again, also of a finished run. `journal` is a folder for its journal, on a
    local disk, where the run's own lies on none.
    """
    path = named(path)
    if not create:
        refuse_no_run(path)
    if path.is_dir() and not (path / CONFIG).exists():
        _refuse_strangers(path)
    if path.is_file():
        raise RunError(f"{path} is a file: a run is a folder")
    is_new = not path.exists()
    path.mkdir(parents=True, exist_ok=True)
    try:
        with locked(path):
            sweep(path)
            config = read(path / CONFIG) if (path / CONFIG).exists() else Settings()
            run = RunFolder(
                path,
                config,
                whole=is_whole(path),
                reproduction=reproduction,
                retry_failed=retry_failed,
                journal_folder=journal,
            )
            with closing(run):
                if Path(f"{journal_path(path, journal)}-wal").exists():
                    # a process that was killed had it open: what it left is swept, too
                    run.journal.free()
                yield run
    finally:
        # what was refused before it began leaves nothing behind
        if is_new and {p.name for p in path.iterdir()} <= {LOCK}:
            shutil.rmtree(path)


def _refuse_strangers(path: Path) -> None:
    """Refuse a folder without a run that holds anything, unless a run's lock says that one began.

    The lock stands there before anything else.
    """
    names = sorted(each.name for each in path.iterdir())
    if names and LOCK not in names:
        raise RunError(
            f"{path} is no run folder but holds {names[0]!r}: name an empty or new folder"
        )


def fork(path: Path, to: Path, *, journal: Path | None = None) -> None:
    """A new run in `to` with the responses of the run in `path`, to be judged otherwise."""
    with opened(path, journal=journal) as old, opened(to, create=True, journal=journal) as new:
        old.read().require("respond")
        responses = old.config.provenance.responses or ResponsesProvenance()
        sealed = old.config.provenance.files("respond")
        names = [name for name in written("respond", old.config) if name in sealed]
        responses = replace(responses, files={name: sealed[name] for name in names})
        if (to / CONFIG).exists():
            same = new.config.provenance.responses == responses
            if same and not (to / MANIFEST).is_file():
                return  # this very fork, which was stopped later
            raise RunError(f"{to} is a run already: name a new folder")
        if journal_path(path, journal).is_file():
            old.journal.copy(journal_path(to, journal), without="judge")
        for name in names:
            with replacing(to / name) as part:
                shutil.copyfile(path / name, part)
        # last: with it, the new run has begun
        new.config = replace(old.config, judge=None, provenance=Provenance(responses=responses))
        write_text(to / CONFIG, dump(new.config))
