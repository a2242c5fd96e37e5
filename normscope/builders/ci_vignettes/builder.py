"""The vignettes as a dataset: configs per context, and a benchmark per config of prompts."""

import logging
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from ...errors import SourceError
from ...markdown import code, escaped, words_table
from ...records.item import VIGNETTE, Item, Option, Turn
from ..builder import Benchmark, Builder, Card
from ..card import read_card
from ..taxonomy import LIKERT
from . import confaide, published_answers
from .context import EVERY, Wording, bundled_contexts, bundled_wording
from .context_file import ContextFile
from .prompts import FOLDER, LANGUAGE, Prompts, bundled_prompts
from .vignettes import (
    anchor_table,
    corrected_table,
    count_vignettes,
    rating_table,
    vignette_table,
)

SLUG = "ci-vignettes"
ANCHORS = "anchors"

Make = Callable[[], pa.Table]


class Config(NamedTuple):
    """A config of the dataset: how its table is made, and the benchmark that asks its prompts."""

    name: str
    make: Make
    benchmark: Benchmark | None = None


class Tables(Mapping[str, pa.Table]):
    """Tables by config, each made when it is first asked for and kept.

    A run asks for one config: it neither waits for the others nor needs their sources. Going
    through all of them leaves out, with a line in the log, those that cannot be had.
    """

    def __init__(self, makers: Mapping[str, Make], *, optional: Collection[str] = ()) -> None:
        """`optional` configs may be left out, when their sources cannot be had."""
        self._makers = dict(makers)
        self._optional = list(optional)
        self._tables: dict[str, pa.Table] = {}

    def __getitem__(self, config: str) -> pa.Table:
        """The table, made now if it was not made before."""
        if config not in self._tables:
            self._tables[config] = self._makers[config]()
        return self._tables[config]

    def __iter__(self) -> Iterator[str]:
        """The configs that can be had."""
        while self._optional:
            config = self._optional.pop(0)
            try:
                self[config]
            except SourceError as error:
                del self._makers[config]
                logging.getLogger("normscope").warning("%s is left out: %s", config, error)
        return iter(self._makers)

    def __len__(self) -> int:
        """How many can be had."""
        return sum(1 for _ in self)


def build_tables(
    source: Path | None, *, unpinned: bool = False, wording: Wording | None = None
) -> Tables:
    """A table per config of every context, the anchors of the bundled, and what others published.

    These are ConfAIde's flows, and the answers and norms of LLM-CI. The wording comes with us; only
    `confaide` has a source, which is fetched or looked for in the folder when that config is asked
    for, and left out of the whole when it cannot be had.
    """
    configs = _configs(wording or bundled_wording(), source, unpinned=unpinned)
    makers = {config.name: config.make for config in configs}
    return Tables(makers, optional=[name for name in makers if confaide.NAME in name])


def _configs(
    wording: Wording, source: Path | None = None, *, unpinned: bool = False
) -> Iterator[Config]:
    for context in wording.contexts:
        yield from context_configs(context, wording)
    prompts = wording.prompts_of(EVERY) or bundled_prompts()
    ask = partial(_asked, prompts=prompts, wording=wording)
    bundled = bundled_contexts().values()
    yield Config(ANCHORS, anchors := partial(anchor_table, bundled))
    number = sum(len(context.anchors) for context in bundled)
    yield ask(ANCHORS, anchors, size=number, **_reading_anchors([*bundled]))
    flows = partial(confaide.confaide_table, source, unpinned=unpinned)
    rated = f"{confaide.NAME}_ratings"
    yield Config(confaide.NAME, flows)
    yield Config(rated, partial(confaide.ratings_table, source, unpinned=unpinned))
    yield ask(
        confaide.NAME,
        lambda: confaide.without_full_stop(flows()),
        facets=confaide.FACETS,
        category=confaide.NAME,
        ratings=rated,
        size=confaide.SIZE,
    )
    yield Config(published_answers.ANSWERS, published_answers.published_answers)
    yield Config(published_answers.NORMS, published_answers.published_norms)


def context_configs(context: ContextFile, wording: Wording) -> Iterator[Config]:
    """The configs of a context; each is named after it.

    Prompts of one's own stand in the place of the published ones.
    """
    name, vignettes = context.name, partial(vignette_table, context)
    prompts = wording.prompts_of(name) or bundled_prompts()
    ask = partial(_asked, context=context, wording=wording)
    ask_factors = partial(ask, facets=context.facets, category=name)
    rated = "" if context.ratings is None else f"{name}_ratings"
    size = count_vignettes(context)
    tables = {name: (vignettes, size)}
    if context.has_null_control:
        number = count_vignettes(context, null_control=True)
        tables[f"{name}_null"] = (partial(vignette_table, context, null_control=True), number)
    if context.corrections:
        tables[f"{name}_corrected"] = (partial(corrected_table, context), size)
    for config, (make, number) in tables.items():
        yield Config(config, make)
        of_config = rated if config == name else ""
        yield ask_factors(config, make, prompts, size=number, ratings=of_config)
    if context.anchors:
        yield Config(f"{name}_{ANCHORS}", anchors := partial(anchor_table, [context]))
        reading, number = _reading_anchors([context]), len(context.anchors)
        yield ask(f"{name}_{ANCHORS}", anchors, prompts, size=number, **reading)
    if rated:
        yield Config(rated, partial(rating_table, context))
    # in other orders the same vignettes
    orders = tuple(prompts.scale_orders)
    yield ask_factors(f"{name}_orders", vignettes, prompts, size=size, ratings=rated, orders=orders)


