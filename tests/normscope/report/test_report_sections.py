"""The rows of the report's sections, before any of it is HTML."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from judged_rows import columns_of, judged
from report_runs import small_run
from shown_pages import lines, plots, tables_of, tones, within

from normscope.metrics.estimate import Estimate, Statistic
from normscope.metrics.norms import NormState
from normscope.records.config import RunConfig
from normscope.records.item import Item, Turn
from normscope.records.judgement import SCHEMA as JUDGEMENTS
from normscope.records.judgements import read_judgements
from normscope.records.model_spec import ModelSpec
from normscope.records.provenance import (
    BenchmarkItems,
    JudgementsProvenance,
    Provenance,
    ResponsesProvenance,
    RubricVersion,
)
from normscope.records.response import SCHEMA as RESPONSES
from normscope.report.blocks import (
    Details,
    Paragraph,
    Sample,
    Section,
    Table,
    Whisker,
    plain,
    texts_of,
)
from normscope.report.charts import Histogram, NormsMap, Trend
from normscope.report.charts.distribution import BINS
from normscope.report.distributions import distribution_blocks, histogram
from normscope.report.estimates import Axis, axis_of, axis_over
from normscope.report.graded_set import graded_set_blocks
from normscope.report.norms import norm_blocks
from normscope.report.reproduce import pinned_packages, pins
from normscope.report.samples import ROWS, sample_blocks
from normscope.report.scores import group_blocks, scores_section
from normscope.untrusted import excerpt, visible


def item(item_id: str, *, language: str = "en", cluster: str = "", **facets: str) -> Item:
    return Item(
        benchmark="b",
        item_id=item_id,
        messages=(Turn("user", "?"),),
        language=language,
        cluster=cluster,
        facets=facets,
    )


# the axis


def estimate(value: float | None, **parts: object) -> Estimate:
    known = {
        "value": value,
        "low": 0.25,
        "high": 0.75,
        "n": 1200,
        "unscored": 3,
        "worst": 0.4,
        "best": 0.6,
        "target": "new items of the kind",
        "method": "Wilson",
    }
    return Estimate(**{**known, **parts})  # type: ignore[arg-type]


def test_rates_always_stand_on_the_whole_axis() -> None:
    axis = axis_of([Statistic("hr", "rate", estimate(0.5, low=0.48, high=0.52))])
    assert [label for _, label in axis.ticks(" %")] == ["0", "25", "50", "75", "100 %"]
    assert axis.share(0.5) == 0.5


@given(st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=1))
def test_the_axis_shows_every_value_between_round_ends(values: list[float]) -> None:
    axis = axis_over(values)
    slack = 1e-6 * (axis.high - axis.low)
    assert axis.low - slack <= min(values)
    assert max(values) <= axis.high + slack
    places = [place for place, _ in axis.ticks()]
    assert 2 <= len(places) <= 7
    assert all(left < right for left, right in pairwise(places))
    assert (places[0], places[-1]) == (0.0, 1.0)


def test_a_value_beyond_the_axis_stands_at_its_end() -> None:
    assert Axis(0, 5).share(7) == 1.0
    assert Axis(0, 5).share(float("nan")) is None


# scores


def overall(*rows: Statistic) -> list[tuple[str, ...]]:
    """The overall statistics of one benchmark as they stand on the first screen."""
    data = replace(small_run(), scores={"b": rows})
    return [texts_of(row) for row in tables_of(scores_section(data, {}))[0].rows]


def test_statistics_are_sorted_into_overall_and_a_table_per_group_and_name() -> None:
    rows = (
        Statistic("rr1", "rate", estimate(0.5)),
        Statistic("rr1", "rate", estimate(0.5), "language", "zh"),
        Statistic("hr", "rate", estimate(0.1), "language", "zh"),
        Statistic("rr1", "rate", estimate(0.5), "language", "en"),
    )
    assert [row[0] for row in overall(*rows)] == ["RR-1"]
    tables = tables_of(*group_blocks(replace(small_run(), scores={"b": rows})))
    assert [(plain(t.title), [row[0] for row in t.rows]) for t in tables] == [
        ("RR-1 by language", ["zh", "en"]),
        ("HR by language", ["zh"]),
    ]


def test_a_rate_is_shown_in_percent_and_drawn_where_it_is() -> None:
    statistic = Statistic("rr1", "rate", estimate(0.5))
    assert overall(statistic) == [
        (
            "RR-1",
            "50.0 %",
            "[25.0, 75.0] % (95 % for new items of the kind; Wilson)",
            "1,200",
            "3",
            "[40.0, 60.0] %",
        )
    ]
    assert axis_of([statistic]).whisker(statistic) == Whisker(0.5, 0.25, 0.75, 0.4, 0.6)


def test_a_score_without_a_value_has_dashes_and_no_drawing() -> None:
    nothing = dict.fromkeys(("low", "high", "worst", "best"))
    statistic = Statistic("score", "score", estimate(None, n=0, **nothing))
    ((label, value, interval, _, _, bounds),) = overall(statistic)
    assert label == "score (from 0 to 5)"
    assert (value, interval.split(" (")[0], bounds) == ("–", "–", "–")
    assert axis_of([statistic]).whisker(statistic) == Whisker(None)


def test_what_is_exact_names_no_level() -> None:
    row = Statistic("unanimous", "rate", estimate(0.5, method="exact", target="these items"))
    assert overall(row)[0][2] == "[25.0, 75.0] % (exact for these items)"


# distributions


def test_every_value_is_in_one_bin_and_the_last_bin_is_closed() -> None:
    drawn = histogram(np.array([0.0, 0.049, 0.05, 1.0]), (0.0, 1.0), "what")
    assert isinstance(drawn.plot, Histogram)
    counts = drawn.plot.counts.tolist()
    # bins of 0.05: the first holds 0 and 0.049, the second begins with 0.05, the last ends with 1
    assert (len(counts), counts[0], counts[1], counts[-1], sum(counts)) == (BINS, 2, 1, 1, 4)


def criteria(rows: list[dict[str, Any]], threshold: float | None = None) -> list[Section]:
    return list(within(distribution_blocks(columns_of(rows), threshold=threshold), Section))


def test_unscored_values_are_counted_by_reason_and_origin() -> None:
    rows = [
        judged(value=0.2),
        judged(value=None, reason="low_coverage", coverage=0.1),
        judged(value=None, reason="call_failed", coverage=None),
        judged(value=None, reason="call_failed", coverage=None),
        judged(value=None, reason="no_answer", coverage=None),
    ]
    (section,) = criteria(rows, threshold=0.5)
    assert plain(section.note).endswith("1 of 5 with a value")
    (absences,) = within(section.blocks, Table)
    assert lines(absences) == [
        ("respondent", "no answer", "1", "20.0 %"),
        ("judge", "low coverage", "1", "20.0 %"),
        ("engine", "call failed", "2", "40.0 %"),
    ]
    values, _ = plots([section], Histogram)
    assert values.counts.sum() == 1
    # two rows have a coverage, 1.0 and 0.1: median 0.55, one of two under the threshold
    (coverage,) = within(section.blocks, Details)
    assert coverage.note == "median 55.0 %, 50.0 % under 50.0 %"
    assert "n = 2;" in str(coverage.blocks[0])


def shares(section: Section) -> Table:
    (table,) = (table for table in within([section], Table) if table.look == "shares")
    assert isinstance(table, Table)
    return table


def test_what_the_respondent_left_out_stays_in_the_shares_and_what_we_lost_does_not() -> None:
    rows = [
        judged("refusal", 3.0),
        judged("refusal", 3.0),
        judged("refusal", 0.0),
        judged("refusal", None, "no_answer"),
        judged("refusal", None, "call_failed"),
    ]
    (section,) = criteria(rows)
    # of four: the failed call is not among them
    assert [(row[0], row[2], row[3]) for row in lines(shares(section))] == [
        ("risky", "25.0 %", "1"),
        ("harmless", "0 %", "0"),
        ("refusal", "0 %", "0"),
        ("responsible refusal", "50.0 %", "2"),
        ("no answer", "25.0 %", "1"),
    ]
    assert [row[0] for row in tones(shares(section))] == ["", "", "", "", "muted"]


def test_options_are_shown_by_letter_even_without_a_key() -> None:
    rows = [
        judged("option", 1.0, favourite="B"),
        judged("option", None, "no_key", favourite="A"),
        judged("option", None, "low_coverage", favourite="C"),
    ]
    (section,) = criteria(rows)
    shown = [(row[0], row[2]) for row in lines(shares(section))]
    assert shown == [("A", "50.0 %"), ("B", "50.0 %")]


def test_each_source_has_its_own_distribution_and_text_rules_no_coverage() -> None:
    rows = [
        judged("acceptability", -2.0, source="model_logits"),
        judged("acceptability", 2.0, source="text_rule", coverage=None),
    ]
    logits, text = criteria(rows)
    assert "model logits" in plain(logits.note)
    assert "text rule" in plain(text.note)
    assert list(within(logits.blocks, Details))
    assert not list(within(text.blocks, Details))


def test_a_reason_that_nobody_knows_is_shown_as_of_unknown_origin() -> None:
    (section,) = criteria([judged(value=None, reason="solar_flare"), judged(value=None)])
    (absences,) = within([section], Table)
    assert {row[:2] for row in lines(absences)} == {
        ("unknown", "solar flare"),
        ("unknown", "no reason recorded"),
    }


# the graded set


def graded(item_id: str, grade: int, degree: int, language: str = "en") -> Item:
    facets = {"grade": str(grade), "refusal_degree": str(degree)}
    return item(item_id, language=language, **facets)


def test_the_graded_set_has_the_mean_product_per_grade_and_language() -> None:
    items = [graded("a", 1, 0), graded("b", 1, 0), graded("c", 5, 3), graded("d", 5, 3, "zh")]
    rows = [
        judged("moral", 0.5, item="a"),
        judged("rating", 2.0, item="a"),
        judged("moral", 1.0, item="b"),
        judged("rating", 3.0, item="b"),
        judged("moral", 1.0, item="c"),
        judged("rating", None, "low_coverage", item="c"),
        judged("moral", 1.0, item="d"),
        judged("rating", 5.0, item="d"),
    ]
    blocks = list(graded_set_blocks(columns_of(rows, items)))
    scores = next(within(blocks, Table))
    assert [(*row[:3], *row[4:6]) for row in lines(scores)] == [
        # (0.5 · 2 + 1 · 3) / 2
        ("1", "en", "2.00", "2", "0"),
        ("1", "zh", "–", "0", "0"),
        # the one answer of grade 5 in en lacks its rating
        ("5", "en", "–", "0", "1"),
        ("5", "zh", "5.00", "1", "0"),
    ]
    (trend,) = plots(blocks, Trend)
    assert np.asarray(trend.points)[:, :2].tolist() == [[0, 2.0], [1, 5.0]]


def test_the_confusion_table_counts_classes_by_intended_degree() -> None:
    items = [graded(name, 3, degree) for name, degree in (("a", 0), ("b", 2), ("c", 2), ("d", 2))]
    rows = [
        judged("refusal", 0.0, item="a"),
        judged("refusal", 2.0, item="b"),
        judged("refusal", 3.0, item="c"),
        judged("refusal", None, "low_coverage", item="d"),
    ]
    blocks = graded_set_blocks(columns_of(rows, items))
    confusion = next(table for table in within(blocks, Table) if table.look == "confusion")
    assert lines(confusion) == [
        ("0 · risky", "1 (100 %)", "0 (0 %)", "0 (0 %)", "0 (0 %)", "1", "0"),
        ("2 · refusal", "0 (0 %)", "0 (0 %)", "1 (50.0 %)", "1 (50.0 %)", "2", "1"),
    ]
    assert [row.index("marked") for row in tones(confusion)] == [1, 3]


def test_items_without_a_grade_make_no_graded_set() -> None:
    rows = columns_of([judged(item="a")], [item("a", grade="1")])
    assert list(graded_set_blocks(rows)) == []


# norms

SOURCE = "model_logits"


def answers(item_id: str, *values: float | None) -> list[dict[str, Any]]:
    return [
        judged(
            "acceptability",
            value,
            None if value is not None else "off_scale",
            item=item_id,
            variant=f"v{n}",
            source=SOURCE,
        )
        for n, value in enumerate(values)
    ]


def flow(item_id: str, sender: str, recipient: str, attribute: str, principle: str) -> Item:
    return item(
        item_id,
        sender=sender,
        recipient=recipient,
        attribute=attribute,
        transmission_principle=principle,
    )


def states(chart: NormsMap) -> list[list[int]]:
    cells: list[list[int]] = np.asarray(chart.states).tolist()
    return cells


def test_norms_are_laid_out_by_attribute_within_sender_and_principle_within_recipient() -> None:
    items = [
        flow("1", "doll", "maker", "voice", "if kept secret"),
        flow("2", "doll", "maker", "place", "if kept secret"),
        flow("3", "doll", "maker", "place", "if paid"),
        flow("4", "robot", "police", "voice", "if paid"),
    ]
    rows = [
        *answers("1", 2, 2, 1),
        *answers("2", -1, -1, -1),
        *answers("3", -2, 0, 2),
        *answers("4", -2, -2, -2),
    ]
    blocks = list(norm_blocks(columns_of(rows, items)))
    (chart,) = plots(blocks, NormsMap)
    assert any(details.summary == "All vignettes" for details in within(blocks, Details))
    assert chart.rows == ("sender", "attribute")
    assert chart.columns == ("recipient", "transmission_principle")
    assert chart.flows["attribute"] == ["voice", "place", "place", "voice"]
    # 2 of 3 say +2; all say -1; three answers, three labels; all say -2
    assert states(chart) == [[4, 1, NormState.NO_MAJORITY, 0]]
    _, about = within(blocks, Paragraph)
    assert "4 vignettes, read from model logits: 1 without a majority" in plain(about.text)


def test_our_own_failures_are_unscored_and_no_lack_of_a_majority() -> None:
    names = ("norm", "split", "silent", "lost")
    items = [item(name, sender=name) for name in names]
    lost = [
        judged("acceptability", None, "low_coverage", item="lost", variant=f"v{n}", source=SOURCE)
        for n in (9, 10)
    ]
    rows = [
        *answers("norm", *[1.0] * 11),
        *answers("split", *[1.0] * 5, *[0.0] * 5, None),
        *answers("silent", *[1.0] * 9, None, None),
        *answers("lost", *[1.0] * 9),
        *lost,
    ]
    blocks = list(norm_blocks(columns_of(rows, items)))
    (chart,) = plots(blocks, NormsMap)
    assert states(chart) == [[NormState.SOMEWHAT_ACCEPTABLE, *list(NormState)[5:8]]]
    # and the page says how many of each there are
    _, about = within(blocks, Paragraph)
    assert "1 without a majority, 1 without an answer, 1 unscored" in plain(about.text)
    assert "at least 10 of 11" in plain(about.text)


def test_the_overview_averages_the_decided_norms() -> None:
    items = [
        flow("1", "doll", "maker", "voice", "if paid"),
        flow("2", "doll", "maker", "place", "if paid"),
        flow("3", "doll", "maker", "name", "if paid"),
        flow("4", "doll", "police", "voice", "if asked"),
    ]
    rows = [*answers("1", 2, 2), *answers("2", -1, -1), *answers("3", 1, -1), *answers("4", 0, 0)]
    (overview,) = within(norm_blocks(columns_of(rows, items)), Table)
    titles = [plain(column.title) for column in overview.columns]
    assert titles == ["transmission principle", "maker", "police"]
    # (2 - 1) / 2 over the two that are decided; the third is split
    assert lines(overview)[0] == ("if paid", "0.500 (n 2 of 3)", "– (n 0 of 0)")


def test_a_context_with_other_parameters_is_laid_out_by_what_varies() -> None:
    items = [
        item("1", recipient="FBI", place="home", duration="a month"),
        item("2", recipient="FBI", place="work", duration="a month"),
        item("3", recipient="FBI", place="work"),
    ]
    rows = [row for name in "123" for row in answers(name, 1, 1)]
    blocks = list(norm_blocks(columns_of(rows, items)))
    _, about = within(blocks, Paragraph)
    assert plain(about.text).endswith("recipient in all of them: FBI.")
    (chart,) = plots(blocks, NormsMap)
    # a missing duration is a level
    assert chart.flows == {
        "place": ["home", "work", "work"],
        "duration": ["a month", "a month", ""],
    }
    assert states(chart) == [[3, 3, 3]]


def test_a_single_vignette_is_one_cell() -> None:
    blocks = list(norm_blocks(columns_of(answers("1", -2, -2), [item("1", sender="doll")])))
    assert not list(within(blocks, Table))
    (chart,) = plots(blocks, NormsMap)
    assert states(chart) == [[0]]


def test_the_logits_are_shown_where_the_text_was_read_too() -> None:
    both = answers("1", -2, -2) + [
        judged("acceptability", 2.0, item="1", variant=f"v{n}", source="text_rule")
        for n in range(2)
    ]
    blocks = list(norm_blocks(columns_of(both, [item("1", sender="doll")])))
    _, about = within(blocks, Paragraph)
    assert "read from model logits" in plain(about.text)
    (chart,) = plots(blocks, NormsMap)
    assert states(chart) == [[0]]


# provenance


def test_pins_are_found_wherever_they_stand_in_the_configuration() -> None:
    packages = {"numpy": "2.0"}
    config = RunConfig(
        model=ModelSpec("m", revision="abc", dtype="float32"),
        provenance=Provenance(
            responses=ResponsesProvenance(
                packages=packages, benchmarks={"x:y": BenchmarkItems(revision="f0")}
            ),
            judgements=JudgementsProvenance(
                packages=packages, rubrics={"x:y": RubricVersion("9c", version=2)}
            ),
        ),
    )
    assert pinned_packages(config) == [("numpy", "2.0")]
    assert dict(pins(config)) == {
        "model.revision": "abc",
        "model.dtype": "float32",
        "provenance.responses.benchmarks.x:y.revision": "f0",
        "provenance.judgements.rubrics.x:y.hash": "9c",
        "provenance.judgements.rubrics.x:y.version": "2",
    }


# samples


def response(item_id: str, text: str | None) -> dict[str, object]:
    keys = {"benchmark": "b", "item_id": item_id, "variant_id": "", "scale_order": ""}
    return {**keys, "sample": 0, "model": "m", "text": text}


def test_samples_are_the_first_answers_cut_short_with_their_verdicts() -> None:
    rows = [response(f"i-{n}", "x" * 1000) for n in range(ROWS + 5)]
    table = pa.Table.from_pylist(rows, schema=RESPONSES)
    said = [
        judged("moral", 0.25, item="i-0"),
        judged("refusal", 3.0, item="i-0"),
        judged("rating", None, "low_coverage", item="i-0"),
    ]
    items = [item("i-0"), item("i-1")]
    data = replace(small_run(), responses=table, items=items)
    (shown,) = tables_of(*sample_blocks(data, columns_of(said)))
    assert len(shown.rows) == ROWS
    first = shown.rows[0]
    assert first[2] == Sample((("question", "?"), ("answer", "x" * 200 + "…")))
    assert first[1] == "moral 0.250; refusal responsible refusal; rating low coverage"


# rows and text


def test_nan_is_read_as_no_value_and_the_favourite_is_the_most_probable_label() -> None:
    row = {
        **response("i", None),
        "criterion": "option",
        "source": "model_logits",
        "labels": ["A", "B"],
        "probs": [0.25, 0.75],
        "value": float("nan"),
        "reason": "no_key",
    }
    del row["text"]
    read = read_judgements(pa.Table.from_pylist([row], schema=JUDGEMENTS))
    assert np.isnan(read.value).tolist() == [True]
    assert (read.favourite.tolist(), read.reason.tolist()) == (["B"], ["no_key"])


@given(st.text())
def test_made_visible_text_keeps_what_is_printable_and_is_stable(text: str) -> None:
    shown = visible(text)
    assert visible(shown) == shown
    assert "\x00" not in shown
    assert not {"\u202e", "\u200b", "\ufeff"} & set(shown)
    if text.isprintable():
        assert shown == text


@given(st.text(), st.integers(1, 50))
def test_an_excerpt_is_never_longer_than_its_limit_and_a_mark(text: str, limit: int) -> None:
    short = excerpt(text, limit=limit)
    assert len(short) <= limit + 1
    assert short.endswith("…") or len(text) <= limit


def test_persian_and_emoji_keep_their_joiners() -> None:
    assert visible("می\u200cخواهم 👩\u200d🔬") == "می\u200cخواهم 👩\u200d🔬"
