"""CFSafety: the authors' table of ten columns as one row per prompt.

"CFSafety: Comprehensive Fine-grained Safety Assessment for LLMs", Zhihao Liu and Chenhui Hu,
2024, arXiv 2410.21695.

A column of theirs is a row of blocks, each in one language. Where blocks of one length follow each
other in different languages, the k-th prompt of one translates the k-th of the other; in one
stretch two languages take turns row by row. The source does not say so: rows of the pinned file
whose length, numbers or Latin words did not agree with their partners' are `unsure_pairs.csv`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...hub_folders import hub_folder
from ...records.item import Item, Turn
from ..builder import Benchmark, Builder
from ..card import read_card
from ..sources import is_pinned, locate, read_columns, source_files
from ..taxonomy import CFSAFETY, Category

QUESTIONS = source_files("cfsafety")["questions"]

PUBLISHED = 500
"""The published scores are those of the first 500 prompts of each category."""

FOLDER = hub_folder("datasets_builders") / "cfsafety"
UNSURE_PAIRS = FOLDER / "unsure_pairs.csv"
"""The rows of the pinned file that did not agree with their translations (its card says how)."""

BLOCK = "block"
NEIGHBOUR = "neighbour"

CUT = 0.9
"""The last block of a column may be cut short, down to this share of its partners."""

PAIR = 2

_FEWEST_TURNS = 4
"""Two blocks that meet are a stretch of two rows in turn, so that more are asked for."""

LANGUAGES = ("zh", "en", "it", "vi", "ar", "ko", "th", "bn", "sw", "jv")
"""ISO 639-1: Chinese and English, and the eight of the minority-language category."""

UNDETERMINED = "und"
"""ISO 639-2 for a prompt without a letter."""

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


@dataclass(frozen=True, slots=True)
class Place:
    """A row's place among its translations.

    `first` is the index of the group's first row, `method` how the group was found (`block` or
    `neighbour`).
    """

    first: int
    method: str


def pair_rows(languages: Sequence[str]) -> list[Place | None]:
    """Each row's place among its translations, null where none can be told.

    >>> [(place.first, place.method) for place in pair_rows(["zh", "zh", "en", "en"])]
    [(0, 'block'), (1, 'block'), (0, 'block'), (1, 'block')]
    """
    places: list[Place | None] = [None] * len(languages)
    for method, runs in _find_parallel(languages):
        for rows in zip_longest(*runs):
            together = [row for row in rows if row is not None]
            # a row past the end of its only partner has no translation
            if len(together) > 1:
                for row in together:
                    places[row] = Place(min(together), method)
    return places


def _find_parallel(languages: Sequence[str]) -> Iterator[tuple[str, list[range]]]:
    """Runs of rows whose k-th rows belong together, each with the way it was found.

    >>> [*_find_parallel(["en", "zh", "en", "zh"])]
    [('neighbour', [range(0, 4, 2), range(1, 4, 2)])]
    """
    start, end = 0, len(languages)
    for turns in [*_find_turns(languages), range(end, end)]:
        for group in _group(languages, range(start, turns.start), whole=turns.start == end):
            yield BLOCK, group
        if turns:
            yield NEIGHBOUR, [turns[::2], turns[1::2]]
        start = turns.stop


def _find_turns(languages: Sequence[str]) -> list[range]:
    """The longest stretches in which two languages take turns, those of an even length."""
    stretches, start = [], 0
    for row in range(1, len(languages) + 1):
        goes_on = (
            row < len(languages)
            and languages[row] != languages[row - 1]
            and (row - start == 1 or languages[row] == languages[row - 2])
        )
        if not goes_on:
            stretches.append(range(start, row))
            start = row
    return [
        stretch for stretch in stretches if len(stretch) >= _FEWEST_TURNS and len(stretch) % 2 == 0
    ]


def _group(languages: Sequence[str], rows: range, *, whole: bool) -> list[list[range]]:
    """Blocks that follow each other in different languages with one length.

    Where `whole` says that the last block ends the column, it may be cut short.
    """
    blocks = [list(block) for _, block in groupby(rows, key=lambda row: languages[row])]
    groups: list[list[range]] = []
    for position, block in enumerate(blocks):
        size, fewest = len(block), CUT if whole and position == len(blocks) - 1 else 1
        expected = len(groups[-1][0]) if groups else 0
        spoken = {languages[run[0]] for run in groups[-1]} if groups else set()
        fits = expected > 1 and fewest * expected <= size <= expected
        run = range(block[0], block[-1] + 1)
        if fits and languages[block[0]] not in spoken:
            groups[-1].append(run)
        else:
            groups.append([run])
    return [group for group in groups if len(group) > 1]


def detect(text: str) -> str:
    """The language of the text, one of `LANGUAGES`, or `UNDETERMINED` when it has no letter.

    The model of py3langid, restricted to the ten. On the minority-language category, whose blocks
    of one language each are known, it names all 2,500 prompts right; unrestricted it misses 18,
    most of them Javanese.

    >>> detect("Where does the train to the sea leave?"), detect("火车几点开？"), detect(" 12 ")
    ('en', 'zh', 'und')
    """
    if not any(character.isalpha() for character in text):
        return UNDETERMINED
    return str(_identifier().classify(text)[0])


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(list(LANGUAGES))
    return identifier


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
            size=size,
        )
        for name, read, size in (
            ("cfsafety", read_items, 25_000),
            ("cfsafety:published", read_published, 10 * PUBLISHED),
        )
    ),
)
