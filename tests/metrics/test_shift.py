import numpy as np
import pytest
from scipy import stats

from normscope.errors import DataError, UsageError
from normscope.metrics.bootstrap import crossed_bootstrap
from normscope.metrics.multiplicity import holm
from normscope.metrics.shift import norm_shift

NAN = float("nan")


def likert(seed: int, mean: float = 0) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(mean, 1, (60, 11))
    return np.clip(np.round(drawn), -2, 2)


def test_the_headline_is_over_wordings() -> None:
    a, b = likert(1), likert(2, 0.4)
    pair = norm_shift({"base": a, "tuned": b}).pairs[0]
    theirs = stats.ttest_rel(b.mean(axis=0), a.mean(axis=0))
    limits = theirs.confidence_interval()
    found = pair.difference
    assert (found.low, found.high) == pytest.approx((limits.low, limits.high))
    assert (pair.first, pair.second, found.target) == ("base", "tuned", "new wordings")
    assert pair.over_wordings.p == pytest.approx(theirs.pvalue)
    assert pair.sign_flip.p == pytest.approx(2 / 2**11)
    # nothing is unscored
    assert (pair.worst_low, pair.best_high) == (found.low, found.high)


def test_unscored_answers_stand_beside_the_interval_of_the_test() -> None:
    a, b = likert(1), likert(2, 0.4)
    b[:6, 0] = NAN
    gaps = {"base": np.isnan(a), "tuned": np.isnan(b)}
    pair = norm_shift({"base": a, "tuned": b}, unscored=gaps).pairs[0]
    alone = norm_shift(
        {"base": a, "tuned": b}, unscored={"base": gaps["base"], "tuned": gaps["base"]}
    )
    found, silent = pair.difference, alone.pairs[0].difference
    assert (found.low, found.high) == (silent.low, silent.high)
    assert pair.over_wordings == alone.pairs[0].over_wordings
    assert found.worst is not None
    assert pair.worst_low is not None
    # six of 60 answers to one wording of eleven, over the scale of four
    assert (found.best or 0) - found.worst == pytest.approx(4 * 6 / 60 / 11)
    assert pair.worst_low < found.worst < (found.value or 0)


def test_the_tests_over_flows_are_scipy_s_and_say_what_they_are() -> None:
    a, b = likert(1), likert(2, 0.1)
    tests = {one.name: one for one in norm_shift({"base": a, "tuned": b}).pairs[0].as_published}
    means = b.mean(axis=1), a.mean(axis=1)
    # of elevenths, as whole numbers: as floats their ties would be lost
    elevenths = np.round(11 * (means[0] - means[1]))
    theirs = stats.wilcoxon(elevenths, zero_method="pratt", correction=False, method="approx")
    assert tests["Wilcoxon signed rank"].p == pytest.approx(theirs.pvalue)
    assert tests["paired t"].p == pytest.approx(stats.ttest_rel(*means).pvalue)
    assert all(one.note.startswith("as published, over flows") for one in tests.values())


def test_three_conditions_are_corrected_and_tested_at_once() -> None:
    answers = {"a": likert(1), "b": likert(2, 0.1), "c": likert(3, 0.6)}
    found = norm_shift(answers)
    p = [pair.over_wordings.p for pair in found.pairs]
    assert [pair.holm for pair in found.pairs] == pytest.approx(list(holm(p)))
    assert [one.name for one in found.omnibus] == ["Friedman", "repeated-measures ANOVA"]
    theirs = stats.friedmanchisquare(*(one.mean(axis=1) for one in answers.values()))
    assert found.omnibus[0].statistic == pytest.approx(theirs.statistic)


def test_missing_cells_bring_skillings_and_mack() -> None:
    gappy = likert(2, 0.1)
    gappy[:4] = NAN
    found = norm_shift({"a": likert(1), "b": gappy, "c": likert(3)}).omnibus
    names = ["Friedman", "Skillings–Mack", "repeated-measures ANOVA"]
    assert [one.name for one in found] == names
    assert "56 of 60 blocks have every condition" in found[0].note
    assert "60 of 60 blocks used, 4 of their cells missing" in found[1].note


