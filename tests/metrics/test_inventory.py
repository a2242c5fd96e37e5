"""Every statistic has a value derived by hand and one from an independent library.

A test is named as `file::function` below this folder, a doctest as `module.function`.
"""

import ast
import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from metric_rows import MANY

from normscope.metrics.omnibus import friedman, repeated_anova, skillings_mack
from normscope.metrics.significance import sign_test

HERE = Path(__file__).parent
LIBRARIES: tuple[str, ...]
LIBRARIES = ("stats.", "statsmodels", "pandas", "krippendorff", "linprog", "pdist")
LIBRARIES += ("statistics.", "Fraction", "Counter", "contingencytables")

_SHARES = "norms::test_every_share_by_hand", "independent::test_shares_are_what_pandas_counts"
_ALIKE = "reliability::test_pairs_by_hand"
_CLASSES = "refusal::test_the_classes_of_each_rate", "refusal::test_the_interval_is_wilson_s"
_SCORE = "cfsafety::test_an_item_scores_moral_times_rating"
_HISTOGRAM = "shape::test_the_histogram_and_the_ends_by_hand"
_COUNTED = "independent::test_histograms_and_ends_are_what_scipy_and_the_standard_library_count"
_AGREE = (
    "concordance::test_agreement_by_hand",
    "independent::test_agreement_between_models_is_what_pandas_counts",
)
_CONSTANT = (
    "options::test_the_best_constant_answer_is_the_most_frequent_letter_of_the_key",
    "independent::test_the_best_constant_answer_is_what_pandas_counts",
)
_TURNED = (
    "silver::test_turned_options_are_rows_of_one_question",
    "independent::test_turned_questions_are_what_pandas_groups",
)

EMITTED: dict[str, tuple[str, str]] = {
    "score": (_SCORE, "cfsafety::test_the_interval_of_the_score_is_student_t"),
    "moral": (_SCORE, "intervals::test_mean_interval_is_student_t"),
    "rating": (_SCORE, "intervals::test_mean_interval_is_student_t"),
    "moral_share": (
        _SCORE,
        "cfsafety::test_the_share_s_interval_is_clopper_and_pearson_s_on_request",
    ),
    **dict.fromkeys(("rr1", "rr2", "hr"), _CLASSES),
    "agreement": (
        "options::test_no_answer_is_not_correct_and_no_key_is_left_out",
        "options::test_the_interval_is_wilson_s",
    ),
    "answered": (
        "options::test_no_answer_is_not_correct_and_no_key_is_left_out",
        "options::test_clopper_pearson_s_interval_on_request",
    ),
    "silver_agreement": (
        "silver::test_the_interval_by_hand",
        "independent::test_the_silver_key_s_interval_is_scipy_s_limits_squared_and_added",
    ),
    "chance": (
        "options::test_chance_is_the_mean_over_the_items_kept",
        "independent::test_chance_is_the_mean_of_fractions",
    ),
    **dict.fromkeys(("best_constant", "silver_best_constant"), _CONSTANT),
    "agreement_all_orders": _TURNED,
    "order_flips": _TURNED,
    **dict.fromkeys(
        (
            "simple_majority",
            "super_majority",
            "undecided",
            "no_answer",
            "unanimous",
            "accept_share",
            "reject_share",
            "neutral_share",
        ),
        _SHARES,
    ),
    "mean_acceptability": (
        "norms::test_every_share_by_hand",
        "norms::test_the_interval_of_acceptability_is_over_the_variants",
    ),
    "wording_variance": (_ALIKE, "independent::test_shares_are_what_pandas_counts"),
    "flip_rate": (_ALIKE, "independent::test_flips_are_the_pairs_that_scipy_finds_opposite"),
    "raw_agreement": (
        _ALIKE,
        "independent::test_raw_agreement_is_that_of_fleiss_s_kappa_in_statsmodels",
    ),
    "alpha": (
        "reliability::test_alpha_with_gaps_by_hand",
        "reliability::test_alpha_is_that_of_the_package",
    ),
    **dict.fromkeys(("all_agree", "all_have_norm", "all_agree_given", "agree"), _AGREE),
    "pearson": ("concordance.survey_agreement", "concordance::test_correlations_are_scipy_s"),
    "spearman": (
        "concordance::test_spearman_s_interval_by_hand",
        "concordance::test_correlations_are_scipy_s",
    ),
    "bias": (
        "concordance::test_rated_flows_without_a_mean_bound_the_bias",
        "concordance::test_correlations_are_scipy_s",
    ),
    "difference": (
        "wordings::test_only_what_both_answered_is_compared",
        "wordings::test_the_difference_is_a_t_interval_over_the_wordings",
    ),
    "share": ("factors::test_by_hand", "factors::test_sums_of_squares_are_those_of_statsmodels"),
    "low_share": (_HISTOGRAM, _COUNTED),
    "high_share": (_HISTOGRAM, _COUNTED),
    "dip": ("dip::test_by_hand", "dip::test_it_is_what_the_definition_says"),
    "ANOVA between categories": (
        "shape.between_categories",
        "shape::test_categories_are_told_apart_as_scipy_s_anova_does",
    ),
    "Wilcoxon signed rank": (
        "significance::test_wilcoxon_by_hand",
        "significance::test_wilcoxon_is_scipy_s_for_many_pairs",
    ),
    "sign test": (
        "significance::test_the_sign_test_is_a_binomial_test",
        "significance::test_the_sign_test_is_a_binomial_test",
    ),
    "t over wordings": (
        "clustered::test_by_hand",
        "wordings::test_t_is_scipy_s_and_that_of_the_interval",
    ),
    "sign flip": (
        "wordings::test_eleven_wordings_allow_a_p_of_a_thousandth",
        "wordings::test_sign_flips_are_scipy_s_permutation_test",
    ),
    "Friedman": ("omnibus::test_friedman_by_hand", "omnibus::test_friedman_is_scipy_s_with_ties"),
    "Skillings–Mack": (
        "omnibus::test_skillings_mack_by_hand_with_a_missing_cell",
        "omnibus::test_skillings_mack_is_what_permuting_the_ranks_says",
    ),
    "repeated-measures ANOVA": (
        "omnibus.repeated_anova",
        "omnibus::test_the_anova_is_that_of_statsmodels",
    ),
}
"""What the modules give, by its name there."""

