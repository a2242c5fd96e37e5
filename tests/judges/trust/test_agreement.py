"""A rule against people's labels; the expected numbers are worked out by hand."""

from collections.abc import Sequence

import numpy as np
import pytest

from normscope.errors import DataError
from normscope.judges.trust.agreement import RuleAgreement, compare_readings
from normscope.metrics.intervals import wilson


def compared(*groups: tuple[str, int, Sequence[str]]) -> RuleAgreement:
    """The agreement of readings: what was read, of how many answers, and what people say."""
    pairs = [(read, truth) for read, _, truths in groups for truth in truths]
    sizes = {read: size for read, size, _ in groups}
    return compare_readings("r", pairs, sizes, labels={"yes", "no"}, rows=len(pairs))


def of(agreement: RuleAgreement, name: str) -> tuple[float | None, float | None]:
    figures = next(one for one in agreement.readings if one.name == name)
    return figures.precision.value, figures.recall.value


def test_each_row_counts_for_the_answers_that_it_stands_for() -> None:
    result = compared(
        ("yes", 80, ["yes", "yes", "yes", "no"]),  # 60 yes, 20 no
        ("no", 10, ["no", "no"]),  # 10 no
        ("off_scale", 10, ["off_scale", "yes"]),  # 5 off the scale, 5 yes
    )
    assert result.answers == 100
    precision, recall = of(result, "yes")
    assert precision == 0.75
    assert recall == pytest.approx(60 / 65)
    precision, recall = of(result, "no")
    assert precision == 1.0
    assert recall == pytest.approx(10 / 30)
    assert of(result, "off_scale") == (0.5, 1.0)
    # 90 answers were read as a label, 70 of them rightly; 95 have one
    assert result.labels.precision.value == pytest.approx(70 / 90)
    assert result.labels.recall.value == pytest.approx(70 / 95)
    assert result.accuracy.value == pytest.approx(75 / 100)
    assert result.confusion == {
        ("yes", "yes"): 3,
        ("yes", "no"): 1,
        ("no", "no"): 2,
        ("off_scale", "off_scale"): 1,
        ("off_scale", "yes"): 1,
    }


def test_what_was_reviewed_whole_has_no_uncertainty() -> None:
    result = compared(("yes", 4, ["yes", "yes", "yes", "no"]), ("no", 1, ["no"]))
    yes = result.readings[1]
    assert (yes.precision.low, yes.precision.value, yes.precision.high) == (0.75, 0.75, 0.75)
    assert (yes.recall.low, yes.recall.value, yes.recall.high) == (1.0, 1.0, 1.0)
    assert (result.accuracy.low, result.accuracy.high) == (0.8, 0.8)


def test_the_precision_of_a_small_part_is_wilsons() -> None:
    # 10 of 1,000,000: as good as 10 of endlessly many
    result = compared(("yes", 1_000_000, ["yes"] * 9 + ["no"]), ("no", 5, ["no"] * 5))
    precision = result.readings[1].precision
    limits = wilson(9, 10)
    assert precision.low == pytest.approx(limits.low, abs=1e-4)
    assert precision.high == pytest.approx(limits.high, abs=1e-4)
    assert precision.n == 10


def test_a_sample_without_an_error_leaves_room_for_some() -> None:
    result = compared(("yes", 900, ["yes"] * 30), ("no", 100, ["no"] * 30))
    yes = next(one for one in result.readings if one.name == "yes")
    assert yes.precision.value == yes.recall.value == result.accuracy.value == 1.0
    assert yes.precision.low is not None
    assert yes.precision.low < 0.95
    assert yes.recall.low is not None
    assert 0.9 < yes.recall.low < 1.0
    assert yes.recall.high == 1.0


def test_a_reading_that_is_nobodys_truth_has_no_recall() -> None:
    result = compared(("yes", 2, ["no", "no"]), ("no", 2, ["no", "no"]))
    assert of(result, "yes") == (0.0, None)
    assert of(result, "no") == (1.0, 0.5)


def test_a_truth_that_was_never_read_has_a_recall_of_nought() -> None:
    result = compared(("yes", 2, ["yes", "ambiguous"]))
    assert of(result, "ambiguous") == (None, 0.0)


def test_a_reading_of_which_nothing_is_labelled_is_not_known() -> None:
    result = compared(("yes", 80, ["yes", "no"]), ("no", 5, []))
    assert of(result, "yes") == (0.5, None)
    no = result.readings[0]
    assert (no.precision.value, no.precision.low, no.precision.high) == (None, 0.0, 1.0)
    assert result.accuracy.value is None
    with pytest.raises(DataError, match="no row has a label"):
        compared(("yes", 1, []))


def test_the_intervals_hold_as_often_as_they_say() -> None:
    """Simulated: 600 answers, read with known errors; 95 % intervals of 400 samples."""
    generator = np.random.default_rng(1)
    truth = {
        "yes": ["yes"] * 270 + ["no"] * 30,
        "no": ["no"] * 180 + ["yes"] * 20,
        "off_scale": ["off_scale"] * 85 + ["yes"] * 15,
    }
    precision, recall, accuracy = 0.9, 270 / 305, 535 / 600
    held = np.zeros(3)
    for _ in range(400):
        groups = [
            (read, len(truths), generator.choice(truths, size=30, replace=False).tolist())
            for read, truths in truth.items()
        ]
        result = compared(*groups)
        yes = next(one for one in result.readings if one.name == "yes")
        for k, (estimate, value) in enumerate(
            ((yes.precision, precision), (yes.recall, recall), (result.accuracy, accuracy))
        ):
            assert estimate.low is not None
            assert estimate.high is not None
            held[k] += estimate.low <= value <= estimate.high
    share = held / 400
    # one standard deviation is 0.011 at 0.95; the recall's interval is wider than it need be
    assert 0.91 < share[0] < 1
    assert 0.95 < share[1] <= 1
    assert 0.91 < share[2] < 1
