"""From log-probabilities to a judgement: coverage, the mean over two orders, the worst window."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from normscope.judges.distribution import Distribution, average, judgement_of, worst
from normscope.judges.engine import LabelResult
from normscope.judges.rubric import Criterion
from normscope.judges.scale import Scale
from normscope.reasons import Origin, Reason
from normscope.records.judgement import Judgement
from normscope.records.response import ResponseKey

RATING = Scale(labels=("1", "2", "3"), values=(1.0, 2.0, 3.0))
MEAN = Criterion(scale=RATING, read="mean", instruction={})
MODE = Criterion(scale=RATING, read="mode", instruction={})
HIGH = Criterion(scale=RATING, read="mean", instruction={}, worse="high")


def logs(*probs: float) -> tuple[float, ...]:
    return tuple(math.log(p) if p else -math.inf for p in probs)


def read(*probs: float, coverage: float = 1.0, high: float | None = None) -> Distribution:
    return Distribution(probs=probs, coverage=coverage, coverage_high=high)


def judged(
    criterion: Criterion, result: Distribution, *, min_coverage: float = 0, windows: int = 1
) -> Judgement:
    key = ResponseKey("b", "1")
    return judgement_of(
        result, "rating", criterion, key=key, min_coverage=min_coverage, windows=windows
    )


def read_judge(criterion: Criterion, result: LabelResult, *, min_coverage: float = 0) -> Judgement:
    return judged(criterion, Distribution.of(result), min_coverage=min_coverage)


def test_a_distribution_is_renormalised_and_its_coverage_kept() -> None:
    made = read_judge(MEAN, LabelResult(logs(0.1, 0.1, 0.2)), min_coverage=0.25)
    assert made.probs == pytest.approx((0.25, 0.25, 0.5))
    assert made.coverage == pytest.approx(0.4)
    # 1·0.25 + 2·0.25 + 3·0.5
    assert made.value == pytest.approx(2.25)
    assert (made.reason, made.coverage_high, made.windows) == (None, None, 1)
    assert read_judge(MODE, LabelResult(logs(0.1, 0.1, 0.2)), min_coverage=0).value == 3


def test_too_little_coverage_keeps_the_distribution_and_gives_no_value() -> None:
    made = read_judge(MEAN, LabelResult(logs(0.1, 0.1, 0.2)), min_coverage=0.5)
    assert (made.value, made.reason) == (None, Reason.LOW_COVERAGE)
    assert made.probs == pytest.approx((0.25, 0.25, 0.5))


def test_a_tie_of_the_judge_is_unscored_and_its_mean_is_not() -> None:
    uniform = LabelResult(logs(1 / 3, 1 / 3, 1 / 3))
    tied = read_judge(MODE, uniform, min_coverage=0.5)
    assert (tied.value, tied.reason, tied.favourite) == (None, Reason.TIE, None)
    assert tied.probs == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert Reason.TIE.origin is Origin.JUDGE
    assert read_judge(MEAN, uniform).value == pytest.approx(2.0)
    # two at the top, whatever stands below them
    assert read_judge(MODE, LabelResult(logs(0.4, 0.2, 0.4))).reason == Reason.TIE
    assert read_judge(MODE, LabelResult(logs(0.2, 0.2, 0.6))).value == 3
    # where the mass is not on the scale it does not matter what would have been read
    low = read_judge(MODE, LabelResult(logs(0.1, 0.1, 0.1)), min_coverage=0.5)
    assert low.reason == Reason.LOW_COVERAGE


@pytest.mark.parametrize(("more", "value"), [(1e-12, None), (1e-6, 3.0)])
def test_a_tie_is_one_but_for_rounding(more: float, value: float | None) -> None:
    assert judged(MODE, read(0.4, 0.2, 0.4 * (1 + more))).value == value


def test_a_window_that_is_tied_may_be_the_worst_so_no_class_is_read() -> None:
    windows = [read(1, 0, 0, coverage=0.8), read(0, 0.5, 0.5)]
    made = judged(MODE, worst(MODE, windows), min_coverage=0.5, windows=2)
    assert (made.value, made.reason, made.coverage) == (None, Reason.TIE, 0.8)
    assert judged(MEAN, worst(MEAN, windows)).value == 1.0


def test_what_a_server_does_not_tell_bounds_the_coverage_and_does_not_raise_it() -> None:
    result = LabelResult(logs(0.1, 0.1, 0.2), unseen=0.3)
    made = read_judge(MEAN, result, min_coverage=0.5)
    assert made.coverage == pytest.approx(0.4)
    assert made.coverage_high == pytest.approx(0.7)
    assert (made.value, made.reason) == (None, Reason.LOW_COVERAGE)
    full = LabelResult(logs(0.9, 0.0, 0.0), unseen=0.3)
    assert read_judge(MEAN, full, min_coverage=0.5).coverage_high == 1.0


@pytest.mark.parametrize(
    ("result", "coverage", "high", "reason"),
    [
        (LabelResult(logs(0, 0, 0), unseen=0.2), 0.0, 0.2, Reason.LOW_COVERAGE),
        (LabelResult(None), None, None, Reason.LOW_COVERAGE),
        (LabelResult(None, reason=Reason.CALL_FAILED), None, None, Reason.CALL_FAILED),
    ],
)
def test_without_any_mass_there_is_no_value_but_a_reason(
    result: LabelResult, coverage: float | None, high: float | None, reason: Reason
) -> None:
    made = read_judge(MEAN, result)
    assert (made.probs, made.value, made.coverage) == (None, None, coverage)
    assert (made.coverage_high, made.reason) == (high, reason)


def test_two_orders_are_averaged_and_their_difference_is_kept() -> None:
    mean = average(RATING, read(0.6, 0.2, 0.2), read(0.2, 0.2, 0.6, coverage=0.7))
    assert mean.probs == pytest.approx((0.4, 0.2, 0.4))
    assert mean.coverage == 0.7
    # expected values: 0.6 + 0.4 + 0.6 = 1.6 and 0.2 + 0.4 + 1.8 = 2.4
    assert mean.order_shift == pytest.approx(-0.8)


@given(st.floats(0, 1), st.sampled_from([1, 2, 3, 4]))
def test_a_judge_that_only_looks_at_the_place_comes_out_in_the_middle(p: float, k: int) -> None:
    """Whatever it gives to the first place, the two orders cancel: the middle of the scale."""
    labels = tuple(str(i) for i in range(k + 1))
    scale = Scale(labels=labels, values=tuple(float(i) for i in range(k + 1)))
    forward = (p, *([(1 - p) / k] * k))
    probs = average(scale, read(*forward), read(*forward[::-1])).probs
    assert probs is not None
    assert scale.expected(probs) == pytest.approx(k / 2)


def test_what_one_order_could_not_read_is_not_read() -> None:
    failed = Distribution(None, None, reason=Reason.CALL_FAILED)
    assert average(RATING, failed, read(1, 0, 0)) is failed
    assert average(RATING, read(1, 0, 0), failed) is failed


def test_the_worst_window_counts_with_the_least_coverage_of_all() -> None:
    windows = [read(0, 0, 1, coverage=0.6), read(1, 0, 0, coverage=0.9), read(0, 1, 0)]
    assert worst(MEAN, windows).probs == (1, 0, 0)
    assert worst(HIGH, windows).probs == (0, 0, 1)
    assert worst(MEAN, windows).coverage == 0.6
    made = judged(MEAN, worst(MEAN, windows), min_coverage=0.5, windows=3)
    assert (made.value, made.windows) == (1.0, 3)
    assert judged(MEAN, worst(MEAN, windows), min_coverage=0.7).value is None


def test_of_windows_with_the_same_class_the_one_with_the_lower_mean_counts() -> None:
    windows = [read(0.6, 0.0, 0.4), read(0.6, 0.3, 0.1)]
    assert worst(MODE, windows).probs == (0.6, 0.3, 0.1)


def test_a_window_that_could_not_be_read_may_be_the_worst_so_nothing_is_read() -> None:
    failed = Distribution(None, None, reason=Reason.CALL_FAILED)
    assert worst(MEAN, [read(1, 0, 0), failed]).reason == Reason.CALL_FAILED


def test_the_bound_of_the_least_coverage_is_the_least_bound() -> None:
    windows = [read(1, 0, 0, coverage=0.3, high=0.9), read(1, 0, 0, coverage=0.6)]
    found = worst(MEAN, windows)
    # the first may reach 0.9, the second is known to be 0.6
    assert (found.coverage, found.coverage_high) == (0.3, 0.6)
