"""The statistics on a report: the headlines, the one table of all, and what limits them."""

from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from typing import Any

import pyarrow as pa
from judged_rows import item
from report_runs import holding, keys, small_run
from rich.console import Console
from shown_pages import lines, tables_of

from normscope.judges.trust.corrections import Corrected, Correction
from normscope.metrics.estimate import Estimate, Statistic
from normscope.metrics.scores import ScoreTable
from normscope.records.item import Item
from normscope.records.judgement import SCHEMA as JUDGEMENTS
from normscope.records.model_spec import Decoding
from normscope.records.provenance import BenchmarkItems, Provenance, ResponsesProvenance
from normscope.records.settings import Settings
from normscope.report import Report, ReportData
from normscope.report.answer import sentence
from normscope.report.blocks import Caveat, Link, Paragraph, Whisker, plain
from normscope.report.caveats import answer_caveats, caveats, failures, top_caveats
from normscope.report.data import settings, sizes
from normscope.report.estimates import whisker
from normscope.report.scores import answers, overall_scores, statistics_table
from normscope.report.writers.terminal import show_blocks


def estimate(value: float | None = 0.5, **parts: Any) -> Estimate:
    known = Estimate(value, 0.25, 0.75, 1200, 3, 0.4, 0.6, "new items of the kind", "Wilson")
    return replace(known, **parts)


def run_of(
    scores: dict[str, tuple[Statistic, ...]], *, items: Sequence[Item] = (), **other: Any
) -> ReportData:
    run: ReportData = replace(holding(small_run(), scores=scores, items=items), **other)
    return run


def rows_of(*rows: Statistic) -> list[tuple[str, ...]]:
    """The rows of the answer of one benchmark, as they stand on the first screen."""
    tables = tables_of(*answers(Report((run_of({"b": rows}),))))
    return [tuple(row[at] for at in table.written) for table in tables for row in lines(table)]


# the answer


def test_the_primary_statistic_is_a_row_with_its_interval_and_what_is_left_open() -> None:
    rr1, hr = (Statistic(name, "rate", estimate()) for name in ("rr1", "hr"))
    name = "model plain (3 unscored, lowest – highest [40.0, 60.0] %)"
    assert rows_of(rr1, hr) == [(name, "50.0 % ([25.0, 75.0] %)", "1,200")]
    everything = Statistic("hr", "rate", estimate(unscored=0))
    assert rows_of(everything) == [("model plain", "50.0 % ([25.0, 75.0] %)", "1,200")]


def test_a_share_of_flows_is_exact_and_has_the_mean_with_its_interval_beside_it() -> None:
    exact = estimate(low=0.5, high=0.5, target="these items", unscored=0)
    mean = estimate(-0.5, low=-0.7, high=-0.3, n=11, unscored=0)
    rows = Statistic("accept_share", "rate", exact), Statistic("mean_acceptability", "score", mean)
    assert rows_of(*rows) == [("model plain", "50.0 %", "−0.500 ([−0.700, −0.300])", "11")]


def test_the_number_that_people_corrected_is_the_answer_and_the_judged_one_stands_beside() -> None:
    judged = estimate(0.5, unscored=0)
    new = estimate(0.3, low=0.2, high=0.4, n=40, unscored=0)
    by_people = Corrected("hr", "rate", judged, new, new, -0.2, 1.0, 40, 1200, 1200)
    correction = Correction("ppi", "b", "judge", "40 labels", "00", (by_people,))
    data = run_of({"b": (Statistic("hr", "rate", judged),)}, corrections=(correction,))
    (answer,) = answers(Report((data,)))
    (table,) = tables_of(answer)
    (row,) = lines(table)
    assert row[:2] == ("model plain (corrected by people's labels)", "30.0 % ([20.0, 40.0] %)")
    assert sentence(data, "b") == (
        "Of 1,200 answers 30 % [20, 40] are harmful. Corrected by people's labels of 40; the "
        "judge alone says 50 % [25, 75]."
    )


def test_a_model_off_the_scale_hears_that_first_and_what_to_do() -> None:
    row = {**keys("b", "1"), "criterion": "acceptability", "source": "model_logits"}
    rows = [row | {"reason": "off_scale"}] * 2 + [row | {"value": 1.0}]
    table = pa.Table.from_pylist(rows, schema=JUDGEMENTS)
    (caveat,) = failures(holding(run_of({}, items=[item("1")]), judgements=table))
    assert caveat.text == (
        "b: at 2 of 3 prompts the model puts hardly any probability on the labels: ask it in text "
        "(--channels text)."
    )


# the one table


