"""The vignettes as a dataset: configs per context, and a benchmark per config of prompts."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pyarrow as pa

from ...markdown import code, escaped, words_table
from ...records.item import VIGNETTE, Item, Option, Turn
from ..builder import Benchmark, Builder, Card, OwnFile
from ..card import read_body
from ..taxonomy import LIKERT
from . import confaide, published_answers
from .context import CONTEXTS, CheckedContext, bundled_contexts, named_prompts
from .derived import anchor_table, corrected_table, rating_table
from .prompts import FOLDER, LANGUAGE, Prompts, bundled_prompts, our_prompts
from .tables import Make, Tables
from .vignettes import count_vignettes, vignette_table

SLUG = "ci-vignettes"
ANCHORS = "anchors"
CARD = FOLDER / "card.md"


@dataclass(frozen=True, slots=True)
class Wording:
    """What the tables are made of: contexts, and prompts in the place of the published ones.

    `named` are the prompts that a context names itself, by its name; `prompts` take the place of
    these too. `sources` are the files of one's own, by the context that is made of them; those of
    `prompts` stand under the empty name, since they hold for every context.
    """

    contexts: tuple[CheckedContext, ...]
    prompts: Prompts | None = None
    named: Mapping[str, Prompts] = field(default_factory=dict)
    sources: Mapping[str, tuple[OwnFile, ...]] = field(default_factory=dict)

    def prompts_of(self, context: str) -> Prompts | None:
        """What the context is asked in; null: the published prompts."""
        return self.prompts or self.named.get(context)

    def sources_of(self, context: str) -> tuple[OwnFile, ...]:
        """The files of one's own behind the context, or behind all where none is named so."""
        files = self.sources.get(context, ())
        return tuple(dict.fromkeys((*files, *self.sources.get("", ()))))


def bundled_wording() -> Wording:
    """The contexts that come with Normscope, in the published prompts."""
    contexts = bundled_contexts()
    return Wording(tuple(contexts.values()), named=named_prompts(contexts, CONTEXTS))


def build_tables(
    source: Path | None, *, unpinned: bool = False, wording: Wording | None = None
) -> Tables:
    """A table per config of every context, the anchors of the bundled, and what others published.

    These are ConfAIde's flows, and the answers and norms of LLM-CI. The wording comes with us; only
    `confaide` has a source, which is fetched or looked for in the folder when that config is asked
    for, and left out of the whole when it cannot be had.
    """
    made_of = wording or bundled_wording()
    prompts = made_of.prompts or bundled_prompts()
    flows = partial(confaide.confaide_table, source, unpinned=unpinned)
    makers: dict[str, Make] = {
        **_all_makers(made_of),
        confaide.NAME: flows,
        f"{confaide.NAME}_ratings": lambda: confaide.ratings_table(source, unpinned=unpinned),
        f"{confaide.NAME}_prompts": lambda: prompts.table(confaide.without_full_stop(flows())),
        published_answers.ANSWERS: published_answers.published_answers,
        published_answers.NORMS: published_answers.published_norms,
    }
    return Tables(makers, optional=[name for name in makers if confaide.NAME in name])


def context_makers(wording: Wording) -> dict[str, Make]:
    """How each config of the contexts is made; each is named after its context.

    Prompts of one's own stand in the place of the published ones and of our further two.
    """
    makers: dict[str, Make] = {}
    for context in wording.contexts:
        own = wording.prompts_of(context.name)
        makers |= _makers(context, own or bundled_prompts(), None if own else our_prompts())
    return makers


def _all_makers(wording: Wording) -> dict[str, Make]:
    """The configs of the contexts, and the anchors of all bundled ones, to be asked at once."""
    bundled = partial(anchor_table, bundled_contexts().values())
    anchors = _with_prompts(ANCHORS, bundled, wording.prompts or bundled_prompts())
    return {**context_makers(wording), **anchors}


def _makers(context: CheckedContext, prompts: Prompts, ours: Prompts | None) -> dict[str, Make]:
    name, vignettes = context.name, partial(vignette_table, context)
    makers = _with_prompts(name, vignettes, prompts)
    if context.has_null_control:
        null = partial(vignette_table, context, null_control=True)
        makers |= _with_prompts(f"{name}_null", null, prompts)
    if context.corrections:
        makers |= _with_prompts(f"{name}_corrected", partial(corrected_table, context), prompts)
    if context.anchors:
        makers |= _with_prompts(f"{name}_{ANCHORS}", partial(anchor_table, [context]), prompts)
    if context.ratings is not None:
        makers[f"{name}_ratings"] = partial(rating_table, context)
    orders = tuple(prompts.scale_orders)
    makers[f"{name}_orders_prompts"] = lambda: prompts.table(vignettes(), scale_orders=orders)
    if ours is not None:
        makers[f"{name}_ours_prompts"] = lambda: ours.table(vignettes())
    return makers


