"""What is unscored through the judge or the engine: by benchmark, and wholly."""

from typing import Any

import pyarrow as pa

from normscope.records.absent import ITEM, WhollyUnscored, unscored, wholly_unscored
from normscope.records.judgement import SCHEMA as JUDGEMENTS

FOREIGN, LOW, SILENT = "language_not_covered", "low_coverage", "no_answer"


def items(**members: tuple[str, str]) -> pa.Table:
    """Items of the benchmark b, by their id the language and the category."""
    rows = [("b", name, "", "", *place) for name, place in members.items()]
    return pa.Table.from_pylist([dict(zip(ITEM, row, strict=True)) for row in rows])


def judged(*rows: tuple[str, str, str | None], benchmark: str = "b") -> pa.Table:
    """Judgements: item, criterion, and the reason why there is none."""
    made: list[dict[str, Any]] = [
        {
            "benchmark": benchmark,
            "item_id": item,
            "variant_id": "",
            "scale_order": "",
            "sample": 0,
            "model": "m",
            "criterion": criterion,
            "source": "judge_logits",
            "reason": reason,
        }
        for item, criterion, reason in rows
    ]
    return pa.Table.from_pylist(made, schema=JUDGEMENTS)


def both(item: str, reason: str | None) -> tuple[tuple[str, str, str | None], ...]:
    return (item, "moral", reason), (item, "rating", reason)


PLACES = items(a=("en", "one"), b=("en", "two"), c=("fr", "two"), d=("fr", "two"))


def test_what_the_model_did_is_in_the_whole_and_not_in_the_unscored() -> None:
    table = judged(*both("a", None), *both("b", LOW), *both("c", SILENT), ("d", "moral", FOREIGN))
    (found,) = unscored(table)
    assert (found.benchmark, found.judgements, found.count) == ("b", 7, 3)
    assert found.reasons == {LOW: 2, FOREIGN: 1}
    assert found.share == 3 / 7


def test_a_language_of_which_nothing_is_judged_is_named_with_the_reasons() -> None:
    # category two holds b, which is scored
    table = judged(*both("a", None), *both("b", None), *both("c", FOREIGN), ("d", "moral", LOW))
    assert wholly_unscored(PLACES, table) == (
        WhollyUnscored("b", "language", "fr", (), {FOREIGN: 2, LOW: 1}),
    )


def test_what_is_said_of_the_benchmark_is_not_said_again_of_its_parts() -> None:
    nothing = judged(*both("a", LOW), *both("c", LOW))
    assert wholly_unscored(PLACES, nothing) == (WhollyUnscored("b", "", "", (), {LOW: 4}),)
    no_rating = judged(("a", "moral", None), ("a", "rating", LOW), *both("c", LOW))
    assert wholly_unscored(PLACES, no_rating) == (
        WhollyUnscored("b", "", "", ("rating",), {LOW: 2}),
        WhollyUnscored("b", "language", "fr", (), {LOW: 2}),
        WhollyUnscored("b", "category", "two", (), {LOW: 2}),
    )
