import numpy as np
import pytest
from scipy import stats

from normscope.errors import DataError, UsageError
from normscope.metrics.estimate import Estimate
from normscope.metrics.intervals import wilson_of_all
from normscope.metrics.norms import norm_consensus

NAN = float("nan")

# with 4 variants all 4 answers are needed
ANSWERS: list[list[float]] = [
    [2, 2, 2, 2],  # unanimous, accepted
    [-1, -1, -1, 0],  # 3 of 4: super majority, rejected
    [0, 0, 1, 2],  # 2 of 4: simple majority, neutral
    [-2, -1, 0, 1],  # undecided
    [1, 1, 1, NAN],  # too few
]


def found(*args: object, **kwargs: object) -> dict[str, Estimate]:
    table = norm_consensus(*args, **kwargs)  # type: ignore[arg-type]
    return {row.name: row.estimate for row in table if not row.group}


def test_every_share_by_hand() -> None:
    shares = found(ANSWERS, reasons="no_answer")
    assert {name: row.value for name, row in shares.items()} == {
        "simple_majority": 0.6,
        "super_majority": 0.4,
        "undecided": 0.2,
        "no_answer": 0.2,
        "unanimous": 0.2,
        "accept_share": 0.2,
        "reject_share": 0.2,
        "neutral_share": 0.2,
        # variant means 0, 0.2, 0.6, 5/4 (of four): 2.05/4
        "mean_acceptability": pytest.approx(2.05 / 4),
        # variances 0, 1/4, 11/12, 5/3, 0
        "variant_variance": pytest.approx(34 / 12 / 5),
        # one item has an accepting and a rejecting pair: −2 and −1 against 1, two of six
        "flip_rate": pytest.approx(2 / 6 / 5),
        # equal pairs 6 of 6, 3 of 6, 1 of 6, none, 3 of 3
        "raw_agreement": pytest.approx((1 + 1 / 2 + 1 / 6 + 0 + 1) / 5),
        # the package krippendorff, 0.9.0
        "alpha": pytest.approx(0.6654970760233918),
    }


def test_shares_of_enumerated_vignettes_are_exact() -> None:
    shares = found(ANSWERS, reasons="no_answer")
    exact = [row for row in shares.values() if row.target == "these items"]
    assert len(exact) == 8
    assert all(row.low == row.high == row.value for row in exact)


def test_shares_of_a_slice_are_for_all_by_hand() -> None:
    # 58 of 120 accepted, of 1,800: n_e = 120 · 1799/1680 = 128.5; Wilson's limits are 717.6/1800
    # and 1024.1/1800, outwards to whole vignettes 717 and 1025
    answers = [[1.0, 1.0]] * 58 + [[-1.0, -1.0]] * 62
    shares = found(answers, population=1800)
    accepted = shares["accept_share"]
    z2, p, n = 3.841459, 58 / 120, 128.5
    half = (z2 * (p * (1 - p) / n + z2 / (4 * n * n))) ** 0.5
    expected = [(p + z2 / (2 * n) + sign * half) / (1 + z2 / n) for sign in (-1, 1)]
    assert [1800 * one for one in expected] == pytest.approx([717.6, 1024.1], abs=0.05)
    assert (accepted.low, accepted.high) == pytest.approx((717 / 1800, 1025 / 1800))
    assert (accepted.target, accepted.method) == ("all vignettes", "Wilson, 120 of 1,800")
    # the slice is all there are
    whole = found(answers, population=120)["accept_share"]
    assert (whole.low, whole.high, whole.target) == (p, p, "these items")
    with pytest.raises(UsageError, match="population 119 for 120 items"):
        norm_consensus(answers, population=119)


