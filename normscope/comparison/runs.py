"""Finished runs, read without taking hold of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

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
from ..records.item import ItemKey
from ..records.items import Items
from ..records.judgements import COLUMNS, Judgements, headline, read_judgements
from ..records.ratings import Rating
from ..records.ratings import from_table as ratings_of

_ITEM = (
    *ItemKey._fields,
    *("area", "category", "language", "cluster", "response", "facets", "answer_source"),
)
"""What a comparison needs to know about an item: not its text."""


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run: its configuration, its items, and by benchmark the judgements that count.

    `sources` tells for each benchmark and criterion who spoke in these judgements; `ratings` are
    what people said of the items.
    """

    name: str
    config: RunConfig
    items: Items
    judgements: Mapping[str, Judgements]
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
    if len(paths) < 2:  # noqa: PLR2004 - a comparison has two sides
        raise UsageError(
            f"a comparison needs two runs or more, not {len(paths)}; a single run stands beside "
            "published results: normscope compare RUN --with-published"
        )
    return tuple(read_run(folder, name=name) for name, folder in by_name(paths).items())


def read_run(path: Path, *, name: str = "") -> Run:
    """The run in the folder; a `RunError` if it is unfinished or was changed since."""
    # a table that was changed since it was written is refused before it is read
    config = read_checked(path, whole=True)
    items = Items(read_parquet(path / ITEMS, columns=_ITEM))
    judgements = read_judgements(read_parquet(path / JUDGEMENTS, columns=COLUMNS), items)
    return Run(
        name=name or path.name,
        config=config,
        items=items,
        **counted(judgements)._asdict(),
        ratings=tuple(ratings_of(read_parquet(path / RATINGS)) if RATINGS in seals(config) else ()),
    )


def by_name(paths: Sequence[Path]) -> dict[str, Path]:
    """Different folders by their own names, or by as much of the path as tells them apart."""
    folders = [path.resolve() for path in paths]
    for place, folder in enumerate(folders):
        if folder in folders[:place]:
            raise UsageError(f"{paths[place]} is named twice: a run does not differ from itself")
    for depth in range(1, max(len(folder.parts) for folder in folders) + 1):
        names = ["/".join(folder.parts[-depth:]) for folder in folders]
        if len(set(names)) == len(names):
            break
    return dict(zip(names, folders, strict=True))


class Counted(NamedTuple):
    """The judgements that count of each benchmark, and by criterion who spoke in them."""

    judgements: dict[str, Judgements]
    sources: dict[str, dict[str, str]]


def counted(judgements: Judgements) -> Counted:
    """The judgements that count, by benchmark.

    Labels and text answer the same question: as in the scores, one of them counts.
    """
    count = headline(judgements)
    by_benchmark = {name: count.of_benchmark(name) for name in count.benchmark.seen().names}
    return Counted(
        by_benchmark,
        {
            name: {
                criterion: str(rows.of_criterion(criterion).source.name(0))
                for criterion in rows.criterion.seen().names
            }
            for name, rows in by_benchmark.items()
        },
    )
