"""Finished runs, read without taking hold of them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import UsageError
from ..files import read_parquet
from ..records.config import RunConfig
from ..records.integrity import (
    CONFIG,
    ITEMS,
    JOURNAL,
    JUDGEMENTS,
    MANIFEST,
    RATINGS,
    RESPONSES,
    read_checked,
    seals,
)
from ..records.item import Item, ItemKey, from_table
from ..records.judgements import COLUMNS, Judgements, counting, read_judgements
from ..records.ratings import Rating
from ..records.ratings import from_table as ratings_of

Key = tuple[str, str, str, str, int]
"""An item's key and which sample of the reply."""

_ITEM = (
    *ItemKey._fields,
    *("area", "category", "language", "cluster", "response", "facets", "answer_source"),
)
"""What a comparison needs to know about an item: not its text."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One criterion's judgement: its value or why there is none, and the label it favours."""

    value: float | None
    reason: str | None
    favourite: str | None


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run: its configuration, its items, and its judgements by criterion.

    `sources` tells for each benchmark and criterion who spoke in these judgements; `ratings` are
    what people said of the items.
    """

    name: str
    config: RunConfig
    items: Mapping[ItemKey, Item]
    readings: Mapping[str, Mapping[str, Mapping[Key, Reading]]]
    sources: Mapping[str, Mapping[str, str]]
    ratings: tuple[Rating, ...] = ()

    @property
    def model(self) -> str:
        """The model under test as the user named it; `reference` if the items brought answers."""
        return self.config.model.model if self.config.model else "reference"


def runs_among(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The runs among these, and what is none, as it lies beside runs (`runs/*`).

    What is not there, and a folder that has lost its configuration and holds another file that only
    runs have, is to be refused like a run that is broken.
    """
    ours = (CONFIG, ITEMS, RESPONSES, JUDGEMENTS, JOURNAL, MANIFEST)
    runs = [
        path for path in paths if not path.exists() or any((path / name).is_file() for name in ours)
    ]
    return runs, [path for path in paths if path not in runs]


def read_runs(paths: Sequence[Path]) -> tuple[Run, ...]:
    """Two or more different finished runs, named after their folders."""
    folders = [path.resolve() for path in paths]
    if len(folders) < 2:  # noqa: PLR2004 - a comparison has two sides
        raise UsageError(
            f"a comparison needs two runs or more, not {len(folders)}; a single run stands beside "
            "published results: normscope compare RUN --with-published"
        )
    for place, folder in enumerate(folders):
        if folder in folders[:place]:
            raise UsageError(f"{paths[place]} is named twice: a run does not differ from itself")
    return tuple(
        read_run(folder, name=name) for folder, name in zip(folders, _names(folders), strict=True)
    )


def read_run(path: Path, *, name: str = "") -> Run:
    """The run in the folder; a `RunError` if it is unfinished or was changed since."""
    # a table that was changed since it was written is refused before it is read
    config = read_checked(path, whole=True)
    readings, sources = readings_of(
        read_judgements(read_parquet(path / JUDGEMENTS, columns=COLUMNS))
    )
    return Run(
        name=name or path.name,
        config=config,
        items={item.key: item for item in from_table(read_parquet(path / ITEMS, columns=_ITEM))},
        readings=readings,
        sources=sources,
        ratings=tuple(ratings_of(read_parquet(path / RATINGS)) if RATINGS in seals(config) else ()),
    )


def _names(folders: Sequence[Path]) -> list[str]:
    """The folders' own names, or as much of the path as tells them apart."""
    for depth in range(1, max(len(folder.parts) for folder in folders) + 1):
        names = ["/".join(folder.parts[-depth:]) for folder in folders]
        if len(set(names)) == len(names):
            break
    return names


def readings_of(
    judgements: Judgements,
) -> tuple[dict[str, dict[str, dict[Key, Reading]]], dict[str, dict[str, str]]]:
    """By benchmark, criterion and key, of the source that counts; and which."""
    by_source: dict[tuple[str, str], dict[str, Judgements]] = {}
    for (benchmark, criterion, source), rows in judgements.by("benchmark", "criterion", "source"):
        by_source.setdefault((benchmark, criterion), {})[source] = rows
    readings: dict[str, dict[str, dict[Key, Reading]]] = {}
    sources: dict[str, dict[str, str]] = {}
    for (benchmark, criterion), channels in by_source.items():
        # labels and text answer the same question: as in the scores, one of them counts
        first = counting(channels)
        readings.setdefault(benchmark, {})[criterion] = _by_key(channels[first])
        sources.setdefault(benchmark, {})[criterion] = first
    return readings, sources


def _by_key(rows: Judgements) -> dict[Key, Reading]:
    keys = zip(
        *(getattr(rows, name).tolist() for name in ItemKey._fields),
        rows.sample.tolist(),
        strict=True,
    )
    values = [None if math.isnan(value) else value for value in rows.value.tolist()]
    return dict(zip(keys, map(Reading, values, rows.reason, rows.favourite), strict=True))
