"""Shares and agreements computed a second time, by libraries that know nothing of ours."""

import statistics
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import pdist

from normscope.metrics.alike import over_variants
from normscope.metrics.concordance import norm_agreement
from normscope.metrics.estimate import Statistic
from normscope.metrics.norms import norm_consensus
from normscope.metrics.options import best_constant, blind_choice, risk_identification
from normscope.metrics.shape import score_shape

NAN = float("nan")


def likert(seed: int, items: int = 80, variants: int = 11, gaps: float = 0.05) -> np.ndarray:
    random = np.random.default_rng(seed)
    centre = random.normal(0, 1.2, (items, 1))
    drawn = np.clip(np.round(centre + random.normal(0, 0.7, (items, variants))), -2, 2)
    return np.where(random.random(drawn.shape) < gaps, NAN, drawn)


def values(table: list[Statistic]) -> dict[str, float | None]:
    return {row.name: row.estimate.value for row in table if not row.group}


def test_shares_are_what_pandas_counts() -> None:
    pandas = pytest.importorskip("pandas")
    answers = likert(1)
    frame = pandas.DataFrame(answers)
    valid = frame.count(axis=1)
    counts = frame.apply(lambda row: row.value_counts().reindex([-2, -1, 0, 1, 2]), axis=1)
    counts = counts.fillna(0)
    top = counts.max(axis=1)
    alone = counts.eq(top, axis=0).sum(axis=1) == 1
    decided = valid >= 10
    simple = decided & alone & (2 * top >= valid)
    label = counts.idxmax(axis=1)
    expected = {
        "simple_majority": simple.mean(),
        "super_majority": (decided & alone & (3 * top >= 2 * valid)).mean(),
        "undecided": (decided & ~simple).mean(),
        "no_answer": (~decided).mean(),
        "unanimous": (decided & (frame.nunique(axis=1) == 1)).mean(),
        "accept_share": (simple & (label > 0)).mean(),
        "reject_share": (simple & (label < 0)).mean(),
        "neutral_share": (simple & (label == 0)).mean(),
        "mean_acceptability": frame.mean().mean(),
        "variant_variance": frame.var(axis=1).mean(),
    }
    found = values(norm_consensus(answers, reasons="no_answer"))
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert 0 < expected["undecided"] < 1
    assert 0 < expected["unanimous"] < 1


def test_agreement_between_models_is_what_pandas_counts() -> None:
    pandas = pytest.importorskip("pandas")
    answers = {name: likert(seed, gaps=0) for seed, name in enumerate("ab")}

    def norm(row: object) -> float:
        counted = pandas.Series(row).value_counts()
        tied = (counted == counted.iloc[0]).sum() > 1
        return NAN if tied or 2 * counted.iloc[0] < 11 else float(counted.index[0])

    norms = pandas.DataFrame({name: [norm(row) for row in one] for name, one in answers.items()})
    both = norms.notna().all(axis=1)
    same = both & (norms["a"] == norms["b"])
    found = values(norm_agreement(answers))
    assert found == pytest.approx(
        {
            "all_agree": same.mean(),
            "all_have_norm": both.mean(),
            "all_agree_given": same[both].mean(),
            "agree: a, b": same.mean(),
        }
    )


def test_raw_agreement_is_that_of_fleiss_s_kappa_in_statsmodels() -> None:
    rater = pytest.importorskip("statsmodels.stats.inter_rater")
    answers = likert(2, gaps=0)
    table, _ = rater.aggregate_raters(answers.astype(int))
    by_chance = float(np.square(table.sum(axis=0) / table.sum()).sum())
    kappa = rater.fleiss_kappa(table)
    # kappa = (agreement − chance)/(1 − chance)
    found = over_variants(answers, np.zeros(answers.shape, dtype=bool))
    agreed = next(row.estimate.value for row in found if row.name == "raw_agreement")
    assert agreed == pytest.approx(kappa * (1 - by_chance) + by_chance)


def test_flips_are_the_pairs_that_scipy_finds_opposite() -> None:
    answers = likert(3)
    rates = []
    for row in answers:
        known = row[~np.isnan(row)]
        rates.append(pdist(known[:, None], lambda u, v: float(u[0] * v[0] < 0)).mean())
    found = over_variants(answers, np.isnan(answers))
    flips = next(row.estimate.value for row in found if row.name == "flip_rate")
    assert flips == pytest.approx(np.mean(rates))


