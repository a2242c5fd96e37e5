"""The vignettes as a dataset: up to four configs per context, and a benchmark per prompt config."""

from functools import partial
from pathlib import Path

import pyarrow as pa

from ..builder import Benchmark, Builder, Card
from ..card import read_body
from ..item import Item, Message
from .context import Context, bundled_contexts
from .prompts import bundled_prompts
from .vignettes import count_vignettes, vignette_table

SLUG = "ci-vignettes"
CARD = Path(__file__).parent / "card.md"


def build_tables(
    source: Path | None,  # noqa: ARG001 - the wording comes with us
    *,
    unpinned: bool = False,  # noqa: ARG001
) -> dict[str, pa.Table]:
    """A table per config of every context; no source is read, since the wording comes with us."""
    tables: dict[str, pa.Table] = {}
    for context in bundled_contexts().values():
        tables |= build_context(context)
    return tables


def build_context(
    context: Context, *, scale_orders: tuple[str, ...] = ("forward",)
) -> dict[str, pa.Table]:
    """The context's vignettes and prompts, and those of its null control where it has one."""
    tables: dict[str, pa.Table] = {}
    for config, null_control in _configs(context):
        vignettes = vignette_table(context, null_control=null_control)
        tables[config] = vignettes
        tables[f"{config}_prompts"] = bundled_prompts().table(vignettes, scale_orders=scale_orders)
    return tables


def read_items(table: pa.Table, *, benchmark: str, context: Context) -> list[Item]:
    """An item per prompt. Its facets are what varies: the factors, and the practice if several."""
    facets = [name for name in context.columns if name in context.factors]
    if len(context.practices) > 1:
        facets.append("practice")
    levels = zip(*(table.column(name).to_pylist() for name in facets), strict=True)
    keys = ("item_id", "variant_id", "scale_order", "prompt")
    rows = zip(*(table.column(name).to_pylist() for name in keys), levels, strict=True)
    return [
        Item(
            benchmark=benchmark,
            item_id=item_id,
            messages=(Message("user", prompt),),
            language=context.language,
            variant_id=variant_id,
            scale_order=scale_order,
            category=context.name,
            cluster=item_id,
            facets={
                name: level for name, level in zip(facets, row, strict=True) if level is not None
            },
        )
        for item_id, variant_id, scale_order, prompt, row in rows
    ]


def _configs(context: Context) -> list[tuple[str, bool]]:
    """The configs of vignettes, and whether each is the null control."""
    null = [(f"{context.name}_null", True)] if context.has_null_control else []
    return [(context.name, False), *null]


def _benchmark(context: Context, config: str) -> Benchmark:
    name = f"{SLUG}:{config}"
    return Benchmark(
        name=name,
        config=f"{config}_prompts",
        items=partial(read_items, benchmark=name, context=context),
        heads=("acceptability",),
        rubric=None,
        metrics=("norm_consensus",),
    )


def _describe(contexts: list[Context]) -> str:
    """A Markdown table of the contexts: how many vignettes, whose norms, which factors."""
    lines = [
        "| config | what | vignettes | null control | norms of | survey | factors (levels) |",
        "|---|---|---:|---:|---|---|---|",
    ]
    for context in contexts:
        null = count_vignettes(context, null_control=True)
        factors = ", ".join(
            f"{name.replace('_', ' ')} ({len(context.factors[name].all_levels)})"
            for name in context.columns
            if name in context.factors
        )
        lines.append(
            f"| `{context.name}` | {context.title} | {count_vignettes(context):,} | "
            f"{f'{null:,}' if null else '–'} | {context.population} | "
            f"{context.instrument}, {context.year} | {factors} |"
        )
    return "\n".join(lines)


def _card(contexts: list[Context]) -> Card:
    body = read_body(CARD)
    body = body.replace("{variants}", str(len(bundled_prompts().variants)))
    return Card(
        title="Contextual-integrity vignettes",
        summary="Privacy norms as vignettes: every combination of who sends what about whom to "
        "whom under which condition, in six contexts, each put in eleven ways.",
        languages=tuple(sorted({context.language for context in contexts})),
        license="mit",
        license_name=None,
        tags=("privacy", "contextual-integrity", "norms", "vignettes", "evaluation"),
        body=body.replace("{contexts}", _describe(contexts)),
        default_config="coppa",
    )


_CONTEXTS = list(bundled_contexts().values())

BUILDER = Builder(
    slug=SLUG,
    tables=build_tables,
    card=_card(_CONTEXTS),
    benchmarks=tuple(
        _benchmark(context, config) for context in _CONTEXTS for config, _ in _configs(context)
    ),
)
