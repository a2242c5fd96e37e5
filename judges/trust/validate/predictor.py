"""The statistics of one predictor against people's labels, each with its interval."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ....metrics.estimate import Estimate, Statistic, Target
from ....metrics.inputs import Bools, Floats
from ....metrics.intervals import Bounds, Codes
from ....metrics.rates import mean, rate
from ....metrics.resampling import expanded_percentiles, resampled
from ....report.trust.card_drawing import Drawing
from .sample import (
    ASSOCIATION,
    BY_TABLE,
    CALIBRATION,
    NAMES,
    Answers,
    CriterionScale,
    Sample,
    by_table,
)

GAINS = ("kappa", "kappa_quadratic", "f1_harmful", "auc_harmful")
"""What one predictor is said to have over another."""

_KIND: Target = "new items of the kind"


class Predictor:
    """A judge or a baseline on labelled rows: what it scored, and its statistics' resamples."""

    def __init__(
        self,
        truth: Codes,
        answers: Answers,
        clusters: Sequence[str],
        *,
        scale: CriterionScale,
        drawing: Drawing,
    ) -> None:
        """`truth` has the place of people's label; rows of one cluster are redrawn together."""
        self._truth, self._answers, self._clusters = truth, answers, clusters
        self._scale, self._drawing = scale, drawing
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
                resamples=drawing.resamples,
                seed=drawing.seed,
            )

    @property
    def right(self) -> Floats:
        """1 where it gave people's label, 0 where another, NaN where none."""
        right: Floats = np.where(self.scored, self._answers.places == self._truth, np.nan)
        return right

    def statistics(self) -> tuple[Statistic, ...]:
        """`agreement` and `bias` with intervals robust to clusters, the others by bootstrap."""
        level, span = self._drawing.level, float(np.ptp(self._scale.values))
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
            found = self._bootstrapped(value, draws, why="one of the two is undefined")
            table.append(Statistic(name, "score", found))
        return tuple(table)

    def _estimate(self, at: int, cases: tuple[float | None, float | None]) -> Estimate:
        name, value = NAMES[at], float(self._values[at])
        found = self._bootstrapped(value, self._draws[:, at], why=self._undefined(name), name=name)
        if not self._unscored:
            return replace(found, worst=found.value, best=found.value)
        over = ", over the scored" if found.value is not None else ""
        return replace(found, worst=cases[0], best=cases[1], method=found.method + over)

    def _bootstrapped(self, value: float, draws: Floats, *, why: str, name: str = "") -> Estimate:
        n, level = int(self.scored.sum()), self._drawing.level
        if np.isnan(value):
            told = why or "undefined"
            return Estimate(None, None, None, n, self._unscored, None, None, _KIND, told, level)
        limits = expanded_percentiles(draws, self.sample.units, level=level)
        told = f"bootstrap of {self.sample.units} questions, {len(draws)} resamples"
        if limits is None:
            told = f"no interval: {self._no_interval(draws)}"
        elif name == "ece":
            # chance lifts a resample's error above the sample's, as it lifts that above the truth
            limits = (max(0.0, 2 * value - limits[1]), max(limits[1], value))
            told += ", reflected below"
        low, high = limits or (None, None)
        return Estimate(value, low, high, n, self._unscored, None, None, _KIND, told, level)

    def _no_interval(self, draws: Floats) -> str:
        if self.sample.units < 2:  # noqa: PLR2004
            return "one question"
        undefined = float(np.isnan(draws).mean())
        if undefined:
            return f"undefined in {undefined:.0%} of the resamples"
        return f"no resample of the {self.sample.units} questions differs from another"

    def _undefined(self, name: str) -> str:
        """Why the statistic is undefined, if it is."""
        truth = self._truth[self.scored]
        if not len(truth):
            return "undefined: nothing is scored"
        harmful = self._scale.harmful[truth]
        if name in {"f1_harmful", "auc_harmful"}:
            kind = "not harmful" if not harmful.any() else "harmful"
            return f"undefined: people call all of them {kind}"
        if len(np.unique(truth)) == 1:
            return f"undefined: people gave one label only ({self._scale.labels[truth[0]]})"
        if name in ASSOCIATION:
            return "undefined: what was predicted does not vary"
        return "undefined"

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
