"""Prediction-powered inference: a judge's mean, corrected by the labels of a sample of its answers.

A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan, T. Zrnic: "Prediction-powered inference"
(Science, 2023); A. N. Angelopoulos, J. C. Duchi, T. Zrnic: "PPI++" (arXiv:2311.01453) for the tuned
λ. For a sample that was drawn with known chances it is the difference estimator of survey sampling
(C.-E. Särndal, B. Swensson, J. Wretman: "Model Assisted Survey Sampling", 1992, chapters 3 to 6).
"""

import math
from dataclasses import dataclass

import numpy as np

from ..errors import DataError, UsageError
from .estimate import Estimate, Target
from .groups import Clusters, cluster_codes, first_seen
from .inputs import Bools, Column, Floats, between, numbers, same_length
from .intervals import Bounds, Codes, normal, student

_ROUNDING = 1e-12

FEWEST = 2
"""The fewest labels of a stratum from which a spread can be told."""


@dataclass(frozen=True, slots=True)
class Powered:
    """A corrected mean for two targets, and what it was made of.

    `these` is for the rows themselves, `new` for new rows of the kind; they share the value. `raw`
    is the mean of the predictions, `rectifier` what the labels add to `tuning` times it (with the
    mean in place of absent predictions). `labelled` counts labels, `judged` rows with a prediction,
    `rows` all.
    """

    these: Estimate
    new: Estimate
    raw: float | None
    rectifier: float
    tuning: float
    labelled: int
    judged: int
    rows: int


def prediction_powered_mean(
    predicted: Column,
    labels: Column,
    *,
    bounds: Bounds,
    strata: Clusters | None = None,
    clusters: Clusters | None = None,
    where: Bools | None = None,
    tuning: float | None = None,
) -> Powered:
    """The mean of the labels had all rows been labelled: λ · mean(f) + mean of (y − λf), weighted.

    A row per answer: `predicted` has f (NaN: unscored, the mean of the others stands in, which
    costs precision and no truth), `labels` has y (NaN: not labelled). Within a stratum the labelled
    rows are a simple random sample without replacement, so a label of stratum h has the weight
    N_h/n_h. `where` restricts the mean to a domain. λ is the `tuning`, or the one in [0, 1] with
    the least variance: Σ g_h cov_h(y, f) / Σ g_h var_h(f), g_h = N_h²(1/n_h − 1/N_h).

    For these rows the variance is Σ g_h s_h²/N², s_h² the variance of y − λf in stratum h: a
    stratum that is labelled whole has none. For new rows every row's influence counts, λ(f − f̄)
    and the residual of its stratum and of itself times its weight, summed within `clusters` and
    squared: without clusters this is the same plus S_y²/N. Limits are ±t, Satterthwaite's degrees
    of freedom, with one residual of full size more in the variance (as Agresti & Min 2005 add to a
    paired difference), and never nearer than Wilson's limit for 0 residuals among the labels.

    Strata with fewer than two labels, unless labelled whole, are taken together.

    >>> result = prediction_powered_mean([1, 1, 0, 0], [1, None, None, 1], bounds=(0, 1), tuning=1)
    >>> result.these.value, result.raw, result.rectifier  # 0.5 + (0 + 1)/2
    (1.0, 0.5, 0.5)
    """
    f = between(numbers(predicted, "predicted"), "predicted", *bounds)
    y = between(numbers(labels, "labels"), "labels", *bounds)
    n = same_length({"predicted": f, "labels": y, "where": where})
    inside = np.ones(n, dtype=np.bool_) if where is None else np.asarray(where, dtype=np.bool_)
    layer = np.zeros(n, dtype=np.intp) if strata is None else first_seen(strata)[0]
    same_length({"predicted": f, "strata": layer})
    if tuning is not None and not 0 <= tuning <= 1:
        raise UsageError(f"tuning {tuning!r} must lie between 0 and 1; 1 is untuned")
    if (layer < 0).any():
        raise DataError("a row has no stratum: every row was drawn from one")
    labelled = ~np.isnan(y)
    if int((labelled & inside).sum()) < FEWEST:
        raise DataError("fewer than two labels: nothing can be corrected by them")
    rows = stratified(layer, labelled, inside)
    scored = inside & ~np.isnan(f)
    raw = float(f[scored].mean()) if scored.any() else None
    known_labels = np.where(labelled, y, 0.0)
    filled = np.where(np.isnan(f), bounds[0] if raw is None else raw, f)
    lam = _tuned(rows, known_labels, filled) if tuning is None else tuning
    judged, errors = float(filled[inside].mean()), known_labels - lam * filled
    rectifier = rows.mean(errors)
    codes = cluster_codes(clusters, n)
    residual = np.where(rows.known, errors - rectifier, 0.0)
    design, degrees = _design(rows, residual)
    across, units = _across(rows, residual, lam * (filled - judged), codes)
    variance, span = max(across, design), bounds[1] - bounds[0]
    apart = design**2 / degrees + (variance - design) ** 2 / max(units - 1, 1)
    freedom = variance**2 / apart if apart > 0 else degrees
    of_these = _half(rows, design, degrees, span)
    # nothing seen of a spread between clusters is no proof that there is none
    unseen = span * _unseen(units)
    of_new = max(of_these, _half(rows, variance, freedom, span), unseen)
    method = f"prediction-powered, λ {lam:.2g}, "
    method += "one stratum" if len(rows.sizes) == 1 else f"{len(rows.sizes)} strata"
    if codes is not None:
        method += f", {units} clusters"
    labelled_rows, value = int(rows.known.sum()), lam * judged + rectifier

    def estimate(target: Target, half: float) -> Estimate:
        shown, low, high = (
            min(max(at, bounds[0]), bounds[1]) for at in (value, value - half, value + half)
        )
        return Estimate(shown, low, high, labelled_rows, 0, shown, shown, target, method)

    return Powered(
        these=estimate("these items", of_these),
        new=estimate("new items of the kind", of_new),
        raw=raw,
        rectifier=rectifier,
        tuning=lam,
        labelled=labelled_rows,
        judged=int(scored.sum()),
        rows=int(inside.sum()),
    )


