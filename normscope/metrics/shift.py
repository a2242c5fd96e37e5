"""How norms move between conditions: models, checkpoints, temperatures, quantisations.

The headline is inference over variants. The tests over flows are given as the paper makes them, of
the majority norms: the flows of a context are enumerated and share their variants, so thousands of
them are not thousands of independent facts, and nearly any difference gets a small p.

Yan Shvartzshnaider, Vasisht Duddu, John Lacalamita: "LLM-CI: Assessing Contextual Integrity Norms
in Language Models", https://arxiv.org/abs/2409.03735 (Tables 2 to 4).
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from ..errors import DataError, UsageError
from ..messages import joined, marked, message
from .answers import Answers, shared_columns
from .estimate import Estimate, Statistic
from .groups import Groups, Rows, cluster_codes, rows_by_level
from .inputs import Column, Floats, Matrix, Rule
from .majority import Threshold, majority
from .norms import noted, of_columns
from .significance import Test, benjamini_hochberg, friedman, holm, repeated_anova, wilcoxon
from .variants import variant_difference, variant_test

_AS_PUBLISHED = marked("as published, over vignettes, which are no sample")
_TWO = 2


@dataclass(frozen=True, slots=True)
class Shift:
    """From one condition to another: the difference `second` less `first`, and its tests.

    The interval of `difference` and `over_variants`, Student's t, are of the answers that both
    gave. `p_adjusted` is the p of `over_variants` corrected by Holm over all pairs of conditions.
    All are of the variants that both conditions were asked.

    `as_published` has the paper's test, `norm_test` of their majority norms. The shift within one
    level of a `group`, its `member`, has none: it is exploratory, a lead and no finding, and its
    `p_adjusted` is by Benjamini and Hochberg over all levels and pairs.
    """

    first: str
    second: str
    difference: Estimate
    over_variants: Test
    p_adjusted: float | None = None
    as_published: tuple[Test, ...] = ()
    group: str = ""
    member: str = ""


@dataclass(frozen=True, slots=True)
class NormShift:
    """Every pair of conditions, the tests of all at once (over flows), and the shifts by level.

    `omnibus` is of the majority norms over the variants that every condition was asked.
    """

    pairs: tuple[Shift, ...]
    omnibus: tuple[Test, ...]
    levels: tuple[Shift, ...] = ()

    def statistics(self) -> list[Statistic]:
        """The difference of every pair, overall and by level."""
        return [
            Statistic(
                f"shift: {of.first}, {of.second}", "score", of.difference, of.group, of.member
            )
            for of in (*self.pairs, *self.levels)
        ]


def norm_shift(
    answers: Mapping[str, Matrix | Answers],
    *,
    groups: Groups | None = None,
    variants: Sequence[Hashable] | None = None,
    rule: Rule = "default",
    threshold: Threshold = "simple",
) -> NormShift:
    """Shifts between conditions whose answers are items × variants, −2 … +2 or NaN, alike in order.

    A NaN of a matrix is no answer. Conditions are compared on the variants that both were asked;
    where that is not all of them, `method` and `note` say how many.

    Norms are made by `rule` and `threshold` (`majority`).
    As the paper does, Friedman's test and the repeated-measures ANOVA are of the majority norms of
    the flows that have one in every condition; `note` says how many. `groups` has a level per item
    (a context, a factor). Conditions that answer alike throughout say so in the note of their test.

    >>> result = norm_shift({"base": [[0, 1], [1, 1]], "tuned": [[1, 1], [2, 2]]})
    >>> result.pairs[0].difference.value, result.pairs[0].over_variants.n  # variants +1 and +0.5
    (0.75, 2)
    """
    conditions = {name: Answers.of(one, "no_answer", name) for name, one in answers.items()}
    if len(conditions) < _TWO:
        raise UsageError(f"{len(conditions)} condition(s); a shift needs two or more")
    shapes = {name: of.values.shape for name, of in conditions.items()}
    if len(set(shapes.values())) > 1:
        text = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise DataError(f"conditions differ in shape ({text}); pair their items and variants")
    n, k = next(iter(shapes.values()))
    names = list(range(k)) if variants is None else list(variants)
    codes = cluster_codes(names, k)
    pairs_of = list(combinations(conditions, 2))

    def shift(first: str, second: str, rows: Rows = slice(None), **of: Any) -> Shift:
        pair = conditions[second], conditions[first]
        shared = shared_columns(pair)
        a, b = (of.values[rows][:, shared] for of in pair)
        gaps = pair[0].unscored[rows][:, shared], pair[1].unscored[rows][:, shared]
        shared_names = [name for name, kept in zip(names, shared, strict=True) if kept]
        result = variant_difference(a, b, variants=shared_names, unscored=gaps)
        note = of_columns(shared, marked("{n} of {m} variants asked of both"), codes)
        test = _remarked(variant_test(a, b, variants=shared_names), a, b, note)
        return Shift(first, second, noted(result, note), test, **of)

    def norms_of(*chosen: str) -> Floats:
        """The norms (flows × these conditions) over the variants that all of them were asked."""
        shared = shared_columns(conditions[name] for name in chosen)
        if not shared.any():
            return np.full((n, len(chosen)), np.nan)
        norm = partial(majority, rule=rule, threshold=threshold, requested=True)
        return np.stack([norm(conditions[name].values[:, shared]) for name in chosen], axis=1)

    pairs = []
    for first, second in pairs_of:
        norms = norms_of(first, second)
        published = norm_test(norms[:, 1], norms[:, 0])
        pairs.append(shift(first, second, as_published=(published,)))
    levels = [
        shift(first, second, rows, group=group, member=member)
        for group, member, rows in rows_by_level(groups, n)
        for first, second in pairs_of
    ]
    return NormShift(
        _adjusted(pairs, holm),
        omnibus(norms_of(*conditions)) if len(conditions) > _TWO else (),
        _adjusted(levels, benjamini_hochberg),
    )


def _adjusted(
    shifts: Sequence[Shift], correct: Callable[[Sequence[float | None]], Floats]
) -> tuple[Shift, ...]:
    corrected = correct([shift.over_variants.p for shift in shifts]).tolist()
    return tuple(
        replace(shift, p_adjusted=None if np.isnan(p) else p)
        for shift, p in zip(shifts, corrected, strict=True)
    )


def norm_test(a: Column, b: Column) -> Test:
    """The paper's test of two models: Wilcoxon's of the vignettes' majority norms.

    Vignettes without a norm in both are left out (NaN), and so, before ranking, are those with the
    same norm: the test as Wilcoxon described it, and as scipy makes it unless told otherwise. Two
    models agree on thousands of flows, so that it matters; `note` has p with Pratt's zeros.

    >>> norm_test([1, 1, 1, 2], [0, 0, 0, 2]).p  # three of one sign: 2 · 2⁻³
    0.25
    """
    return _marked(wilcoxon(a, b, zeros="dropped"))


def alike(a: Floats, b: Floats) -> bool:
    """Whether both matrices have the same answers, and gaps, in every cell."""
    return bool(np.array_equal(a, b, equal_nan=True)) and not bool(np.isnan(a).all())


def _remarked(test: Test, a: Floats, b: Floats, note: str) -> Test:
    same = message(
        "every answer is the same in both: the interval is what so few prompt variants can exclude"
    )
    remarks = [same if alike(a, b) else "", test.note, note]
    return replace(test, note=joined(filter(None, remarks), "; "))


def omnibus(norms: Floats) -> tuple[Test, ...]:
    """The paper's tests of two conditions or more, over flows × conditions of majority norms.

    Friedman's and the repeated-measures ANOVA, of the flows with a norm in every condition.

    >>> [test.name for test in omnibus(np.array([[1.0, 2], [0, 2], [1, 1]]))]
    ['Friedman', 'repeated-measures ANOVA']
    """
    return _marked(friedman(norms)), _marked(repeated_anova(norms))


def _marked(test: Test) -> Test:
    return replace(test, note=joined([message(_AS_PUBLISHED), test.note], "; "))
