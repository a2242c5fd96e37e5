"""Vignettes of two runs: what varies is the prompt, so its variants are what is inferred over.

The vignettes of a context are an enumerated factorial. A test over thousands of them is given as
published, and is not relied on. Of a slice of them the shares have the interval of a sample without
replacement.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..categorical import combined, first_rows
from ..messages import message
from ..metrics.groups import Rows
from ..metrics.inputs import Bools, Floats
from ..metrics.norms import by_vignette, failures
from ..metrics.paired import enumerated_difference, scored_in_both
from ..metrics.variants import variant_difference, variant_means, variant_test
from ..metrics.vignette_norms import VignetteNorms, vignette_norms
from ..records.item import Item
from .align import Aligned
from .outcomes import Texts
from .result import Contrast, Unscored

SHARES = ("accept_share", "reject_share", "neutral_share", "undecided", "no_answer")
"""The shares of vignettes that are compared."""


@dataclass(frozen=True, slots=True)
class Vignettes:
    """The answers of every run as vignettes × variants, −2 … +2 or NaN; the unscored, and why.

    `variants` names each column; the orders of one variant, which `orders` names, carry one name.
    `norms` are those of each run by the rule of the first.
    """

    items: tuple[Item, ...]
    variants: tuple[str, ...]
    orders: tuple[str, ...]
    answers: tuple[Floats, ...]
    unscored: tuple[Bools, ...]
    reasons: tuple[Texts, ...]
    norms: tuple[VignetteNorms, ...]

    def shares(self) -> dict[str, tuple[Floats, ...]]:
        """Per share of `norm_consensus` a column per run, NaN where a vignette is unscored."""
        outcomes = [norms.outcomes for norms in self.norms]
        return {name: tuple(columns[name] for columns in outcomes) for name in SHARES}

    def means(self, run: int) -> dict[str, float]:
        """The mean answer in each variant, orders of the scale together; NaN where none is."""
        return variant_means(self.answers[run], self.variants)


def vignettes(aligned: Aligned) -> Vignettes:
    """The acceptability of every vignette in every variant and order of the scale."""
    item_id, variant, order = map(aligned.column, ("item_id", "variant_id", "scale_order"))
    # each order and sample of a variant is a column: it is an answer of its own
    replies = combined(variant, order, aligned.sample)
    first = first_rows(replies)
    answers, reasons = zip(
        *(
            by_vignette(item_id, replies, column.values, column.reasons)
            for column in aligned.criteria["acceptability"]
        ),
        strict=True,
    )
    unscored = tuple(map(failures, answers, reasons))
    return Vignettes(
        items=tuple(aligned.distinct_items()),
        variants=tuple(name or "" for name in variant[first]),
        orders=tuple(name or "" for name in order[first]),
        answers=answers,
        unscored=unscored,
        reasons=tuple(np.array(matrix.tolist(), dtype=object) for matrix in reasons),
        norms=tuple(
            # every run was asked every column, whatever failed in it
            vignette_norms(*pair, rule=aligned.rule, threshold=aligned.norm_threshold, asked=True)
            for pair in zip(answers, unscored, strict=True)
        ),
    )


def acceptability(
    vignettes: Vignettes,
    first: int,
    second: int,
    *,
    rows: Rows = slice(None),
    level: float = 0.95,
) -> Contrast:
    """The mean answer of the run at `second` less that of the run at `first`, over variants.

    `variant_difference` and its t test, of what both answered. Unscored answers stand at −2 and +2
    in the lowest and the highest case.
    """
    a, b = vignettes.answers[second][rows], vignettes.answers[first][rows]
    gaps = vignettes.unscored[second][rows], vignettes.unscored[first][rows]
    of = partial(variant_difference, a, b, variants=vignettes.variants, level=level)
    result, whole = of(), of(unscored=gaps)
    text = message("{method}, over {n} vignettes", method=result.method, n=len(a))
    both = ~(np.isnan(a) | np.isnan(b))
    means = [
        np.array(list(variant_means(np.where(both, answers, np.nan), vignettes.variants).values()))
        for answers in (b, a)
    ]
    values = tuple(float(np.nanmean(answers)) if result.n else None for answers in means)
    test = variant_test(a, b, variants=vignettes.variants)
    alike = vignettes.reasons[second][rows] == vignettes.reasons[first][rows]
    return Contrast(
        replace(scored_in_both(result, whole), method=text),
        Unscored(
            int((gaps[0] | gaps[1]).sum()),
            int((gaps[0] & gaps[1] & alike).sum()),
            whole.low,
            whole.high,
        ),
        test if len(set(vignettes.variants)) > 1 else None,
        (values[0], values[1]),
    )


def changed_shares(
    vignettes: Vignettes, first: int, second: int, *, population: int | None = None
) -> dict[str, Contrast]:
    """The differences of the shares of vignettes, of which the context has `population`.

    Shares are described and not tested. Of all vignettes they are exact; what is unscored counts as
    not drawn.
    """
    gaps = [vignettes.unscored[run] for run in (second, first)]
    apart = (vignettes.reasons[second] != vignettes.reasons[first]) & (gaps[0] | gaps[1])
    return {
        name: _share(columns[second], columns[first], ~apart.any(axis=1), population)
        for name, columns in vignettes.shares().items()
    }


def _share(a: Floats, b: Floats, alike: Bools, population: int | None) -> Contrast:
    """`alike` marks the vignettes whose unscored answers are so for the same reasons in both."""
    both = ~np.isnan(a - b)
    size = len(a) if population is None else population
    whole = enumerated_difference(a, b, population=size)
    result = enumerated_difference(a[both], b[both], population=size)
    # all vignettes were asked: there are no others to be inferred to
    if size == len(a):
        result = replace(result, target="these items")
    same = np.isnan(a) & np.isnan(b) & alike
    return Contrast(
        scored_in_both(result, whole),
        Unscored(int((~both).sum()), int(same.sum()), whole.low, whole.high),
        None,
        (float(b[both].mean()), float(a[both].mean())) if both.any() else (None, None),
    )
