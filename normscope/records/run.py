"""A run that is read: its settings, its tables, its scores, and the judgements that count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..errors import RunError, UsageError
from ..files import named, read_json, read_parquet
from .integrity import (
    CONFIG,
    ITEMS,
    JOURNAL,
    JUDGEMENTS,
    JUDGING,
    MANIFEST,
    RATINGS,
    RESPONSES,
    STAGES,
    WRITES,
    check,
    is_whole,
    refuse,
    refuse_no_run,
    seals,
)
from .item import ItemKey, Rating
from .items import Items
from .judgements import Judgements, headline, read_judgements
from .judging import Judging, read_judging
from .settings import Settings, read
from .tables import from_table

_ABOUT = (
    *ItemKey._fields,
    *("area", "category", "language", "cluster", "response", "facets", "answer_source"),
)
"""The columns of items that are not their texts."""


@dataclass(frozen=True, eq=False)
class Run:
    """A run, which nobody who reads it changes.

    A file is read when it is first needed, and checked before: what a stage has not written yet, or
    was changed since, is a `RunError` that names the command which makes it. A run that stands in
    no folder has the `contents` of its files by their names. Without `texts` its items come without
    their conversations, which statistics do not need.
    """

    name: str
    config: Settings
    folder: Path | None = None
    contents: Mapping[str, Any] = field(default_factory=dict)
    texts: bool = True
    whole: bool = False
    """Whether it has come to its end, and no file has changed since."""
    checked: set[str] = field(default_factory=set, repr=False)
    """The stages whose files are known to be as they were written."""

    @classmethod
    def open(cls, path: Path, *, name: str = "", whole: bool = False, texts: bool = True) -> "Run":
        """Return the run in the folder, under the folder's name unless another is given.

        Raise RunError where there is none; with `whole`, also where it is unfinished or damaged.
        """
        path = named(path)
        refuse_no_run(path)
        config = read(path / CONFIG)
        if whole:
            refuse(path, check(path, config, whole=True))
        checked = {*STAGES} if whole else set()
        is_finished = whole or is_whole(path)
        return cls(name or path.name, config, path, {}, texts, is_finished, checked)

    @property
    def path(self) -> Path:
        """Its folder. Raise RunError where it stands in none."""
        if self.folder is None:
            raise RunError(f"{self.name} stands in no folder: open a run that does")
        return self.folder

    @property
    def model(self) -> str:
        """The model under test as the user named it; `reference` if the items brought answers."""
        return self.config.model.model if self.config.model else "reference"

    @cached_property
    def items(self) -> Items:
        """What was asked."""
        return Items(self.table(ITEMS, columns=None if self.texts else _ABOUT))

    @cached_property
    def responses(self) -> pa.Table:
        """What the model under test answered (`records.response`)."""
        return self.table(RESPONSES)

    @cached_property
    def judgements(self) -> pa.Table:
        """What was made of each answer, in every channel (`records.judgement`)."""
        return self.table(JUDGEMENTS)

    @property
    def judged(self) -> Judgements:
        """The judgements in columns, beside the items that they are of."""
        rows = self.contents.get(JUDGEMENTS)
        return read_judgements(self._file(JUDGEMENTS) if rows is None else rows, self.items)

    @cached_property
    def counted(self) -> Mapping[str, Judgements]:
        """The judgements that count, by benchmark.

        Labels and text answer the same question: as in the scores, one of them counts.
        """
        count = headline(self.judged)
        return {name: count.of_benchmark(name) for name in count.benchmark.seen().names}

    @cached_property
    def sources(self) -> Mapping[str, Mapping[str, str]]:
        """For each benchmark and criterion who spoke in the judgements that count."""
        return {
            benchmark: {
                criterion: str(rows.of_criterion(criterion).source.name(0))
                for criterion in rows.criterion.seen().names
            }
            for benchmark, rows in self.counted.items()
        }

    @cached_property
    def ratings(self) -> tuple[Rating, ...]:
        """What people said of the items; empty where nobody was asked."""
        files = {*self.contents, *seals(self.config)}
        return tuple(from_table(self.table(RATINGS), Rating)) if RATINGS in files else ()

    @cached_property
    def judging(self) -> Judging | None:
        """What a judge brings along; null where there was none."""
        if JUDGING in self.contents or self.folder is None:
            return self.contents.get(JUDGING)
        return read_judging(path) if (path := self._file(JUDGING)).is_file() else None

    def json(self, file: str) -> Any:
        """Return the content of one of its JSON files."""
        return self.contents[file] if file in self.contents else read_json(self._file(file))

    def table(self, file: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Return one of its tables, or these columns of it."""
        if file in self.contents:
            table = self.contents[file]
            return table if columns is None else table.select(columns)
        return read_parquet(self._file(file), columns=columns)

    def _file(self, file: str) -> Path:
        """The path of one of its files, which is checked before it is read."""
        self.require(next((name for name in STAGES if file in WRITES[name]), "score"))
        return self.path / file

    def require(self, stage: str) -> None:
        """Raise RunError where what the stages up to this one wrote is not as they left it."""
        needed = [name for name in STAGES[: STAGES.index(stage) + 1] if name not in self.checked]
        refuse(self.path, check(self.path, self.config, stages=needed, hashed=self.whole))
        self.checked.update(needed)


def runs_among(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Return the runs among these, and what is none, as it lies beside runs (`runs/*`).

    What is not there, and a folder that has lost its configuration and holds another file that only
    runs have, is to be refused like a run that is broken.
    """
    ours = (CONFIG, ITEMS, RESPONSES, JUDGEMENTS, JOURNAL, MANIFEST)
    runs = [
        path for path in paths if not path.exists() or any((path / name).is_file() for name in ours)
    ]
    return runs, [path for path in paths if path not in runs]


def by_name(paths: Sequence[Path]) -> dict[str, Path]:
    """Return different folders by their own names, or by as much of the path as tells them apart.

    Raise UsageError where one is named twice.
    """
    folders = [path.resolve() for path in paths]
    for place, folder in enumerate(folders):
        if folder in folders[:place]:
            raise UsageError(f"{paths[place]} is named twice: a run does not differ from itself")
    for depth in range(1, max(len(folder.parts) for folder in folders) + 1):
        names = ["/".join(folder.parts[-depth:]) for folder in folders]
        if len(set(names)) == len(names):
            break
    return dict(zip(names, folders, strict=True))
