"""What data frames have for a value that there is not, and tidy ones: a row per statistic."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_NUMBERS = ("value", "low", "high", "level", "lowest", "highest", "p", "p_adjusted", "margin")


MISSING = frozenset({"NAType", "NaTType"})
"""The types of pandas' missing values, which equal nothing and have no truth value."""


def is_missing(value: Any) -> bool:
    """Whether there is no value: null, NaN or pandas' NA."""
    nan = isinstance(value, float) and math.isnan(value)
    return value is None or nan or type(value).__name__ in MISSING


def tidy_frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> "pd.DataFrame":
    """The rows as a data frame in which a number that there is not is NaN, also where none is.

    >>> tidy_frame([{"statistic": "hr", "value": None}], ["statistic", "value"])["value"].dtype
    dtype('float64')
    """
    import pandas as pd

    numbers = [name for name in _NUMBERS if name in columns]
    return pd.DataFrame(rows, columns=[*columns]).astype(dict.fromkeys(numbers, "float64"))
