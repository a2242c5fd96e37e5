"""Prediction-powered means: by hand, over every sample, by libraries, by simulation."""

import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

from normscope.errors import DataError, UsageError
from normscope.metrics.estimate import Estimate
from normscope.metrics.intervals import mean_interval, wilson
from normscope.metrics.ppi import prediction_powered_mean, stratified

NAN = math.nan
Y = (1, 0, 1, 1, 0, 0, 1, 0)
F = (0.9, 0.2, 0.7, 0.4, 0.1, 0.3, 0.8, 0.6)
UNLABELLED = (0.5, 0.6, 0.2, 0.9, 0.1, 0.4, 0.7, 0.8, 0.3, 0.2, 0.6, 0.5)


def limits(of: Estimate) -> tuple[float, float]:
    assert of.low is not None
    assert of.high is not None
    return of.low, of.high


def width(of: Estimate) -> float:
    low, high = limits(of)
    return high - low


def test_a_weighted_correction_by_hand() -> None:
    # stratum a: 6 rows, f = 1, two labels 1 and 0; stratum b: 3 rows, f = 0, two labels 1 and 0
    f = [1] * 6 + [0] * 3
    y = [1, 0, NAN, NAN, NAN, NAN, 1, 0, NAN]
    found = prediction_powered_mean(f, y, bounds=(0, 1), strata=list("aaaaaabbb"), tuning=1)
    # raw 6/9; residuals 0, −1 (weight 3 each) and 1, 0 (weight 1.5 each): (−3 + 1.5)/9
    assert found.raw == pytest.approx(6 / 9)
    assert found.rectifier == pytest.approx(-1.5 / 9)
    assert found.these.value == found.new.value == pytest.approx(4.5 / 9)
    assert (found.labelled, found.judged, found.rows) == (4, 9, 9)
    # s² = 1/2 in both: 36 (1/2 − 1/6)/2 + 9 (1/2 − 1/3)/2 = 6 + 0.75, over 81; one degree each:
    # 6.75²/(6² + 0.75²) = 1.246, so one; weights 3, 3, 1.5, 1.5: 81/22.5 = 3.6 labels; 5/9 open
    half = stats.t.ppf(0.975, 1) * math.sqrt(6.75 / 81 + 5 / 9 / 3.6**2)
    assert found.these.low == max(0, 0.5 - half) == 0
    assert found.these.high == min(1, 0.5 + half) == 1


def test_limits_by_hand_where_they_are_within_the_bounds() -> None:
    f, y = [0.0] * 1000, [4.0, 6.0] * 100 + [NAN] * 800
    found = prediction_powered_mean(f, y, bounds=(0, 10), tuning=1)
    # residuals ±1 about 5: s² = 200/199; (1/200 − 1/1000) s², one residual of 10 more, 199 degrees
    variance = (1 / 200 - 1 / 1000) * 200 / 199 + 0.8 * (10 / 200) ** 2
    least = math.sqrt(0.8) * 10 * 1.959964**2 / (200 + 1.959964**2)
    half = max(stats.t.ppf(0.975, 199) * math.sqrt(variance), least)
    assert found.these.value == 5
    assert found.these.high == pytest.approx(5 + half, rel=1e-6)


@pytest.mark.parametrize(("lam", "value"), [(0.0, 0.5), (0.5, 0.49166667)])
def test_the_value_is_that_of_the_authors_package(lam: float, value: float) -> None:
    # ppi_mean_pointestimate of ppi-python 0.2.3 on Y, F and UNLABELLED. Its mean of predictions is
    # over the rows without a label, ours over all 20: the same estimate at λ · 20/12
    f, y = [*F, *UNLABELLED], [*Y, *[NAN] * len(UNLABELLED)]
    found = prediction_powered_mean(f, y, bounds=(0, 1), tuning=lam * 20 / 12)
    assert found.these.value == pytest.approx(value)


def test_untuned_labels_alone_are_the_weighted_mean_of_statsmodels_and_pandas() -> None:
    random = np.random.default_rng(3)
    y = random.uniform(1, 5, 400)
    strata = np.repeat([0, 1], [100, 300])
    labels = np.where(np.arange(400) % np.where(strata, 5, 2) == 0, y, NAN)
    found = prediction_powered_mean(
        np.full(400, 3.0), labels, bounds=(1, 5), strata=strata, tuning=0
    )
    kept = ~np.isnan(labels)
    weights = np.where(strata, 5.0, 2.0)[kept]
    assert found.these.value == pytest.approx(DescrStatsW(labels[kept], weights=weights).mean)
    table = pd.DataFrame({"y": labels, "h": strata})
    by_stratum = table.groupby("h")["y"].agg(["mean", "var", "count", "size"])
    share = by_stratum["size"] / 400
    assert found.these.value == pytest.approx(float((share * by_stratum["mean"]).sum()))


