"""A stratified random sample without replacement: weights, weighted means, design variances.

C.-E. Särndal, B. Swensson, J. Wretman: "Model Assisted Survey Sampling" (1992), chapters 3 and 5.
"""

from dataclasses import dataclass

import numpy as np

from .inputs import Bools, Floats
from .intervals import Codes

FEWEST = 2
"""The fewest labels of a stratum from which a spread can be told."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """Rows in strata 0 … H − 1, which of them were sampled, and which belong to the domain.

    `sizes` are the strata's N_h, `drawn` their n_h. Columns have a value per row; of rows that were
    not sampled it is not looked at.
    """

    strata: Codes
    sampled: Bools
    inside: Bools
    sizes: Floats
    drawn: Floats

    @property
    def known(self) -> Bools:
        """The sampled rows of the domain."""
        return self.sampled & self.inside

    @property
    def weights(self) -> Floats:
        """How many rows each sampled row stands for, N_h/n_h; 0 for the others."""
        result: Floats = np.where(self.sampled, (self.sizes / self.drawn)[self.strata], 0.0)
        return result

    @property
    def effective(self) -> float:
        """How many rows of equal weight the domain's sampled rows amount to (Kish)."""
        weights = self.weights[self.known]
        return float(weights.sum() ** 2 / np.square(weights).sum())

    def mean(self, values: Floats) -> float:
        """The weighted mean of the domain's sampled rows."""
        weights = self.weights * self.inside
        return float((weights * values).sum() / weights.sum())

    def stratum_means(self, values: Floats) -> Floats:
        """The mean over the sampled rows of each stratum."""
        kept = np.where(self.sampled, values, 0.0)
        result: Floats = np.bincount(self.strata, weights=kept) / self.drawn
        return result

    def centred(self, values: Floats) -> Floats:
        """The sampled rows' values less the mean of their stratum; 0 elsewhere."""
        means = self.stratum_means(values)[self.strata]
        result: Floats = np.where(self.sampled, values - means, 0.0)
        return result

    def covariances(self, one: Floats, other: Floats) -> Floats:
        """Per stratum what it adds to the covariance of two estimated totals over all rows.

        N_h²(1/n_h − 1/N_h) s_h, s_h the sample covariance in the stratum: nothing for a stratum
        that was sampled whole.
        """
        products = np.bincount(self.strata, weights=self.centred(one) * self.centred(other))
        few = np.maximum(self.drawn - 1, 1)
        result: Floats = self.sizes**2 * (1 / self.drawn - 1 / self.sizes) * products / few
        return result


def stratified(layer: Codes, sampled: Bools, inside: Bools) -> Sampled:
    """The sample; strata with fewer than two sampled rows, unless sampled whole, become one.

    >>> rows = stratified(np.array([0, 0, 1, 1]), np.array([1, 1, 1, 0]) > 0, np.ones(4) > 0)
    >>> rows.sizes.tolist(), rows.drawn.tolist()  # the second has one, and joins the first
    ([4.0], [3.0])
    """
    count = int(layer.max(initial=0)) + 1
    sizes = np.bincount(layer, minlength=count)
    drawn = np.bincount(layer, weights=sampled, minlength=count)
    poor = (drawn < FEWEST) & (drawn < sizes)
    if poor.any():
        # taken together they may be too few still: then with the largest of the others
        if drawn[poor].sum() < FEWEST and not poor.all():
            poor[np.argmax(np.where(poor, -1, drawn))] = True
        layer = np.where(poor[layer], np.flatnonzero(poor)[0], layer)
    codes = np.unique(layer, return_inverse=True)[1].astype(np.intp)
    return Sampled(
        strata=codes,
        sampled=sampled,
        inside=inside,
        sizes=np.bincount(codes).astype(np.float64),
        drawn=np.bincount(codes, weights=sampled).astype(np.float64),
    )
