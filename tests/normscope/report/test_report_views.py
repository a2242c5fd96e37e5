"""The rows of the report's newer sections, before any of it is HTML."""

from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from typing import Any

import numpy as np
import pytest
from judged_rows import asked_in, columns_of, item, judged
from report_runs import small_run
from rich.console import Console
from shown_pages import plots, tables_of

from normscope.format import scale_end
from normscope.metrics.estimate import Estimate, Statistic, undefined
from normscope.metrics.silver import with_key_error
from normscope.records.config import Decoding, RunConfig
from normscope.records.item import Item
from normscope.records.items import Items
from normscope.records.provenance import BenchmarkItems, Provenance, ResponsesProvenance
from normscope.report import ReportData
from normscope.report.absent import absent_blocks
from normscope.report.blocks import (
    Caveat,
    Chart,
    Paragraph,
    Section,
    Table,
    cell_of,
    plain,
    texts_of,
)
from normscope.report.caveats import caveats, constant_answers
from normscope.report.charts import Bars, Radar
from normscope.report.estimates import axis_of, label_of
from normscope.report.groups import group_blocks
from normscope.report.radar import radars
from normscope.report.requested import details, settings, sizes, weights
from normscope.report.scores import matrix_tables, scores_section
from normscope.report.variants import variant_blocks
from normscope.report.write import overall_scores
from normscope.report.writers.terminal import show_blocks


def estimate(value: float | None, *, unscored: int = 0, method: str = "Wilson") -> Estimate:
    return Estimate(value, 0.25, 0.75, 100, unscored, 0.4, 0.6, "these items", method)


Scores = dict[str, tuple[Statistic, ...]]


def scores(*rows: tuple[str, str, float | None, str, str]) -> Scores:
    return {"b": tuple(Statistic(n, u, estimate(v), g, m) for n, u, v, g, m in rows)}  # type: ignore[arg-type]


def run_of(scores: Scores, *, items: Sequence[Item] | None = None, **other: Any) -> ReportData:
    run: ReportData = replace(small_run(), scores=scores, **other)
    if items is not None:
        run = replace(run, items=Items.of(items))
    return run


def first_screen(scores: Scores) -> list[list[str]]:
    """What the first screen calls the statistics: those of its first table, then the others."""
    section = scores_section(run_of(scores), {})
    return [[texts_of(row)[0] for row in table.rows] for table in tables_of(section)]


# scores


def test_a_difference_of_rates_is_in_points_with_its_sign_and_around_zero() -> None:
    difference = replace(
        estimate(-0.125), low=-0.25, high=0.05, unscored=1, lowest=-0.2, highest=-0.1
    )
    row = Statistic("hr", "rate difference", difference, "turn difference", "multi − single")
    (table,) = tables_of(*group_blocks(run_of({"b": (row,)})))
    ((_, cell, *_),) = map(texts_of, table.rows)
    assert cell == "−12.5 pp ([−25.0, +5.00] pp · lowest – highest [−20.0, −10.0] pp)"
    axis = axis_of([row])
    assert axis.low <= -0.25 < 0 < axis.high
    assert axis.ticks()[0][1] == scale_end(axis.low * 100)


def test_the_first_screen_has_the_headlines_and_the_rest_is_below() -> None:
    of = scores(("unanimous", "rate", 0.5, "", ""), ("flip_rate", "rate", 0.1, "", ""))
    assert first_screen(of) == [["flip rate"], ["unanimous"]]


def test_what_is_no_headline_is_shown_all_the_same_where_nothing_else_is() -> None:
    assert first_screen(scores(("politeness", "score", 0.5, "", ""))) == [["politeness"]]


def test_thresholds_channels_and_reasons_are_no_breakdown() -> None:
    groups = ("category", "min_coverage", "channel", "temperature", "reason", "reason in text")
    of = scores(*(("hr", "rate", 0.5, group, "m") for group in groups))
    tables = tables_of(*group_blocks(run_of(of)))
    assert [plain(table.columns[0].title) for table in tables] == ["category"]


# thresholds