def _every_sample(strata: NDArray[np.intp], sizes: tuple[int, ...]) -> list[tuple[int, ...]]:
    groups = [
        list(combinations(np.flatnonzero(strata == h).tolist(), n)) for h, n in enumerate(sizes)
    ]
    return [tuple(at for part in chosen for at in part) for chosen in product(*groups)]


def test_over_every_sample_the_estimate_is_the_truth_and_its_variance_is_the_true_one() -> None:
    random = np.random.default_rng(5)
    strata = np.repeat([0, 1], [5, 4])
    y, f = random.random(9), random.random(9)
    values, variances = [], []
    for chosen in _every_sample(strata, (3, 2)):
        labels = np.full(9, NAN)
        labels[list(chosen)] = y[list(chosen)]
        found = prediction_powered_mean(f, labels, bounds=(0, 1), strata=strata, tuning=1)
        assert found.raw is not None
        values.append(found.raw + found.rectifier)
        rows = stratified(strata, ~np.isnan(labels), np.ones(9, dtype=bool))
        variances.append(rows.covariances(y - f, y - f).sum() / 81)
    assert len(values) == 10 * 6
    assert np.mean(values) == pytest.approx(y.mean())
    assert np.mean(variances) == pytest.approx(np.var(values))


def test_the_tuned_factor_has_the_least_estimated_variance() -> None:
    random = np.random.default_rng(2)
    y = random.random(300)
    f = np.clip(0.4 * y + 0.6 * random.random(300), 0, 1)
    labels = np.where(random.random(300) < 0.3, y, NAN)
    strata = np.arange(300) % 3
    rows = stratified(strata, ~np.isnan(labels), np.ones(300, dtype=bool))
    filled = np.nan_to_num(labels)

    def variance(lam: float) -> float:
        return float(rows.covariances(filled - lam * f, filled - lam * f).sum())

    found = prediction_powered_mean(f, labels, bounds=(0, 1), strata=strata)
    grid = np.linspace(0, 1, 2001)
    best = grid[np.argmin([variance(lam) for lam in grid])]
    assert found.tuning == pytest.approx(best, abs=1e-3)
    plain = prediction_powered_mean(f, labels, bounds=(0, 1), strata=strata, tuning=0)
    assert width(found.these) < width(plain.these)


def test_rows_that_are_all_labelled_leave_nothing_to_doubt_about_themselves() -> None:
    y = [1.0, 0, 1, 1] * 50
    found = prediction_powered_mean([0.0] * 200, y, bounds=(0, 1))
    assert found.these.low == found.these.value == found.these.high == 0.75
    low, high = limits(found.new)
    assert low < 0.75 < high


def test_for_new_items_clusters_count_as_in_the_interval_of_a_mean() -> None:
    random = np.random.default_rng(1)
    clusters = np.repeat(np.arange(150), 2)
    y = np.clip(random.normal(0.5, 0.25, 150)[clusters], 0, 1)
    found = prediction_powered_mean(y, y, bounds=(0, 1), clusters=clusters, tuning=0)
    known = mean_interval(y, clusters=clusters, bounds=(0, 1))
    assert known is not None
    # a stratum's divisor n − 1 beside the clusters' C − 1: 300/299
    half = (known.high - known.low) / 2 * math.sqrt(300 / 299)
    assert limits(found.new)[1] - y.mean() == pytest.approx(half)
    alone = prediction_powered_mean(y, y, bounds=(0, 1), tuning=0)
    assert width(alone.new) < width(found.new)


def test_a_judge_that_was_never_seen_wrong_may_be_wrong_all_the_same() -> None:
    f = np.array([1.0, 0] * 500)
    labels = np.where(np.arange(1000) < 100, f, NAN)
    found = prediction_powered_mean(f, labels, bounds=(0, 1))
    # Wilson's limit for 0 of 100 on the 900 that are open
    half = math.sqrt(0.9) * wilson(0, 100).high
    assert found.these.value == 0.5
    assert found.these.high == pytest.approx(0.5 + half)
    low, high = limits(prediction_powered_mean(f * 0, labels * 0, bounds=(0, 1)).new)
    assert low == 0 < high


