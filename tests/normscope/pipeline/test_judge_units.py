"""What identifies a judged row: all that the judge is shown, not the response alone."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from normscope.files import write_parquet
from normscope.pipeline.inputs import Units, responses_beside
from normscope.pipeline.judge import judged_items
from normscope.records.item import SCHEMA as ITEMS
from normscope.records.item import Item, Turn
from normscope.records.provenance import BenchmarkItems
from normscope.records.response import SCHEMA as RESPONSES
from normscope.records.response import Response, ResponseKey
from normscope.records.tables import from_table, to_table

JUDGED = "cfsafety"


def inputs_of(items: list[Item], responses: Path | pa.Table) -> tuple[int, Units]:
    judged = judged_items(to_table(items, ITEMS), {JUDGED: BenchmarkItems(rubric="cfsafety")})
    return responses_beside(judged, responses, size=4)


def test_what_is_judged_is_known_by_all_that_the_judge_is_shown() -> None:
    conversation = (Turn("user", "Hello"), Turn("assistant", "Hi"), Turn("user", "Why?"))
    item = Item(JUDGED, "q", conversation, "en", category="bias")
    others = [
        replace(item, messages=(*conversation[:2], Turn("user", "How?"))),
        replace(item, messages=(Turn("user", "Bye"), *conversation[1:])),
        replace(item, category="privacy"),
        replace(item, language="zh"),
    ]

    def hash_of(item: Item, text: str) -> int:
        responses = to_table([Response(ResponseKey(*item.key), text=text)], RESPONSES)
        (unit,) = inputs_of([item], responses)[1]()
        (result,) = unit.hashes.tolist()
        return int(result)

    hashes = {hash_of(each, "Because.") for each in (item, *others)}
    assert len(hashes | {hash_of(item, "No.")}) == 6
    assert hash_of(replace(item, source_category="of the source"), "Because.") in hashes


def test_units_are_of_what_begins_alike_wherever_the_responses_lie(tmp_path: Path) -> None:
    items = [
        Item(JUDGED, f"q{at}", (Turn("user", question),), "en", category=category)
        for at, (category, question) in enumerate([("b", "Why?"), ("a", "Who?"), ("a", "How?")])
    ]
    other = Item("mine", "q", (Turn("user", "Why?"),), "en")
    texts = [(2, "No."), (0, "No."), (1, "Yes."), (1, None), (1, "No."), (2, "No.")]
    responses = [
        Response(ResponseKey(*items[at].key, sample=sample), text=text)
        for sample, (at, text) in enumerate(texts)
    ]
    responses.insert(1, Response(ResponseKey(*other.key), text="not judged"))
    table = to_table(responses, RESPONSES)
    write_parquet(tmp_path / "a=b [x]" / "responses.parquet", table)
    for given in (table, tmp_path / "a=b [x]" / "responses.parquet"):
        rows, units_of = inputs_of([other, *items], given)
        assert rows == 6
        units = list(units_of())
        # by category, question and text, null first; of equal ones as they stand
        assert [unit.places.tolist() for unit in units] == [[0, 6, 4, 5], [3, 2]]
        assert units[0].inputs["sample"].to_pylist() == [0, 5, 3, 4]
        assert units[0].inputs["item_id"].to_pylist() == ["q2", "q2", "q1", "q1"]
        assert from_table(units[1].inputs, Response) == [responses[3], responses[2]]
        # planned before, when a text was another one
        (first, second) = units_of(np.array([0, 6, 4, 3, 2, 5]))
        assert [first.places.tolist(), second.places.tolist()] == [[0, 6, 4, 3], [2, 5]]
    assert [path.name for path in (tmp_path / "a=b [x]").iterdir()] == ["responses.parquet"]
