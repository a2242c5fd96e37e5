import numpy as np
import pytest
from scipy import stats

from normscope.metrics.answers import Answers
from normscope.metrics.majority import majority
from normscope.metrics.shift import norm_shift, norm_test
from normscope.metrics.significance import holm

NAN = float("nan")


def likert(seed: int, mean: float = 0) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(mean, 1, (60, 11))
    return np.clip(np.round(drawn), -2, 2)


def settled(seed: int, mean: float = 0) -> np.ndarray:
    """Flows of which most have a majority: a norm each, and some answers beside it."""
    random = np.random.default_rng(seed)
    norms = np.clip(np.round(random.normal(mean, 1, (300, 1))), -2, 2)
    return np.where(random.random((300, 11)) < 0.7, norms, random.integers(-2, 3, (300, 11)))


def test_the_headline_is_over_variants() -> None:
    a, b = likert(1), likert(2, 0.4)
    pair = norm_shift({"base": a, "tuned": b}).pairs[0]
    theirs = stats.ttest_rel(b.mean(axis=0), a.mean(axis=0))
    limits = theirs.confidence_interval()
    found = pair.difference
    assert (found.low, found.high) == pytest.approx((limits.low, limits.high))
    assert (pair.first, pair.second, found.target) == ("base", "tuned", "new prompt variants")
    assert pair.over_variants.p == pytest.approx(theirs.pvalue)


def test_unscored_answers_stand_beside_the_interval_of_the_test() -> None:
    a, b = likert(1), likert(2, 0.4)
    b[:6, 0] = NAN
    pair = norm_shift({"base": a, "tuned": Answers.of(b)}).pairs[0]
    alone = norm_shift({"base": a, "tuned": b})
    found, silent = pair.difference, alone.pairs[0].difference
    assert (found.low, found.high) == (silent.low, silent.high)
    assert pair.over_variants == alone.pairs[0].over_variants
    assert found.lowest is not None
    # six of 60 answers to one variant of eleven, over the scale of four
    assert (found.highest or 0) - found.lowest == pytest.approx(4 * 6 / 60 / 11)
    assert found.lowest < (found.value or 0)


def test_the_published_test_is_wilcoxon_s_of_the_majority_norms() -> None:
    a, b = settled(1, -0.1), settled(2, 0.1)
    (published,) = norm_shift({"base": a, "tuned": b}).pairs[0].as_published
    norms = majority(b), majority(a)
    both = ~np.isnan(norms[0] - norms[1])
    apart = (norms[0] - norms[1])[both]
    theirs = stats.wilcoxon(apart, zero_method="wilcox", correction=False, method="approx")
    assert (published.name, published.n) == ("Wilcoxon signed rank", both.sum())
    assert published.p == pytest.approx(theirs.pvalue)
    assert published.note.startswith("as published, over vignettes, which are no sample")
    assert published == norm_test(*norms)
    pratt = stats.wilcoxon(apart, zero_method="pratt", correction=False, method="approx")
    zeros = int((apart == 0).sum())
    assert f"zeros left out before ranking: {zeros} of {both.sum()}" in published.note
    assert f"p = {pratt.pvalue:.3g} with Pratt's" in published.note


def test_a_shift_of_means_that_moves_no_norm_moves_no_published_test() -> None:
    # six of eleven stay at 1, five go from 1 to −2: every mean falls, no majority does
    base = np.ones((20, 11))
    tuned = np.where(np.arange(11) < 6, base, -2)
    pair = norm_shift({"base": base, "tuned": tuned}).pairs[0]
    assert pair.difference.value == pytest.approx(-15 / 11)
    assert [one.p for one in pair.as_published] == [1]


def test_three_conditions_are_corrected_and_tested_at_once() -> None:
    answers = {"a": settled(1), "b": settled(2, 0.1), "c": settled(3, 0.6)}
    found = norm_shift(answers)
    p = [pair.over_variants.p for pair in found.pairs]
    assert [pair.p_adjusted for pair in found.pairs] == pytest.approx(list(holm(p)))
    norms = np.stack([majority(one) for one in answers.values()], axis=1)
    theirs = stats.friedmanchisquare(*norms[~np.isnan(norms).any(axis=1)].T)
    assert found.omnibus[0].statistic == pytest.approx(theirs.statistic)


