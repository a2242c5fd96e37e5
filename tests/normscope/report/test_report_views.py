"""The rows of the report's newer sections, before any of it is HTML."""

from dataclasses import replace
from io import StringIO
from typing import Any

import numpy as np
import pytest
from judged_rows import columns_of, judged
from rich.console import Console
from shown_pages import lines, plots, within

from normscope.metrics.estimate import Estimate, Statistic
from normscope.records.item import Item, Turn
from normscope.report.asked import asked_of, settings
from normscope.report.blocks import Details, Sample, Table, plain
from normscope.report.charts import Bars, Radar, Ridges
from normscope.report.data import BenchmarkScores
from normscope.report.disagreement import disagreement_blocks
from normscope.report.distributions import distribution_blocks
from normscope.report.limits import constant_answers, limits
from normscope.report.matrix import matrices
from normscope.report.radar import radars
from normscope.report.scores import score_section
from normscope.report.unanswered import failures, unanswered
from normscope.report.variants import variant_sections
from normscope.report.words import Words
from normscope.report.write import show_scores


def item(item_id: str, category: str = "", language: str = "en", **parts: str | None) -> Item:
    message = (Turn("user", f"question {item_id}"),)
    return Item("b", item_id, message, language, category=category, **parts)  # type: ignore[arg-type]


def estimate(value: float | None, *, unscored: int = 0, method: str = "Wilson") -> Estimate:
    return Estimate(value, 0.25, 0.75, 100, unscored, 0.4, 0.6, "these items", method)


def scores(*rows: tuple[str, str, float | None, str, str]) -> tuple[BenchmarkScores, ...]:
    found = tuple(Statistic(n, u, estimate(v), g, m) for n, u, v, g, m in rows)  # type: ignore[arg-type]
    return (BenchmarkScores("b", found),)


# scores


def test_a_difference_of_rates_is_in_points_with_its_sign_and_around_zero() -> None:
    difference = replace(estimate(-0.125), low=-0.25, high=0.05, worst=-0.2, best=-0.1)
    row = Statistic("hr", "rate difference", difference, "turn difference", "multi − single")
    section = score_section(BenchmarkScores("b", (row,)))
    (line,) = section.breakdowns[0].tables[0].lines
    assert (line.value, line.interval, line.bounds) == (
        "−12.5 pp",
        "[−25.0, +5.00] pp",
        "[−20.0, −10.0] pp",
    )
    axis = section.breakdowns[0].tables[0].axis
    assert axis.low <= -0.25 < 0 < axis.high
    assert axis.ticks[0].label == f"{axis.low * 100:.6g}"


def test_the_first_screen_has_the_headlines_and_the_rest_is_below() -> None:
    (of,) = scores(("unanimous", "rate", 0.5, "", ""), ("flip_rate", "rate", 0.1, "", ""))
    section = score_section(of)
    assert [line.name for line in section.headlines] == ["flip_rate"]
    assert [line.name for line in section.more] == ["unanimous"]


def test_what_is_no_headline_is_shown_all_the_same_where_nothing_else_is() -> None:
    (of,) = scores(("politeness", "score", 0.5, "", ""))
    section = score_section(of)
    assert [line.name for line in section.headlines] == ["politeness"]
    assert section.more == ()


def test_thresholds_channels_and_reasons_are_no_breakdown() -> None:
    groups = ("category", "min_coverage", "channel", "temperature", "reason", "reason in text")
    (of,) = scores(*(("hr", "rate", 0.5, group, "m") for group in groups))
    assert [found.group for found in score_section(of).breakdowns] == ["category"]


# thresholds


def test_a_matrix_has_a_row_per_level_and_marks_the_one_that_was_used() -> None:
    of = scores(
        ("hr", "rate", 0.1, "min_coverage", "0.25"),
        ("hr", "rate", 0.2, "min_coverage", "0.5"),
        ("alpha", "score", 0.5, "min_coverage", "0.5"),
    )
    (matrix,) = matrices(of, "min_coverage", used="0.5")
    assert matrix.columns == ("HR",)
    assert [(level.label, level.used) for level in matrix.levels] == [
        ("0.25", False),
        ("0.5", True),
    ]
    places = [level.places[0] for level in matrix.levels]
    assert [place and place.value for place in places] == ["10.0 %", "20.0 %"]
    assert matrices(of, "channel") == ()


# reasons


