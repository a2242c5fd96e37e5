"""Sources to datasets: what `load_dataset` reads."""

from pathlib import Path

from ..datasets_builders.registry import builder
from ..datasets_builders.write import write_dataset


def build(slug: str, out: Path, *, source: Path | None, unpinned: bool = False) -> dict[str, int]:
    """Writes the dataset into `out/<slug>`; returns the number of rows of each config."""
    dataset = builder(slug)
    tables = dataset.tables(source, unpinned=unpinned)
    write_dataset(dataset, out / slug, tables)
    return {config: table.num_rows for config, table in tables.items()}