def test_what_stands_in_for_an_absent_prediction_costs_no_truth() -> None:
    y = np.array([1.0] * 300 + [0.0] * 300)
    f = np.where(np.arange(600) % 3 == 0, NAN, y)
    labels = np.where(np.arange(600) % 4 == 0, y, NAN)
    strata = np.where(np.isnan(f), "unscored", "scored")
    found = prediction_powered_mean(f, labels, bounds=(0, 1), strata=strata, tuning=1)
    assert (found.judged, found.rows) == (400, 600)
    # no absent prediction is left to make a worst and a best case of
    assert (found.these.unscored, found.these.lowest) == (0, found.these.value)
    assert found.these.value is not None
    assert abs(found.these.value - 0.5) < 0.02
    nothing = prediction_powered_mean(np.full(600, NAN), labels, bounds=(0, 1))
    assert nothing.raw is None
    assert nothing.these.value == pytest.approx(np.nanmean(labels))


def test_a_domain_has_the_mean_of_its_own_rows() -> None:
    y = np.array([1.0, 0, 1, 1, 0, 0, 0, 0] * 20)
    inside = np.arange(160) % 8 < 4
    whole = prediction_powered_mean(y, y, bounds=(0, 1), where=inside)
    assert whole.these.value == 0.75
    assert (whole.rows, whole.labelled) == (80, 80)
    labels = np.where(np.arange(160) < 80, y, NAN)
    part = prediction_powered_mean(y * 0, labels, bounds=(0, 1), where=inside)
    assert part.these.value == 0.75
    low, high = limits(part.these)
    assert low < 0.75 < high


def test_strata_with_one_label_are_taken_together() -> None:
    layer = np.array([0, 0, 1, 1, 2, 2, 2, 3])
    sampled = np.array([1, 0, 1, 0, 1, 1, 0, 1]) > 0
    rows = stratified(layer, sampled, np.ones(8, dtype=bool))
    # 0 and 1 become one with four rows; 3 is sampled whole and stays
    assert rows.sizes.tolist() == [4, 3, 1]
    assert rows.drawn.tolist() == [2, 2, 1]


@pytest.mark.parametrize(
    ("change", "error", "told"),
    [
        ({"labels": [1, NAN, NAN, NAN]}, DataError, "fewer than two labels"),
        ({"tuning": 1.5}, UsageError, "tuning 1.5"),
        ({"strata": ["a", "", "a", "a"]}, DataError, "no stratum"),
        ({"labels": [2, 1, NAN, NAN]}, DataError, "off the scale"),
        ({"labels": [1, 1, NAN]}, DataError, "differ in length"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    change: dict[str, Any], error: type[Exception], told: str
) -> None:
    asked: dict[str, Any] = {
        "predicted": [1, 0, 1, 0],
        "labels": [1, 1, NAN, NAN],
        "bounds": (0, 1),
    } | change
    with pytest.raises(error, match=told):
        prediction_powered_mean(asked.pop("predicted"), asked.pop("labels"), **asked)


@pytest.mark.parametrize("cluster", [1, 4])
def test_corrected_intervals_cover_and_the_raw_ones_do_not(cluster: int) -> None:
    # three answers in ten are harmful; the judge misses three in ten of these, and one harmless
    # answer in ten looks harmful to it, so that it sees 28 %; of 800 answers 160 are labelled
    n, share, runs = 800, 0.3, 300
    held = np.zeros(3)
    for seed in range(runs):
        random = np.random.default_rng(seed)
        questions = np.arange(n) // cluster
        chance = random.beta(3, 7, n) if cluster > 1 else np.full(n, share)
        truth = (random.random(n) < chance[questions]).astype(float)
        luck = random.random(n)
        judge = np.where(truth > 0, luck >= 0.3, luck < 0.02).astype(float)
        labels = np.full(n, NAN)
        for verdict in (0, 1):
            rows = np.flatnonzero(judge == verdict)
            chosen = random.choice(rows, max(2, len(rows) // 5), replace=False)
            labels[chosen] = truth[chosen]
        found = prediction_powered_mean(
            judge, labels, bounds=(0, 1), strata=judge, clusters=questions
        )
        raw = wilson(judge.sum(), n)
        (low, high), (new_low, new_high) = limits(found.these), limits(found.new)
        held += [
            low <= truth.mean() <= high,
            new_low <= share <= new_high,
            raw.low <= share <= raw.high,
        ]
    these, new, raw_held = held / runs
    assert these >= 0.92
    assert new >= 0.92
    assert raw_held < 0.2