def test_a_matrix_has_a_row_per_level_and_marks_the_one_that_was_used() -> None:
    data = run_of(
        scores(
            ("hr", "rate", 0.1, "min_coverage", "0.25"),
            ("hr", "rate", 0.2, "min_coverage", "0.5"),
            ("alpha", "score", 0.5, "min_coverage", "0.5"),
        )
    )
    (table,) = matrix_tables(data, "min_coverage", "least", used="0.5")
    assert [column.title for column in table.columns] == ["least", "HR"]
    assert [texts_of(row) for row in table.rows] == [
        ("0.25", "10.0 % ([25.0, 75.0] %)"),
        ("0.5 (this run)", "20.0 % ([25.0, 75.0] %)"),
    ]
    assert [{cell_of(cell).tone for cell in row} for row in table.rows] == [{""}, {"marked"}]
    assert tables_of(*matrix_tables(data, "channel", "channel")) == []


# reasons


def test_what_was_not_answered_is_shown_per_channel_with_its_interval() -> None:
    of = scores(
        ("unanswered", "rate", 0.1, "reason in labels", "off_scale"),
        ("unanswered", "rate", 0.2, "reason in text", "no_answer"),
    )
    labels, text = tables_of(*absent_blocks(run_of(of), columns_of([])))
    assert (plain(labels.note), plain(text.note)) == ("answers in labels", "answers in text")
    assert texts_of(labels.rows[0])[:2] == ("off scale", "10.0 %")
    of = scores(("unanswered", "rate", 0.2, "reason", "no_answer"))
    (alone,) = tables_of(*absent_blocks(run_of(of), columns_of([])))
    assert alone.note == ""


def test_failures_are_ours_and_not_the_respondents() -> None:
    rows = [
        judged("moral", 0.5),
        judged("moral", None, "low_coverage"),
        judged("moral", None, "low_coverage"),
        judged("moral", None, "no_answer"),
    ]
    (table,) = tables_of(*absent_blocks(run_of({}), columns_of(rows)))
    assert table.rows == (("b", "moral", "judge", "low coverage", "2", "50.0 %"),)


# radars


def test_a_radar_has_a_spoke_per_category_and_a_line_per_statistic_of_one_scale() -> None:
    names = ("first", "second", "third", "fourth")
    of = scores(
        *(("score", "score", 5.0, "category", name) for name in names),
        *(("hr", "rate", 0.5, "category", name) for name in names),
        *(("rr1", "rate", None if name == "third" else 1.0, "category", name) for name in names),
    )
    points, rates = plots(radars(of["b"]), Radar)
    assert (points.series, points.limits, points.percent) == (["score"], (0.0, 5.0), False)
    assert (rates.series, rates.limits, rates.percent) == (["HR", "RR-1"], (0.0, 1.0), True)
    assert rates.categories == list(names)
    half, broken = np.asarray(rates.values)
    assert half.tolist() == [0.5] * 4
    assert np.isnan(broken).tolist() == [False, False, True, False]


@pytest.mark.parametrize("members", [2, 19])
def test_too_few_or_too_many_categories_make_no_radar(members: int) -> None:
    of = scores(*(("hr", "rate", 0.5, "category", f"c{n}") for n in range(members)))
    assert list(radars(of["b"])) == []


# variants


def test_variants_stand_in_the_order_of_their_means_with_their_spread() -> None:
    rows = [*asked_in("w1", 2, 1), *asked_in("w2", -1, 0), *asked_in("w3", None, 1)]
    of = scores(("flip_rate", "rate", 0.25, "", ""), ("hr", "rate", 0.5, "", ""))
    about, section = variant_blocks(run_of(of), columns_of(rows))
    assert isinstance(about, Paragraph)
    assert isinstance(section, Section)
    spread, alike, means, chart = section.blocks
    assert isinstance(spread, Paragraph)
    assert "from −0.500 to 1.50, a spread of 2.00" in plain(spread.text)
    assert isinstance(means, Table)
    # mean, answers, no answer
    assert [(row[0], row[1], row[3], row[4]) for row in means.rows] == [
        ("w2", "−0.500", "2", "0"),
        ("w3", "1.00", "1", "1"),
        ("w1", "1.50", "2", "0"),
    ]
    assert isinstance(alike, Table)
    assert [texts_of(row)[0] for row in alike.rows] == ["flip rate"]
    assert isinstance(chart, Chart)
    assert isinstance(chart.plot, Bars)
    assert chart.plot.rows == ["w2", "w3", "w1"]


