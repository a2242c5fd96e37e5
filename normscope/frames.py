"""Tidy data frames: a row per statistic, a number that there is not being NaN."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_NUMBERS = ("value", "low", "high", "level", "lowest", "highest", "p", "p_adjusted", "margin")


def tidy_frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> "pd.DataFrame":
    """The rows as a data frame in which a number that there is not is NaN, also where none is.

    >>> tidy_frame([{"statistic": "hr", "value": None}], ["statistic", "value"])["value"].dtype
    dtype('float64')
    """
    import pandas as pd

    numbers = [name for name in _NUMBERS if name in columns]
    return pd.DataFrame(rows, columns=[*columns]).astype(dict.fromkeys(numbers, "float64"))
