"""How norms move between conditions: models, checkpoints, temperatures, quantisations.

The headline is inference over wordings. The tests over flows are given as the papers print them:
the flows of a context are enumerated and share their wording, so thousands of them are not
thousands of independent facts, and nearly any difference gets a small p.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ..errors import DataError, UsageError
from .estimate import Estimate
from .inputs import Bools, Floats, Matrix, among, numbers
from .majority import LIKERT, majority
from .multiplicity import holm
from .norms import item_means
from .omnibus import friedman, repeated_anova, skillings_mack
from .significance import Test, mcnemar, wilcoxon
from .wordings import paired_t, wording_difference, wording_test

_AS_PUBLISHED = "as published, over flows"
_TWO = 2


@dataclass(frozen=True, slots=True)
class Shift:
    """From one condition to another: the difference `second` less `first`, and its tests.

    `over_wordings` is the test to go by, `holm` its p corrected over all pairs of conditions.
    `as_published` has Wilcoxon's test and the paired t test of the flows' means over wordings, and
    McNemar's of their majorities above zero.
    """

    first: str
    second: str
    difference: Estimate
    over_wordings: Test
    holm: float | None
    as_published: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class NormShift:
    """Every pair of conditions, and the tests of all conditions at once (over flows)."""

    pairs: tuple[Shift, ...]
    omnibus: tuple[Test, ...]


def norm_shift(
    answers: Mapping[str, Matrix],
    *,
    unscored: Mapping[str, Bools] | None = None,
    wordings: Sequence[Hashable] | None = None,
    level: float = 0.95,
) -> NormShift:
    """Shifts between conditions whose answers are items × variants, −2 … +2 or NaN, alike in order.

    A NaN is no answer unless `unscored` marks it. Friedman's test and the repeated-measures ANOVA
    take the flows with a mean in every condition; with missing cells Skillings and Mack's takes the
    others too. `note` says how many each used.

    >>> found = norm_shift({"base": [[0, 1], [1, 1]], "tuned": [[1, 1], [2, 2]]})
    >>> found.pairs[0].difference.value, found.pairs[0].over_wordings.p  # wordings +1 and +0.5
    (0.75, 0.5)
    """
    matrices = {
        name: among(numbers(one, name, dimensions=2), name, LIKERT) for name, one in answers.items()
    }
    if len(matrices) < _TWO:
        raise UsageError(f"{len(matrices)} condition(s); a shift needs two or more")
    shapes = {name: matrix.shape for name, matrix in matrices.items()}
    if len(set(shapes.values())) > 1:
        told = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise DataError(f"conditions differ in shape ({told}); pair their items and wordings")
    means = {name: item_means(matrix) for name, matrix in matrices.items()}
    pairs = []
    for first, second in combinations(matrices, 2):
        gaps = None if unscored is None else (unscored[second], unscored[first])
        a, b = matrices[second], matrices[first]
        pairs.append(
            Shift(
                first=first,
                second=second,
                difference=wording_difference(a, b, wordings=wordings, unscored=gaps, level=level),
                over_wordings=wording_test(a, b, wordings=wordings),
                holm=None,
                as_published=_published(means[second], means[first], a, b),
            )
        )
    corrected = holm([pair.over_wordings.p for pair in pairs])
    pairs = [
        replace(pair, holm=None if np.isnan(p) else float(p))
        for pair, p in zip(pairs, corrected, strict=True)
    ]
    return NormShift(tuple(pairs), _omnibus(np.stack(list(means.values()), axis=1)))


def _published(a: Floats, b: Floats, answers_a: Floats, answers_b: Floats) -> tuple[Test, ...]:
    accepted = [
        np.where(np.isnan(norm), np.nan, norm > 0)
        for norm in (majority(answers_a), majority(answers_b))
    ]
    tests = (wilcoxon(a, b), paired_t(a, b), mcnemar(accepted[0], accepted[1]))
    return tuple(_marked(test) for test in tests)


def _omnibus(table: Floats) -> tuple[Test, ...]:
    if table.shape[1] == _TWO:
        return ()
    tests = [friedman(table), repeated_anova(table)]
    if np.isnan(table).any():
        tests.insert(1, skillings_mack(table))
    return tuple(_marked(test) for test in tests)


def _marked(test: Test) -> Test:
    return replace(test, note=f"{_AS_PUBLISHED}: {test.note}")
