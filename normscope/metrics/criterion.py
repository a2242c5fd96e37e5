"""The level of a criterion of a rubric of one's own on its scale, and the shares of its labels.

What the benchmarks' own criteria mean is known to their metrics. Of any other one a scale is all
that is known: its labels, and what each is worth.
"""

from collections.abc import Sequence

import numpy as np

from ..categorical import Categorical
from ..errors import DataError
from .estimate import Statistic
from .groups import Clusters, Groups
from .inputs import Column, Reasons, absent, between, numbers, same_length
from .table import tabulated

CRITERION = "criterion:"
"""What the names of these statistics begin with: a criterion may be called like any other one."""


def level_name(criterion: str) -> str:
    """The name of the criterion's level.

    >>> level_name("politeness")
    'criterion:politeness'
    """
    return f"{CRITERION}{criterion}"


def criterion_score(
    values: Column,
    favourites: Sequence[str | None] | Categorical,
    *,
    name: str,
    labels: Sequence[str],
    worth: Sequence[float],
    groups: Groups | None = None,
    clusters: Clusters | None = None,
    reasons: Reasons | None = None,
) -> list[Statistic]:
    """The mean value of a criterion, and of each label the share of answers that it is for.

    `values` are what was read of each answer on the scale, from the least of `worth` to the most,
    and `favourites` its likeliest label (null: none, or a tie). `worth` is what each of the
    `labels` is worth. An answer that was not given has no level, and none of the labels: it is
    unscored in the mean and stays in the denominators of the shares. What we failed at is unscored
    in both, and a tie in the shares.

    >>> tone = {"name": "tone", "labels": "123", "worth": [1, 2, 3]}
    >>> rows = criterion_score([3, 1, 2], ["3", "1", "2"], **tone)
    >>> [(row.name, round(row.estimate.value, 2)) for row in rows[:2]]
    [('criterion:tone', 2.0), ('criterion:tone:1', 0.33)]
    """
    if len(labels) != len(worth):
        raise DataError(f"{name}: {len(labels)} labels and {len(worth)} values: give one for each")
    bounds = (min(worth), max(worth))
    scored = between(numbers(values, name), name, *bounds)
    chosen = Categorical.of(favourites)
    same_length({"values": scored, "favourites": chosen, "reasons": reasons})
    silent, excluded = absent(reasons, np.isnan(scored))
    unscored = (np.isnan(scored) | (chosen.codes < 0)) & ~silent
    name = level_name(name)
    shares = {
        f"{name}:{label}": np.where(unscored, np.nan, chosen.equals(label) & ~silent)
        for label in labels
    }
    return tabulated(
        {name: scored, **shares},
        ~excluded,
        scales={name: bounds},
        groups=groups,
        clusters=clusters,
    )