def test_of_a_level_at_most_what_was_not_drawn_is_left() -> None:
    answers = [[1.0]] * 4 + [[-1.0]] * 4
    table = norm_consensus(answers, groups={"sender": ["x"] * 4 + ["y"] * 4}, population=10)
    level = next(r.estimate for r in table if r.member == "x" and r.name == "accept_share")
    # all four, and at most two more of the ten: 4/6 at the least
    assert level.method == "Wilson, 4 of at most 6"
    assert (level.low, level.high) == pytest.approx((4 / 6, 1.0))


def test_unscored_vignettes_of_a_slice_stand_beside_its_interval() -> None:
    answers = [[1.0, 1.0]] * 58 + [[-1.0, -1.0]] * 60 + [[NAN, NAN]] * 2
    accepted = found(answers, population=1800)["accept_share"]
    scored = found([[1.0]] * 58 + [[-1.0]] * 60, population=1800)["accept_share"]
    assert (accepted.low, accepted.high) == (scored.low, scored.high)
    assert (accepted.lowest, accepted.highest) == (58 / 120, 60 / 120)
    assert (accepted.n, accepted.unscored) == (118, 2)
    assert accepted.method == "Wilson, 118 of 1,800, over the scored"


def test_a_share_of_all_is_held_as_often_as_it_says() -> None:
    # every one of the slices of so many ones among 60: hypergeometric, no simulation
    for n, ones in ((20, 6), (30, 30), (40, 12), (59, 7)):
        mass = stats.hypergeom(60, ones, n)
        covered = sum(
            mass.pmf(k) * (low <= ones / 60 + 1e-12 and ones / 60 - 1e-12 <= high)
            for k in range(max(0, n + ones - 60), min(n, ones) + 1)
            for low, high in [wilson_of_all(k, n, 60)]
        )
        assert covered > 0.93


def test_an_item_short_of_answers_through_our_failure_is_unscored() -> None:
    shares = found(ANSWERS)
    simple = shares["simple_majority"]
    assert (simple.value, simple.n, simple.unscored) == (0.75, 4, 1)
    assert (simple.lowest, simple.highest) == (0.6, 0.8)
    assert (simple.low, simple.high, simple.method) == (None, None, "exact but for the unscored")
    # two answers short, one of them by the model: it would have been too few anyhow
    reasons = [[None] * 4] * 4 + [[None, None, "no_answer", "call_failed"]]
    silent = found([*ANSWERS[:4], [1, 1, NAN, NAN]], reasons=reasons)
    assert (silent["no_answer"].value, silent["no_answer"].unscored) == (0.2, 0)


def test_eleven_variants_bear_one_missing_answer() -> None:
    answers = [[1] * 10 + [NAN]]
    assert found(answers)["simple_majority"].value == 1
    assert found(answers, min_valid=11)["simple_majority"].unscored == 1


def test_a_model_needs_valid_answers_of_the_variants_that_it_was_asked() -> None:
    # three of eleven variants asked: ⌈30/11⌉ = 3 valid answers are needed, not ten
    asked: list[list[float]] = [[1, 1, 1], [1, 1, -1], [0, 0, NAN]]
    wide = [[*row, *[NAN] * 8] for row in asked]
    shares = found(wide)
    assert (shares["simple_majority"].value, shares["simple_majority"].unscored) == (1, 1)
    assert shares["simple_majority"].method == "exact but for the unscored; 3 of 11 variants asked"
    row = shares["mean_acceptability"]
    # the means of the three are 2/3, 2/3 and 0; the others are no unscored variants
    assert row.value == pytest.approx(4 / 9)
    assert (row.n, row.unscored) == (3, 0)
    # a reason says that it was asked: of four ⌈40/11⌉ = 4 are needed
    reasons = [[None, None, None, "call_failed", *[None] * 7], *[[None] * 11] * 2]
    short = found(wide, reasons=reasons)["simple_majority"]
    assert (short.value, short.unscored) == (None, 3)
    silent = [[None, None, None, "no_answer", *[None] * 7]] * 3
    every = found(wide, reasons=silent)["no_answer"]
    assert (every.value, every.n) == (1, 3)


