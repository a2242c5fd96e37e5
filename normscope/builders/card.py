"""Dataset cards in the form that the Hub reads: YAML front matter, then Markdown."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pyarrow as pa

from ..format import count
from ..markdown import code, escaped, words_table
from ..untrusted import visible
from ..yaml import convert, front_matter
from .builder import Builder, Card
from .taxonomy import Category

SPLIT = "test"
"""The one split of every config: all of it is for measuring."""


def file_of(config: str) -> str:
    """The path of a config's Parquet file in the dataset's folder."""
    return f"{config}/{SPLIT}.parquet"


def read_card(path: Path, *, taxonomy: tuple[Category, ...] = ()) -> Card:
    """What the Markdown file says: its front matter, and its text with a table of the taxonomy."""
    facts, body = front_matter(path)
    if taxonomy:
        body = f"{body.strip()}\n\n## Taxonomy\n\n{taxonomy_table(taxonomy)}"
    return convert({**facts, "body": body.strip()}, Card, name=str(path))


def taxonomy_table(categories: tuple[Category, ...]) -> str:
    """A Markdown table of the categories: area, slug, title and the source's labels.

    >>> print(taxonomy_table((Category("rain", "weather", "Rain", ("雨", "下雨")),)))
    | area | category | title | in the source |
    |---|---|---|---|
    | weather | `rain` | Rain | 雨; 下雨 |
    """
    rows = (
        [escaped(c.area), code(c.slug), escaped(c.title), escaped("; ".join(c.labels))]
        for c in categories
    )
    return words_table(["area", "category", "title", "in the source"], rows)


def render_card(builder: Builder, tables: Mapping[str, pa.Table]) -> str:
    """The card's text: what the builder says, and what is read off the tables."""
    lines = [
        f"---\n{_front_matter(builder.card, tables)}\n---",
        f"# {escaped(builder.card.title)}",
        escaped(builder.card.summary),
        _loading(builder),
        _configs(builder, tables),
        builder.card.body.strip(),
    ]
    return "\n\n".join(lines) + "\n"


def _front_matter(card: Card, configs: Iterable[str]) -> str:
    from huggingface_hub import DatasetCardData

    data = DatasetCardData(
        pretty_name=card.title,
        language=list(card.languages),
        license=card.license,
        task_categories=list(card.tasks) or None,
        tags=list(card.tags),
        license_name=card.license_name,
        configs=[
            {
                "config_name": config,
                "data_files": [{"split": SPLIT, "path": file_of(config)}],
                # the Hub shows this config first, and `load_dataset` takes it without a name
                **({"default": True} if config == card.default_config else {}),
            }
            for config in configs
        ],
    )
    return str(data.to_yaml())


def _loading(builder: Builder) -> str:
    config = visible(builder.card.default_config)
    command = builder.card.command or f"normscope build {builder.slug}"
    return (
        "## Loading\n\n"
        f"{code(command)} writes this folder; `datasets` reads it as it is, or a repository of the "
        "Hub that holds it by its name:\n\n"
        "```python\n"
        "from datasets import load_dataset\n\n"
        f'rows = load_dataset("path/to/{builder.slug}", "{config}", split="{SPLIT}")\n'
        "```"
    )


def _configs(builder: Builder, tables: Mapping[str, pa.Table]) -> str:
    default = builder.card.default_config
    rows = (
        [
            f"{code(config)}{' (default)' if config == default else ''}",
            count(table.num_rows),
            ", ".join(map(code, table.column_names)),
        ]
        for config, table in tables.items()
    )
    return "## Configs\n\n" + words_table(["config", "rows", "columns"], rows)