def test_what_was_not_answered_is_shown_per_channel_with_its_interval() -> None:
    of = scores(
        ("unanswered", "rate", 0.1, "reason in labels", "off_scale"),
        ("unanswered", "rate", 0.2, "reason in text", "no_answer"),
    )
    labels, text = unanswered(of)
    assert (labels.channel, text.channel) == ("labels", "text")
    assert [(line.label, line.value) for line in labels.lines] == [("off scale", "10.0 %")]
    (alone,) = unanswered(scores(("unanswered", "rate", 0.2, "reason", "no_answer")))
    assert alone.channel == ""


def test_failures_are_ours_and_not_the_respondents() -> None:
    rows = [
        judged("moral", 0.5),
        judged("moral", None, "low_coverage"),
        judged("moral", None, "low_coverage"),
        judged("moral", None, "no_answer"),
    ]
    (found,) = failures(columns_of(rows))
    assert (found.origin, found.reason, found.count, found.share) == (
        "judge",
        "low coverage",
        "2",
        "50.0 %",
    )


# radars


def test_a_radar_has_a_spoke_per_category_and_a_line_per_statistic_of_one_scale() -> None:
    names = ("first", "second", "third", "fourth")
    of = scores(
        *(("score", "score", 5.0, "category", name) for name in names),
        *(("hr", "rate", 0.5, "category", name) for name in names),
        *(("rr1", "rate", None if name == "third" else 1.0, "category", name) for name in names),
    )
    points, rates = plots(radars(of[0]), Radar)
    assert (points.series, points.limits, points.percent) == (["score"], (0.0, 5.0), False)
    assert (rates.series, rates.limits, rates.percent) == (["HR", "RR-1"], (0.0, 1.0), True)
    assert rates.categories == list(names)
    half, broken = np.asarray(rates.values)
    assert half.tolist() == [0.5] * 4
    assert np.isnan(broken).tolist() == [False, False, True, False]


@pytest.mark.parametrize("members", [2, 19])
def test_too_few_or_too_many_categories_make_no_radar(members: int) -> None:
    (of,) = scores(*(("hr", "rate", 0.5, "category", f"c{n}") for n in range(members)))
    assert list(radars(of)) == []


# ridges and stacks


def test_a_ridge_shows_the_median_of_the_products_in_each_category() -> None:
    items = [item(f"{category}{n}", category) for category in "xy" for n in range(9)]
    rows = []
    for number, one in enumerate(items):
        rows += [
            judged("moral", 1.0, item=one.item_id),
            judged("rating", 2.0 if number < 9 else 4.0, item=one.item_id),
        ]
    (plot,) = plots(distribution_blocks(columns_of(rows, items)), Ridges)
    assert plot.categories == ["x", "y"]
    ((first, second),) = plot.samples
    assert np.asarray(first).tolist() == [2.0] * 9
    assert np.asarray(second).tolist() == [4.0] * 9


def test_one_category_is_no_ridge() -> None:
    rows = [judged(criterion, 1.0, item="1") for criterion in ("moral", "rating")]
    assert not plots(distribution_blocks(columns_of(rows, [item("1", "x")])), Ridges)


def test_a_stack_has_the_answers_and_apart_what_was_not_given_and_what_we_lost() -> None:
    items = [item(name, name[0]) for name in ("x1", "x2", "x3", "x4", "y1")]
    rows = [
        judged("refusal", 0.0, item="x1"),
        judged("refusal", 3.0, item="x2"),
        judged("refusal", None, "no_answer", item="x3"),
        judged("refusal", None, "low_coverage", item="x4"),
        judged("refusal", 3.0, item="y1"),
    ]
    (stack,) = plots(distribution_blocks(columns_of(rows, items)), Bars)
    assert stack.rows == ["x", "y"]
    # risky, harmless, refusal, responsible refusal; no answer, unscored
    assert stack.counts == [[1, 0, 0, 1, 1, 1], [0, 0, 0, 1, 0, 0]]
    assert stack.absent == ("no answer", "unscored")


# variants


def asked_in(variant: str, *values: float | None) -> list[dict[str, Any]]:
    return [
        judged(
            "acceptability",
            value,
            None if value is not None else "no_answer",
            item=f"v{n}",
            variant=variant,
            source="model_logits",
        )
        for n, value in enumerate(values)
    ]


