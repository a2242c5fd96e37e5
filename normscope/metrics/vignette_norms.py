"""What the answers to each vignette come to: its norm, or why it has none, and the votes behind it.

LLM-CI takes the norm of a flow from the answers to its prompt variants; the shares of all flows
(`norms`) are counted from these.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from .inputs import Bools, Floats, Rule
from .majority import LIKERT, Requested, Threshold, majority, tally, unanimous

Counts = NDArray[np.intp]


class NormState(IntEnum):
    """What became of one vignette: its norm, from the lowest label up, or why there is none."""

    STRONGLY_UNACCEPTABLE = 0
    SOMEWHAT_UNACCEPTABLE = 1
    NEUTRAL = 2
    SOMEWHAT_ACCEPTABLE = 3
    STRONGLY_ACCEPTABLE = 4
    NO_MAJORITY = 5
    NO_ANSWER = 6
    UNSCORED = 7
    NOT_ASKED = 8


@dataclass(frozen=True, slots=True, eq=False)
class VignetteNorms:
    """The norms of vignettes, a row each; a norm is −2 … +2, NaN where there is none.

    `norm` is that by the threshold that was asked for, `simple` and `super` those by the rule's
    two; `states` are the `NormState` of `norm`. Of the `requested` replies to a vignette `valid`
    are answers, split into `votes` (vignettes × five labels from the lowest up), `silent` are the
    respondent's (no answer) and `unscored` ours; `needed` valid ones make a norm. `mean` and
    `variance` (divisor n − 1) are over the valid answers, NaN where there are too few.
    """

    norm: Floats
    simple: Floats
    super: Floats
    states: Counts
    votes: Counts
    valid: Counts
    silent: Counts
    unscored: Counts
    mean: Floats
    variance: Floats
    unanimous: Bools
    requested: int
    needed: int

    @property
    def outcomes(self) -> dict[str, Floats]:
        """A column of 1, 0 or NaN (unscored) per share of `norm_consensus`.

        Too few valid answers leave a vignette unscored where our failures could be what is missing.
        """
        decided = self.valid >= self.needed
        hits = {
            "simple_majority": ~np.isnan(self.simple),
            "super_majority": ~np.isnan(self.super),
            "undecided": decided & np.isnan(self.simple),
            "no_answer": ~decided,
            "unanimous": decided & self.unanimous,
            "accept_share": self.norm > 0,
            "reject_share": self.norm < 0,
            "neutral_share": self.norm == 0,
        }
        unknown = self.states == NormState.UNSCORED
        return {name: np.where(unknown, np.nan, hit) for name, hit in hits.items()}


def vignette_norms(
    matrix: Floats,
    unscored: Bools,
    *,
    rule: Rule = "default",
    threshold: Threshold = "simple",
    min_valid: int | None = None,
    requested: Requested = None,
) -> VignetteNorms:
    """The norm of each vignette of vignettes × variants, −2 … +2 or NaN, by `majority`.

    `unscored` marks the answers that are missing by our failure. A vignette with too few valid
    answers is `UNSCORED` where these could be what is missing, else it has `NO_ANSWER`.

    >>> answers = np.array([[1.0, 1], [-1, 2], [1, np.nan], [1, np.nan]])
    >>> ours = np.array([[False] * 2, [False] * 2, [False, True], [False] * 2])
    >>> result = vignette_norms(answers, ours)
    >>> [NormState(state).name for state in result.states]
    ['SOMEWHAT_ACCEPTABLE', 'NO_MAJORITY', 'UNSCORED', 'NO_ANSWER']
    >>> result.mean.tolist(), result.variance.tolist()  # (−1.5)² + 1.5²
    ([1.0, 0.5, 1.0, 1.0], [0.0, 4.5, nan, nan])
    """
    counted = tally(matrix, requested=requested)
    needed = counted.needed(rule, min_valid)
    simple, most, norm = (
        majority(counted, rule=rule, threshold=share, min_valid=min_valid)
        for share in ("simple", "super", threshold)
    )
    failed = unscored.sum(axis=1)
    decided = counted.valid >= needed
    # the norms −2 … +2 are the states 0 … 4
    states = np.where(np.isnan(norm), NormState.NO_MAJORITY, np.nan_to_num(norm) - LIKERT[0])
    states[~decided] = NormState.NO_ANSWER
    states[~decided & (counted.valid + failed >= needed)] = NormState.UNSCORED
    n, labels = counted.valid, np.asarray(LIKERT)
    mean = np.where(n > 0, counted.counts @ labels / np.maximum(n, 1), np.nan)
    squares = (counted.counts * (labels - mean[:, None]) ** 2).sum(axis=1)
    return VignetteNorms(
        norm=norm,
        simple=simple,
        super=most,
        states=states.astype(np.intp),
        votes=counted.counts,
        valid=n,
        silent=counted.requested - n - failed,
        unscored=failed,
        mean=mean,
        variance=np.where(n > 1, squares / np.maximum(n - 1, 1), np.nan),
        unanimous=unanimous(counted),
        requested=counted.requested,
        needed=needed,
    )
