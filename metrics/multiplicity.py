"""P-values corrected for how many were looked at, by statsmodels."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .inputs import Floats, between, numbers
from .intervals import RATE

PValues = Sequence[float | None] | NDArray[np.float64]


def holm(p: PValues) -> Floats:
    """The p-values corrected so that one false rejection among all has at most the level (Holm).

    NaN: not tested and not counted (Holm 1979).

    >>> [round(one, 4) for one in holm([0.01, 0.04, 0.03]).tolist()]  # 3 · 0.01, 2 · 0.03 twice
    [0.03, 0.06, 0.06]
    """
    return _corrected(p, "holm")


def benjamini_hochberg(p: PValues) -> Floats:
    """The p-values corrected so that rejections have at most the level of false ones among them.

    NaN: not tested and not counted (Benjamini & Hochberg 1995).

    >>> [round(one, 4) for one in benjamini_hochberg([0.01, 0.04, 0.03]).tolist()]
    [0.03, 0.04, 0.04]
    """
    return _corrected(p, "fdr_bh")


def _corrected(p: PValues, method: Literal["holm", "fdr_bh"]) -> Floats:
    values = between(numbers(p, "p"), "p", *RATE)
    tested = ~np.isnan(values)
    if tested.any():
        # its import takes a second
        from statsmodels.stats.multitest import multipletests

        values[tested] = multipletests(values[tested], method=method)[1]
    return values
