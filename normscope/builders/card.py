"""Dataset cards in the form that the Hub reads: YAML front matter, then Markdown."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from ..format import count
from ..markdown import code, escaped, words_table
from ..untrusted import visible
from ..yaml import convert, front_matter
from .builder import Builder, Card
from .taxonomy import Category

if TYPE_CHECKING:
    from datasets import Features

SPLIT = "test"
"""The one split of every config: all of it is for measuring."""

CLOSED = frozenset(
    {
        *("area", "category", "group", "language", "item_format"),
        *("context", "practice", "prompt_language", "scale_order", "expected"),
    }
)
"""The columns whose values are a closed list, in whichever table they stand."""


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


def render_card(builder: Builder, tables: Mapping[str, pa.Table], sizes: Mapping[str, int]) -> str:
    """The card's text: what the builder says, what is read off the tables, the files' bytes."""
    closed = closed_lists(tables.values())
    lines = [
        f"---\n{_front_matter(builder, tables, sizes, closed)}\n---",
        f"# {escaped(builder.card.title)}",
        escaped(builder.card.summary),
        _loading(builder, closed),
        _configs(builder, tables),
        builder.card.body.strip(),
    ]
    return "\n\n".join(lines) + "\n"


def _front_matter(
    builder: Builder,
    tables: Mapping[str, pa.Table],
    sizes: Mapping[str, int],
    closed: Mapping[str, list[str]],
) -> str:
    from datasets import DatasetInfo, SplitDict, SplitInfo
    from datasets.info import DatasetInfosDict
    from datasets.utils.metadata import MetadataConfigs
    from huggingface_hub import DatasetCardData

    card = builder.card
    data = DatasetCardData(
        pretty_name=card.title,
        language=list(card.languages),
        license=card.license,
        task_categories=list(card.tasks) or None,
        tags=list(card.tags),
    )
    if card.license_name is not None:
        data["license_name"] = card.license_name
    configs, infos = MetadataConfigs(), DatasetInfosDict()
    for config, table in tables.items():
        # the Hub shows this config first, and `load_dataset` takes it without a name
        default = {"default": True} if config == card.default_config else {}
        configs[config] = {
            "data_files": [{"split": SPLIT, "path": file_of(config)}],
            **default,
        }
        split = SplitInfo(name=SPLIT, num_bytes=table.nbytes, num_examples=table.num_rows)
        infos[config] = DatasetInfo(
            features=_features(table.schema, closed),
            splits=SplitDict({SPLIT: split}),
            download_size=sizes[config],
            dataset_size=table.nbytes,
            config_name=config,
        )
    infos.to_dataset_card_data(data)
    configs.to_dataset_card_data(data)
    return str(data.to_yaml())


def closed_lists(tables: Iterable[pa.Table]) -> dict[str, list[str]]:
    """The values of each closed column over all tables of a dataset, sorted.

    So a word has one number in all configs, and rows of two configs go together. A column with an
    empty value somewhere is no closed list.

    >>> closed_lists([pa.table({"category": ["rain", None]}), pa.table({"category": ["hail"]})])
    {'category': ['hail', 'rain']}
    """
    values: dict[str, set[str]] = {}
    for table in tables:
        for name in CLOSED.intersection(table.column_names):
            values.setdefault(name, set()).update(table[name].unique().drop_null().to_pylist())
    return {
        name: sorted(values[name])
        for name in sorted(values)
        if values[name] and "" not in values[name]
    }


def _features(schema: pa.Schema, closed: Mapping[str, list[str]]) -> "Features":
    """What `load_dataset` makes of the columns; the file of a closed one holds its words."""
    from datasets import ClassLabel, Features

    features = Features.from_arrow_schema(schema)
    labels = {name: ClassLabel(names=closed[name]) for name in schema.names if name in closed}
    return Features({**features, **labels})


def _loading(builder: Builder, closed: Iterable[str]) -> str:
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
        f"{_reading(closed)}"
    )


def _reading(closed: Iterable[str]) -> str:
    """How the words of the closed columns are read; empty where there is none."""
    names = list(closed)
    if not names:
        return ""
    label = f'rows.features["{names[0]}"]'
    return (
        f"\n\n{', '.join(map(code, names))}: a closed list each (`ClassLabel`). A row has the "
        f"number of its value; `{label}.int2str(…)` gives its word, and `.str2int(…)` the number "
        "of a word. The Parquet files hold words: `pandas.read_parquet` reads these."
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
