"""What a configuration asks: its benchmarks, those of one's own files among them, and their items.

Of each benchmark the items are those within its limit and variants.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..builders.builder import Benchmark, Builder
from ..builders.registry import benchmark
from ..builders.slice import balanced
from ..builders.write import content_hash
from ..errors import UsageError
from ..files import hash_file, replacing
from ..judges.respondent import OPTION
from ..records.item import Item, Rating, of_items
from ..records.provenance import BenchmarkItems
from ..records.settings import Settings, read, updated
from .options import keyed, refuse_without_options, rotations

VIGNETTES = "ci-vignettes"
NOTHING = Settings()


def requested(values: Mapping[str, Any], base: Settings = NOTHING) -> Settings:
    """The settings among the values and in their `settings`, over those of a file, or of a run.

    Contexts of one's own are read, and asked where no benchmark is named.
    """
    values = {**values, **values.get("settings", {})}
    settings = updated(read(values["config"]) if values.get("config") else base, values)
    if settings.benchmark or not settings.context:
        return settings
    from ..builders.ci_vignettes.context import read_wording

    contexts = read_wording(map(Path, settings.context), None).sources
    return replace(settings, benchmark=tuple(f"{VIGNETTES}:{name}" for name in contexts if name))


def requested_benchmarks(config: Settings) -> dict[str, tuple[Builder, Benchmark]]:
    """Each benchmark of the configuration with its dataset's builder, in their order.

    A context or prompts of one's own are read here, and every error in them is told.
    """
    if not config.benchmark:
        raise UsageError("no benchmark is named, such as cfsafety or ci-vignettes:coppa")
    builders: dict[str, Builder] = {}
    if config.context or config.prompts is not None:
        from ..builders.ci_vignettes.builder import builder_of
        from ..builders.ci_vignettes.context import read_wording

        prompts = None if config.prompts is None else Path(config.prompts)
        builders[VIGNETTES] = builder_of(read_wording(map(Path, config.context), prompts))
    result = {name: benchmark(name, own=builders) for name in config.benchmark}
    used = [source for _, bench in result.values() for source in bench.sources]
    for given in (*config.context, *filter(None, [config.prompts])):
        if not any(source.path.is_relative_to(given) for source in used):
            raise UsageError(
                f"no benchmark that is asked for is made of {given} "
                f"({', '.join(config.benchmark)}): ask for {VIGNETTES}:NAME, or leave it out"
            )
    return result


def sources_of(bench: Benchmark) -> dict[str, str]:
    """The SHA-256 of each file of one's own that the benchmark is made of, by the file's name."""
    hashes: dict[str, str] = {}
    for source in bench.sources:
        name, content = source.path.name, hashlib.sha256(source.content).hexdigest()
        if hashes.setdefault(name, content) != content:
            raise UsageError(
                f"{bench.name} is made of two files that are called {name!r}: name one of them "
                "otherwise, since a run keeps both in one folder"
            )
    return hashes


def keep_copies(bench: Benchmark, folder: Path) -> None:
    """What a run keeps of the files of one's own that the benchmark is made of, in the folder."""
    for source in bench.sources:
        copy = folder / source.path.name
        # the run itself may be where it was read from
        if not (copy.is_file() and copy.read_bytes() == source.content):
            with replacing(copy) as part:
                part.write_bytes(source.content)


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
        all_items = bench.items(of_dataset[bench.config])
        key = Path(config.key) if config.key and OPTION in bench.criteria else None
        if key is not None:
            all_items = keyed(all_items, key)
        there, variants = _of_variants(all_items, config.variants)
        selected = there if limit is None else balanced(there, limit)
        turn = config.option_orders == "cyclic" and OPTION in bench.criteria
        put = [each for item in selected for each in rotations(item)] if turn else selected
        items += put
        ratings += of_items(bench.people(of_dataset), {item.item_id for item in selected})
        noted[name] = BenchmarkItems(
            dataset=builder.slug,
            config=bench.config,
            revision=revision,
            rubric=bench.rubric,
            criteria=tuple(bench.criteria),
            metrics=tuple(bench.metrics),
            # an item has a row per variant and order, and is one item all the same
            items=len({item.item_id for item in selected}),
            items_in_dataset=len({item.item_id for item in there}),
            prompts=len(put),
            key=hash_file(key) if key else None,
            written=bench.written,
            variants=variants,
            variants_in_dataset=len(_variants(all_items)),
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
    variants = _variants(items)
    if not requested or not variants:
        return items, variants
    for variant in requested:
        if variant not in variants:
            raise UsageError(
                f"{items[0].benchmark} has no prompt variant {variant!r}; it has "
                f"{', '.join(variants)}"
            )
    return [item for item in items if item.variant_id in requested], tuple(
        variant for variant in variants if variant in requested
    )


def _refuse_idle_variants(config: Settings, chosen: Mapping[str, BenchmarkItems]) -> None:
    if config.variants and not any(taken.variants for taken in chosen.values()):
        raise UsageError(
            f"variants {','.join(config.variants)} is for vignettes, and none are asked "
            f"({', '.join(chosen)}): leave it out"
        )
