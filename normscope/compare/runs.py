"""Finished runs, read without taking hold of them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..errors import UsageError
from ..files import read_parquet
from ..records.config import RunConfig
from ..records.integrity import (
    CONFIG,
    ITEMS,
    JOURNAL,
    JUDGEMENTS,
    MANIFEST,
    RESPONSES,
    read_checked,
)
from ..records.judgements import COLUMNS, Judgements, counting, read_judgements

ItemKey = tuple[str, str, str, str]
"""Benchmark, item, variant, order of the scale."""

Key = tuple[str, str, str, str, int]
"""An item's key and which sample of the reply."""

_ITEM_KEY = ("benchmark", "item_id", "variant_id", "scale_order")
_SUBJECT = (
    *_ITEM_KEY,
    *("area", "category", "language", "cluster", "response", "facets", "answer_source"),
)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a comparison needs to know about an item; `asked` is false if it brings its answer.

    `answer_source` says whose the key is.
    """

    item_id: str
    area: str
    category: str
    language: str
    cluster: str
    facets: Mapping[str, str]
    asked: bool
    answer_source: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """One criterion's judgement: its value or why there is none, and the label it favours."""

    value: float | None
    reason: str | None
    favourite: str | None


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run: what was asked of it, its items, and its judgements by criterion.

    `sources` tells for each benchmark and criterion who spoke in these judgements.
    """

    name: str
    config: RunConfig
    subjects: Mapping[ItemKey, Subject]
    readings: Mapping[str, Mapping[str, Mapping[Key, Reading]]]
    sources: Mapping[str, Mapping[str, str]]

    @property
    def model(self) -> str:
        """The model under test as the user named it; `reference` if the items brought answers."""
        return self.config.model.model if self.config.model else "reference"


def runs_among(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The runs among these, and what is none, as it is found beside runs (`runs/*`).

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
        raise UsageError(f"a comparison needs two runs or more, not {len(folders)}")
    for place, folder in enumerate(folders):
        if folder in folders[:place]:
            raise UsageError(f"{paths[place]} is named twice: a run does not differ from itself")
    return tuple(
        read_run(folder, name=name) for folder, name in zip(folders, _names(folders), strict=True)
    )


def read_run(path: Path, *, name: str = "") -> Run:
    """The run in the folder; a `RunError` if it is unfinished or was changed since."""
    config = read_checked(path, whole=True)
    readings, sources = readings_of(
        read_judgements(read_parquet(path / JUDGEMENTS, columns=COLUMNS))
    )
    return Run(
        name=name or path.name,
        config=config,
        subjects=_subjects(read_parquet(path / ITEMS, columns=_SUBJECT)),
        readings=readings,
        sources=sources,
    )


def _names(folders: Sequence[Path]) -> list[str]:
    """The folders' own names, or as much of the path as tells them apart."""
    for depth in range(1, max(len(folder.parts) for folder in folders) + 1):
        names = ["/".join(folder.parts[-depth:]) for folder in folders]
        if len(set(names)) == len(names):
            break
    return names


def _subjects(items: pa.Table) -> dict[ItemKey, Subject]:
    return {
        (row[0], row[1], row[2], row[3]): Subject(
            item_id=row[1],
            area=row[4],
            category=row[5],
            language=row[6],
            cluster=row[7] or row[1],
            facets=dict(row[9]),
            asked=row[8] is None,
            answer_source=row[10],
        )
        for row in _rows(items, _SUBJECT)
    }


def readings_of(
    judgements: Judgements,
) -> tuple[dict[str, dict[str, dict[Key, Reading]]], dict[str, dict[str, str]]]:
    """By benchmark, criterion and key, of the source that counts; and which."""
    found: dict[tuple[str, str], dict[str, Judgements]] = {}
    for (benchmark, criterion, source), rows in judgements.by("benchmark", "criterion", "source"):
        found.setdefault((benchmark, criterion), {})[source] = rows
    readings: dict[str, dict[str, dict[Key, Reading]]] = {}
    sources: dict[str, dict[str, str]] = {}
    for (benchmark, criterion), channels in found.items():
        first = counting(channels)
        readings.setdefault(benchmark, {})[criterion] = _by_key(channels[first])
        sources.setdefault(benchmark, {})[criterion] = first
    return readings, sources


def _by_key(rows: Judgements) -> dict[Key, Reading]:
    keys = zip(
        *(getattr(rows, name).tolist() for name in _ITEM_KEY), rows.sample.tolist(), strict=True
    )
    values = [None if math.isnan(value) else value for value in rows.value.tolist()]
    return dict(zip(keys, map(Reading, values, rows.reason, rows.favourite), strict=True))


def _rows(table: pa.Table, names: Sequence[str]) -> Iterable[tuple[Any, ...]]:
    return zip(*(table.column(name).to_pylist() for name in names), strict=True)