def test_one_variant_has_no_spread() -> None:
    assert list(variant_blocks(run_of({}), columns_of(asked_in("w1", 2, 1)))) == []


# the first screen


def test_what_was_asked_is_counted_from_the_items_of_the_run() -> None:
    items = [item("1"), item("1", variant_id="w2"), item("2", language="zh")]
    taken = {"b": BenchmarkItems(items_in_dataset=25_000)}
    config = RunConfig(provenance=Provenance(responses=ResponsesProvenance(benchmarks=taken)))
    data = run_of({}, items=items, config=config)
    assert details(data, columns_of([judged("moral", 0.5)])) == {
        "b": "2 of 25,000 items · 3 prompts · en 2, zh 1 · moral (judge logits)"
    }
    assert sizes(data) == {"b": "2 of 25,000 items"}


LOADED = {"content": "ab" * 32, "quantisation": None, "dtype": "bfloat16"}


@pytest.mark.parametrize(
    ("identity", "said", "shown"),
    [
        (
            LOADED,
            {"alignment": "dpo", "quantisation": "awq"},
            # what was loaded counts, not what its file says
            "SHA-256 of its files abababababab… · bfloat16 · quantisation: none · alignment: dpo",
        ),
        (
            {**LOADED, "content": None, "revision": "cd" * 20, "quantisation": "gptq"},
            {},
            "revision cdcdcdcdcdcd… · bfloat16 · quantisation: gptq · alignment: not known",
        ),
        (
            {"model": "served"},
            {"quantisation": "awq"},
            "hash: not known · quantisation: awq · alignment: not known",
        ),
        (None, {}, ""),
    ],
)
def test_the_weights_are_named_as_far_as_they_are_known(
    identity: Any, said: dict[str, str], shown: str
) -> None:
    responses = ResponsesProvenance(model=identity)
    config = RunConfig(attributes=said, provenance=Provenance(responses=responses))
    assert weights(config) == shown


def test_the_settings_are_one_line() -> None:
    config = RunConfig(
        decoding=Decoding(temperature=(0.0, 0.7), samples=2),
        channels=("labels", "text"),
        option_orders="cyclic",
        label_orders="both",
    )
    assert settings(config) == (
        "temperature 0, 0.7; 2 samples; answers in labels, text; options in every rotation; "
        "labels in both orders; at least 0.5 of the mass on the scale"
    )


@pytest.mark.parametrize(
    ("benchmark", "channels", "judged_in", "shown"),
    [
        (BenchmarkItems(), ("text",), ("labels",), False),
        (BenchmarkItems(), ("labels", "text"), ("labels",), True),
        (BenchmarkItems(written=True), ("labels",), ("labels",), False),
        (BenchmarkItems(rubric="cfsafety"), ("text",), ("labels",), True),
        (BenchmarkItems(rubric="cfsafety"), ("labels",), ("text",), False),
    ],
)
def test_the_least_mass_is_told_where_labels_were_read(
    benchmark: BenchmarkItems, channels: Any, judged_in: Any, shown: bool
) -> None:
    config = RunConfig(
        channels=channels,
        judge_channels=judged_in,
        provenance=Provenance(responses=ResponsesProvenance(benchmarks={"b": benchmark})),
    )
    assert ("of the mass on the scale" in settings(config)) is shown


def limits_of(scores: Scores, rows: list[dict[str, Any]], **other: Any) -> list[Caveat]:
    return list(caveats(run_of(scores, **other), columns_of(rows)))


