"""Margins as they are stated: one for all statistics, or one for each."""

import math
from collections.abc import Mapping

from ..errors import UsageError
from ..messages import message
from ..metrics.estimate import Unit
from ..records.settings import ALL

Margin = float | str | Mapping[str, float | str]
"""One margin for all statistics, or one for each: 0.02, "2%", {"hr": "2%", "score": 0.1}."""


def by_statistic(margin: Margin) -> dict[str, float | str]:
    """The margins by the statistic they are of; `ALL` is every one without its own.

    >>> by_statistic("2%")
    {'all': '2%'}
    """
    return dict(margin) if isinstance(margin, Mapping) else {ALL: margin}


def margin_of(
    statistic: str, unit: Unit, margins: Mapping[str, float | str], *, most: float
) -> float:
    """The statistic's margin, in its units; a `UsageError` says what cannot be one.

    A rate's is a share or a percentage, a score's is in points of its scale. No difference is
    larger than `most`, and with such a margin all would pass.

    >>> margins = {"hr": "2%", "all": 0.1}
    >>> margin_of("hr", "rate", margins, most=1), margin_of("rr1", "rate", margins, most=1)
    (0.02, 0.1)
    """
    given = margins.get(statistic, margins.get(ALL))
    if given is None:
        raise UsageError(
            f"{statistic} has no margin; state it, as {statistic}=0.02, or one for all"
        )
    text = str(given).strip()
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = math.nan
    about = {"value": repr(text), "name": statistic}
    if not 0 <= value < math.inf:
        raise UsageError(
            message("margin {value} of {name}: a number from 0 up, as 0.02 or 2%", **about)
        )
    if unit == "score" and text.endswith("%"):
        raise UsageError(
            message(
                "margin {value} of {name}: it is no share; give points of its scale, as {name}=0.1",
                **about,
            )
        )
    if unit == "score" and value >= most:
        raise UsageError(
            message(
                "margin {value} of {name}: no difference is larger than {most} points, so that all "
                "would pass",
                most=f"{most:g}",
                **about,
            )
        )
    if unit != "score" and value >= most:
        raise UsageError(
            message(
                "margin {value} of {name}: a rate goes from 0 to 1; two percentage points are 0.02 "
                "or 2%",
                **about,
            )
        )
    return value
