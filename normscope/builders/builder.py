"""The one shape of a dataset builder, and how its result is written for the Hub.

A builder turns sources into one table per config, and items out of a table. What is written is
what `load_dataset("folder", "config")` reads: Parquet beside a card whose YAML lists the configs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from ..records.item import Item, Rating
from ..records.tables import from_table


@dataclass(frozen=True, slots=True)
class Card:
    """What the dataset card says beyond what is read off the tables.

    `tasks` are the Hub's names for what it is for. `command` is what writes the dataset's folder;
    empty: `normscope build SLUG`.
    """

    title: str
    summary: str
    languages: tuple[str, ...]
    license: str
    tags: tuple[str, ...]
    body: str
    default_config: str
    license_name: str | None = None
    tasks: tuple[str, ...] = ()
    command: str = ""


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file of one's own that a table is made of, and what a run keeps of it."""

    path: Path
    content: bytes


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One way to put a dataset to a model: `dataset[:part]` on the command line.

    `config` names the table that is asked from, `items` reads its rows (and sets
    `Item.benchmark` to `name`). `criteria` are the questions that are answered about each item, by
    the judge under `rubric`, or, where that is null, by the model under test itself
    (`acceptability`, `option`). `metrics` name the scoring rules. `title` is what it is called
    beside its name; `sources` are the files of one's own that its table is made of. A benchmark is
    `written` if its answers are text, whatever channels a run asks for: its prompts do not ask for
    a label. `ratings` is the table with what people said of its items, empty where nobody was
    asked. `size` is how many items it has.
    """

    name: str
    config: str
    items: Callable[[pa.Table], list[Item]]
    criteria: tuple[str, ...]
    rubric: str | None
    metrics: tuple[str, ...]
    size: int
    title: str = ""
    sources: tuple[OwnFile, ...] = ()
    written: bool = False
    ratings: str = ""

    def tables(self, of_dataset: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
        """The tables of its dataset that it is made of, by config."""
        return {name: of_dataset[name] for name in (self.config, self.ratings) if name}

    def people(self, of_dataset: Mapping[str, pa.Table]) -> list[Rating]:
        """What people said of its items."""
        if not self.ratings:
            return []
        table = of_dataset[self.ratings]
        named = pa.repeat(pa.scalar(self.name), table.num_rows)
        return from_table(table.append_column("benchmark", named), Rating)


MakeTables = Callable[..., Mapping[str, pa.Table]]
"""Makes the tables of a dataset, one per config: `(source: Path | None, *, unpinned=False)`.

`source` is the folder to read (null: the pinned files are fetched from their authors). With
`unpinned`, a file of that folder may differ from the pinned one in content, not in shape. A dataset
that is written in this project needs neither.
"""


@dataclass(frozen=True, slots=True)
class Builder:
    """How one dataset is made: its tables, its card, and its benchmarks (the ways to run it)."""

    slug: str
    tables: MakeTables
    card: Card
    benchmarks: tuple[Benchmark, ...]
