"""The benchmark whose prompts were answered elsewhere: what an answer can be matched with."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ...builders.builder import Benchmark, Builder
from ...categorical import Categorical, combined, first_rows
from ...errors import UsageError
from ...judges.respondent import ACCEPTABILITY
from ...records.config import RunConfig
from ...records.item import Item, ItemKey
from ..requested import requested_benchmarks

KEY = ItemKey._fields[1:]
"""The columns that name a prompt of a benchmark: item, prompt variant, order of the scale."""


@dataclass(frozen=True)
class Target:
    """A benchmark with the tables that it is made of."""

    config: RunConfig
    name: str
    builder: Builder
    bench: Benchmark
    of_dataset: Mapping[str, pa.Table]

    @classmethod
    def of(cls, config: RunConfig) -> "Target":
        """The only benchmark that the configuration asks for; a `UsageError` if there are others.

        A context and prompts of one's own are read from the files that it names.
        """
        if len(config.benchmark) != 1:
            names = ", ".join(config.benchmark) or "none"
            raise UsageError(f"answers are of one benchmark, not of {names}: name it with -b")
        [(name, (builder, bench))] = requested_benchmarks(config).items()
        source = Path(config.source) if config.source else None
        tables = builder.tables(source, unpinned=config.unpinned)
        if bench.items(tables[bench.config].slice(0, 1))[0].response is not None:
            raise UsageError(f"{name} brings its answers along; there is none to import")
        return cls(config, name, builder, bench, tables)

    @property
    def prompts(self) -> pa.Table:
        """The table that the benchmark asks from, a row per prompt."""
        return self.of_dataset[self.bench.config]

    @property
    def is_of_degrees(self) -> bool:
        """Whether an answer is a degree of acceptability, which a number can stand for."""
        return ACCEPTABILITY in self.bench.criteria

    @cached_property
    def firsts(self) -> list[Item]:
        """The first prompt of every item, in the benchmark's order."""
        rows = first_rows(combined(Categorical.of(self.prompts["item_id"])))
        return self.bench.items(self.prompts.take(pa.array(rows)))

    @cached_property
    def ids(self) -> pa.Array:
        """Every item's id, in the benchmark's order."""
        return pa.array([item.item_id for item in self.firsts], pa.string())

    def known(self, name: str) -> tuple[str, ...]:
        """Its prompt variants (`variant_id`) or orders (`scale_order`); none where it has none."""
        if name not in self.prompts.column_names:
            return ()
        return tuple(filter(None, self.prompts[name].unique().to_pylist()))

    @cached_property
    def factors(self) -> pa.Table:
        """The level of each item in each of its factors (empty where it has none), by `item_id`."""
        names = dict.fromkeys(name for item in self.firsts for name in item.facets)
        columns = {name: [item.facets.get(name, "") for item in self.firsts] for name in names}
        return pa.table({"item_id": self.ids, **columns})

    @cached_property
    def questions(self) -> pa.Table:
        """What each prompt asks, without blanks at its ends, with the key of its item."""
        items = self.bench.items(self.prompts)
        columns = {name: [getattr(item, name) for item in items] for name in KEY}
        questions = [item.question.strip() for item in items]
        schema = pa.schema([(name, pa.string()) for name in ("question", *KEY)])
        return pa.table({"question": questions, **columns}, schema=schema)

    def items(self, ids: pa.ChunkedArray) -> list[Item]:
        """The prompts of these items, or all where none is: an error names what is near."""
        # a table with a row per prompt has tens of thousands, of which few may be needed
        rows = self.prompts.filter(pc.is_in(self.prompts["item_id"], value_set=ids.unique()))
        return self.bench.items(rows if len(rows) else self.prompts)
