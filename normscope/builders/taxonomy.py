"""The taxonomies of the two question benchmarks, in English slugs, and the Likert scale.

A source's own label is kept beside the slug in every row; `taxonomy.csv` says which labels mean
which slug. CHiSafetyBench's question files spell some categories otherwise than its
multiple-choice file, and that file spells one category in two ways.
"""

import csv
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Category:
    """One category: its slug, the area it belongs to, its title, and the source's labels for it."""

    slug: str
    area: str
    title: str
    labels: tuple[str, ...]


def _read(benchmark: str) -> tuple[Category, ...]:
    with Path(__file__).with_name("taxonomy.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["benchmark"] == benchmark]
    return tuple(
        Category(row["category"], row["area"], row["title"], tuple(row["labels"].split(";")))
        for row in rows
    )


CFSAFETY = _read("cfsafety")
"""Five scenarios and five instruction attacks (CFSafety)."""

CHISAFETYBENCH = _read("chisafetybench")
"""Five areas and 31 categories in the order of the paper's Table 1."""

LIKERT = (
    "strongly unacceptable",
    "somewhat unacceptable",
    "neutral",
    "somewhat acceptable",
    "strongly acceptable",
)
"""The five answers to a vignette, worth -2 to +2 (LLM-CI)."""

LIKERT_WORDS = {
    "en": LIKERT,
    "zh": ("完全不可接受", "有些不可接受", "中立", "有些可接受", "完全可接受"),
}
"""How a prompt in each language lists them; scale and rule read them all."""


def by_label(categories: tuple[Category, ...]) -> dict[str, Category]:
    """Each source label's category.

    >>> by_label(CFSAFETY)["PromptLeakage"].slug
    'prompt_leakage'
    """
    return {label: category for category in categories for label in category.labels}
