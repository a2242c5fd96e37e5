"""How much of the movement of an answer comes from the wording, and how much from the order.

The same vignettes are answered in several prompt variants and several orders of the scale: facets
that are crossed with the vignettes. R. L. Brennan: "Generalizability Theory" (2001), chapters 3 and
7, for the components of variance; G. G. Koch: "Some further remarks concerning 'A general approach
to the estimation of variance components'", Technometrics 10 (1968), for estimating them from the
differences of pairs of answers, which needs no complete table.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np

from ..messages import message
from .answers import Answers, MatrixReasons
from .estimate import Cases, Estimate, Statistic, Target, over_scored
from .groups import CROSS, first_seen
from .inputs import Bools, Floats, Matrix, same_length
from .intervals import Codes
from .majority import LIKERT
from .norms import noted
from .reliability import LOG, LOGIT, limits_over_variants
from .resampling import PLAIN, Scaling

FACET = "facet"
"""The group of these statistics among those of a run."""

VIGNETTE, VARIANT, ORDER = "vignette", "prompt_variant", "scale_order"
AGAIN, RESIDUAL = "again", "residual"
CHANGE, HALF_SQUARE = "answer_change", "half_squared_difference"
COMPONENT, SHARE = "variance_component", "variance_share"

Term = tuple[str, ...]
"""The facets in which two answers differ, or that act on an answer together."""

_TARGET: Target = "new prompt variants"
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class PairSums:
    """Sums over pairs of answers, one of each of two columns: to one vignette, and to two.

    Of pairs of answers to one vignette `n` counts those that are there, `changed` those with
    different labels, and `squares` adds up half their squared differences; `asked` counts unscored
    answers too. `apart_n` and `apart_squares` are of answers to two vignettes. All are columns ×
    columns. `facets` has the level of each column in each facet.
    """

    facets: Mapping[str, Codes]
    sums: Mapping[str, Floats]

    def without(self, variant: int) -> "PairSums":
        """The sums over the columns of the other prompt variants."""
        used = np.flatnonzero(self.facets[VARIANT] != variant)
        return PairSums(
            {name: codes[used] for name, codes in self.facets.items()},
            {name: matrix[np.ix_(used, used)] for name, matrix in self.sums.items()},
        )

    def over(self, pairs: Bools, *names: str) -> list[float]:
        """What these sums come to over some pairs of columns."""
        return [float(self.sums[name][pairs].sum()) for name in names]

    def which(self, differ: Term) -> Bools:
        """The pairs of columns that differ in these facets and in no other.

        A column and itself are one of them where it is the vignette alone that differs.
        """
        size = len(self.sums["n"])
        pairs = np.full((size, size), True) if differ == (VIGNETTE,) else ~np.eye(size, dtype=bool)
        for name, codes in self.facets.items():
            pairs &= np.not_equal.outer(codes, codes) == (name in differ)
        return pairs

    def half_square(self, differ: Term) -> float | None:
        """The mean of (x − x′)²/2 over the pairs that differ in these facets; null without one."""
        names = ("apart_squares", "apart_n") if VIGNETTE in differ else ("squares", "n")
        return _ratio(*self.over(self.which(differ), *names))

    def change(self, differ: Term) -> float | None:
        """The share of different labels among the pairs that differ in these facets."""
        return _ratio(*self.over(self.which(differ), "changed", "n"))


def pair_sums(answers: Floats, unscored: Bools, facets: Mapping[str, Codes]) -> PairSums:
    """The sums of vignettes × columns, −2 … +2 or NaN.

    They are products of matrices: 33 columns make 528 pairs of every vignette, too many to list.

    >>> facets = {"scale_order": np.array([0, 1])}
    >>> sums = pair_sums(np.array([[1.0, 2], [0, np.nan]]), np.zeros((2, 2), dtype=bool), facets)
    >>> sums.change(("scale_order",)), sums.half_square(("scale_order",))  # (2 − 1)²/2
    (1.0, 0.5)
    >>> sums.half_square(("vignette", "scale_order"))  # the 2 beside the second vignette's 0
    2.0
    """
    there = (~np.isnan(answers)).astype(np.float64)
    x = np.where(there > 0, answers, 0.0)
    requested = there + unscored
    same = sum(is_label.T @ is_label for is_label in (1.0 * (answers == v) for v in LIKERT))
    # Σ(x − x′)²/2 = Σx²/2 + Σx′²/2 − Σxx′, over the pairs of which both are there
    cross = np.square(x).T @ there
    squares = (cross + cross.T) / 2 - x.T @ x
    n = there.T @ there
    count, total, square = there.sum(axis=0), x.sum(axis=0), np.square(x).sum(axis=0)
    cross = np.outer(square, count)
    overall = (cross + cross.T) / 2 - np.outer(total, total)
    sums = {
        "n": n,
        "asked": requested.T @ requested,
        "changed": n - same,
        "squares": squares,
        "apart_n": np.outer(count, count) - n,
        "apart_squares": overall - squares,
    }
    return PairSums(facets, sums)


def variance_components(sums: PairSums) -> dict[Term, float | None]:
    """The components of the variance of an answer to vignettes crossed with the sums' facets.

    With x = μ + vignette + prompt variant + order + what each two and all three do together, half
    the mean squared difference E(D) of the pairs of answers that differ in the facets D, and in no
    other, is the sum of the components in which any of D has a part. So c(T) = E(all) − E(not T)
    is the sum of those in which T alone has, and that of T itself Σ (−1)^(|T| − |U|) c(U) over all
    U within T. In a complete table these are the estimates of the ANOVA, from expected mean
    squares; with missing cells they stay unbiased as long as what is missing does not hang on the
    answer. An estimate can lie below zero. Null where it needs pairs that are not there.

    Where each prompt was asked once, what acts on all three together cannot be told from chance,
    and both are the `RESIDUAL`; where prompts were asked several times, chance is `AGAIN`.

    >>> facets = {"prompt_variant": np.array([0, 0, 1, 1]), "scale_order": np.array([0, 1, 0, 1])}
    >>> answers = np.array([[2.0, 2, 0, 0], [0, 0, -2, -2]])  # ±1 by vignette, ±1 by variant
    >>> result = variance_components(pair_sums(answers, np.isnan(answers), facets))
    >>> {term: value for term, value in result.items() if value}
    {('vignette',): 2.0, ('prompt_variant',): 2.0}
    """
    names = (VIGNETTE, *sums.facets)
    terms = [term for size in range(len(names) + 1) for term in combinations(names, size)]
    squares = {t: sums.half_square(tuple(name for name in names if name not in t)) for t in terms}
    again = squares[names]
    # without a prompt that was asked twice an answer is beside itself, and does not differ
    squares[names] = again or 0.0
    result = {term: _component(term, squares) for term in terms if term}
    if again is not None:
        return {**result, (AGAIN,): again}
    return {**{t: result[t] for t in result if t != names}, (RESIDUAL,): result[names]}


def facet_statistics(
    answers: Matrix | Answers,
    variants: Sequence[Hashable],
    orders: Sequence[Hashable],
    *,
    reasons: MatrixReasons = None,
) -> list[Statistic]:
    """How often and how far the answers to a vignette move, and the components of their variance.

    `answers` is vignettes × columns, −2 … +2 or NaN; `variants` and `orders` name the prompt
    variant and the order of the scale of each column, and columns alike in both are the same prompt
    asked again. For the pairs of answers to one vignette that differ in the order alone, in the
    prompt variant alone, in both, or in neither (`AGAIN`): `answer_change`, the share with another
    label, and `half_squared_difference`. Each pair counts once; n counts the vignettes that have
    one. Then each of `variance_components`, and `variance_share`, its part of their sum, in which
    those below zero are 0; n counts the vignettes with an answer.

    The intervals are a jackknife's over prompt variants, for new ones: of pairs as in
    `over_variants`, of components and shares with t of ⌊K/2⌋ degrees of freedom. They are for these
    orders of the scale, which are too few to infer to others. In the lowest and the highest case of
    `answer_change` none and all of the pairs with an unscored answer differ.

    Empty where there is one prompt variant alone, or where each vignette was asked once in each.

    >>> rows = facet_statistics([[2, 1, 2, 0]], ["v0", "v0", "v1", "v1"], ["a", "b", "a", "b"])
    >>> [(row.member, row.estimate.value) for row in rows if row.name == CHANGE]
    [('prompt_variant', 0.5), ('scale_order', 1.0), ('prompt_variant × scale_order', 1.0)]
    """
    whole = Answers.of(answers, reasons)
    matrix, unscored = whole.values, whole.unscored
    same_length({"variants": variants, "orders": orders, "columns of answers": matrix.T})
    facets = {name: first_seen(c)[0] for name, c in ((VARIANT, variants), (ORDER, orders))}
    facets = {name: codes for name, codes in facets.items() if len(np.unique(codes)) > 1}
    if VARIANT not in facets or len(np.unique(facets[VARIANT])) == matrix.shape[1]:
        return []
    sums, there = pair_sums(matrix, unscored, facets), (~np.isnan(matrix)).astype(np.float64)
    answered = np.unique(facets[VARIANT][there.any(axis=0)])
    # of all columns, then without each prompt variant that has an answer
    pieces = [sums, *map(sums.without, answered)]
    gaps = int(unscored.any(axis=1).sum())
    estimate = partial(_estimate, gaps=gaps, orders=facets.get(ORDER))
    table = []
    for differ in (*_within(tuple(facets)), ()):
        pairs = sums.which(differ)
        changed, n, pairs_asked = sums.over(pairs, "changed", "n", "asked")
        if pairs_asked:
            # none, or all, of the pairs with an unscored answer differ
            cases = changed / pairs_asked, (changed + pairs_asked - n) / pairs_asked
            vignettes = int((there * (there @ pairs)).any(axis=1).sum())
            shares = [part.change(differ) for part in pieces]
            squares = [part.half_square(differ) for part in pieces]
            change = estimate(shares, vignettes, scaling=LOGIT, cases=cases, rate=True)
            member = CROSS.join(differ) or AGAIN
            table += [
                Statistic(CHANGE, "rate", change, FACET, member),
                Statistic(
                    HALF_SQUARE, "score", estimate(squares, vignettes, scaling=LOG), FACET, member
                ),
            ]
    return [*table, *_components(pieces, partial(estimate, n=int(there.any(axis=1).sum())))]


def _components(
    parts: Sequence[PairSums], estimate: Callable[..., Estimate]
) -> Iterator[Statistic]:
    """Every component of variance, and its share."""
    values = [variance_components(part) for part in parts]
    shares = [_shares(components) for components in values]
    for term, component in values[0].items():
        member = CROSS.join(term)
        # prompts that were asked again may all be of the variant that is left out
        of_term = estimate([of.get(term) for of in values])
        yield Statistic(COMPONENT, "score", of_term, FACET, member)
        share = estimate([of.get(term) for of in shares])
        if share.low is not None and share.high is not None:
            share = replace(share, low=max(0.0, share.low), high=min(1.0, share.high))
        if component is not None and component < 0:
            share = noted(share, message("estimated below zero, and counted as 0"))
        yield Statistic(SHARE, "rate", share, FACET, member)


def _estimate(
    values: Sequence[float | None],
    n: int,
    *,
    gaps: int,
    orders: Codes | None,
    scaling: Scaling = PLAIN,
    cases: Cases | None = None,
    rate: bool = False,
) -> Estimate:
    """The first value with its interval over variants, from the others, without each of them.

    Without `cases` it is of the scored answers alone.
    """
    value, *left = values
    ends = cases or ((None, None) if gaps else (value, value))
    limits, method = limits_over_variants(value, left, scaling, rate=rate)
    if orders is not None:
        n_orders = len(np.unique(orders))
        method = message("{method}, for these {n} orders of the scale", method=method, n=n_orders)
    low, high = limits or (None, None)
    return Estimate(value, low, high, n, gaps, *ends, _TARGET, over_scored(method, gaps))


def _shares(components: Mapping[Term, float | None]) -> dict[Term, float | None]:
    """The parts of the components' sum, those below zero as 0; null where nothing varies.

    >>> _shares({("vignette",): 3.0, ("scale_order",): -0.1, ("residual",): 1.0})
    {('vignette',): 0.75, ('scale_order',): 0.0, ('residual',): 0.25}
    """
    positive = {term: max(0.0, value) for term, value in components.items() if value is not None}
    total = sum(positive.values())
    if len(positive) < len(components) or total <= _ROUNDING:
        return dict.fromkeys(components)
    return {term: value / total for term, value in positive.items()}


def _within(names: Term) -> list[Term]:
    """The combinations of the names, from single ones up.

    >>> _within(("a", "b"))
    [('a',), ('b',), ('a', 'b')]
    """
    return [term for size in range(1, len(names) + 1) for term in combinations(names, size)]


def _component(term: Term, squares: Mapping[Term, float | None]) -> float | None:
    """Σ (−1)^(|T| − |U|) c(U) over the U within T, from the half squares of what U share."""
    total, result = squares[()], 0.0
    for part in _within(term):
        alike = squares[part]
        if total is None or alike is None:
            return None
        result += (-1) ** (len(term) - len(part)) * (total - alike)
    # what is zero on paper has no sign
    return 0.0 if abs(result) < _ROUNDING else result


def _ratio(total: float, count: float) -> float | None:
    return total / count if count else None
