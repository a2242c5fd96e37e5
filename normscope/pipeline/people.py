"""How near a model's answers to vignettes are to what people said of the same vignettes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError, UsageError
from ..format import scale_end
from ..messages import message
from ..metrics.answers import item_means
from ..metrics.columns import names
from ..metrics.estimate import Statistic
from ..metrics.groups import group_means
from ..metrics.inputs import Floats
from ..metrics.intervals import Codes
from ..metrics.norms import ACCEPTABILITY
from ..metrics.survey import agreement_with, rescaled
from ..records.item import Item, Rating
from ..tables import read_table
from .norms import VignetteAnswers

if TYPE_CHECKING:
    import pandas as pd

_ITEMS, _ITEM = "item_ids", "item_id"

PREFIX = "people_"
"""What the names of the statistics begin with that hold a model beside people."""


@dataclass(frozen=True, eq=False)
class RatedVignettes:
    """The ratings that have a mean, and the pairs of a rating and a vignette that it is of.

    `units` and `vignettes` are the places of the two of each pair, in `ratings` and among the
    answers: a vignette may be in several ratings, of its sender and of its recipient.
    """

    ratings: tuple[Rating, ...]
    units: Codes
    vignettes: Codes

    @classmethod
    def of(cls, items: Sequence[Item], ratings: Sequence[Rating]) -> "RatedVignettes":
        """The ratings with a mean, of some of these vignettes."""
        place = {item.item_id: at for at, item in enumerate(items)}
        rated = tuple(
            rating
            for rating in ratings
            if rating.mean is not None and any(each in place for each in rating.item_ids)
        )
        pairs = [
            (unit, place[item_id])
            for unit, rating in enumerate(rated)
            for item_id in rating.item_ids
            if item_id in place
        ]
        units, vignettes = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        return cls(rated, units, vignettes)

    def scaled(self) -> Floats:
        """The ratings on the scale of the answers, −2 … +2: its ends are those of theirs."""
        return np.array([rescaled(r.mean or 0.0, (r.low, r.high)) for r in self.ratings])

    def means(self, answers: Floats) -> Floats:
        """The mean answer (vignettes × replies) to those of each rating; NaN where there is none.

        It is the mean over the vignettes of their mean answers.
        """
        of_each = item_means(answers)[self.vignettes]
        return group_means(of_each, self.units, len(self.ratings))

    def flows(self, answered: VignetteAnswers) -> "pd.DataFrame":
        """A row per rating, the furthest apart first: its levels, people's mean and the model's.

        `people` is on people's scale, `people_scaled` and `model` on −2 … +2, and `difference` is
        the model's less people's; NaN where the model gave no answer.
        """
        import pandas as pd

        means, scaled, rows = self.means(answered.answers.values), self.scaled(), []
        for at, rating in enumerate(self.ratings):
            items = [answered.items[place] for place in self.vignettes[self.units == at]]
            facets = [item.facets.items() for item in items]
            common = [pair for pair in facets[0] if all(pair in each for each in facets)]
            rows.append(
                {
                    _ITEM: items[0].item_id if len(items) == 1 else None,
                    **{
                        name: level
                        for name, level in items[0].facets.items()
                        if (name, level) in common
                    },
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


def ratings_of(
    table: Any, items: Sequence[Item], scale: tuple[float, float] | None
) -> list[Rating]:
    """The ratings of a table: a row per rating, or per person and vignette.

    A row is of the vignettes with the ids of `item_ids`, with the id of `item_id`, or with the
    levels in the columns that are called like factors (a factor without a column is averaged over).
    `mean` is people's mean (with `n`, `sd` where they are known), `answer` that of one person: a
    number. `low` and `high` are the ends of people's scale, else those of `scale`.
    """
    import pandas as pd

    # the ratings of a context have a list of ids in a cell, which a table of texts has not
    has_lists = isinstance(table, pd.DataFrame) and _ITEMS in table.columns
    frame = table if has_lists else read_table(table).rows.to_pandas()
    value = next((name for name in ("mean", "answer") if name in frame.columns), None)
    if value is None:
        raise UsageError(
            "ratings need a column mean (people's mean) or answer (one person's); "
            f"they have {', '.join(frame.columns)}"
        )
    if scale is not None:
        frame = frame.assign(low=scale[0], high=scale[1])
    if not {"low", "high"} <= {*frame.columns} or not (frame["low"] < frame["high"]).all():
        raise UsageError(
            "state the ends of people's scale from its lower end to its higher, as in "
            "scale=(1, 5), or give ratings the columns low and high"
        )
    frame = frame.astype({"low": float, "high": float})
    numbers = pd.to_numeric(frame[value], errors="coerce")
    for row, wrong in frame[
        frame[value].notna() & ~numbers.between(frame["low"], frame["high"])
    ].iterrows():
        raise DataError(
            f"ratings, row {row} (from 0): {wrong[value]!r} in {value} is no number on the scale "
            f"of {wrong['low']:g} to {wrong['high']:g}; correct it, or state the scale"
        )
    frame = frame.assign(**{value: numbers, _ITEMS: _rated(frame, items)})
    if value == "answer":
        of_each = frame.groupby(_ITEMS, sort=False)
        frame = (
            of_each[["low", "high"]]
            .first()
            .assign(
                mean=of_each["answer"].mean(),
                sd=of_each["answer"].std(),
                n=of_each["answer"].count(),
                missing=of_each["answer"].agg(lambda answers: answers.isna().sum()),
            )
            .reset_index()
        )
    frame = frame.reindex(columns=[_ITEMS, "mean", "low", "high", "sd", "n", "missing"])
    frame = frame.astype(object).where(frame.notna(), None)
    return [Rating("", *row) for row in frame.itertuples(index=False)]


def _rated(frame: "pd.DataFrame", items: Sequence[Item]) -> list[tuple[str, ...]]:
    """The ids of the vignettes that each row is of; none where the run has none of them."""
    import pandas as pd

    if _ITEMS in frame.columns:
        return [*map(tuple, frame[_ITEMS])]
    if _ITEM in frame.columns:
        return [(each,) if each else () for each in names(frame[_ITEM])]
    vignettes = pd.DataFrame([{_ITEM: item.item_id, **item.facets} for item in items])
    chosen = [name for name in vignettes.columns[1:] if name in frame.columns]
    if not chosen:
        raise UsageError(
            "ratings do not say which vignettes were rated: they need item_id, or a column per "
            f"factor ({', '.join(vignettes.columns[1:]) or '–'}); they have "
            f"{', '.join(frame.columns)}"
        )
    ids_of = vignettes.groupby(chosen, sort=False, dropna=False)[_ITEM].agg(tuple).to_dict()
    rows = frame[chosen].itertuples(index=False, name=None)
    return [ids_of.get(row if len(chosen) > 1 else row[0], ()) for row in rows]


def people_statistics(answered: VignetteAnswers, ratings: Sequence[Rating]) -> list[Statistic]:
    """Correlations of the model's mean answers with people's mean ratings, and their difference.

    A unit is a rating: one of six vignettes counts once, beside the mean answer to the six
    (`metrics.survey.agreement_with`). Correlations of ranks need no common scale. For the mean
    difference, model less people, the ratings' scale is stretched onto −2 … +2, and its `method`
    says from what.
    """
    rated = RatedVignettes.of(answered.items, ratings)
    if not len(rated.units):
        return []
    at, values, unscored = rated.vignettes, answered.answers.values, answered.answers.unscored
    table = agreement_with(values[at], unscored[at], rated.units, rated.scaled())
    return [_named(row, rated.ratings[0]) for row in table]


def _named(statistic: Statistic, rating: Rating) -> Statistic:
    estimate = statistic.estimate
    if statistic.name == "bias":
        scale = message(
            "{method}; ratings of {low} … {high} on {least} … {most}",
            method=estimate.method,
            low=scale_end(rating.low),
            high=scale_end(rating.high),
            least=scale_end(ACCEPTABILITY[0]),
            most=scale_end(ACCEPTABILITY[1]),
        )
        estimate = replace(estimate, method=scale)
    return replace(statistic, name=PREFIX + statistic.name, estimate=estimate)