@pytest.mark.parametrize("name", ["raw_agreement", "flip_rate", "variant_variance", "alpha"])
def test_a_jackknife_s_spread_is_what_leaving_each_variant_out_gives(name: str) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    plain: dict[str, Callable[[np.ndarray], float]] = {
        "raw_agreement": lambda x: float(
            np.mean([(1 - pdist(row[:, None], "hamming")).mean() for row in x])
        ),
        "flip_rate": lambda x: float(
            np.mean([pdist(r[:, None], lambda u, v: float(u[0] * v[0] < 0)).mean() for r in x])
        ),
        "variant_variance": lambda x: float(np.mean([statistics.variance(row) for row in x])),
        "alpha": lambda x: float(krippendorff.alpha(x.T, level_of_measurement="ordinal")),
    }
    to: dict[str, Callable[[float], float]] = {
        "raw_agreement": lambda p: float(np.log(p / (1 - p))),
        "flip_rate": lambda p: float(np.log(p / (1 - p))),
        "variant_variance": lambda v: float(np.log(v)),
        "alpha": lambda a: float(-np.log(1 - a)),
    }
    answers = likert(4, items=30, variants=7, gaps=0)
    left = [to[name](plain[name](np.delete(answers, at, axis=1))) for at in range(7)]
    # (K − 1)/K Σ(θ − θ̄)² = (K − 1)²/K · variance; t with ⌊7/2⌋ degrees of freedom
    error = (36 / 7 * statistics.variance(left)) ** 0.5
    centre, half = to[name](plain[name](answers)), float(stats.t.ppf(0.975, 3)) * error
    found = next(
        row.estimate
        for row in over_variants(answers, np.zeros(answers.shape, dtype=bool))
        if row.name == name
    )
    assert (to[name](found.low or 0), to[name](found.high or 0)) == pytest.approx(
        (centre - half, centre + half)
    )


def test_histograms_and_ends_are_what_scipy_and_the_standard_library_count() -> None:
    random = np.random.default_rng(5)
    rating = 1 + 4 * random.beta(4, 1, 300)
    found = score_shape(np.ones(300), rating, bins=8)[1]
    theirs = stats.binned_statistic(rating, rating, "count", bins=8, range=(1, 5))
    assert list(found.counts) == theirs.statistic.tolist()
    for share, hits in ((found.low_share, rating <= 1.2), (found.high_share, rating >= 4.8)):
        interval = stats.binomtest(int(hits.sum()), 300).proportion_ci(method="wilson")
        assert (share.low, share.high) == pytest.approx((interval.low, interval.high))


def test_the_best_constant_answer_is_what_pandas_counts() -> None:
    pandas = pytest.importorskip("pandas")
    letters = np.random.default_rng(4).choice(list("ABCD"), 200, p=[0.2, 0.3, 0.4, 0.1]).tolist()
    found = best_constant(letters)
    shares = pandas.Series(letters).value_counts(normalize=True)
    assert found.member == shares.index[0]
    assert found.estimate.value == pytest.approx(shares.iloc[0])


def test_turned_questions_are_what_pandas_groups() -> None:
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(6)
    agrees = (random.random(120) < np.repeat(random.beta(1, 1, 30), 4)).astype(float)
    questions = [f"q{at // 4}" for at in range(120)]
    found = values(risk_identification(agrees, orders_of=questions))
    share = pandas.Series(agrees).groupby(questions).mean()
    assert found["agreement"] == pytest.approx(agrees.mean())
    assert found["agreement_all_orders"] == pytest.approx((share == 1).mean())
    assert found["order_flips"] == pytest.approx(((share > 0) & (share < 1)).mean())


def test_chance_is_the_mean_of_fractions() -> None:
    options = [4, 3, 4, 5, 2, 4]
    found = values(risk_identification([1] * 6, chance=blind_choice(options, 6)))["chance"]
    assert found == pytest.approx(float(sum(Fraction(1, k) for k in options) / 6))
