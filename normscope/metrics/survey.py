"""A survey's ratings, on the answers' scale and at the level at which people gave them."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import DataError, UsageError, nearest
from ..frames import is_missing
from .columns import by_name, names
from .concordance import survey_agreement
from .estimate import Statistic
from .inputs import Bools, Floats
from .intervals import Bounds, Codes
from .norms import ACCEPTABILITY, item_means

ITEM = "item_id"
_FIELDS = ("ratings", "low", "high", "level")
_EXAMPLE = "survey={'ratings': {'flow 1': 40.0}, 'low': -100, 'high': 100, 'level': 'item_id'}"
_MOST = 3


@dataclass(frozen=True, slots=True)
class Survey:
    """People's mean ratings from `low` to `high`, each of one unit of the `level`.

    The level is `item_id` where each vignette was rated, or the groups whose levels were, such as
    ("sender", "recipient"): then all vignettes with these levels are one unit, and its key is their
    tuple. Ratings outside their range are a `DataError`.
    """

    ratings: Mapping[Hashable, float]
    low: float
    high: float
    level: tuple[str, ...] = (ITEM,)

    def __post_init__(self) -> None:
        """Refuses a range that is none, and ratings outside it."""
        if not self.low < self.high:
            message = f"survey: the range goes from {self.low:g} to {self.high:g}"
            raise DataError(f"{message}; low must be the lower end")
        outside = [key for key, value in self.ratings.items() if not self.low <= value <= self.high]
        if outside:
            message = f"{len(outside)} of {len(self.ratings)} ratings are outside {self.low:g} … "
            visible = ", ".join(f"{key!r}: {self.ratings[key]:g}" for key in outside[:_MOST])
            raise DataError(
                f"survey: {message}{self.high:g} ({visible}); state their own low and high"
            )


def rescaled(value: float, scale: Bounds, bounds: Bounds = ACCEPTABILITY) -> float:
    """The value of one scale on another, the ends of the one on those of the other.

    >>> rescaled(0.75, (0, 1))
    1.0
    """
    step = (bounds[1] - bounds[0]) / (scale[1] - scale[0])
    return bounds[0] + step * (value - scale[0])


def read_survey(stated: Any) -> Survey:
    """The survey that a mapping states: `ratings`, their `low` and `high`, and their `level`.

    `ratings` is a mapping, or a series by its index; units without a rating may be null.
    """
    if not isinstance(stated, Mapping) or "ratings" not in stated:
        raise UsageError(f"survey states no ratings; give {_EXAMPLE}")
    for name in stated:
        if name not in _FIELDS:
            raise UsageError(f"survey has no {name!r}; {nearest(str(name), _FIELDS)}")
    missing = [name for name in _FIELDS if name not in stated]
    if missing:
        raise UsageError(f"survey does not state {', '.join(missing)}; give {_EXAMPLE}")
    level = stated["level"]
    rated = by_name(stated["ratings"], "ratings of survey")
    return Survey(
        ratings={key: float(value) for key, value in rated.items() if not is_missing(value)},
        low=float(stated["low"]),
        high=float(stated["high"]),
        level=(level,) if isinstance(level, str) else tuple(level),
    )


def rated_units(
    survey: Survey, items: Sequence[str], groups: Mapping[str, Sequence[Any]]
) -> tuple[Codes, Floats]:
    """The rated unit of each item, −1 for none, and each unit's rating on the answers' scale.

    A rating that is of no item is a `DataError` with the number of them and the first three.

    >>> survey = Survey({"shop": 3.0}, 1, 5, level=("sender",))
    >>> units, ratings = rated_units(survey, ["a", "b"], {"sender": ["shop", "bank"]})
    >>> units.tolist(), ratings.tolist()
    ([0, -1], [0.0])
    """
    by_level = {ITEM: items, **groups}
    for name in survey.level:
        if name not in by_level:
            raise UsageError(
                f"survey: no group {name!r} for its level; {nearest(name, [*by_level])}"
            )
    columns = [names(by_level[name]) for name in survey.level]
    keys = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
    scale = survey.low, survey.high
    ratings = {key: rescaled(value, scale) for key, value in survey.ratings.items()}
    here = set(keys)
    unmatched = [key for key in ratings if key not in here]
    if unmatched:
        message = f"{len(unmatched)} of {len(ratings)} ratings are of no {' × '.join(survey.level)}"
        visible = ", ".join(map(repr, unmatched[:_MOST]))
        raise DataError(f"survey: {message} here: {visible}; correct them or leave them out")
    place = {key: at for at, key in enumerate(ratings)}
    codes = np.array([place.get(key, -1) for key in keys], dtype=np.intp)
    return codes, np.array(list(ratings.values()))


def agreement_with(
    answers: Floats, unscored: Bools, units: Codes, ratings: Floats, *, level: float = 0.95
) -> list[Statistic]:
    """`survey_agreement` of a model's answers (items × variants) with the units' ratings.

    A unit's model value is the mean over its items of their mean answers. An item that the model
    itself left unanswered throughout counts in none; one of which nothing is scored by our failure
    stands at either end of the scale in the lowest and the highest case.
    """
    means = item_means(answers)
    silent = np.isnan(means) & ~unscored.any(axis=1)
    selected = (units >= 0) & ~silent
    used, place = np.unique(units[selected], return_inverse=True)
    value, *ends = (
        _unit_means(np.where(np.isnan(means[selected]), end, means[selected]), place, len(used))
        for end in (np.nan, *ACCEPTABILITY)
    )
    return survey_agreement(
        value, ratings[used], cases=(ends[0], ends[1]), bounds=ACCEPTABILITY, level=level
    )


def _unit_means(values: Floats, place: Codes, units: int) -> Floats:
    """The mean of the values there are in each unit, NaN where there are none."""
    there = ~np.isnan(values)
    count = np.bincount(place, weights=there, minlength=units)
    total = np.bincount(place, weights=np.where(there, values, 0), minlength=units)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)