def test_the_omnibus_tests_are_of_flows_with_a_norm_in_every_condition() -> None:
    # a variant moves no norm of ten: every flow has one in every condition
    norms = np.random.default_rng(1).integers(-2, 3, (60, 3)).astype(float)
    answers = {name: np.repeat(norms[:, [at]], 11, axis=1) for at, name in enumerate("abc")}
    answers["b"][:4] = NAN
    found = norm_shift(answers).omnibus
    assert [one.name for one in found] == ["Friedman", "repeated-measures ANOVA"]
    assert "56 of 60 blocks have every condition" in found[0].note
    assert all(one.note.startswith("as published") for one in found)


def test_conditions_are_compared_on_the_variants_that_both_were_asked() -> None:
    a, b, c = likert(1), likert(2, 0.4), likert(3)
    b[:, 3:] = NAN
    found = norm_shift({"a": a, "b": b, "c": c})
    alone = norm_shift({"a": a[:, :3], "b": b[:, :3], "c": c[:, :3]})
    for at in (0, 2):
        pair, expected = found.pairs[at], alone.pairs[at]
        assert pair.difference.method.endswith("; 3 of 11 variants asked of both")
        ours, theirs = pair.difference, expected.difference
        assert (ours.value, ours.low, ours.high) == (theirs.value, theirs.low, theirs.high)
        assert (ours.n, ours.unscored) == (3, 0)
        assert pair.over_variants.p == expected.over_variants.p
        assert pair.over_variants.note.endswith("3 of 11 variants asked of both")
        assert (ours.lowest, ours.highest) == (ours.value, ours.value)
        assert pair.as_published == expected.as_published
    assert found.pairs[1].difference == norm_shift({"a": a, "c": c}).pairs[0].difference
    assert found.omnibus == alone.omnibus


def test_conditions_that_share_no_variant_have_no_difference() -> None:
    a, b = likert(1), likert(2)
    a[:, :5], b[:, 5:] = NAN, NAN
    pair = norm_shift({"a": a, "b": b}).pairs[0]
    assert (pair.difference.value, pair.over_variants.p) == (None, None)
    assert [one.p for one in pair.as_published] == [None]


def test_the_spread_over_variants_rules_however_many_flows_there_are() -> None:
    # every variant moves all flows alike: the flows have much to say of these variants, and the
    # variants little of others
    random = np.random.default_rng(5)
    offsets = random.choice([-1.0, 1.0], 11)
    a = np.zeros((500, 11))
    b = np.tile(offsets, (500, 1))
    pair = norm_shift({"a": a, "b": b}).pairs[0]
    assert (pair.over_variants.p or 0) > 0.2
    wide = pair.difference
    assert (wide.high or 0) - (wide.low or 0) > 1


def test_levels_of_a_group_are_exploratory_and_corrected_over_all() -> None:
    a, b = likert(1), likert(1)
    b[:20] = np.clip(a[:20] + 1, -2, 2)
    sender = ["x"] * 20 + ["y"] * 20 + [None] * 20
    found = norm_shift({"base": a, "tuned": b}, groups={"sender": sender})
    moved, still = found.levels
    assert [(one.group, one.member, one.as_published) for one in found.levels] == [
        ("sender", "x", ()),
        ("sender", "y", ()),
    ]
    alone = norm_shift({"base": a[:20], "tuned": b[:20]}).pairs[0]
    assert (moved.difference, moved.over_variants) == (alone.difference, alone.over_variants)
    assert (still.difference.value, still.over_variants.p) == (0, 1)
    # of two p the smaller is doubled by Benjamini and Hochberg
    p = moved.over_variants.p or 0
    assert [one.p_adjusted for one in found.levels] == pytest.approx([2 * p, 1])
    assert not norm_shift({"base": a, "tuned": b}).levels


def test_identical_conditions_have_an_interval_and_say_why() -> None:
    pair = norm_shift({"a": likert(1), "b": likert(1)}).pairs[0]
    assert (pair.difference.value, pair.over_variants.p) == (0, 1)
    # a share of z²/(11 + z²) of variants may be up to 4 apart
    assert pair.difference.high == pytest.approx(4 * 3.841459 / 14.841459)
    assert pair.difference.method.startswith("Wilson's limit for a share, no spread")
    assert pair.over_variants.note.startswith("every answer is the same in both")
    other = likert(1)
    other[0, 0] = -other[0, 0] if other[0, 0] else 1
    assert (
        "same in both" not in norm_shift({"a": likert(1), "b": other}).pairs[0].over_variants.note
    )
