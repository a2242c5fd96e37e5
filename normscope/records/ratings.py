"""What people said of a benchmark's vignettes, kept in a run beside the model's answers."""

from collections.abc import Container, Iterable
from dataclasses import dataclass, replace

import pyarrow as pa

_TEXT, _NUMBER = pa.string(), pa.float64()


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


SCHEMA = pa.schema(
    [
        pa.field("benchmark", _TEXT, nullable=False),
        pa.field("item_ids", pa.list_(_TEXT), nullable=False),
        pa.field("mean", _NUMBER),
        pa.field("low", _NUMBER, nullable=False),
        pa.field("high", _NUMBER, nullable=False),
        pa.field("sd", _NUMBER),
        pa.field("n", pa.int64()),
        pa.field("missing", pa.int64()),
        pa.field("question", _TEXT, nullable=False),
        pa.field("source", _TEXT, nullable=False),
    ]
)