def test_variants_stand_in_the_order_of_their_means_with_their_spread() -> None:
    rows = [*asked_in("w1", 2, 1), *asked_in("w2", -1, 0), *asked_in("w3", None, 1)]
    of = scores(("flip_rate", "rate", 0.25, "", ""), ("hr", "rate", 0.5, "", ""))
    (section,) = variant_sections(of, columns_of(rows))
    assert [(w.label, w.mean, w.valid, w.silent) for w in section.variants] == [
        ("w2", "−0.500", "2", "0"),
        ("w3", "1.00", "1", "1"),
        ("w1", "1.50", "2", "0"),
    ]
    assert (section.lowest, section.highest, section.spread) == ("−0.500", "1.50", "2.00")
    assert [line.name for line in section.lines] == ["flip_rate"]
    (shares,) = plots([section.shares], Bars)
    assert shares.rows == ["w2", "w3", "w1"]


def test_one_variant_has_no_spread() -> None:
    assert variant_sections((), columns_of(asked_in("w1", 2, 1))) == ()


# disagreements


def kinds(rows: list[dict[str, Any]]) -> dict[str, list[tuple[str, str]]]:
    return {
        plain(details.summary).removeprefix("Farthest apart: "): [
            (row[0].removesuffix(" (b)"), row[2])
            for table in within(details.blocks, Table)
            for row in lines(table)
        ]
        for details in within(disagreement_blocks(columns_of(rows)), Details)
    }


def test_channels_disagree_by_their_values_and_options_by_their_letters() -> None:
    rows = [
        judged("acceptability", 2.0, item="a", source="model_logits"),
        judged("acceptability", -1.0, item="a", source="text_rule", temperature=0.0),
        judged("acceptability", 1.0, item="same", source="model_logits"),
        judged("acceptability", 1.0, item="same", source="text_rule", temperature=0.0),
        judged("option", 1.0, item="o", source="model_logits", favourite="A"),
        judged("option", 0.0, item="o", source="text_rule", favourite="C", temperature=0.0),
    ]
    found = kinds(rows)
    assert found["channels"] == [("a", "3.00"), ("o", "1.00")]


def test_variants_samples_orders_and_criteria_each_have_a_table() -> None:
    rows = [
        *asked_in("w1", 2.0),
        *asked_in("w2", -2.0),
        judged("refusal", 0.0, item="s", temperature=0.7),
        judged("refusal", 3.0, item="s", sample=1, temperature=0.7),
        judged("option", 1.0, item="o", source="model_logits", favourite="A"),
        judged("option", 0.0, item="o", source="model_logits", favourite="A", order="rotation-1"),
        judged("moral", 1.0, item="h"),
        judged("rating", 2.0, item="h"),
    ]
    found = kinds(rows)
    # moral 1 and rating 2, which is (2 - 1) / 4 of its scale
    assert found == {
        "prompt variants": [("v0", "4.00")],
        "orders of the options": [("o", "1.00")],
        "samples": [("s", "3.00")],
        "moral and rating": [("h", "0.750")],
    }


def test_the_farthest_apart_come_first_and_ten_are_shown() -> None:
    rows = [
        judged("moral", value, item=f"{n:02}", sample=sample, temperature=0.7)
        for n in range(15)
        for sample, value in enumerate((0.0, n / 20))
    ]
    found = kinds(rows)["samples"]
    assert [name for name, _ in found] == [f"{n:02}" for n in range(14, 4, -1)]


def test_a_disagreement_tells_its_readings_and_what_was_asked() -> None:
    rows = [*asked_in("w1", 2.0), *asked_in("w2", -2.0), *asked_in("w3", None)]
    (table,) = within(disagreement_blocks(columns_of(rows, [item("v0")])), Table)
    (row,) = table.rows
    assert row[4] == Sample((("", "question v0"),))
    assert row[3] == "w2: strongly unacceptable; w1: strongly acceptable; w3: no answer"


def test_readings_that_agree_make_no_table() -> None:
    assert kinds([*asked_in("w1", 2.0), *asked_in("w2", 2.0)]) == {}


# the first screen


def test_what_was_asked_is_counted_from_the_items_of_the_run() -> None:
    items = [item("1"), item("1", variant_id="w2"), item("2", language="zh")]
    config = {"provenance": {"responses": {"benchmarks": {"b": {"items_in_dataset": 25_000}}}}}
    (row,) = asked_of(config, items, columns_of([judged("moral", 0.5)]))
    assert (row.items, row.of, row.prompts) == ("2", "25,000", "3")
    assert (row.languages, row.criteria) == ("en 2, zh 1", "moral (judge logits)")


