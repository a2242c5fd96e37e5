"""Vignettes of two runs: what varies is the prompt, so its variants are what is inferred over.

The vignettes of a context are an enumerated factorial. A test over thousands of them is given as
published, and is not relied on. Of a slice of them the shares have the interval of a sample without
replacement.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from ..categorical import Categorical, combined, first_rows
from ..messages import message
from ..metrics.answers import by_vignette, failures
from ..metrics.estimate import Estimate, Unit
from ..metrics.groups import Rows
from ..metrics.inputs import Bools, Floats
from ..metrics.majority import LIKERT
from ..metrics.paired import enumerated_difference, scored_in_both
from ..metrics.variants import variant_difference, variant_means, variant_test
from ..metrics.vignette_norms import VignetteNorms, vignette_norms
from ..records.item import Item, varying
from .align import Aligned
from .outcomes import Texts, contrasted
from .result import Difference, Unscored

SHARES = ("accept_share", "reject_share", "neutral_share", "undecided", "no_answer")
"""The shares of vignettes that are compared."""


@dataclass(frozen=True, slots=True)
class Vignettes:
    """The answers of every run as vignettes × variants, −2 … +2 or NaN; the unscored, and why.

    `variants` names each column; the orders of one variant, which `orders` names, carry one name.
    `norms` are those of each run by the rule of the first.
    """

    aligned: Aligned
    items: tuple[Item, ...]
    variants: tuple[str, ...]
    orders: tuple[str, ...]
    answers: tuple[Floats, ...]
    unscored: tuple[Bools, ...]
    reasons: tuple[Texts, ...]
    norms: tuple[VignetteNorms, ...]
    name: ClassVar = "mean_acceptability"
    gated_as: ClassVar = "norm_shift"
    unit: ClassVar[Unit] = "score"
    bounds: ClassVar = (float(LIKERT[0]), float(LIKERT[-1]))
    primary: ClassVar = True
    beside: ClassVar = False
    member: ClassVar = ""

    @property
    def absent(self) -> tuple[Bools, ...]:
        """The answers without a value in each run."""
        return self.unscored

    @property
    def size(self) -> int:
        """How many answers there should be."""
        return self.unscored[0].size

    @property
    def dimensions(self) -> Mapping[str, Categorical]:
        """The factors by which the vignettes are broken down."""
        levels = varying([item.facets for item in self.items])
        return {name: Categorical.of(column) for name, column in levels.items()}

    def without(self, answers: Bools) -> "Vignettes":
        """The same without these answers."""
        return replace(self, unscored=tuple(each & ~answers for each in self.unscored))

    def contrast(
        self, first: int, second: int, rows: Rows = slice(None), *, level: float = 0.95
    ) -> Difference:
        """The mean answer of the run at `second` less that of the run at `first`, over variants.

        `variant_difference` and its t test, of what both answered. Unscored answers stand at −2 and
        +2 in the lowest and the highest case.
        """
        a, b = self.answers[second][rows], self.answers[first][rows]
        gaps = self.unscored[second][rows], self.unscored[first][rows]
        alike = self.reasons[second][rows] == self.reasons[first][rows]
        of = partial(variant_difference, a, b, variants=self.variants, level=level)
        result, whole = of(), of(unscored=gaps)
        text = message("{method}, over {n} vignettes", method=result.method, n=len(a))
        both = ~(np.isnan(a) | np.isnan(b))
        means = [
            [*variant_means(np.where(both, answers, np.nan), self.variants).values()]
            for answers in (b, a)
        ]
        values = [float(np.nanmean(answers)) if result.n else None for answers in means]
        several = len(set(self.variants)) > 1
        lost, in_both = (gaps[0] | gaps[1]).sum(), (gaps[0] & gaps[1] & alike).sum()
        return Difference(
            **self.aligned.pair(first, second),
            statistic=self.name,
            unit=self.unit,
            role="primary",
            first_value=values[0],
            second_value=values[1],
            estimate=replace(scored_in_both(result, whole), method=text),
            unscored=Unscored(int(lost), int(in_both), whole.low, whole.high),
            test=variant_test(a, b, variants=self.variants) if several else None,
        )

    def share(self, name: str, first: int, second: int) -> Difference:
        """The difference of a share of the vignettes.

        Shares are described and not tested. Of all vignettes they are exact; what is unscored
        counts as not drawn.
        """
        a, b = (self.norms[run].outcomes[name] for run in (second, first))
        gaps = self.unscored[second] | self.unscored[first]
        apart = (self.reasons[second] != self.reasons[first]) & gaps
        size = self.aligned.population or len(a)

        def estimate(scored: Bools) -> Estimate:
            result = enumerated_difference(a[scored], b[scored], population=size)
            # all vignettes were asked: there are no others to be inferred to
            return result if size != len(a) else replace(result, target="these items")

        about = {"statistic": name, "unit": "rate", "role": "secondary"}
        about |= self.aligned.pair(first, second)
        return contrasted(about, a, b, estimate, alike=~apart.any(axis=1))

    def means(self, run: int) -> dict[str, float]:
        """The mean answer in each variant, orders of the scale together; NaN where none is."""
        return variant_means(self.answers[run], self.variants)


def vignettes(aligned: Aligned) -> Vignettes:
    """The acceptability of every vignette in every variant and order of the scale."""
    item_id, variant, order = map(aligned.of_items, ("item_id", "variant_id", "scale_order"))
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
    majority = aligned.settings.majority._asdict()
    return Vignettes(
        aligned=aligned,
        items=tuple(aligned.distinct_items()),
        variants=tuple(name or "" for name in variant[first]),
        orders=tuple(name or "" for name in order[first]),
        answers=answers,
        unscored=unscored,
        reasons=tuple(np.array(matrix.tolist(), dtype=object) for matrix in reasons),
        norms=tuple(
            # every run was asked every column, whatever failed in it
            vignette_norms(*pair, **majority, requested=True)
            for pair in zip(answers, unscored, strict=True)
        ),
    )
