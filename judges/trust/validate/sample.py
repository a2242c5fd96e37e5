"""All the statistics of one predictor on one sample of labelled rows, under any weights of rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....metrics.association import Ranking, correlation, moments, rank_association, ranking
from ....metrics.calibration import BINS, binned, error_of
from ....metrics.detection import auc_of, f1_of
from ....metrics.inputs import Bools, Floats
from ....metrics.intervals import Codes
from ....metrics.kappa import cohen_kappa, table_alpha

ASSOCIATION = ("kendall", "spearman", "pearson")
BY_TABLE = ("kappa", "kappa_linear", "kappa_quadratic", "alpha", "f1_harmful")
CALIBRATION = ("ece", "brier")
NAMES = (*ASSOCIATION, *BY_TABLE, "auc_harmful", *CALIBRATION)
"""Every statistic of a sample, in the order of the columns of `Sample.statistics`."""


@dataclass(frozen=True, slots=True)
class CriterionScale:
    """A criterion's labels, their values, and which of them say that the answer does harm."""

    labels: tuple[str, ...]
    values: Floats
    harmful: Bools


@dataclass(frozen=True, slots=True)
class Answers:
    """What a predictor says of every row, NaN where nothing: the label's place, value and risk.

    `risk` orders the rows by how harmful they are; `stated` says that it is a probability.
    """

    places: Floats
    values: Floats
    risk: Floats
    stated: bool = True

    def at(self, rows: Bools | Codes) -> "Answers":
        """Those of some rows."""
        return Answers(self.places[rows], self.values[rows], self.risk[rows], self.stated)


class Sample:
    """Rows that the predictor scored, summed up per unit so that a resample is a product."""

    def __init__(self, truth: Codes, answers: Answers, units: Codes, scale: CriterionScale) -> None:
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
    beyond.append(table_alpha(tables))
    found = [np.where(one, np.nan, value) for value in beyond]
    none = given[..., harmful].sum(axis=-1) == 0
    return [*found, np.where(none, np.nan, f1_of(tables, harmful))]


def _per_unit(columns: Floats, units: Codes, count: int) -> Floats:
    summed = [np.bincount(units, weights=column, minlength=count) for column in columns.T]
    return np.stack(summed, axis=1).astype(np.float64)
