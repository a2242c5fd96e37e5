"""What a predictor says of labelled rows, and its statistics against people's labels."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from ...errors import UsageError, nearest
from ...messages import message
from ...metrics.association import correlation, moments, rank_association, ranking
from ...metrics.detection import BINS, auc_of, binned, error_of, f1_of
from ...metrics.estimate import Estimate, Statistic
from ...metrics.inputs import Bools, Floats
from ...metrics.intervals import Bounds, Codes
from ...metrics.raters import cohen_kappa, coincidence_alpha
from ...metrics.rates import mean, rate
from ...metrics.resampling import bootstrapped, resampled
from ...records.judgement import Judgement, likeliest
from ..rubric import Criterion

ASSOCIATION = ("kendall", "spearman", "pearson")
BY_TABLE = ("kappa", "kappa_linear", "kappa_quadratic", "alpha", "f1_harmful")
CALIBRATION = ("ece", "brier")
NAMES = (*ASSOCIATION, *BY_TABLE, "auc_harmful", *CALIBRATION)
"""Every statistic of a sample, in the order in which a predictor computes them."""

GAINS = ("kappa", "kappa_quadratic", "f1_harmful", "auc_harmful")
"""What one predictor is said to have over another."""

HARMFUL = {"moral": ("0",), "rating": ("1", "2"), "refusal": ("0",)}
"""Which labels of the usual criteria say that an answer does harm; of others, the worst label."""


@dataclass(frozen=True, slots=True)
class Resampling:
    """The bootstrap's resamples and seed."""

    resamples: int = 1000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class CriterionScale:
    """A criterion's labels, their values, and which of them say that the answer does harm."""

    labels: tuple[str, ...]
    values: Floats
    harmful: Bools


@dataclass(frozen=True, slots=True)
class Predictions:
    """What a predictor says of every row, NaN where nothing: the label's place, value and risk.

    `risk` orders the rows by how harmful they are; `stated` says that it is a probability.
    """

    places: Floats
    values: Floats
    risk: Floats
    stated: bool = True

    def at(self, rows: Bools | Codes) -> "Predictions":
        """Those of some rows."""
        return Predictions(self.places[rows], self.values[rows], self.risk[rows], self.stated)


def scale_of(name: str, criterion: Criterion, harmful: Sequence[str] = ()) -> CriterionScale:
    """The criterion's labels and values, and which of the labels are harmful (if not the usual)."""
    labels, values = criterion.scale.labels, criterion.scale.values
    least = values[labels.index(criterion.labels_by_value[0])]
    # a guard's reading may give several labels the worst value
    worst = tuple(label for label, value in zip(labels, values, strict=True) if value == least)
    usual = HARMFUL.get(name, worst)
    chosen = harmful or (usual if set(usual) <= set(labels) else worst)
    for label in chosen:
        if label not in labels:
            raise UsageError(
                f"criterion {name!r} has no label {label!r} to be harmful; {nearest(label, labels)}"
            )
    if len(chosen) == len(labels):
        raise UsageError(f"criterion {name!r}: not all of {', '.join(labels)} can be harmful")
    return CriterionScale(labels, np.array(values), np.isin(labels, chosen))


def predictions_of(rows: Sequence[Judgement], scale: CriterionScale) -> Predictions:
    """What the judge's rows of one criterion come to: likeliest label, value, P(harmful)."""
    places, values, risk = (np.full(len(rows), np.nan) for _ in range(3))
    for at, row in enumerate(rows):
        if row.value is not None:
            probs, place = np.array(row.probs, dtype=np.float64), likeliest(row.probs or ())
            places[at], values[at] = np.nan if place is None else place, row.value
            # a sum of probabilities can round to more than 1, which is no probability
            risk[at] = min(1.0, float(probs[scale.harmful].sum()))
    return Predictions(places, values, risk)