def test_the_spread_over_wordings_rules_however_many_flows_there_are() -> None:
    # every wording moves all flows alike: the flows have much to say of these wordings, and the
    # wordings little of others
    random = np.random.default_rng(5)
    offsets = random.choice([-1.0, 1.0], 11)
    a = np.zeros((500, 11))
    b = np.tile(offsets, (500, 1))
    pair = norm_shift({"a": a, "b": b}).pairs[0]
    assert (pair.over_wordings.p or 0) > 0.2
    wide = pair.difference
    assert (wide.high or 0) - (wide.low or 0) > 1


def test_levels_of_a_group_are_exploratory_and_corrected_over_all() -> None:
    a, b = likert(1), likert(1)
    b[:20] = np.clip(a[:20] + 1, -2, 2)
    sender = ["x"] * 20 + ["y"] * 20 + [None] * 20
    found = norm_shift({"base": a, "tuned": b}, groups={"sender": sender})
    moved, still = found.levels
    assert [(one.group, one.member, one.role) for one in found.levels] == [
        ("sender", "x", "exploratory"),
        ("sender", "y", "exploratory"),
    ]
    alone = norm_shift({"base": a[:20], "tuned": b[:20]}).pairs[0]
    assert (moved.difference, moved.over_wordings) == (alone.difference, alone.over_wordings)
    assert (still.difference.value, still.over_wordings.p) == (0, 1)
    # of two p the smaller is doubled by Benjamini and Hochberg
    p = moved.over_wordings.p or 0
    assert [one.benjamini_hochberg for one in found.levels] == pytest.approx([2 * p, 1])
    assert moved.sign_flip.p == pytest.approx(2 / 2**11)
    assert not norm_shift({"base": a, "tuned": b}).levels
    with pytest.raises(DataError, match="sender 'x' is none of the 2 known"):
        norm_shift({"a": a, "b": b}, groups={"sender": sender}, known={"sender": ["xx", "y"]})


def test_identical_conditions_have_an_interval_and_say_why() -> None:
    pair = norm_shift({"a": likert(1), "b": likert(1)}).pairs[0]
    assert (pair.difference.value, pair.over_wordings.p) == (0, 1)
    # a share of z²/(11 + z²) of wordings may be up to 4 apart
    assert pair.difference.high == pytest.approx(4 * 3.841459 / 14.841459)
    assert pair.difference.method.startswith("Wilson's limit for a share, no spread")
    assert pair.over_wordings.note.startswith("every answer is the same in both")
    other = likert(1)
    other[0, 0] = -other[0, 0] if other[0, 0] else 1
    assert (
        "same in both" not in norm_shift({"a": likert(1), "b": other}).pairs[0].over_wordings.note
    )


def test_new_vignettes_of_the_kind_are_a_crossed_bootstrap() -> None:
    found = norm_shift({"a": likert(1), "b": likert(2)}, over="vignettes").pairs[0].difference
    limits = crossed_bootstrap(likert(2) - likert(1))
    assert (found.low, found.high) == (limits.low, limits.high)
    assert (found.target, found.method) == ("new items and wordings", limits.method)
    with pytest.raises(UsageError, match="did you mean 'vignettes'"):
        norm_shift({"a": likert(1), "b": likert(2)}, over="vignete")  # type: ignore[arg-type]


def test_unlike_shapes_and_single_conditions_are_refused() -> None:
    with pytest.raises(UsageError, match="needs two or more"):
        norm_shift({"a": [[1]]})
    with pytest.raises(DataError, match=r"a \(1, 1\), b \(1, 2\)"):
        norm_shift({"a": [[1]], "b": [[1, 2]]})
    with pytest.raises(DataError, match="a, row 0, column 0"):
        norm_shift({"a": [[7]], "b": [[1]]})
