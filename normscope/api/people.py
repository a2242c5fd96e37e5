"""A model's acceptability beside people's, in Python."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError, UsageError
from ..messages import message
from ..metrics.columns import names
from ..pipeline.norms import VignetteAnswers
from ..pipeline.people import RatedVignettes, people_statistics
from ..records.item import Item
from ..records.ratings import Rating
from ..tables import read_table
from .shown import Shown
from .tidy import Scores

if TYPE_CHECKING:
    import pandas as pd

    from ..report.blocks import Block

Scale = tuple[float, float]

_ITEMS, _ITEM = "item_ids", "item_id"


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
    def flows(self) -> "pd.DataFrame":
        """A row per rating, the furthest apart first: its levels, people's mean and the model's.

        `people` is on people's scale, `people_scaled` and `model` on −2 … +2, and `difference` is
        the model's less people's; NaN where the model gave no answer.
        """
        import pandas as pd

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
                    "people_scaled": scaled[at],
                    "model": means[at],
                    "difference": means[at] - scaled[at],
                }
            )
        order = np.argsort(-np.abs(means - scaled), kind="stable")
        return pd.DataFrame(rows).iloc[order].reset_index(drop=True)

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
        theirs = next((each for rating in ratings for each in rating.item_ids), "–")
        asked = answered.items[0].item_id if answered.items else "–"
        raise DataError(
            f"none of {len(ratings)} ratings is of a vignette that was asked: they are of items "
            f"such as {theirs!r}, and the answers to such as {asked!r}; rate the same vignettes"
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
    import pandas as pd

    # the ratings of a context have a list of ids in a cell, which a table of texts has not
    own = isinstance(table, pd.DataFrame) and _ITEMS in table.columns
    frame = table if own else read_table(table).rows.to_pandas()
    value = next((name for name in ("mean", "answer") if name in frame.columns), None)
    if value is None:
        raise UsageError(
            "ratings need a column mean (people's mean) or answer (one person's); "
            f"they have {', '.join(frame.columns)}"
        )
    if scale is not None and not scale[0] < scale[1]:
        raise UsageError(f"scale={scale} goes from its lower end to its higher")
    low, high = scale or (frame.get("low"), frame.get("high"))
    if low is None or high is None:
        raise UsageError(
            "state the ends of people's scale, as in scale=(1, 5), or give ratings the columns low "
            "and high"
        )
    numbers = pd.to_numeric(frame[value], errors="coerce")
    frame = frame.assign(**{value: numbers, "low": low, "high": high, "given": frame[value]})
    frame = frame.astype({"low": float, "high": float})
    odd = frame["given"].notna() & ~numbers.between(frame["low"], frame["high"])
    for row, wrong in frame[odd].iterrows():
        raise DataError(
            f"ratings, row {row} (from 0): {wrong['given']!r} in {value} is no number on the scale "
            f"of {wrong['low']:g} to {wrong['high']:g}; correct it, or state the scale"
        )
    frame["of"] = [*_vignettes(frame, items)]
    if value == "answer":
        persons = frame.groupby("of", sort=False, dropna=False)
        frame = persons.agg(
            mean=("answer", "mean"),
            sd=("answer", "std"),
            n=("answer", "count"),
            missing=("answer", lambda answers: answers.isna().sum()),
            low=("low", "first"),
            high=("high", "first"),
        ).reset_index()
    frame = frame.reindex(columns=["of", "mean", "low", "high", "sd", "n", "missing"])
    frame = frame.astype(object).where(frame.notna(), None)
    return [Rating("", *row) for row in frame.itertuples(index=False)]


def _vignettes(frame: "pd.DataFrame", items: Sequence[Item]) -> Iterator[tuple[str, ...]]:
    """The ids of the vignettes that each row is of; none where the run has none of them."""
    import pandas as pd

    if _ITEMS in frame.columns:
        yield from map(tuple, frame[_ITEMS])
        return
    if _ITEM in frame.columns:
        yield from ((each,) if each else () for each in names(frame[_ITEM]))
        return
    asked = pd.DataFrame([{**item.facets, _ITEM: item.item_id} for item in items])
    chosen = [name for name in asked.columns if name != _ITEM and name in frame.columns]
    if not chosen:
        factors = ", ".join(name for name in asked.columns if name != _ITEM) or "–"
        raise UsageError(
            "ratings do not say which vignettes were rated: they need item_id, or a column per "
            f"factor ({factors}); they have {', '.join(frame.columns)}"
        )
    known = asked.groupby(chosen, sort=False, dropna=False)[_ITEM].agg(tuple).to_dict()
    for row in zip(*(frame[name] for name in chosen), strict=True):
        yield known.get(row if len(chosen) > 1 else row[0], ())
