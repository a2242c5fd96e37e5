import pytest

from normscope.errors import DataError, UsageError
from normscope.metrics.cfsafety import cfsafety_score
from normscope.metrics.factors import factor_effects
from normscope.metrics.groups import (
    Known,
    check_dimensions,
    check_levels,
    levels_of,
)
from normscope.metrics.refusal import turn_differences


@pytest.mark.parametrize("label", ["SocialBias", "social bias", "social-bias"])
def test_a_source_s_own_label_is_told_its_slug(label: str) -> None:
    with pytest.raises(DataError, match="did you mean 'social_bias'"):
        check_levels("category", [label], "cfsafety")


def test_where_none_is_near_all_are_told() -> None:
    with pytest.raises(DataError, match="known: scenario, attack"):
        check_levels("area", ["1"], "cfsafety")


@pytest.mark.parametrize("known", [None, "chisafetybench", {"category": ["x"]}])
def test_a_dimension_without_levels_is_free(known: Known) -> None:
    check_levels("language", ["zh"], known)


def test_a_benchmark_or_a_dimension_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'chisafetybench'"):
        levels_of("chisafetybnch")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="did you mean 'category'"):
        check_dimensions(["category"], {"categories": ["x"]})
    with pytest.raises(UsageError, match="no groups are given"):
        check_dimensions([], {"category": ["x"]})


def test_the_functions_check_only_what_they_are_told_to_know() -> None:
    groups = {"category": ["spam"]}
    assert cfsafety_score([1], [5], groups=groups)[-1].member == "spam"
    with pytest.raises(DataError, match="category 'spam' is none of the 10 known"):
        cfsafety_score([1], [5], groups=groups, known="cfsafety")
    with pytest.raises(DataError, match="area 'value' is none of the 5 known"):
        turn_differences([1, 1], ["a", "b"], areas=["value"] * 2, known="chisafetybench")
    with pytest.raises(UsageError, match="did you mean 'sender'"):
        factor_effects([[1]], {"sender": ["x"]}, known={"sendr": ["x"]})