def _with_prompts(config: str, vignettes: Make, prompts: Prompts) -> dict[str, Make]:
    return {config: vignettes, f"{config}_prompts": lambda: prompts.table(vignettes())}


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
    options, known = tuple(map(Option, LIKERT, answers)), texts or {}
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
                for name, level in (*zip(facets, row, strict=True), (VIGNETTE, known.get(item_id)))
                if level is not None
            },
        )
        for item_id, variant_id, scale_order, prompt, context, spoken, row in rows
    ]


def context_benchmarks(wording: Wording, configs: Iterable[str]) -> list[Benchmark]:
    """A benchmark per config of prompts: `<config>_prompts` is asked as `ci-vignettes:<config>`."""
    by_name = {context.name: context for context in wording.contexts}
    result = []
    for config in configs:
        name, _, kind = config.rpartition("_")
        if kind != "prompts":
            continue
        # `iot_null` and `iot_orders` are configs of the context before the underscore
        context = by_name.get(name) or by_name.get(name.rpartition("_")[0])
        if name == ANCHORS or name.endswith(f"_{ANCHORS}"):
            read = partial(read_items, facets=("context", "expected"), texts=_anchor_texts(by_name))
        elif context is not None:
            read = partial(read_items, facets=context.facets, category=context.name)
        else:
            read = partial(read_items, facets=confaide.FACETS, category=confaide.NAME)
        about = "" if context is None else context.name
        own = wording.prompts_of(about)
        if own is not None and own.answers:
            # the options of an item are how its prompt puts the answers
            read = partial(read, answers=own.answers)
        result.append(
            Benchmark(
                name=f"{SLUG}:{name}",
                config=config,
                items=partial(read, benchmark=f"{SLUG}:{name}"),
                criteria=("acceptability",),
                rubric=None,
                metrics=("norm_consensus",),
                title="" if context is None else context.title,
                sources=wording.sources_of(about),
                ratings=_rated_by(name, context),
            )
        )
    return result


def _anchor_texts(contexts: Mapping[str, CheckedContext]) -> dict[str, str]:
    """The text of every anchor of these contexts and of the bundled ones, by its id."""
    table = anchor_table({**bundled_contexts(), **contexts}.values())
    ids, texts = (table[name].to_pylist() for name in ("item_id", VIGNETTE))
    return dict(zip(ids, texts, strict=True))


def _rated_by(config: str, context: CheckedContext | None) -> str:
    """The config of people's ratings of these vignettes; in other orders they have the same ids."""
    if config == confaide.NAME:
        return f"{config}_ratings"
    if context is None or context.ratings is None:
        return ""
    same = {context.name, f"{context.name}_orders", f"{context.name}_ours"}
    return f"{context.name}_ratings" if config in same else ""


def builder_of(wording: Wording) -> Builder:
    """The dataset with this wording in the place of the bundled one."""
    configs = (*_all_makers(wording), f"{confaide.NAME}_prompts")
    return replace(
        BUILDER,
        tables=partial(build_tables, wording=wording),
        benchmarks=tuple(context_benchmarks(wording, configs)),
    )


_COLUMNS = ("config", "what", "vignettes", "null control", "norms of", "survey", "factors (levels)")


def describe(contexts: list[CheckedContext]) -> str:
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


def _card(contexts: list[CheckedContext]) -> Card:
    orders = bundled_prompts().scale_orders.items()
    slots = {
        "variants": str(len(bundled_prompts().variants)),
        "contexts": describe(contexts),
        "orders": "\n".join(
            f"| `{name}` | {', '.join(LIKERT[at] for at in order)} |" for name, order in orders
        ),
    }
    body = re.sub(r"\{(\w+)\}", lambda slot: slots[slot[1]], read_body(CARD))
    return Card(
        title="Contextual-integrity vignettes",
        summary="Privacy norms as vignettes: every combination of who sends what about whom to "
        f"whom under which condition, in {len(contexts)} contexts, each put in "
        f"{slots['variants']} ways.",
        languages=tuple(sorted({context.language for context in contexts})),
        license="mit",
        license_name=None,
        tags=("privacy", "contextual-integrity", "norms", "vignettes", "evaluation"),
        tasks=("multiple-choice", "text-generation"),
        body=body,
        default_config="coppa",
    )


_CONTEXTS = list(bundled_contexts().values())
_CONFIGS = (*_all_makers(bundled_wording()), f"{confaide.NAME}_prompts")

BUILDER = Builder(
    slug=SLUG,
    tables=build_tables,
    card=_card(_CONTEXTS),
    benchmarks=tuple(context_benchmarks(bundled_wording(), _CONFIGS)),
)
