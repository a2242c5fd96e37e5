"""The benchmark whose prompts were answered elsewhere: what an answer can be matched with."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ...categorical import Categorical, combined, first_rows
from ...datasets_builders.builder import Benchmark, Builder
from ...errors import UsageError
from ...judges.respondent import ACCEPTABILITY
from ...messages import message
from ...records import item as items
from ...records.config import RunConfig
from ..requested import requested_benchmarks, templates_of
from .raw import KEY


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
            raise UsageError(
                message(
                    "answers are imported for one benchmark, not {n} ({names}): name it with "
                    "--benchmark",
                    n=len(config.benchmark),
                    names=", ".join(config.benchmark) or "–",
                )
            )
        [(name, (builder, bench))] = requested_benchmarks(config).items()
        source = Path(config.source) if config.source else None
        tables = builder.tables(source, unpinned=config.unpinned)
        if bench.items(tables[bench.config].slice(0, 1))[0].response is not None:
            raise UsageError(
                message(
                    "{benchmark} brings its answers along; there is none to import", benchmark=name
                )
            )
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
    def ids(self) -> pa.Array:
        """Every item's id, in the benchmark's order."""
        return self.prompts["item_id"].unique()

    @cached_property
    def variants(self) -> tuple[str, ...]:
        """The ids of its prompt variants; none where it has none."""
        return self._values("variant_id")

    @cached_property
    def orders(self) -> tuple[str, ...]:
        """The orders in which its prompts list the answers; none where they list none."""
        return self._values("scale_order")

    @cached_property
    def templates(self) -> Mapping[str, str]:
        """The id of each prompt variant by its words, without blanks at their ends."""
        templates = templates_of(self.config, self.bench)
        return {words.strip(): name for name, words in templates.items() if name in self.variants}

    @cached_property
    def factors(self) -> pa.Table:
        """The level of each item in each of its factors (empty where it has none), by `item_id`."""
        firsts = first_rows(combined(Categorical.of(self.prompts["item_id"])))
        of_items = self.bench.items(self.prompts.take(pa.array(firsts)))
        names = dict.fromkeys(name for item in of_items for name in item.facets)
        columns = {name: [item.facets.get(name, "") for item in of_items] for name in names}
        ids = [item.item_id for item in of_items]
        return pa.table({"item_id": pa.array(ids, pa.string()), **columns})

    @cached_property
    def questions(self) -> pa.Table:
        """What each prompt asks, without blanks at its ends, with the key of its item."""
        every = self.bench.items(self.prompts)
        return pa.table(
            {
                "question": pa.array([item.question.strip() for item in every], pa.string()),
                **{
                    name: pa.array([getattr(item, name) for item in every], pa.string())
                    for name in KEY
                },
            }
        )

    def items(self, ids: pa.ChunkedArray) -> list[items.Item]:
        """The prompts of these items, or all where none is: an error names what is near."""
        # a table with a row per prompt has tens of thousands, of which few may be needed
        rows = self.prompts.filter(pc.is_in(self.prompts["item_id"], value_set=ids.unique()))
        return self.bench.items(rows if len(rows) else self.prompts)

    def _values(self, name: str) -> tuple[str, ...]:
        if name not in self.prompts.column_names:
            return ()
        return tuple(filter(None, self.prompts[name].unique().to_pylist()))
