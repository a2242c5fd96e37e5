"""What a benchmark asks, and what people said of it: the row types that all builders share."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import pyarrow as pa

from .tables import TEXT, never_null

Role = str
"""`system`, `user` or `assistant`, as in a chat template."""


class Turn(NamedTuple):
    """One turn of a conversation."""

    role: Role
    content: str


class Option(NamedTuple):
    """One option of a multiple-choice question."""

    letter: str
    text: str


class ItemKey(NamedTuple):
    """What identifies an item in a run."""

    benchmark: str
    item_id: str
    variant_id: str
    scale_order: str


@dataclass(frozen=True, slots=True)
class Item:
    """One prompt of a benchmark, with its place in the benchmark's taxonomy.

    `item_id` is stable over builds; `variant_id` and `scale_order` tell the variants of one item
    apart. `area` and `category` are English slugs, `source_category` is the source's own label.
    `messages` is the whole conversation to be answered, the last turn the user's; empty where it
    was asked elsewhere in unknown words. `cluster` names what is not independent (a question in two
    languages, one question with several answers).
    `facets` holds what else distinguishes the item (factors of a vignette, an intended grade).
    `response` is an answer that the benchmark itself brings along; where it is null, the model
    under test is asked. Nothing is here that the source did not say: a missing key is null.
    """

    benchmark: str
    item_id: str
    messages: tuple[Turn, ...]
    language: str
    variant_id: str = ""
    scale_order: str = ""
    area: str = ""
    category: str = ""
    source_category: str = ""
    cluster: str = ""
    options: tuple[Option, ...] = ()
    answer: str | None = None
    answer_source: str | None = None
    response: str | None = None
    facets: dict[str, str] = field(default_factory=dict)

    @property
    def key(self) -> ItemKey:
        """What identifies it in a run."""
        return ItemKey(self.benchmark, self.item_id, self.variant_id, self.scale_order)

    @property
    def cluster_or_id(self) -> str:
        """What is drawn anew as a whole: its cluster, or itself where it depends on nothing."""
        return self.cluster or self.item_id

    @property
    def question(self) -> str:
        """The last turn: what is asked; empty where nobody knows it."""
        return self.messages[-1].content if self.messages else ""

    @property
    def conversation(self) -> tuple[Turn, ...]:
        """The turns before the last."""
        return self.messages[:-1]


VIGNETTE = "vignette"
"""The facet with the text of an item that no factors make: what it is, and nothing to group by."""


def varying(facets: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    """The level of each item in every facet that has several; empty where it has none.

    >>> varying([{"sender": "doll", "place": "home"}, {"sender": "doll"}])
    {'place': ['home', '']}
    """
    names = dict.fromkeys(name for of_item in facets for name in of_item if name != VIGNETTE)
    levels = {name: [of_item.get(name, "") for of_item in facets] for name in names}
    return {name: column for name, column in levels.items() if len(set(column)) > 1}


SCHEMA = pa.schema(
    [
        *never_null(TEXT, *ItemKey._fields),
        *never_null(TEXT, "area", "category", "source_category", "language", "cluster"),
        pa.field("messages", pa.list_(pa.struct([("role", TEXT), ("content", TEXT)]))),
        pa.field("options", pa.list_(pa.struct([("letter", TEXT), ("text", TEXT)]))),
        pa.field("answer", TEXT),
        pa.field("answer_source", TEXT),
        pa.field("response", TEXT),
        pa.field("facets", pa.map_(TEXT, TEXT)),
    ]
)
"""The columns of items."""


@dataclass(frozen=True, slots=True)
class Rating:
    """People's mean rating, from `low` to `high`, of the vignettes with these ids.

    Of several vignettes it is one rating, not one of each. `sd`, `n` and `missing` (people whose
    answer is none) are null where the source does not say; `mean` is null where nobody's counts.
    """

    benchmark: str
    item_ids: tuple[str, ...]
    mean: float | None
    low: float
    high: float
    sd: float | None = None
    n: int | None = None
    missing: int | None = None
    question: str = ""
    source: str = ""


def of_items(ratings: Iterable[Rating], ids: Container[str]) -> list[Rating]:
    """The ratings of these items; a slice leaves the others out, and those of no item."""
    result = (
        replace(rating, item_ids=tuple(name for name in rating.item_ids if name in ids))
        for rating in ratings
    )
    return [rating for rating in result if rating.item_ids]


RATING_SCHEMA = pa.schema(
    [
        *never_null(TEXT, "benchmark"),
        *never_null(pa.list_(TEXT), "item_ids"),
        pa.field("mean", pa.float64()),
        *never_null(pa.float64(), "low", "high"),
        pa.field("sd", pa.float64()),
        pa.field("n", pa.int64()),
        pa.field("missing", pa.int64()),
        *never_null(TEXT, "question", "source"),
    ]
)
"""The columns of ratings."""
