"""The items that a configuration asks: of each benchmark those within its limit and variants."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from ..builders.builder import Benchmark, Builder
from ..builders.slice import balanced
from ..builders.write import content_hash
from ..errors import UsageError
from ..files import hash_file
from ..judges.respondent import OPTION
from ..records.item import Item
from ..records.provenance import BenchmarkItems
from ..records.ratings import Rating, of_items
from ..records.settings import Settings
from .answer_key import keyed, refuse_without_options
from .orders import can_turn, rotations
from .requested import sources_of


@dataclass(frozen=True, slots=True)
class Chosen:
    """Items as they are asked, people's ratings of them, and what is noted of each benchmark.

    That is where the items come from, and how many there were.
    """

    items: list[Item]
    ratings: list[Rating]
    benchmarks: dict[str, BenchmarkItems]


def choose(config: Settings, benchmarks: Mapping[str, tuple[Builder, Benchmark]]) -> Chosen:
    """The items of every benchmark; a `UsageError` names a setting that fits none of them."""
    if config.key:
        refuse_without_options({name: bench.criteria for name, (_, bench) in benchmarks.items()})
    items: list[Item] = []
    ratings: list[Rating] = []
    noted: dict[str, BenchmarkItems] = {}
    tables: dict[str, Mapping[str, pa.Table]] = {}
    for name, (builder, bench) in benchmarks.items():
        # the benchmarks of a dataset share its tables, which may have to be downloaded
        if builder.slug not in tables:
            source = Path(config.source) if config.source else None
            tables[builder.slug] = builder.tables(source, unpinned=config.unpinned)
        of_dataset, limit = tables[builder.slug], config.limit_of(name)
        # before the items: both at once would be the most that is in memory
        revision = content_hash(bench.tables(of_dataset))
        every = bench.items(of_dataset[bench.config])
        key = Path(config.key) if config.key and OPTION in bench.criteria else None
        if key is not None:
            every = keyed(every, key)
        there, variants = _of_variants(every, config.variants)
        taken = there if limit is None else balanced(there, limit)
        turn = config.option_orders == "cyclic" and OPTION in bench.criteria
        put = [each for item in taken for each in rotations(item)] if turn else taken
        items += put
        ratings += of_items(bench.people(of_dataset), {item.item_id for item in taken})
        noted[name] = BenchmarkItems(
            dataset=builder.slug,
            config=bench.config,
            revision=revision,
            rubric=bench.rubric,
            criteria=tuple(bench.criteria),
            metrics=tuple(bench.metrics),
            # an item has a row per variant and order, and is one item all the same
            items=len({item.item_id for item in taken}),
            items_in_dataset=len({item.item_id for item in there}),
            prompts=len(put),
            key=hash_file(key) if key else None,
            written=bench.written,
            not_turned=sum(not can_turn(item) for item in taken) if turn else None,
            variants=variants,
            variants_in_dataset=len(_variants(every)),
            title=bench.title,
            sources=sources_of(bench),
        )
    _refuse_idle_variants(config, noted)
    return Chosen(items, ratings, noted)


def _variants(items: Iterable[Item]) -> tuple[str, ...]:
    """The prompt variants of the items, none where a question is put in one wording."""
    return tuple(dict.fromkeys(item.variant_id for item in items if item.variant_id))


def _of_variants(items: list[Item], requested: Sequence[str]) -> tuple[list[Item], tuple[str, ...]]:
    """The items in the requested prompt variants, of which all are there; and which these are."""
    known = _variants(items)
    if not requested or not known:
        return items, known
    for variant in requested:
        if variant not in known:
            raise UsageError(
                f"{items[0].benchmark} has no prompt variant {variant!r}; it has {', '.join(known)}"
            )
    return [item for item in items if item.variant_id in requested], tuple(
        variant for variant in known if variant in requested
    )


def _refuse_idle_variants(config: Settings, chosen: Mapping[str, BenchmarkItems]) -> None:
    if config.variants and not any(taken.variants for taken in chosen.values()):
        raise UsageError(
            f"--variants {','.join(config.variants)} is for vignettes, and none are asked "
            f"({', '.join(chosen)}): leave it out"
        )