def test_the_interval_of_acceptability_is_over_the_variants() -> None:
    answers = np.random.default_rng(4).choice([-2, -1, 0, 1, 2], (400, 11))
    row = found(answers)["mean_acceptability"]
    theirs = stats.ttest_1samp(answers.mean(axis=0), 0).confidence_interval()
    assert (row.low, row.high) == pytest.approx((theirs.low, theirs.high))
    assert (row.value, row.n) == pytest.approx((answers.mean(), 11))
    assert row.target == "new prompt variants"


def test_orders_of_one_variant_are_one_variant() -> None:
    answers = np.random.default_rng(4).choice([-2, -1, 0, 1, 2], (50, 6))
    doubled = np.repeat(answers, 2, axis=1)
    together = found(doubled, variants=[place // 2 for place in range(12)])["mean_acceptability"]
    once = found(answers)["mean_acceptability"]
    assert (together.low, together.high) == pytest.approx((once.low, once.high))
    assert together.method == (
        "t over 6 clusters, on the means of 12 columns (orders of the scale, samples) of 6 prompt "
        "variants"
    )
    assert together.n == 6
    gone = doubled.astype(float)
    gone[:, 4:] = NAN
    failed = [[None] * 4 + ["call_failed"] * 8] * len(gone)
    kept = found(gone, variants=[place // 2 for place in range(12)], reasons=failed)
    assert (kept["mean_acceptability"].n, kept["mean_acceptability"].unscored) == (2, 4)
    asked = found(gone, variants=[place // 2 for place in range(12)])["simple_majority"]
    assert "2 of 6 variants asked" in asked.method


def test_unscored_answers_bound_the_acceptability() -> None:
    # variant means 1 and 1 of what is there; the missing one at −2 and at 2: −0.5, 1.5 of two items
    row = found([[1, 1], [1, NAN]], min_valid=1)["mean_acceptability"]
    assert (row.value, row.lowest, row.highest) == (1, (1 - 0.5) / 2, (1 + 1.5) / 2)
    # the interval is of what is scored, as its method says: Wilson's share of 0 of 2
    share = 3.841459 / 5.841459
    assert (row.low, row.high) == pytest.approx((1 - 3 * share, 1 + share))
    assert row.method.endswith("on the means of 2 prompt variants, over the scored")
    kept = found([[1, 1], [1, NAN]], min_valid=1, reasons="no_answer")["mean_acceptability"]
    assert kept.lowest == kept.highest == 1


def test_nothing_answered_and_nothing_asked() -> None:
    blank = found([[NAN, NAN]])
    assert blank["simple_majority"].value is None
    assert (blank["mean_acceptability"].lowest, blank["mean_acceptability"].highest) == (-2, 2)
    silent = found([[NAN, NAN]], reasons="no_answer")
    assert silent["no_answer"].value == 1
    assert (silent["mean_acceptability"].value, silent["mean_acceptability"].n) == (None, 0)
    for empty in (found(np.empty((0, 11))), found([])):
        assert all(row.value is None and row.n == 0 for row in empty.values())


def test_reasons_are_a_matrix_like_the_answers() -> None:
    with pytest.raises(DataError, match=r"a matrix like answers, \(1, 2\)"):
        norm_consensus([[1, NAN]], reasons=[["no_answer"]])
    with pytest.raises(DataError, match="group 'x' has 2 rows where the values have 1"):
        norm_consensus([[1, 1]], groups={"x": ["a", "b"]})


def test_a_context_of_all_prompts_takes_seconds_at_most() -> None:
    from time import perf_counter

    answers = np.random.default_rng(0).choice([-2, -1, 0, 1, 2, NAN], (76_032, 11))
    start = perf_counter()
    norm_consensus(answers, groups={"sender": np.arange(76_032) % 12})
    # 0.8 s on two cores, most of it the jackknife over eleven variants
    assert perf_counter() - start < 5
