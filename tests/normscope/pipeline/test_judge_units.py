"""The units of what is judged, of answers that may be many and long."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from normscope.pipeline.judge import planned_of
from normscope.records.item import Item, Turn
from normscope.records.item import to_table as to_items
from normscope.records.provenance import BenchmarkItems
from normscope.records.response import Response, ResponseKey
from normscope.records.response import to_table as to_responses

JUDGED, OWN = "cfsafety", "ci-vignettes:coppa"


@pytest.mark.parametrize("others", [0, 3])
def test_each_unit_has_its_answers_and_columns_that_may_hold_more_than_2_gb(others: int) -> None:
    items = [
        Item(name, f"q{n}", (Turn("user", f"Question {n}?"),), "en", category="bias")
        for name, count in ((OWN, others), (JUDGED, 5))
        for n in range(count)
    ]
    responses = [
        Response(ResponseKey(*item.key), text=f"Answer {n} to {item.item_id}")
        for item in items
        for n in range(2)
    ]
    table = to_responses(responses)
    # as a file of several row groups is read
    table = pa.concat_tables([table.slice(0, 4), table.slice(4)])
    about = {JUDGED: BenchmarkItems(rubric="cfsafety"), OWN: BenchmarkItems()}
    planned, inputs, places = planned_of(to_items(items), table, about, size=4)
    assert [len(unit.rows) for unit in planned.units] == [4, 4, 2]
    # texts of a column with offsets of 32 bits could not be taken one by one
    assert inputs.more.schema.field("text").type == pa.large_string()
    rows = np.concatenate([unit.rows for unit in planned.units])
    assert sorted(rows.tolist()) == list(range(10))
    taken = inputs.take(rows)
    assert taken["text"].to_pylist() == [responses[places[row]].text for row in rows]
    assert taken["item_id"].to_pylist() == [responses[places[row]].key.item_id for row in rows]


def test_what_is_judged_is_known_by_all_that_the_judge_is_shown() -> None:
    conversation = (Turn("user", "Hello"), Turn("assistant", "Hi"), Turn("user", "Why?"))
    item = Item(JUDGED, "q", conversation, "en", category="bias")
    others = [
        replace(item, messages=(*conversation[:2], Turn("user", "How?"))),
        replace(item, messages=(Turn("user", "Bye"), *conversation[1:])),
        replace(item, category="privacy"),
        replace(item, language="zh"),
    ]
    about = {JUDGED: BenchmarkItems(rubric="cfsafety")}

    def hash_of(item: Item, text: str) -> bytes:
        responses = to_responses([Response(ResponseKey(*item.key), text=text)])
        planned, _, _ = planned_of(to_items([item]), responses, about, size=4)
        result: bytes = planned.hashes[0]
        return result

    hashes = {hash_of(each, "Because.") for each in (item, *others)}
    assert len(hashes | {hash_of(item, "No.")}) == 6
    assert hash_of(replace(item, source_category="of the source"), "Because.") in hashes