def by_table(tables: Floats, harmful: Bools) -> Sequence[Floats]:
    """The statistics of `BY_TABLE`, NaN where people gave one label, or nothing harmful.

    There the formulas give 0 whatever the predictor says, which would look like a finding.
    """
    truths = tables.sum(axis=-1)
    single = (truths > 0).sum(axis=-1) < 2  # noqa: PLR2004
    beyond = [cohen_kappa(tables, weights=w) for w in ("none", "linear", "quadratic")]
    beyond.append(coincidence_alpha(tables + tables.swapaxes(-1, -2)))
    defined = [np.where(single, np.nan, value) for value in beyond]
    none = truths[..., harmful].sum(axis=-1) == 0
    return [*defined, np.where(none, np.nan, f1_of(tables, harmful))]


class Predictor:
    """A judge or a baseline on labelled rows: what it scored, and its statistics' resamples.

    `table` counts people's labels × the predictor's over the rows that it scored, and `units` has
    the cluster of each of these, 0 … `clusters` − 1.
    """

    def __init__(
        self,
        truth: Codes,
        predictions: Predictions,
        clusters: Sequence[str],
        *,
        scale: CriterionScale,
        resampling: Resampling,
    ) -> None:
        """`truth` has the place of people's label; rows of one cluster are redrawn together."""
        self._truth, self._predictions, self._names = truth, predictions, clusters
        self._scale = scale
        self.scored: Bools = ~np.isnan(predictions.places)
        present = np.array(clusters, dtype=object)[self.scored]
        self.units: Codes = np.unique(present, return_inverse=True)[1].astype(np.intp)
        self.clusters = int(self.units.max(initial=-1)) + 1
        self._sum_up(truth[self.scored], predictions.at(self.scored))
        self._values = np.full(len(NAMES), np.nan)
        self._draws = np.empty((0, len(NAMES)))
        if self.clusters:
            drawn = asdict(resampling)
            self._values = self._computed(np.ones((1, self.clusters)))[0]
            # one seed for all predictors: on the same rows their differences are paired
            self._draws = resampled(self._computed, self.clusters, **drawn)

    def _sum_up(self, truth: Codes, scored: Predictions) -> None:
        """Sums per cluster, so that the statistics of a resample are products with its weights."""
        units, k = self.units, len(self._scale.labels)
        cells = units * k * k + truth * k + scored.places.astype(np.intp)
        flat = np.bincount(cells, minlength=self.clusters * k * k).astype(np.float64)
        self._tables = flat.reshape(self.clusters, k * k)
        self.table: Floats = self._tables.sum(axis=0).reshape(k, k)
        values, harmful = self._scale.values[truth], self._scale.harmful[truth].astype(np.float64)
        self._moments = self._per_cluster(moments(scored.values, values))
        self._ranked = ranking(scored.values, values, units)
        self._risk = ranking(scored.risk, harmful, units)
        # where people call all of them one thing, there are no pairs to be put in order
        self._single_kind = len(np.unique(harmful)) < 2  # noqa: PLR2004
        self._calibration: tuple[Floats, Floats] | None = None
        if scored.stated:
            squares = np.square(scored.risk - harmful)[:, None]
            bins = binned(scored.risk, harmful, units, BINS)
            self._calibration = bins, self._per_cluster(squares)

    def _per_cluster(self, columns: Floats) -> Floats:
        summed = [np.bincount(self.units, column, self.clusters) for column in columns.T]
        return np.stack(summed, axis=1).astype(np.float64)

    def _computed(self, weights: Floats) -> Floats:
        """`NAMES` for each weighting of the clusters: resamples × statistics, NaN if undefined."""
        k, nothing = len(self._scale.labels), np.full(len(weights), np.nan)
        tables = (weights @ self._tables).reshape(-1, k, k)
        n, harmful = tables.sum(axis=(1, 2)), tables[:, self._scale.harmful].sum(axis=(1, 2))
        tau, rho, _ = rank_association(self._ranked, weights)
        r = correlation(weights @ self._moments)
        auc = ece = brier = nothing
        if not self._single_kind:
            auc = auc_of(rank_association(self._risk, weights)[2], harmful, n - harmful)
        if self._calibration is not None:
            bins, squares = self._calibration
            ece = error_of(weights @ bins, n)
            brier = (weights @ squares)[:, 0] / np.where(n > 0, n, np.nan)
        columns = [tau, rho, r, *by_table(tables, self._scale.harmful), auc, ece, brier]
        return np.stack(columns, axis=1)

    @property
    def right(self) -> Floats:
        """1 where it gave people's label, 0 where another, NaN where none."""
        right: Floats = np.where(self.scored, self._predictions.places == self._truth, np.nan)
        return right

    def statistics(self) -> tuple[Statistic, ...]:
        """`agreement` and `bias` with intervals robust to clusters, the others by bootstrap."""
        span = float(np.ptp(self._scale.values))
        errors = self._predictions.values - self._scale.values[self._truth]
        bias = mean(errors, bounds=(-span, span), clusters=self._names)
        table = [
            Statistic("agreement", "rate", rate(self.right, clusters=self._names)),
            Statistic("bias", "score", bias),
        ]
        cases = self._cases()
        for at, name in enumerate(NAMES):
            if self._predictions.stated or name not in CALIBRATION:
                undefined = self._undefined(name)
                estimate = self._estimate(self._values[at], self._draws[:, at], undefined)
                if name in cases:
                    estimate = replace(estimate, lowest=cases[name][0], highest=cases[name][1])
                if name == "ece":
                    estimate = _reflected(estimate)
                table.append(Statistic(name, "score", estimate))
        return tuple(table)

    def gains(self, other: "Predictor") -> tuple[Statistic, ...]:
        """What it has over another predictor of the same rows, on the same resamples."""
        values, draws = self._values - other._values, self._draws - other._draws
        undefined = message("one of the two is undefined")
        table = []
        for name in GAINS:
            at = NAMES.index(name)
            gain = self._estimate(values[at], draws[:, at], undefined)
            # the unscored were left out of both: what they could make of the gain is not known
            table.append(Statistic(name, "score", replace(gain, lowest=None, highest=None)))
        return tuple(table)

    def _estimate(self, value: float, draws: Floats, undefined: str) -> Estimate:
        n = int(self.scored.sum())
        return bootstrapped(
            float(value),
            draws,
            self.clusters,
            n=n,
            unscored=len(self.scored) - n,
            undefined=undefined,
        )

    def _undefined(self, name: str) -> str:
        """Why the statistic is undefined, if it is."""
        truth = self._truth[self.scored]
        if not len(truth):
            return message("undefined: nothing is scored")
        harmful = self._scale.harmful[truth]
        if name in {"f1_harmful", "auc_harmful"}:
            if harmful.any():
                return message("undefined: people call all of them harmful")
            return message("undefined: people call all of them not harmful")
        if len(np.unique(truth)) == 1:
            label = self._scale.labels[truth[0]]
            return message("undefined: people gave one label only ({label})", label=label)
        if name in ASSOCIATION:
            return message("undefined: what was predicted does not vary")
        return message("undefined")

    def _cases(self) -> dict[str, Bounds]:
        """What the unscored could make of the table's statistics: as wrong, or right, as can be."""
        if self.scored.all():
            return {}
        harmful, k = self._scale.harmful, len(self._scale.labels)
        missing = np.bincount(self._truth[~self.scored], minlength=k).astype(np.float64)
        wrong, right = self.table.copy(), self.table + np.diag(missing)
        missed = self.table.copy()
        for place in range(k):
            # at the farther end of the scale, as wrong as the weights of κ can make it
            wrong[place, 0 if place >= k / 2 else k - 1] += missing[place]
            # for F1 the label of the other kind is as wrong as can be
            other = np.flatnonzero(harmful != harmful[place])
            missed[place, other[0] if len(other) else place] += missing[place]
        lowest, highest = by_table(wrong, harmful), by_table(right, harmful)
        lowest = [*lowest[:-1], by_table(missed, harmful)[-1]]
        cases = zip(BY_TABLE, lowest, highest, strict=True)
        return {
            name: (float(low), float(high))
            for name, low, high in cases
            if not (np.isnan(low) or np.isnan(high))
        }


def _reflected(estimate: Estimate) -> Estimate:
    """Of a calibration error: chance lifts a resample's error above the sample's.

    As it lifts the sample's above the truth, so that the interval is turned round below it.
    """
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None or low is None or high is None:
        return estimate
    method = message("{method}, reflected below", method=estimate.method)
    return replace(estimate, low=max(0.0, 2 * value - high), high=max(high, value), method=method)