def _asked(
    name: str,
    vignettes: Make,
    prompts: Prompts,
    *,
    wording: Wording,
    size: int,
    context: ContextFile | None = None,
    orders: tuple[str, ...] = ("forward",),
    ratings: str = "",
    **reading: Any,
) -> Config:
    """The config of prompts about these vignettes, which is asked as `ci-vignettes:<name>`.

    `size` is how many there are, `ratings` the config with what people said of them, and `reading`
    how `read_items` reads them.
    """
    benchmark, config = f"{SLUG}:{name}", f"{name}_prompts"
    return Config(
        config,
        lambda: prompts.table(vignettes(), scale_orders=orders),
        Benchmark(
            name=benchmark,
            config=config,
            # the options of an item are how its prompt puts the answers
            items=partial(read_items, benchmark=benchmark, answers=prompts.answers, **reading),
            criteria=("acceptability",),
            rubric=None,
            metrics=("norm_consensus",),
            size=size,
            title="" if context is None else context.title,
            sources=wording.sources_of(EVERY if context is None else context.name),
            ratings=ratings,
        ),
    )


def _reading_anchors(contexts: list[ContextFile]) -> dict[str, Any]:
    """How items are read of the contexts' anchors; their texts, too, are a facet."""
    table = anchor_table(contexts)
    ids, texts = (table[name].to_pylist() for name in ("item_id", VIGNETTE))
    return {"facets": ("context", "expected"), "texts": dict(zip(ids, texts, strict=True))}


def read_items(
    table: pa.Table,
    *,
    benchmark: str,
    facets: tuple[str, ...],
    category: str = "",
    answers: tuple[str, ...] = (),
    texts: Mapping[str, str] | None = None,
) -> list[Item]:
    """An item per prompt. `facets` are the columns that vary from vignette to vignette.

    `texts` are those of vignettes that no factors make, by `item_id`: a facet, too.

    The anchors' table names the context of each row. An item is in the language of its prompt,
    which lists the answers: by it their spellings are known, whatever the vignette is written in.
    """
    places = {"context": [category] * len(table), LANGUAGE: ["en"] * len(table)}
    places |= {
        name: table.column(name).to_pylist() for name in places if name in table.column_names
    }
    options, text_of = tuple(map(Option, LIKERT, answers)), (texts or {}).get
    levels = zip(*(table.column(name).to_pylist() for name in facets), strict=True)
    keys = ("item_id", "variant_id", "scale_order", "prompt")
    columns = (table.column(name).to_pylist() for name in keys)
    rows = zip(*columns, places["context"], places[LANGUAGE], levels, strict=True)
    return [
        Item(
            benchmark=benchmark,
            item_id=item_id,
            messages=(Turn("user", prompt),),
            language=spoken,
            variant_id=variant_id,
            scale_order=scale_order,
            options=options,
            category=context,
            cluster=item_id,
            facets={
                name: level
                for name, level in (*zip(facets, row, strict=True), (VIGNETTE, text_of(item_id)))
                if level is not None
            },
        )
        for item_id, variant_id, scale_order, prompt, context, spoken, row in rows
    ]


def builder_of(wording: Wording) -> Builder:
    """The dataset with this wording in the place of the bundled one."""
    return replace(
        BUILDER,
        tables=partial(build_tables, wording=wording),
        benchmarks=tuple(each.benchmark for each in _configs(wording) if each.benchmark),
    )


_COLUMNS = ("config", "what", "vignettes", "null control", "norms of", "survey", "factors (levels)")


def describe(contexts: list[ContextFile]) -> str:
    """A Markdown table of the contexts: how many vignettes, whose norms, which factors."""
    rows = []
    for context in contexts:
        number, null = (count_vignettes(context, null_control=null) for null in (False, True))
        factors = ", ".join(
            f"{name.replace('_', ' ')} ({len(context.factors[name].all_levels)})"
            for name in context.columns
            if name in context.factors
        )
        numbers = (f"{number:,}", f"{null:,}" if null else "–")
        survey = f"{context.instrument}, {context.year}"
        words = (context.population, survey, factors)
        title = escaped(context.title)
        rows.append([code(context.name), title, *numbers, *map(escaped, words)])
    return words_table(_COLUMNS, rows)


def _card(contexts: list[ContextFile]) -> Card:
    orders = bundled_prompts().scale_orders.items()
    slots = {
        "number": str(len(contexts)),
        "variants": str(len(bundled_prompts().variants)),
        "contexts": describe(contexts),
        "orders": "\n".join(
            f"| `{name}` | {', '.join(LIKERT[at] for at in order)} |" for name, order in orders
        ),
    }
    card = read_card(FOLDER / "card.md")
    summary, body = (
        re.sub(r"\{(\w+)\}", lambda slot: slots[slot[1]], text)
        for text in (card.summary, card.body)
    )
    return replace(card, summary=summary, body=body)


BUILDER = Builder(
    slug=SLUG,
    tables=build_tables,
    card=_card([*bundled_contexts().values()]),
    benchmarks=tuple(each.benchmark for each in _configs(bundled_wording()) if each.benchmark),
)
