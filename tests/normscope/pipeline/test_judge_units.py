"""What identifies a judged row: all that the judge is shown, not the response alone."""

from dataclasses import replace

from normscope.pipeline.judge import planned_of
from normscope.records.item import Item, Turn
from normscope.records.item import to_table as to_items
from normscope.records.provenance import BenchmarkItems
from normscope.records.response import Response, ResponseKey
from normscope.records.response import to_table as to_responses

JUDGED = "cfsafety"


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
