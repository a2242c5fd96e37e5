"""The items that a run judged twice and differently."""

from typing import Any

from judged_rows import asked_in, columns_of, item, judged
from shown_pages import lines, within

from normscope.report.blocks import (
    Details,
    Sample,
    Table,
    plain,
)
from normscope.report.disagreement import disagreement_blocks

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
