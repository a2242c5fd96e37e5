"""Vignettes whose answer is not in doubt: which of them a model answers otherwise."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ..metrics.estimate import Statistic
from ..metrics.rates import exact
from ..metrics.vignette_norms import NormState, VignetteNorms
from ..records.item import VIGNETTE
from .norms import VignetteAnswers

NAME = "anchors_as_expected"
EXPECTED = "expected"
"""The facet of an anchor: the side on which its norm lies beyond doubt."""

_SIDES: Mapping[str, tuple[NormState, ...]] = {
    "acceptable": (NormState.SOMEWHAT_ACCEPTABLE, NormState.STRONGLY_ACCEPTABLE),
    "unacceptable": (NormState.SOMEWHAT_UNACCEPTABLE, NormState.STRONGLY_UNACCEPTABLE),
}


@dataclass(frozen=True, slots=True)
class Anchor:
    """An anchor, the side that is expected of its norm, and what became of it.

    `valid` of the `asked` replies are answers.
    """

    vignette: str
    expected: str
    state: NormState
    valid: int
    asked: int

    @property
    def as_expected(self) -> bool | None:
        """Whether the norm is on the expected side; null where it is unscored."""
        return is_as_expected(self.expected, self.state)


def is_as_expected(expected: str, state: NormState) -> bool | None:
    """Whether a norm is on the expected side; null where it is unscored.

    Neutral, no majority and no answer are not.

    >>> is_as_expected("acceptable", NormState.NEUTRAL)
    False
    """
    return None if state == NormState.UNSCORED else state in _SIDES[expected]


def anchors(answered: VignetteAnswers, norms: VignetteNorms) -> Iterator[Anchor]:
    """The anchors among the vignettes, with what became of each."""
    rows = zip(answered.items, norms.states.tolist(), norms.valid.tolist(), strict=True)
    for item, state, valid in rows:
        if VIGNETTE in item.facets and item.facets.get(EXPECTED) in _SIDES:
            yield Anchor(
                item.facets[VIGNETTE],
                item.facets[EXPECTED],
                NormState(state),
                valid,
                norms.asked,
            )


def anchor_statistics(answered: VignetteAnswers, norms: VignetteNorms) -> list[Statistic]:
    """The share of the anchors that are answered as expected; nothing where there is none."""
    right = [anchor.as_expected for anchor in anchors(answered, norms)]
    if not right:
        return []
    values = [np.nan if each is None else float(each) for each in right]
    return [Statistic(NAME, "rate", exact(values))]
