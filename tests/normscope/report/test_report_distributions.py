"""How judgements are spread: by value and class, reasons for none, and over the categories."""

from typing import Any

import numpy as np
from judged_rows import columns_of, item, judged
from shown_pages import lines, plots, tones, within

from normscope.report.blocks import (
    Details,
    Section,
    Table,
    plain,
)
from normscope.report.charts import Bars, Histogram, Ridges
from normscope.report.charts.distribution import BINS
from normscope.report.distributions import distribution_blocks, histogram

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
