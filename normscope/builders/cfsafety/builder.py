"""CFSafety: the authors' table of ten columns as one row per prompt.

"CFSafety: Comprehensive Fine-grained Safety Assessment for LLMs", Zhihao Liu and Chenhui Hu,
2024, arXiv 2410.21695.
"""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...hub_folders import hub_folder
from ...records.item import Item, Turn
from ..builder import Benchmark, Builder
from ..card import read_card
from ..sources import is_pinned, locate, read_columns, source_files
from ..taxonomy import CFSAFETY, Category
from .language import detect
from .pairs import PAIR, pair_rows

QUESTIONS = source_files("cfsafety")["questions"]

PUBLISHED = 500
"""The published scores are those of the first 500 prompts of each category."""

FOLDER = hub_folder("datasets_builders") / "cfsafety"
UNSURE_PAIRS = FOLDER / "unsure_pairs.csv"
"""The rows of the pinned file that did not agree with their translations (its card says how)."""

_ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")

BBQ, MULTIJAIL, SAFETYBENCH = "BBQ", "MultiJail", "SafetyBench"
"""The benchmarks that some prompts are taken from."""

_LISTED = re.compile(r"question:.*options:\[.*\]", re.DOTALL)
_IN_CONTEXT = re.compile(r"context:.*\n\s*question:.*", re.DOTALL)

_SCHEMA = pa.schema(
    [
        pa.field("item_id", pa.string(), nullable=False),
        pa.field("prompt", pa.string(), nullable=False),
        pa.field("category", pa.string(), nullable=False),
        pa.field("group", pa.string(), nullable=False),
        pa.field("source_category", pa.string(), nullable=False),
        pa.field("language", pa.string(), nullable=False),
        pa.field("published_subset", pa.bool_(), nullable=False),
        pa.field("item_format", pa.string(), nullable=False),
        pa.field("source", pa.string()),
        pa.field("pair_id", pa.string()),
        pa.field("pair_method", pa.string()),
        pa.field("pair_confidence", pa.string()),
        pa.field("duplicate_of", pa.string()),
        pa.field("html_entities", pa.bool_(), nullable=False),
    ]
)


def make_tables(source: Path | None, *, unpinned: bool = False) -> dict[str, pa.Table]:
    """The config `default`: a row per prompt, by category and then by the row of the source."""
    path = locate("cfsafety", [QUESTIONS], source, unpinned=unpinned)[QUESTIONS.path]
    labels = {category.labels[0]: category for category in CFSAFETY}
    columns = read_columns(path, list(labels))
    rows = [
        row
        for label, category in labels.items()
        for row in _make_rows(columns[label], label, category)
    ]
    # of another file nobody knows in which rows the languages do not agree
    checked = is_pinned(QUESTIONS, path)
    unsure = set(read_columns(UNSURE_PAIRS, ["item_id"])["item_id"])
    first: dict[str, str] = {}
    for row in rows:
        words = " ".join(row["prompt"].split())
        if words and first.setdefault(words, row["item_id"]) != row["item_id"]:
            row["duplicate_of"] = first[words]
        if checked and row["pair_id"] is not None:
            row["pair_confidence"] = "low" if row["item_id"] in unsure else "high"
    return {"default": pa.Table.from_pylist(rows, schema=_SCHEMA)}


def _make_rows(prompts: list[str], label: str, category: Category) -> list[dict[str, Any]]:
    """The rows of one column; `pair_id` is the `item_id` of the group's first row."""
    ids = [f"cfsafety-{category.slug}-{number:04}" for number in range(1, len(prompts) + 1)]
    languages = [detect(prompt) for prompt in prompts]
    places = pair_rows(languages)
    sizes = Counter(place.first for place in places if place)
    rows = []
    for index, (prompt, place) in enumerate(zip(prompts, places, strict=True)):
        # only MultiJail's questions stand in more than two languages
        many = place is not None and sizes[place.first] > PAIR
        rows.append(
            {
                "item_id": ids[index],
                "prompt": prompt,
                "category": category.slug,
                "group": category.area,
                "source_category": label,
                "language": languages[index],
                "published_subset": index < PUBLISHED,
                # an exam question's answers are few and given beforehand
                "item_format": "closed" if find_source(prompt) else "open",
                "source": MULTIJAIL if many else find_source(prompt),
                "pair_id": ids[place.first] if place else None,
                "pair_method": place.method if place else None,
                "html_entities": _ENTITY.search(prompt) is not None,
            }
        )
    return rows


def find_source(prompt: str) -> str | None:
    """The benchmark whose fields stand in the prompt as the authors joined them, or null.

    SafetyBench's are a question and its list of options, BBQ's a context and a question.

    >>> find_source("question: Is tea hot?options:['Yes.', 'No.']")
    'SafetyBench'
    >>> find_source("context: Ann and Ben had tea. \\n question: Who had milk?")
    'BBQ'
    >>> find_source("How is tea made?")
    """
    if _LISTED.fullmatch(prompt.strip()):
        return SAFETYBENCH
    return BBQ if _IN_CONTEXT.fullmatch(prompt.strip()) else None


def read_items(table: pa.Table) -> list[Item]:
    """Every prompt as one turn of the user's; `group` becomes the area, `pair_id` the cluster."""
    return [
        Item(
            benchmark="cfsafety",
            item_id=row["item_id"],
            messages=(Turn("user", row["prompt"]),),
            language=row["language"],
            area=row["group"],
            category=row["category"],
            source_category=row["source_category"],
            cluster=row["pair_id"] or row["item_id"],
            facets={
                "published_subset": str(row["published_subset"]).lower(),
                "item_format": row["item_format"],
                **({"pair_confidence": known} if (known := row["pair_confidence"]) else {}),
            },
        )
        for row in table.to_pylist()
    ]


def read_published(table: pa.Table) -> list[Item]:
    """The prompts behind the published scores, the first 500 of each category."""
    first = table.filter(table["published_subset"])
    return [replace(item, benchmark="cfsafety:published") for item in read_items(first)]


BUILDER = Builder(
    slug="cfsafety",
    tables=make_tables,
    card=read_card(FOLDER / "card.md", taxonomy=CFSAFETY),
    benchmarks=tuple(
        Benchmark(
            name=name,
            config="default",
            items=read,
            criteria=("moral", "rating"),
            rubric="cfsafety",
            metrics=("cfsafety_score",),
        )
        for name, read in (("cfsafety", read_items), ("cfsafety:published", read_published))
    ),
)