FUNCTIONS: dict[str, tuple[str, str]] = {
    "wilson": (
        "intervals::test_wilson_by_hand",
        "intervals::test_rate_intervals_are_those_of_scipy",
    ),
    "clopper_pearson": (
        "intervals.clopper_pearson",
        "intervals::test_rate_intervals_are_those_of_scipy",
    ),
    "clustered_rate": (
        "intervals::test_a_clustered_rate_by_hand",
        "intervals::test_a_clustered_rate_is_that_of_a_survey_package_s_variance",
    ),
    "mean_interval": (
        "intervals::test_clusters_by_hand",
        "intervals::test_a_clustered_mean_is_statsmodels_robust_variance",
    ),
    "bootstrap_mean": (
        "bootstrap::test_the_limits_are_quantiles_of_the_resamples",
        "bootstrap::test_it_is_scipy_s_bias_corrected_and_accelerated_interval",
    ),
    "crossed_bootstrap": (
        "bootstrap::test_a_crossed_bootstrap_knows_wordings_and_items",
        "bootstrap::test_a_crossed_bootstrap_has_the_variance_of_two_crossed_samples",
    ),
    "score_interval": ("tango::test_clusters_by_hand", "tango::test_clusters_by_hand"),
    "score_test": (
        "tango::test_clusters_by_hand",
        "tango::test_the_score_test_is_mcnemar_s_without_a_correction",
    ),
    "wilson_of_all": (
        "norms::test_shares_of_a_slice_are_for_all_by_hand",
        "norms::test_a_share_of_all_is_held_as_often_as_it_says",
    ),
    "score_interval_of_all": (
        "tango::test_a_slice_of_an_enumeration_by_hand",
        "tango::test_a_difference_over_all_is_held_as_often_as_it_says",
    ),
    "tango": (
        "tango::test_by_hand_where_nothing_differs",
        "tango::test_it_is_the_interval_of_two_packages_in_r",
    ),
    "paired_mean_difference": (
        "paired::test_a_mean_difference_by_hand",
        "paired::test_a_mean_difference_is_the_paired_t_interval",
    ),
    "rate_difference": (
        "differences::test_by_hand",
        "differences::test_it_is_statsmodels_newcombe_s",
    ),
    "standardised_rate_difference": (
        "differences::test_standardising_by_hand",
        "differences::test_a_standardised_difference_is_what_pandas_weighs",
    ),
    "holm": ("multiplicity::test_by_hand", "multiplicity::test_they_are_those_of_statsmodels"),
    "benjamini_hochberg": (
        "multiplicity::test_by_hand",
        "multiplicity::test_they_are_those_of_statsmodels",
    ),
    "cohens_h": ("significance.cohens_h", "significance::test_cohens_h_is_that_of_statsmodels"),
    "items_for_means": ("power.items_for_means", "power::test_they_are_those_of_statsmodels"),
    "items_for_rates": (
        "power::test_items_for_rates_by_hand",
        "power::test_the_items_for_rates_find_the_difference_as_often_as_asked",
    ),
    "majority": (
        "majority::test_the_default_rule",
        "majority::test_the_published_rule_row_by_row",
    ),
    "mcnemar": (
        "significance::test_mcnemar_is_mid_p_where_few_are_discordant",
        "significance::test_mcnemar_is_exact_where_enough_are",
    ),
    "clustered_t": (
        "clustered::test_by_hand",
        "clustered::test_without_clusters_it_is_scipy_s_t_test",
    ),
    "log tails": (
        "tails::test_they_go_on_where_a_float_underflows",
        "tails::test_they_are_scipy_s_where_a_float_holds_them",
    ),
}
"""What they are made with."""


