import pytest

from normscope.errors import DataError, UsageError
from normscope.metrics.shape import Shape, score_shape

NAN = float("nan")


def shapes(*args: object, **kwargs: object) -> dict[str, Shape]:
    return {shape.name: shape for shape in score_shape(*args, **kwargs)}  # type: ignore[arg-type]


def test_the_histogram_the_ends_and_the_means_by_hand() -> None:
    # a twentieth of 1 … 5 is 0.2: 1.2 is at the low end, 4.8 and 5 at the high one
    categories = ["a", "a", "b", "b", "b"]
    found = shapes([1] * 5, [1.0, 1.2, 3.0, 4.8, 5.0], bins=4, categories=categories)["rating"]
    assert found.counts == (2, 0, 1, 2)
    assert list(found.edges) == [1, 2, 3, 4, 5]
    assert (found.low_share.value, found.high_share.value) == (0.4, 0.4)
    means = {name: mean.value for name, mean in found.means.items()}
    assert means == pytest.approx({"a": 1.1, "b": 12.8 / 3})


def test_unscored_answers_are_in_no_bin_and_widen_the_shares() -> None:
    found = shapes([1, 1, NAN], [5, 1, NAN])["rating"]
    assert (found.n, sum(found.counts)) == (2, 2)
    share = found.high_share
    assert (share.value, share.lowest, share.highest) == pytest.approx((0.5, 1 / 3, 2 / 3))


def test_nothing_scored_has_no_shape_and_what_cannot_be_is_refused() -> None:
    assert shapes([NAN], [NAN])["score"].low_share.value is None
    with pytest.raises(DataError, match="categories have 1 rows where the values have 2"):
        shapes([1, 1], [5, 5], categories=["a"])
    with pytest.raises(UsageError, match="bins 1"):
        shapes([1], [5], bins=1)
    with pytest.raises(DataError, match="off the scale 1 … 5"):
        shapes([1], [6])
