"""How norms move between conditions: models, checkpoints, temperatures, quantisations.

The headline is inference over wordings. The tests over flows are given as the papers print them:
the flows of a context are enumerated and share their wording, so thousands of them are not
thousands of independent facts, and nearly any difference gets a small p.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from ..errors import DataError, UsageError
from .categories import Known
from .estimate import Estimate
from .groups import Groups, Rows, rows_by_level
from .inputs import Bools, Floats, Matrix, among, numbers
from .majority import LIKERT, majority
from .multiplicity import benjamini_hochberg, holm
from .norms import Over, item_means
from .omnibus import friedman, repeated_anova, skillings_mack
from .paired import scored_in_both
from .significance import Test, mcnemar, wilcoxon
from .wordings import paired_t, wording_difference, wording_tests

_AS_PUBLISHED = "as published, over flows"
_TWO = 2

_Moved = tuple[Estimate, float | None, float | None, Test, Test]


@dataclass(frozen=True, slots=True)
class Shift:
    """From one condition to another: the difference `second` less `first`, and its tests.

    The interval of `difference` and `over_wordings`, Student's t, are of the answers that both
    gave; `worst_low` to `best_high` reaches over what is unscored: the lower limit of the worst
    case, the upper of the best. `holm` is the p of `over_wordings` corrected over all pairs of
    conditions; `sign_flip` assumes no normal distribution. `as_published` has Wilcoxon's test and
    the paired t test of the flows' means over wordings, and McNemar's of their majorities above
    zero.
    """

    first: str
    second: str
    difference: Estimate
    worst_low: float | None
    best_high: float | None
    over_wordings: Test
    sign_flip: Test
    holm: float | None
    as_published: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class LevelShift:
    """The shift within one level of a group: exploratory, a lead and no finding.

    `benjamini_hochberg` is the p of `over_wordings` corrected over all levels and pairs.
    """

    group: str
    member: str
    first: str
    second: str
    difference: Estimate
    worst_low: float | None
    best_high: float | None
    over_wordings: Test
    sign_flip: Test
    benjamini_hochberg: float | None
    role: Literal["exploratory"] = "exploratory"


@dataclass(frozen=True, slots=True)
class NormShift:
    """Every pair of conditions, the tests of all at once (over flows), and the shifts by level."""

    pairs: tuple[Shift, ...]
    omnibus: tuple[Test, ...]
    levels: tuple[LevelShift, ...] = ()


def norm_shift(
    answers: Mapping[str, Matrix],
    *,
    groups: Groups | None = None,
    unscored: Mapping[str, Bools] | None = None,
    wordings: Sequence[Hashable] | None = None,
    over: Over = "wordings",
    known: Known = None,
    level: float = 0.95,
) -> NormShift:
    """Shifts between conditions whose answers are items × variants, −2 … +2 or NaN, alike in order.

    A NaN is no answer unless `unscored` marks it. `over="vignettes"` takes the flows for a sample
    of their kind too, in the intervals; the tests stay over wordings. Friedman's test and the
    repeated-measures ANOVA take the flows with a mean in every condition; with missing cells
    Skillings and Mack's takes the others too. `note` says how many each used. `groups` has a level
    per item (a context, a factor); levels not `known` are refused. Conditions that answer alike
    throughout say so in the note of their test.

    >>> found = norm_shift({"base": [[0, 1], [1, 1]], "tuned": [[1, 1], [2, 2]]})
    >>> found.pairs[0].difference.value, found.pairs[0].sign_flip.p  # wordings +1 and +0.5
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
    asked = list(combinations(matrices, 2))

    def moved(first: str, second: str, rows: Rows) -> _Moved:
        a, b = matrices[second][rows], matrices[first][rows]
        gaps = None if unscored is None else (unscored[second][rows], unscored[first][rows])
        found = wording_difference(a, b, wordings=wordings, over=over, level=level)
        whole = found
        if gaps is not None:
            whole = wording_difference(
                a, b, wordings=wordings, unscored=gaps, over=over, level=level
            )
        t, flip = (_told(test, a, b) for test in wording_tests(a, b, wordings=wordings))
        return scored_in_both(found, whole), whole.low, whole.high, t, flip

    pairs = []
    for first, second in asked:
        published = _published(means[second], means[first], matrices[second], matrices[first])
        pairs.append(Shift(first, second, *moved(first, second, slice(None)), None, published))
    levels = [
        LevelShift(group, member, first, second, *moved(first, second, rows), None)
        for group, member, rows in rows_by_level(groups, len(next(iter(means.values()))), known)
        for first, second in asked
    ]
    by_pair = _null(holm([pair.over_wordings.p for pair in pairs]))
    by_level = _null(benjamini_hochberg([one.over_wordings.p for one in levels]))
    return NormShift(
        tuple(replace(pair, holm=p) for pair, p in zip(pairs, by_pair, strict=True)),
        _omnibus(np.stack(list(means.values()), axis=1)),
        tuple(replace(one, benjamini_hochberg=p) for one, p in zip(levels, by_level, strict=True)),
    )


def alike(a: Floats, b: Floats) -> bool:
    """Whether both matrices have the same answers, and gaps, in every cell."""
    return bool(np.array_equal(a, b, equal_nan=True)) and not bool(np.isnan(a).all())


def _told(test: Test, a: Floats, b: Floats) -> Test:
    if not alike(a, b):
        return test
    told = "every answer is the same in both: the interval is what so few wordings can exclude"
    return replace(test, note=f"{told}; {test.note}")


def _null(p: Floats) -> list[float | None]:
    return [None if np.isnan(one) else float(one) for one in p]


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
