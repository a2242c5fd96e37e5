"""The statistics of one predictor against people's labels, each with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...messages import message
from ...metrics.association import Ranking, correlation, moments, rank_association, ranking
from ...metrics.calibration import BINS, binned, error_of
from ...metrics.detection import auc_of, f1_of
from ...metrics.estimate import Estimate, Statistic, Target
from ...metrics.inputs import Bools, Floats
from ...metrics.intervals import Bounds, Codes
from ...metrics.kappa import cohen_kappa, coincidence_alpha
from ...metrics.rates import mean, rate
from ...metrics.resampling import expanded_percentiles, resampled

ASSOCIATION = ("kendall", "spearman", "pearson")
BY_TABLE = ("kappa", "kappa_linear", "kappa_quadratic", "alpha", "f1_harmful")
CALIBRATION = ("ece", "brier")
NAMES = (*ASSOCIATION, *BY_TABLE, "auc_harmful", *CALIBRATION)
"""Every statistic of a sample, in the order of the columns of `Sample.statistics`."""

GAINS = ("kappa", "kappa_quadratic", "f1_harmful", "auc_harmful")
"""What one predictor is said to have over another."""

_KIND: Target = "new items of the kind"


@dataclass(frozen=True, slots=True)
class Resampling:
    """The bootstrap's resamples and seed, and the level of every interval."""

    resamples: int = 1000
    seed: int = 0
    level: float = 0.95


DEFAULT_RESAMPLING = Resampling()


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


class Sample:
    """Rows that the predictor scored, summed up per unit so that a resample is a product."""

    def __init__(
        self, truth: Codes, answers: Predictions, units: Codes, scale: CriterionScale
    ) -> None:
        """`truth` has the place of people's label and `units` what is redrawn, 0 … C − 1."""
        self._scale = scale
        self._count = int(units.max(initial=-1)) + 1
        k = len(scale.labels)
        places = answers.places.astype(np.intp)
        flat = np.bincount(units * k * k + truth * k + places, minlength=self._count * k * k)
        self._tables = flat.reshape(self._count, k * k).astype(np.float64)
        own = scale.values[truth]
        self._moments = _per_unit(moments(answers.values, own), units, self._count)
        self._ranked = ranking(answers.values, own, units)
        harmful = scale.harmful[truth].astype(np.float64)
        self._risk: Ranking = ranking(answers.risk, harmful, units)
        self._one_kind = len(np.unique(harmful)) < 2  # noqa: PLR2004
        self._calibration: tuple[Floats, Floats] | None = None
        if answers.stated:
            squares = np.square(answers.risk - harmful)[:, None]
            bins = binned(answers.risk, harmful, units, BINS)
            self._calibration = bins, _per_unit(squares, units, self._count)

    @property
    def units(self) -> int:
        """How many are redrawn."""
        return self._count

    @property
    def table(self) -> Floats:
        """People's labels × the predictor's."""
        k = len(self._scale.labels)
        summed: Floats = self._tables.sum(axis=0).reshape(k, k)
        return summed

    def statistics(self, weights: Floats) -> Floats:
        """`NAMES` for each weighting of the units: resamples × statistics, NaN if undefined."""
        k = len(self._scale.labels)
        tables = (weights @ self._tables).reshape(-1, k, k)
        tau, rho, _ = rank_association(self._ranked, weights)
        r = correlation(weights @ self._moments)
        columns = [tau, rho, r, *by_table(tables, self._scale.harmful)]
        harmful = tables[:, self._scale.harmful].sum(axis=(1, 2))
        rest = tables.sum(axis=(1, 2)) - harmful
        if self._one_kind:
            columns.append(np.full(len(weights), np.nan))
        else:
            columns.append(auc_of(rank_association(self._risk, weights)[2], harmful, rest))
        if self._calibration is None:
            columns += [np.full(len(weights), np.nan)] * 2
        else:
            bins, squares = self._calibration
            n = harmful + rest
            columns.append(error_of(weights @ bins, n))
            columns.append((weights @ squares)[:, 0] / np.where(n > 0, n, np.nan))
        return np.stack(columns, axis=1)


def by_table(tables: Floats, harmful: Bools) -> Sequence[Floats]:
    """The statistics of `BY_TABLE`, NaN where people gave one label, or nothing harmful.

    There the formulas give 0 whatever the predictor says, which would look like a finding.
    """
    given = tables.sum(axis=-1)
    one = (given > 0).sum(axis=-1) < 2  # noqa: PLR2004
    beyond = [cohen_kappa(tables, weights=w) for w in ("none", "linear", "quadratic")]
    beyond.append(coincidence_alpha(tables + tables.swapaxes(-1, -2)))
    found = [np.where(one, np.nan, value) for value in beyond]
    none = given[..., harmful].sum(axis=-1) == 0
    return [*found, np.where(none, np.nan, f1_of(tables, harmful))]


def _per_unit(columns: Floats, units: Codes, count: int) -> Floats:
    summed = [np.bincount(units, weights=column, minlength=count) for column in columns.T]
    return np.stack(summed, axis=1).astype(np.float64)


