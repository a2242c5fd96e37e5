"""A model's acceptability beside people's, in Python."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ..categorical import group_by
from ..errors import DataError, UsageError
from ..messages import message
from ..metrics.columns import is_missing, listed, names
from ..pipeline.norms import VignetteAnswers
from ..pipeline.people import RatedVignettes, people_statistics
from ..records.item import Item
from ..records.ratings import Rating
from .norm_answers import columns_of
from .rows import Rows
from .shown import Shown
from .tidy import Scores

if TYPE_CHECKING:
    import pandas as pd

    from ..report.blocks import Block

Scale = tuple[float, float]

_ITEMS, _ITEM = "item_ids", "item_id"
_ENDS = ("low", "high")


@dataclass(frozen=True, eq=False, repr=False)
class BesidePeople(Shown):
    """How far a model's mean acceptability goes with people's ratings of the same flows.

    `scores` are the correlations (Kendall's τ-b, Spearman's ρ, Pearson's r) and the mean
    difference, model less people, with the ends of people's scale put on those of the answers. A
    rating of several vignettes counts once. `unmatched` counts the ratings that are of no vignette
    which was asked.
    """

    answered: VignetteAnswers
    rated: RatedVignettes
    unmatched: int
    model: str = ""

    @cached_property
    def scores(self) -> Scores:
        """The statistics of the agreement, n counting ratings."""
        statistics = people_statistics(self.answered, self.rated.ratings)
        return Scores.of(statistics, model=self.model)

    @cached_property
    def flows(self) -> Rows:
        """A row per rating, the furthest apart first: its levels, people's mean and the model's.

        `people` is on people's scale, `people_scaled` and `model` on −2 … +2, and `difference` is
        the model's less people's; null where the model gave no answer.
        """
        from ..report.people import common_levels

        rated = self.rated
        means, scaled = rated.means(self.answered.answers), rated.scaled()
        rows = []
        for at, rating in enumerate(rated.ratings):
            places = rated.vignettes[rated.units == at].tolist()
            items = [self.answered.items[place] for place in places]
            rows.append(
                {
                    _ITEM: items[0].item_id if len(items) == 1 else None,
                    **common_levels(items),
                    "vignettes": len(items),
                    "people": rating.mean,
                    "n": rating.n,
                    "people_scaled": float(scaled[at]),
                    "model": _known(means[at]),
                    "difference": _known(means[at] - scaled[at]),
                }
            )
        order = np.argsort(-np.abs(means - scaled), kind="stable").tolist()
        levels = dict.fromkeys(name for row in rows for name in row)
        return Rows(pa.Table.from_pylist([{n: rows[at].get(n) for n in levels} for at in order]))

    def to_frame(self) -> "pd.DataFrame":
        """The statistics as a tidy data frame; `flows` has the single ratings."""
        return self.scores.to_frame()

    def _shown(self) -> "Sequence[Block]":
        from ..report.blocks import Caveat
        from ..report.people import beside_people

        left_out = message(
            "{n} ratings are of no vignette that was asked, and are left out.", n=self.unmatched
        )
        caveats = (Caveat(left_out),) if self.unmatched else ()
        return (*caveats, *beside_people(self.rated, self.answered, [*self.scores]))


def beside_people(
    answered: VignetteAnswers, ratings: Sequence[Rating], *, model: str = ""
) -> BesidePeople:
    """The answers beside the ratings; a `DataError` where none is of a vignette that was asked."""
    rated = RatedVignettes.of(answered.items, ratings)
    if not len(rated.units):
        first = next((each for rating in ratings for each in rating.item_ids), "–")
        raise DataError(
            message(
                "none of {n} ratings is of a vignette that was asked: they are of items such as "
                "{theirs}, and the answers to such as {asked}; rate the same vignettes",
                n=len(ratings),
                theirs=repr(first),
                asked=repr(answered.items[0].item_id if answered.items else "–"),
            )
        )
    known = sum(rating.mean is not None for rating in ratings)
    return BesidePeople(answered, rated, known - len(rated.ratings), model)


def ratings_of(table: Any, items: Sequence[Item], scale: Scale | None) -> list[Rating]:
    """The ratings of a table: a row per rating, or per person and vignette.

    A row is of the vignettes with the ids of `item_ids`, with the id of `item_id`, or with the
    levels in the columns that are called like factors (a factor without a column is averaged over).
    `mean` is people's mean (with `n`, `sd` where they are known), `answer` that of one person: a
    number. `low` and `high` are the ends of people's scale, else those of `scale`.
    """
    columns = columns_of(table)
    if columns is None:
        raise UsageError(message("ratings are a table: a data frame, Arrow, a file"))
    value = [name for name in ("mean", "answer") if name in columns]
    if len(value) != 1:
        raise UsageError(
            message(
                "ratings need a column mean (people's mean) or answer (one person's), one of them; "
                "they have {columns}",
                columns=", ".join(map(str, columns)) or "–",
            )
        )
    numbers = _numbers(columns[value[0]], value[0])
    low, high = _ends(columns, scale)
    for at, number in enumerate(numbers):
        if number is not None and not low[at] <= number <= high[at]:
            raise DataError(
                message(
                    "ratings, row {row} (from 0): {value} is not on the scale of {low:g} to "
                    "{high:g}; correct it, or state the scale",
                    row=at,
                    value=number,
                    low=low[at],
                    high=high[at],
                )
            )
    places = list(_places(columns, items))
    if value == ["answer"]:
        return list(_averaged(places, numbers, low, high))
    of_people: dict[str, list[Any]] = {
        name: [None if is_missing(each) else each for each in listed(columns[name])]
        for name in ("sd", "n", "missing")
        if name in columns
    }
    none = [None] * len(places)
    sd, n, missing = (of_people.get(name, none) for name in ("sd", "n", "missing"))
    return [
        Rating("", place, numbers[at], low[at], high[at], sd[at], n[at], missing[at])
        for at, place in enumerate(places)
    ]


def _averaged(
    places: Sequence[tuple[str, ...]],
    numbers: Sequence[float | None],
    low: Sequence[float],
    high: Sequence[float],
) -> Iterator[Rating]:
    """A rating per place, of the people who answered there."""
    for place, rows in group_by(range(len(places)), lambda at: places[at]).items():
        values = [number for at in rows if (number := numbers[at]) is not None]
        yield Rating(
            "",
            place,
            float(np.mean(values)) if values else None,
            low[rows[0]],
            high[rows[0]],
            sd=float(np.std(values, ddof=1)) if len(values) > 1 else None,
            n=len(values),
            missing=len(rows) - len(values),
        )


def _places(columns: Mapping[Any, Any], items: Sequence[Item]) -> Iterator[tuple[str, ...]]:
    """The ids of the vignettes that each row is of; none where the run has none of them."""
    if _ITEMS in columns:
        yield from (tuple(ids) for ids in listed(columns[_ITEMS]))
        return
    if _ITEM in columns:
        yield from ((each,) if each else () for each in names(columns[_ITEM]))
        return
    factors = dict.fromkeys(name for item in items for name in item.facets)
    chosen = [name for name in factors if name in columns]
    if not chosen:
        raise UsageError(
            message(
                "ratings do not say which vignettes were rated: they need item_id, or a column per "
                "factor ({factors}); they have {columns}",
                factors=", ".join(factors) or "–",
                columns=", ".join(map(str, columns)),
            )
        )
    known: dict[tuple[str | None, ...], list[str]] = {}
    rows = list(zip(*(names(columns[name]) for name in chosen), strict=True))
    for wanted in {tuple(level is not None for level in row) for row in rows}:
        for item in items:
            levels = (
                item.facets.get(n, "") if w else None for n, w in zip(chosen, wanted, strict=True)
            )
            known.setdefault(tuple(levels), []).append(item.item_id)
    yield from (tuple(known.get(row, ())) for row in rows)


def _ends(columns: Mapping[Any, Any], scale: Scale | None) -> tuple[list[float], list[float]]:
    """The ends of people's scale in each row."""
    if scale is None and not {*_ENDS} <= {*columns}:
        raise UsageError(
            message(
                "state the ends of people's scale, as in scale=(1, 5), or give ratings the columns "
                "low and high"
            )
        )
    if scale is None:
        low, high = ([float(each) for each in listed(columns[name])] for name in _ENDS)
        return low, high
    if not scale[0] < scale[1]:
        raise UsageError(
            message("scale={scale} goes from its lower end to its higher", scale=scale)
        )
    n = len(listed(next(iter(columns.values()))))
    return [float(scale[0])] * n, [float(scale[1])] * n


def _numbers(column: Any, name: str) -> list[float | None]:
    result: list[float | None] = []
    for at, value in enumerate(listed(column)):
        try:
            result.append(None if is_missing(value) or value == "" else float(value))
        except (TypeError, ValueError) as error:
            raise DataError(
                message(
                    "ratings, row {row} (from 0): {value} in {column} is no number; put the number "
                    "that it stands for",
                    row=at,
                    value=repr(value),
                    column=name,
                )
            ) from error
    return result


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