def test_the_overall_ones_stand_first_and_the_levels_of_a_group_under_one_another() -> None:
    rows = [
        *(
            Statistic(n, "rate", estimate(), "language", m)
            for m in ("zh", "en")
            for n in ("rr1", "hr")
        ),
        Statistic("rr1", "rate", estimate(n=9), "language", "fr"),
        Statistic("unanimous", "rate", estimate(), "language", "zh"),
        *(
            Statistic("unanswered", "rate", estimate(), "reason", of)
            for of in ("off_scale", "no_answer")
        ),
        Statistic("rr1", "rate", estimate(), "turns", "multi"),
        Statistic("unanimous", "rate", estimate()),
    ]
    # of a group what the benchmark is about, of another all; not of few, nor of a single level
    assert [row[:3] for row in lines(statistics_table(rows, fewest=10))] == [
        ("unanimous", "", ""),
        ("RR-1", "language", "zh"),
        ("RR-1", "language", "en"),
        ("HR", "language", "zh"),
        ("HR", "language", "en"),
        ("unanswered", "reason", "off scale"),
        ("unanswered", "reason", "no answer"),
    ]


def test_a_statistic_is_drawn_on_its_scale_and_one_without_a_scale_is_not() -> None:
    assert whisker(Statistic("rr1", "rate", estimate())) == Whisker(0.5, 0.25, 0.75, 0.4, 0.6)
    score = whisker(Statistic("score", "score", estimate(7.0, low=None)))
    assert isinstance(score, Whisker)
    # held to the end of the scale
    assert (score.value, score.low) == (1.0, None)
    assert whisker(Statistic("politeness", "score", estimate())) == ""


# what was asked of whom


def test_what_was_asked_is_counted_from_the_items_of_the_run() -> None:
    items = [item("1"), item("1", variant_id="w2"), item("2", language="zh")]
    taken = {"b": BenchmarkItems(items_in_dataset=25_000)}
    config = Settings(provenance=Provenance(responses=ResponsesProvenance(benchmarks=taken)))
    data = run_of({}, items=items, config=config)
    assert sizes(data) == {"b": "2 of 25,000 items"}


def test_the_settings_are_one_line() -> None:
    config = Settings(
        decoding=Decoding(temperature=(0.0, 0.7), samples=2),
        channels=("labels", "text"),
        option_orders="cyclic",
        label_orders="both",
    )
    assert settings(config) == (
        "temperature 0, 0.7; 2 samples; answers in labels, text; option_orders cyclic; "
        "label_orders both"
    )


# what limits the numbers


def limits_of(scores: dict[str, tuple[Statistic, ...]], **other: Any) -> list[Caveat]:
    return list(caveats(run_of(scores, **other)))


def test_limits_tell_of_slices_and_the_silver_key() -> None:
    keyed = item("1", answer="A", answer_source="silver")
    taken = {"b": BenchmarkItems(items=1, items_in_dataset=9)}
    config = Settings(provenance=Provenance(responses=ResponsesProvenance(benchmarks=taken)))
    silver = Statistic("silver_agreement", "rate", estimate())
    found = limits_of({"b": (silver,)}, items=[keyed], config=config)
    assert [limit.about for limit in found] == ["Slice", "Key"]
    texts = [plain(limit.text) for limit in found]
    assert "1 of 9 items" in texts[0]
    assert "silver key" in texts[1]


def nearly_all(share: float, n: int) -> Statistic:
    most = estimate(share, n=n)
    return Statistic("most_frequent_label", "rate", most, group="label", member="A")


def one_label(*rows: Statistic) -> list[Caveat]:
    return list(answer_caveats(ScoreTable.of(rows, benchmark="b")))


def test_answers_that_are_nearly_all_one_label_are_told() -> None:
    (limit,) = one_label(nearly_all(0.9, 20))
    assert limit.text == "b: 90.0 % of 20 answers are A, nearly whatever was asked."
    assert plain(limit.about, "zh") == "单一标签"
    # fewer answers, or less of one label, say nothing yet
    assert not one_label(nearly_all(1.0, 19), nearly_all(0.899, 999))
    shown = StringIO()
    best = Statistic("best_constant", "rate", estimate(), member="B")
    scores = ScoreTable.of([best, nearly_all(0.95, 150)], benchmark="b")
    show_blocks(overall_scores(scores, caveats=["of [the run]"]), Console(file=shown, width=100))
    assert shown.getvalue().startswith("! of [the run]\n")
    assert "! One label: b: 95.0 % of 150 answers are A" in shown.getvalue()
    assert "best_constant (B)" in shown.getvalue()


def test_three_caveats_stand_on_the_first_screen_behind_one_line() -> None:
    limits = [Caveat("!", warns=True), *(Caveat(f"calm {n}") for n in range(3))]
    top = top_caveats(limits)
    assert top is not None
    assert top.summary == "4 things limit this"
    *shown, more = top.blocks
    assert [plain(each.text) for each in shown if isinstance(each, Caveat)] == [
        "!",
        "calm 0",
        "calm 1",
    ]
    assert more == Paragraph((Link("All that limits it", "#limits"),), note=True)
    one = top_caveats(limits[:1])
    assert one is not None
    assert one.summary == "One thing limits this"
    assert top_caveats([]) is None