def test_the_settings_are_one_line() -> None:
    config = {
        "decoding": {"temperature": (0.0, 0.7), "samples": 2},
        "channels": ("labels", "text"),
        "option_orders": "cyclic",
        "label_orders": "both",
        "min_coverage": 0.5,
    }
    assert settings(config) == (
        "temperature 0, 0.7; 2 samples; answers in labels, text; options in every rotation; "
        "labels in both orders; at least 0.5 of the mass on the scale"
    )
    assert settings({}) == ""


def test_limits_tell_of_slices_failures_the_silver_key_and_the_variant() -> None:
    keyed = item("1", answer="A", answer_source="silver")
    method = "t, and the key's own error (wrong of those checked: 1 of 27 at 3)"
    silver = Statistic("silver_agreement", "rate", estimate(0.5, method=method))
    rows = [judged("option", None, "low_coverage"), judged("option", 1.0)]
    found = limits(
        (BenchmarkScores("b", (silver,)),),
        [keyed],
        columns_of(rows),
        (),
        slices=("b: a balanced slice of 1 of 9 items.",),
    )
    assert [limit.about for limit in found] == ["Slice", "Unscored", "Key", "Prompt variants"]
    assert "b 50.0 % (1 of 2)" in plain(found[1].text)
    assert plain(found[2].text).endswith("Its own error is in the interval.")
    assert "one prompt variant" in plain(found[3].text)


def test_limits_tell_how_far_the_variant_decides() -> None:
    of = scores(("flip_rate", "rate", 0.25, "", ""))
    rows = [*asked_in("w1", 2.0), *asked_in("w2", -1.0)]
    (limit,) = limits(of, [item("v0")], columns_of(rows), variant_sections(of, columns_of(rows)))
    assert "25.0 % [25.0, 75.0] %" in plain(limit.text)
    assert "from −1.00 to 2.00" in plain(limit.text)
    (chinese,) = limits(
        of, [item("v0")], columns_of(rows), variant_sections(of, columns_of(rows)), Words("zh")
    )
    assert "−1.00 到 2.00" in plain(chinese.text)


def nearly_all(share: float, n: int) -> tuple[BenchmarkScores, ...]:
    found = replace(estimate(share), n=n)
    row = Statistic("most_frequent_label", "rate", found, group="label", member="A")
    return (BenchmarkScores("b", (row,)),)


def test_answers_that_are_nearly_all_one_label_are_told_on_the_first_screen() -> None:
    (limit,) = constant_answers(nearly_all(0.9, 20))
    assert limit.text == "b: 90.0 % of 20 answers are A, nearly whatever was asked."
    (chinese,) = constant_answers(nearly_all(1.0, 1500), Words("zh"))
    assert (chinese.about, chinese.text) == (
        "单一标签",
        "b：1,500 个回答中有 100 % 为 A，几乎与所问无关。",
    )
    first = limits(nearly_all(0.9, 20), [], columns_of([]), ())
    assert [one.about for one in first] == ["One label"]
    # fewer answers, or less of one label, say nothing yet
    assert not [*constant_answers(nearly_all(1.0, 19)), *constant_answers(nearly_all(0.899, 999))]


def test_the_terminal_tells_of_answers_that_are_all_one_label_and_names_the_letter() -> None:
    best = Statistic("best_constant", "rate", estimate(0.5), member="B")
    (of,) = nearly_all(0.95, 150)
    printed = StringIO()
    scores = {"b": (best, *of.statistics)}
    show_scores(scores, Console(file=printed, width=100), caveats=["a caveat [of the run]"])
    told = printed.getvalue()
    assert told.startswith("! a caveat [of the run]\n")
    assert "! One label: b: 95.0 % of 150 answers are A, nearly whatever was asked." in told
    assert "best_constant (B)" in told


def test_an_overall_number_says_what_it_is_of() -> None:
    rows = (
        Statistic("score", "score", estimate(3.0), member="open"),
        Statistic("score", "score", estimate(2.0), member="closed"),
    )
    section = score_section(BenchmarkScores("cfsafety", rows))
    assert [line.label for line in section.headlines] == ["score (open)", "score (closed)"]
    section = score_section(BenchmarkScores("cfsafety", rows), Words("zh"))
    assert section.headlines[0].label == "安全得分（开放题）"
