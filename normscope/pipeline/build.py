"""Sources to datasets: what `load_dataset` reads."""

import os
from pathlib import Path

from ..builders.registry import builder
from ..builders.write import write_dataset


def build(
    slug: str,
    out: str | os.PathLike[str],
    *,
    source: str | os.PathLike[str] | None = None,
    unpinned: bool = False,
) -> dict[str, int]:
    """Writes the dataset into `out/<slug>`; returns the number of rows of each config.

    Where a dataset's sentences may not be passed on they are fetched from their authors at a pinned
    commit, or read from the folder `source`; a `SourceError` says which file is missing or is not
    the pinned one, which `unpinned` takes all the same. An unknown `slug` is a `UsageError`.
    """
    dataset = builder(slug)
    tables = dataset.tables(None if source is None else Path(source), unpinned=unpinned)
    write_dataset(dataset, Path(out) / slug, tables)
    return {config: table.num_rows for config, table in tables.items()}
