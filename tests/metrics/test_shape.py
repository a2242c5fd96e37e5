import numpy as np
import pytest
from scipy import stats

from normscope.errors import DataError, UsageError
from normscope.metrics.multiplicity import benjamini_hochberg
from normscope.metrics.shape import Shape, score_shape, shape_statistics

NAN = float("nan")


def shapes(*args: object, **kwargs: object) -> dict[str, Shape]:
    return {shape.name: shape for shape in score_shape(*args, **kwargs)}  # type: ignore[arg-type]


def two_heaps(n: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(3)
    safe = random.random(n) < 0.6
    moral = np.where(safe, random.beta(12, 1, n), random.beta(1, 12, n))
    return moral, 1 + 4 * np.where(safe, random.beta(12, 2, n), random.beta(2, 12, n))


def test_the_histogram_and_the_ends_by_hand() -> None:
    # a twentieth of 1 … 5 is 0.2: 1.2 is at the low end, 4.8 and 5 at the high one
    found = shapes([1] * 5, [1.0, 1.2, 3.0, 4.8, 5.0], bins=4)["rating"]
    assert found.counts == (2, 0, 1, 2)
    assert list(found.edges) == [1, 2, 3, 4, 5]
    assert (found.low_share.value, found.high_share.value) == (0.4, 0.4)
    # mean 3, squares 4 + 3.24 + 0 + 3.24 + 4: √(14.48/5)/2
    assert (found.top_share, found.spread) == pytest.approx((0.4, (14.48 / 5) ** 0.5 / 2))


def test_unscored_answers_are_in_no_bin_and_widen_the_shares() -> None:
    found = shapes([1, 1, NAN], [5, 1, NAN])["rating"]
    assert sum(found.counts) == 2
    share = found.high_share
    assert (share.value, share.lowest, share.highest) == pytest.approx((0.5, 1 / 3, 2 / 3))


def test_two_heaps_are_found_on_moral_and_rating_and_only_described_on_their_product() -> None:
    found = shapes(*two_heaps(400))
    assert (found["moral"].dip.p or 1) <= 0.001
    assert (found["rating"].dip.p or 1) <= 0.001
    product = found["score"].dip
    assert product.p is None
    assert (product.effect or 0) > 0.05
    assert product.note.startswith("descriptive")


def test_within_categories_p_is_corrected_for_their_number() -> None:
    moral, rating = two_heaps(300)
    categories = [f"c{at % 3}" for at in range(300)]
    found = shapes(moral, rating, categories=categories)["rating"].dip_by_category
    from normscope.metrics.dip import dip_test

    plain = [dip_test(rating[at::3]).p for at in range(3)]
    assert [one.p for one in found.values()] == pytest.approx(list(benjamini_hochberg(plain)))
    assert list(found) == ["c0", "c1", "c2"]


def test_categories_are_told_apart_as_scipy_s_anova_does() -> None:
    random = np.random.default_rng(4)
    values = random.normal(3, 0.3, 90).clip(1, 5) + np.repeat([0, 0.2, 0.5], 30)
    theirs = stats.f_oneway(*values.reshape(3, 30))
    rating = shapes([1.0] * 90, values, categories=np.repeat(list("abc"), 30))["rating"]
    found = rating.categories
    assert found is not None
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    # ε² = (F − 1) df / (F df + error)
    f = theirs.statistic
    assert found.effect == pytest.approx((f - 1) * 2 / (f * 2 + 87))


def test_a_judge_that_says_the_same_to_all_is_found_out() -> None:
    random = np.random.default_rng(5)
    rating = np.where(random.random(200) < 0.95, 4.9, 2.0)
    found = shapes([1.0] * 200, rating, categories=["a", "b"] * 100)
    told = " ".join(found["rating"].signatures)
    assert "of items lie in one bin" in told
    assert "categories are not told apart" in told
    assert found["moral"].categories is not None
    assert found["moral"].categories.p is None
    assert not shapes(*two_heaps(400))["rating"].signatures


def test_nothing_scored_has_no_shape() -> None:
    for found in (shapes([NAN], [NAN]), shapes([], [])):
        assert found["score"].top_share is None
        assert found["score"].spread is None
        assert found["moral"].dip.p is None
    alone = shapes([1, 1], [1, 2], categories=["a", "a"])["rating"].categories
    assert alone is not None
    assert alone.p is None
    with pytest.raises(DataError, match="categories have 1 rows where the values have 2"):
        shapes([1, 1], [5, 5], categories=["a"])
    with pytest.raises(UsageError, match="bins 1"):
        shapes([1], [5], bins=1)
    with pytest.raises(DataError, match="off the scale 1 … 5"):
        shapes([1], [6])


def test_as_rows_of_scores_every_number_has_its_n_and_how_it_was_made() -> None:
    moral, rating = two_heaps(400)
    shapes = score_shape([*moral, NAN], [*rating, NAN], categories=["a", "b"] * 200 + ["a"])
    rows = {(row.member, row.name): row.estimate for row in shape_statistics(shapes)}
    assert {estimate.n for estimate in rows.values()} == {400}
    assert {estimate.unscored for estimate in rows.values()} == {1}
    assert rows["moral", "dip"].method == "dip test, p ≤ 0.001"
    assert rows["score", "dip"].method == "described, not tested"
    d = rows["moral", "ashman_d"]
    assert d.low is not None
    assert d.low > 2
    # without categories nothing is said of them
    names = {row.name for row in shape_statistics(score_shape(moral, rating))}
    assert "between_categories" not in names