def test_limits_tell_of_slices_failures_the_silver_key_and_the_variant() -> None:
    keyed = item("1", answer="A", answer_source="silver")
    with_error = with_key_error(estimate(0.5), None, level=0.95)
    silver = Statistic("silver_agreement", "rate", with_error)
    rows = [judged("option", None, "low_coverage"), judged("option", 1.0)]
    taken = {"b": BenchmarkItems(items=1, items_in_dataset=9)}
    config = RunConfig(provenance=Provenance(responses=ResponsesProvenance(benchmarks=taken)))
    found = limits_of({"b": (silver,)}, rows, items=[keyed], config=config)
    assert [limit.about for limit in found] == ["Slice", "Unscored", "Key", "Prompt variants"]
    assert "1 of 9 items" in plain(found[0].text)
    assert "b 50.0 % (1 of 2)" in plain(found[1].text)
    assert plain(found[2].text).endswith("Its own error is in the interval.")
    assert "one prompt variant" in plain(found[3].text)


def test_limits_tell_how_far_the_variant_decides() -> None:
    of = scores(("flip_rate", "rate", 0.25, "", ""))
    rows = [*asked_in("w1", 2.0), *asked_in("w2", -1.0)]
    (limit,) = limits_of(of, rows, items=[item("v0")])
    assert "25.0 % [25.0, 75.0] %" in plain(limit.text)
    assert "from −1.00 to 2.00" in plain(limit.text)
    assert "−1.00 到 2.00" in plain(limit.text, "zh")


def test_variants_without_a_valid_answer_say_nothing_of_signs() -> None:
    unknown = Statistic("flip_rate", "rate", undefined("?", target="new prompt variants"))
    of: Scores = {"b": (unknown,)}
    rows = [*asked_in("w1", None), *asked_in("w2", None)]
    assert not [limit for limit in limits_of(of, rows) if "opposite" in plain(limit.text)]
    assert not any(
        "runs from" in text for text in map(str, variant_blocks(run_of(of), columns_of(rows)))
    )


def nearly_all(share: float, n: int) -> Scores:
    found = replace(estimate(share), n=n)
    row = Statistic("most_frequent_label", "rate", found, group="label", member="A")
    return {"b": (row,)}


def test_answers_that_are_nearly_all_one_label_are_told_on_the_first_screen() -> None:
    (limit,) = constant_answers(nearly_all(0.9, 20))
    assert limit.text == "b: 90.0 % of 20 answers are A, nearly whatever was asked."
    (limit,) = constant_answers(nearly_all(1.0, 1500))
    assert (plain(limit.about, "zh"), plain(limit.text, "zh")) == (
        "单一标签",
        "b：1,500 个回答中有 100 % 为 A，几乎与所问无关。",
    )
    first = limits_of(nearly_all(0.9, 20), [], items=[])
    assert [each.about for each in first] == ["One label"]
    # fewer answers, or less of one label, say nothing yet
    assert not [*constant_answers(nearly_all(1.0, 19)), *constant_answers(nearly_all(0.899, 999))]


def test_the_terminal_tells_of_answers_that_are_all_one_label_and_names_the_letter() -> None:
    best = Statistic("best_constant", "rate", estimate(0.5), member="B")
    printed = StringIO()
    scores = {"b": (best, *nearly_all(0.95, 150)["b"])}
    show_blocks(
        overall_scores(scores, caveats=["a caveat [of the run]"]), Console(file=printed, width=100)
    )
    told = printed.getvalue()
    assert told.startswith("! a caveat [of the run]\n")
    assert "! One label: b: 95.0 % of 150 answers are A, nearly whatever was asked." in told
    assert "best_constant (B)" in told


def test_an_overall_number_says_what_it_is_of() -> None:
    rows = (
        Statistic("score", "score", estimate(3.0), member="open"),
        Statistic("score", "score", estimate(2.0), member="closed"),
    )
    ((first, second),) = first_screen({"cfsafety": rows})
    assert (first, second) == ("score (open) (from 0 to 5)", "score (closed) (from 0 to 5)")
    assert plain(label_of(rows[0]), "zh") == "安全得分（开放题）"
