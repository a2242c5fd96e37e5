"""The statistics on a report: the headlines, the one table of all, and what limits them."""

from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from typing import Any

from judged_rows import item
from report_runs import holding, small_run
from rich.console import Console
from shown_pages import lines, tables_of

from normscope.metrics.estimate import Estimate, Statistic
from normscope.metrics.scores import Scores
from normscope.records.item import Item
from normscope.records.model_spec import Decoding
from normscope.records.provenance import BenchmarkItems, Provenance, ResponsesProvenance
from normscope.records.settings import Settings
from normscope.report import ReportData
from normscope.report.blocks import Caveat, Details, Paragraph, Whisker, plain
from normscope.report.caveats import answer_caveats, caveats, folded
from normscope.report.data import settings, sizes
from normscope.report.estimates import whisker
from normscope.report.scores import overall_scores, scores_section, statistics_table
from normscope.report.writers.terminal import show_blocks


def estimate(value: float | None = 0.5, **parts: Any) -> Estimate:
    known = Estimate(value, 0.25, 0.75, 1200, 3, 0.4, 0.6, "new items of the kind", "Wilson")
    return replace(known, **parts)


def run_of(
    scores: dict[str, tuple[Statistic, ...]], *, items: Sequence[Item] = (), **other: Any
) -> ReportData:
    run: ReportData = replace(holding(small_run(), scores=scores, items=items), **other)
    return run


def headlines(*rows: Statistic) -> list[tuple[str, ...]]:
    """The headlines of one benchmark as they stand on the first screen."""
    (table, *_) = tables_of(scores_section(run_of({"b": rows}), {}))
    return [tuple(row[at] for at in table.written) for row in lines(table)]


# the answer


def test_a_headline_has_its_interval_its_target_and_what_the_unscored_leave_open() -> None:
    about = "[25.0, 75.0] % (95 % for new items of the kind)"
    assert headlines(
        Statistic("rr1", "rate", estimate()), Statistic("rr2", "rate", estimate())
    ) == [
        ("RR-1", "50.0 %", about, "1,200", "3", "[40.0, 60.0] %"),
        ("RR-2", "50.0 %", about, "1,200", "3", "[40.0, 60.0] %"),
    ]
    # nothing is unscored: no column of the lowest and the highest
    assert len(headlines(Statistic("rr1", "rate", estimate(unscored=0)))[0]) == 5


def test_what_is_exact_and_what_has_no_interval_say_so() -> None:
    exact = estimate(low=0.5, high=0.5, target="these items")
    bare = estimate(1.77, low=None, high=None, method="t")
    rows = (Statistic("rr1", "rate", exact), Statistic("score", "score", bare))
    assert [row[2] for row in headlines(*rows)] == ["all asked", "– (t)"]


def test_the_first_screen_has_the_headlines_or_where_there_are_none_everything() -> None:
    calm, headline = (Statistic(name, "rate", estimate()) for name in ("unanimous", "flip_rate"))
    assert [row[0] for row in headlines(calm, headline)] == ["flip rate"]
    assert [row[0] for row in headlines(calm)] == ["unanimous"]


def test_an_overall_number_says_what_it_is_of() -> None:
    rows = [Statistic("score", "score", estimate(3.0), member=of) for of in ("open", "closed")]
    names = [row[0] for row in headlines(*rows)]
    assert names == ["score (open) (from 0 to 5)", "score (closed) (from 0 to 5)"]


# the one table


def test_the_overall_ones_stand_first_and_the_levels_of_a_group_under_one_another() -> None:
    rows = [
        *(
            Statistic(n, "rate", estimate(), "language", m)
            for m in ("zh", "en")
            for n in ("rr1", "hr")
        ),
        Statistic("unanimous", "rate", estimate(), "language", "zh"),
        Statistic("unanswered", "rate", estimate(), "reason", "off_scale"),
        Statistic("rr1", "rate", estimate(), "area × turns", "rights × multi"),
        Statistic("unanimous", "rate", estimate()),
    ]
    # of a group what the benchmark is about, of another all
    assert [row[:3] for row in lines(statistics_table(rows))] == [
        ("unanimous", "", ""),
        ("RR-1", "language", "zh"),
        ("RR-1", "language", "en"),
        ("HR", "language", "zh"),
        ("HR", "language", "en"),
        ("unanswered", "reason", "off scale"),
        ("RR-1", "area × turns", "infringement of rights × multi"),
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
    return list(answer_caveats(Scores.of(rows, benchmark="b")))


def test_answers_that_are_nearly_all_one_label_are_told() -> None:
    (limit,) = one_label(nearly_all(0.9, 20))
    assert limit.text == "b: 90.0 % of 20 answers are A, nearly whatever was asked."
    assert plain(limit.about, "zh") == "单一标签"
    # fewer answers, or less of one label, say nothing yet
    assert not one_label(nearly_all(1.0, 19), nearly_all(0.899, 999))
    shown = StringIO()
    best = Statistic("best_constant", "rate", estimate(), member="B")
    scores = Scores.of([best, nearly_all(0.95, 150)], benchmark="b")
    show_blocks(overall_scores(scores, caveats=["of [the run]"]), Console(file=shown, width=100))
    assert shown.getvalue().startswith("! of [the run]\n")
    assert "! One label: b: 95.0 % of 150 answers are A" in shown.getvalue()
    assert "best_constant (B)" in shown.getvalue()


def test_more_than_a_few_caveats_are_folded_away_but_warnings_never() -> None:
    calm, warning = [Caveat(f"calm {n}") for n in range(4)], Caveat("!", warns=True)
    assert folded([calm[0], warning]) == (calm[0], warning)
    shown, more = folded([*calm, warning])
    assert shown == warning
    assert isinstance(more, Details)
    assert more.blocks == tuple(calm)
    (nothing,) = folded([])
    assert isinstance(nothing, Paragraph)
