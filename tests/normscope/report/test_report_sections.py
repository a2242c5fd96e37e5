"""The rows of the report's sections, before any of it is HTML."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from judged_rows import columns_of, item, judged
from report_runs import small_run
from shown_pages import lines, tables_of, within

from normscope.metrics.estimate import Estimate, Statistic
from normscope.records.config import RunConfig
from normscope.records.items import Items
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
    Whisker,
    plain,
    texts_of,
)
from normscope.report.estimates import Axis, axis_of, axis_over
from normscope.report.groups import group_blocks
from normscope.report.reproduce import pinned_packages, pins
from normscope.report.samples import ROWS, sample_blocks
from normscope.report.scores import scores_section
from normscope.untrusted import excerpt, visible

# the axis


def estimate(value: float | None, **parts: object) -> Estimate:
    known = {
        "value": value,
        "low": 0.25,
        "high": 0.75,
        "n": 1200,
        "unscored": 3,
        "lowest": 0.4,
        "highest": 0.6,
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


@given(st.lists(st.floats(-1000, 1000).map(lambda value: round(value, 3)), min_size=1))
def test_a_tick_is_written_without_an_exponent_and_with_a_real_minus(values: list[float]) -> None:
    labels = [label for _, label in axis_over(values).ticks(" %")]
    assert all(set(label) <= set("−0123456789. %") for label in labels)


def test_a_value_beyond_the_axis_stands_at_its_end() -> None:
    assert Axis(0, 5).share(7) == 1.0
    assert Axis(0, 5).share(float("nan")) is None


# scores


def overall(*rows: Statistic) -> list[tuple[str, ...]]:
    """The overall statistics of one benchmark as they stand on the first screen."""
    data = replace(small_run(), scores={"b": rows})
    return [texts_of(row) for row in tables_of(scores_section(data, {}))[0].rows]


def test_statistics_are_sorted_into_overall_and_a_matrix_per_group() -> None:
    rows = (
        Statistic("rr1", "rate", estimate(0.5)),
        Statistic("rr1", "rate", estimate(0.5), "language", "zh"),
        Statistic("hr", "rate", estimate(0.1), "language", "zh"),
        Statistic("rr1", "rate", estimate(0.5), "language", "en"),
    )
    assert [row[0] for row in overall(*rows)] == ["RR-1"]
    tables = tables_of(*group_blocks(replace(small_run(), scores={"b": rows})))
    (matrix,) = tables
    titles = [plain(column.title) for column in matrix.columns if column.kind != "drawing"]
    # what all statistics of a level count stands once
    assert titles == ["language", "RR-1", "HR", "n", "unscored"]
    shown = "([25.0, 75.0] % · lowest – highest [40.0, 60.0] %)"
    assert lines(matrix) == [
        ("zh", f"50.0 % {shown}", "", f"10.0 % {shown}", "1,200", "3"),
        ("en", f"50.0 % {shown}", "", "–", "1,200", "3"),
    ]


def test_the_first_breakdown_is_open_on_paper_too_and_the_others_are_folded_away() -> None:
    rows = [Statistic("rr1", "rate", estimate(0.5), group, "m") for group in ("area", "language")]
    first, second = within([*group_blocks(replace(small_run(), scores={"b": rows}))], Details)
    assert (first.open, first.printed, second.open, second.printed) == (True, True, False, False)


def test_statistics_of_a_level_that_count_other_items_say_so_in_their_cells() -> None:
    rows = (
        Statistic("accept_share", "rate", estimate(0.5, unscored=0), "sender", "s"),
        Statistic("mean_acceptability", "score", estimate(1.0, n=11, unscored=0), "sender", "s"),
    )
    (matrix,) = tables_of(*group_blocks(replace(small_run(), scores={"b": rows})))
    share, mean = "[25.0, 75.0] % · n 1,200", "[0.250, 0.750] · n 11"
    assert lines(matrix) == [("s", f"50.0 % ({share})", "", f"1.00 ({mean})")]


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
    nothing = dict.fromkeys(("low", "high", "lowest", "highest"))
    statistic = Statistic("score", "score", estimate(None, n=0, **nothing))
    ((label, value, interval, _, _, bounds),) = overall(statistic)
    assert label == "score (from 0 to 5)"
    assert (value, interval.split(" (")[0], bounds) == ("–", "–", "–")
    assert axis_of([statistic]).whisker(statistic) == Whisker(None)


def test_what_is_exact_names_no_level() -> None:
    row = Statistic("unanimous", "rate", estimate(0.5, method="exact", target="these items"))
    assert overall(row)[0][2] == "[25.0, 75.0] % (exact for these items)"


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
    data = replace(small_run(), responses=table, items=Items.of(items))
    blocks = tuple(sample_blocks(data, columns_of(said)))
    (shown,) = tables_of(*blocks)
    assert len(shown.rows) == ROWS
    assert isinstance(blocks[-1], Paragraph)
    assert "normscope view RUN" in plain(blocks[-1].text)
    first = shown.rows[0]
    assert first[2] == Sample((("question", "question i-0"), ("answer", "x" * 200 + "…")))
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
