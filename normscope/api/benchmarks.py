"""`ns.benchmarks`: what there is to ask."""

import pandas as pd

from ..builders.registry import BUILDERS, builder


def benchmarks() -> pd.DataFrame:
    """Every benchmark, as `normscope build --list` shows them.

    A row each: its name, how many items it has, its languages, licence and dataset.

    >>> table = benchmarks().set_index("benchmark")
    >>> int(table.loc["safety-gradient", "items"]), table.loc["safety-gradient", "licence"]
    (1000, 'apache-2.0')
    """
    return pd.DataFrame(
        {
            "benchmark": bench.name,
            "items": bench.size,
            "languages": ", ".join(dataset.card.languages),
            "licence": dataset.card.license,
            "dataset": dataset.card.title,
        }
        for dataset in map(builder, BUILDERS)
        for bench in dataset.benchmarks
    )