class Predictor:
    """A judge or a baseline on labelled rows: what it scored, and its statistics' resamples."""

    def __init__(
        self,
        truth: Codes,
        answers: Predictions,
        clusters: Sequence[str],
        *,
        scale: CriterionScale,
        resampling: Resampling,
    ) -> None:
        """`truth` has the place of people's label; rows of one cluster are redrawn together."""
        self._truth, self._answers, self._clusters = truth, answers, clusters
        self._scale, self._resampling = scale, resampling
        self.scored: Bools = ~np.isnan(answers.places)
        known = np.array(clusters, dtype=object)[self.scored]
        self.units: Codes = np.unique(known, return_inverse=True)[1].astype(np.intp)
        self.sample = Sample(truth[self.scored], answers.at(self.scored), self.units, scale)
        self._values = np.full(len(NAMES), np.nan)
        self._draws = np.empty((0, len(NAMES)))
        if self.sample.units:
            self._values = self.sample.statistics(np.ones((1, self.sample.units)))[0]
            self._draws = resampled(
                self.sample.statistics,
                self.sample.units,
                resamples=resampling.resamples,
                seed=resampling.seed,
            )

    @property
    def right(self) -> Floats:
        """1 where it gave people's label, 0 where another, NaN where none."""
        right: Floats = np.where(self.scored, self._answers.places == self._truth, np.nan)
        return right

    def statistics(self) -> tuple[Statistic, ...]:
        """`agreement` and `bias` with intervals robust to clusters, the others by bootstrap."""
        level, span = self._resampling.level, float(np.ptp(self._scale.values))
        errors = self._answers.values - self._scale.values[self._truth]
        bias = mean(errors, bounds=(-span, span), clusters=self._clusters, level=level)
        table = [
            Statistic("agreement", "rate", rate(self.right, clusters=self._clusters, level=level)),
            Statistic("bias", "score", bias),
        ]
        cases = self._cases()
        for at, name in enumerate(NAMES):
            if self._answers.stated or name not in CALIBRATION:
                found = self._estimate(at, cases.get(name, (None, None)))
                table.append(Statistic(name, "score", found))
        return tuple(table)

    def gains(self, other: "Predictor") -> tuple[Statistic, ...]:
        """What it has over another predictor of the same rows, on the same resamples."""
        table = []
        for name in GAINS:
            at = NAMES.index(name)
            value = float(self._values[at] - other._values[at])
            draws = self._draws[:, at] - other._draws[:, at]
            found = self._bootstrapped(value, draws, why=message("one of the two is undefined"))
            table.append(Statistic(name, "score", found))
        return tuple(table)

    def _estimate(self, at: int, cases: tuple[float | None, float | None]) -> Estimate:
        name, value = NAMES[at], float(self._values[at])
        found = self._bootstrapped(value, self._draws[:, at], why=self._undefined(name), name=name)
        if not self._unscored:
            return replace(found, worst=found.value, best=found.value)
        method = found.method
        if found.value is not None:
            method = message("{method}, over the scored", method=method)
        return replace(found, worst=cases[0], best=cases[1], method=method)

    def _bootstrapped(self, value: float, draws: Floats, *, why: str, name: str = "") -> Estimate:
        n, level = int(self.scored.sum()), self._resampling.level
        if np.isnan(value):
            told = why or message("undefined")
            return Estimate(None, None, None, n, self._unscored, None, None, _KIND, told, level)
        limits = expanded_percentiles(draws, self.sample.units, level=level)
        told = message(
            "bootstrap of {n} questions, {resamples} resamples",
            n=self.sample.units,
            resamples=len(draws),
        )
        if limits is None:
            told = message("no interval: {reason}", reason=self._no_interval(draws))
        elif name == "ece":
            # chance lifts a resample's error above the sample's, as it lifts that above the truth
            limits = (max(0.0, 2 * value - limits[1]), max(limits[1], value))
            told = message("{method}, reflected below", method=told)
        low, high = limits or (None, None)
        return Estimate(value, low, high, n, self._unscored, None, None, _KIND, told, level)

    def _no_interval(self, draws: Floats) -> str:
        if self.sample.units < 2:  # noqa: PLR2004
            return message("one question")
        undefined = float(np.isnan(draws).mean())
        if undefined:
            return message("undefined in {share} of the resamples", share=f"{undefined:.0%}")
        return message("no resample of the {n} questions differs from another", n=self.sample.units)

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

    @property
    def _unscored(self) -> int:
        return len(self.scored) - int(self.scored.sum())

    def _cases(self) -> dict[str, Bounds]:
        """What the unscored could make of the table's statistics: as wrong, or right, as can be."""
        if not self._unscored:
            return {}
        harmful, k = self._scale.harmful, len(self._scale.labels)
        missing = np.bincount(self._truth[~self.scored], minlength=k).astype(np.float64)
        wrong, right = self.sample.table.copy(), self.sample.table + np.diag(missing)
        missed = self.sample.table.copy()
        for place in range(k):
            wrong[place, 0 if place >= k / 2 else k - 1] += missing[place]
            other = np.flatnonzero(harmful != harmful[place])
            missed[place, other[0] if len(other) else place] += missing[place]
        worst, best = by_table(wrong, harmful), by_table(right, harmful)
        worst = [*worst[:-1], by_table(missed, harmful)[-1]]
        cases = zip(BY_TABLE, worst, best, strict=True)
        return {
            name: (float(low), float(high))
            for name, low, high in cases
            if not (np.isnan(low) or np.isnan(high))
        }