@dataclass(frozen=True, slots=True)
class _Sampled:
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
        used = np.where(self.sampled, values, 0.0)
        result: Floats = np.bincount(self.strata, weights=used) / self.drawn
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


def stratified(layer: Codes, sampled: Bools, inside: Bools) -> _Sampled:
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
    return _Sampled(
        strata=codes,
        sampled=sampled,
        inside=inside,
        sizes=np.bincount(codes).astype(np.float64),
        drawn=np.bincount(codes, weights=sampled).astype(np.float64),
    )


def _tuned(rows: _Sampled, y: Floats, f: Floats) -> float:
    """λ; 1 where the predictions do not vary within any stratum, and every λ does the same."""
    first, second = (np.where(rows.inside, column - rows.mean(column), 0.0) for column in (y, f))
    variance = float(rows.covariances(second, second).sum())
    if variance <= _ROUNDING:
        return 1.0
    return min(1.0, max(0.0, float(rows.covariances(first, second).sum()) / variance))


def _design(rows: _Sampled, residual: Floats) -> tuple[float, float]:
    """The variance for these rows, and Satterthwaite's degrees of freedom."""
    shares = rows.covariances(residual, residual) / float(rows.inside.sum()) ** 2
    variance = float(shares.sum())
    free = np.maximum(rows.drawn - 1, 1)
    if variance <= 0:
        return variance, float(free.sum())
    return variance, variance**2 / float((shares**2 / free).sum())


def _across(
    rows: _Sampled, residual: Floats, predicted: Floats, codes: Codes | None
) -> tuple[float, int]:
    """The variance between clusters, from λ(f − f̄) too, and how many there are."""
    free = np.maximum(rows.drawn - 1, 1)
    # so that a stratum's squares add up to its variance, whose divisor is n_h − 1
    few = np.sqrt(np.where(rows.drawn > 1, rows.drawn / free, 1.0))[rows.strata]
    influence = (
        np.where(rows.inside, predicted, 0.0)
        + rows.stratum_means(residual)[rows.strata]
        + rows.weights * rows.centred(residual) * few
    ) / float(rows.inside.sum())
    units = np.arange(len(influence)) if codes is None else codes
    sums = np.bincount(units, weights=influence)
    count = int((np.bincount(units, weights=rows.inside) > 0).sum())
    return float(np.square(sums).sum()) * count / max(count - 1, 1), count


def _half(rows: _Sampled, variance: float, freedom: float, span: float) -> float:
    """How far the limits are from the value; `span` is the size of the largest residual."""
    unlabelled, labels = 1 - float(rows.known.sum()) / float(rows.inside.sum()), rows.effective
    extra = unlabelled * (span / labels) ** 2
    least = math.sqrt(unlabelled) * span * _unseen(labels)
    return max(student(max(1, round(freedom))) * math.sqrt(variance + extra), least)


def _unseen(count: float) -> float:
    """Wilson's upper limit for 0 of so many."""
    squared = normal() ** 2
    return squared / (count + squared)