def emitted(found: Any, key: str = "") -> Iterator[str]:
    """The names of all statistics, estimates and tests in a result."""
    if isinstance(found, dict):
        if "effect_name" in found:
            yield found["name"]
        elif "target" in found:
            yield key
        else:
            yield from (name for name in found if f"{name}_worst" in found)
            for name, value in found.items():
                yield from emitted(value, name)
    elif isinstance(found, list):
        for value in found:
            yield from emitted(value, key)


def source(name: str) -> str:
    """The test's text, and that of the file's functions that it calls."""
    file, _, function = name.partition("::")
    text = (HERE / f"test_{file}.py").read_text(encoding="utf-8")
    nodes = {one.name: one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef)}
    assert function in nodes, f"there is no test {name}"
    found, waiting = [], [function]
    while waiting:
        node = nodes.pop(waiting.pop())
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        found += text.splitlines()[first - 1 : node.end_lineno]
        called = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        waiting += [one for one in nodes if one in called and one not in waiting]
    return "\n".join(found)


def doctest_of(name: str) -> str:
    module, _, function = name.partition(".")
    found = getattr(importlib.import_module(f"normscope.metrics.{module}"), function)
    return found.__doc__ or ""


@pytest.mark.filterwarnings("ignore::normscope.metrics.results.UndefinedWarning")
def test_the_inventory_has_everything_that_the_modules_give(load: Callable[..., Any]) -> None:
    names: set[str] = set()
    for name, (columns, options) in MANY.items():
        names |= set(emitted(load(name).compute(**columns, **options)))
    silver = {"key": "silver", "confidence": [3] * 5}
    columns, _ = MANY["risk_identification"]
    names |= set(emitted(load("risk_identification").compute(**columns, **silver)))
    columns, _ = MANY["norm_agreement"]
    ratings = {"a": 1.0, "b": 0.0, "c": -1.0, "d": 1.0}
    survey = {"ratings": ratings, "low": -2, "high": 2, "level": "item_id"}
    names |= set(emitted(load("norm_agreement").compute(**columns, survey=survey)))
    cells = [[1.0, 2.0, 3.0], [2.0, 1.0, 4.0], [1.0, 3.0, 2.0]]
    tests = (friedman(cells), skillings_mack(cells), repeated_anova(cells), sign_test([1], [2]))
    names |= {test.name for test in tests}
    assert {name.partition(":")[0] for name in names} == set(EMITTED)


@pytest.mark.parametrize("name", [*EMITTED, *FUNCTIONS])
def test_a_statistic_has_a_value_by_hand_and_one_of_a_library(name: str) -> None:
    by_hand, independent = {**EMITTED, **FUNCTIONS}[name]
    if "::" in by_hand:
        # the derivation stands in a comment, with its figures
        comments = [line.partition("#")[2] for line in source(by_hand).splitlines() if "#" in line]
        assert any(character.isdigit() for line in comments for character in line), by_hand
    else:
        assert ">>>" in doctest_of(by_hand)
    assert any(library in source(independent) for library in LIBRARIES), independent
