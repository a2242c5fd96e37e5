"""Differences by turns and by conversation with hand-derived numbers, on plain rows."""

from typing import Any

import pytest
from judged_rows import judgements_of

from normscope.metrics.estimate import Estimate, Statistic
from normscope.pipeline.conversations import conversation_statistics, turn_statistics
from normscope.records.item import Item, Turn

Answer = float | str | None
QA, ALONE = "chisafetybench:qa", "chisafetybench:qa_without_history"


def question(
    name: str,
    answer: Answer,
    *,
    area: str = "values",
    conversation: bool = False,
    cluster: str = "",
    benchmark: str = QA,
    sample: int = 0,
    facets: bool = True,
) -> tuple[Item, dict[str, Any]]:
    turns = (Turn("user", "…"), Turn("assistant", "…")) if conversation else ()
    kind = {"turns": "multi" if conversation else "single"} if facets else {}
    asked = (*turns, Turn("user", "?"))
    item = Item(benchmark, name, asked, "zh", area=area, cluster=cluster, facets=kind)
    told = {"value": None, "reason": answer} if isinstance(answer, str) else {"value": answer}
    row = {"criterion": "refusal", "sample": sample, "temperature": None, "reason": None, **told}
    return item, row


def by_name(found: list[Statistic], member: str) -> dict[str, Estimate]:
    return {row.name: row.estimate for row in found if row.member == member}


def test_questions_of_several_turns_less_those_of_one() -> None:
    pairs = [
        question("m1", 0.0, conversation=True),
        question("s1", 3.0),
        question("m2", 3.0, conversation=True),
        question("s2", 2.0),
    ]
    found = turn_statistics(judgements_of(pairs))
    assert {row.group for row in found} == {"turn difference"}
    assert {row.unit for row in found} == {"rate difference"}
    plain = by_name(found, "multi − single")
    # refused 1 of 2 against 2 of 2, responsibly 1 of 2 each, harmful 1 of 2 against none
    assert {name: row.value for name, row in plain.items()} == {"rr1": -0.5, "rr2": 0, "hr": 0.5}
    assert plain["rr1"].method == "Newcombe, independent"


def test_a_dialogue_is_paired_with_its_last_question_alone() -> None:
    dialogues = [
        question("d1", 0.0, conversation=True),
        question("d2", 3.0, conversation=True),
        question("d3", 1.0, conversation=True),
        question("d4", "no_answer", conversation=True),
        question("s1", 0.0),
    ]
    alone: dict[str, Any] = {"benchmark": ALONE, "facets": False}
    twins = [
        question("a3", 3.0, cluster="d3", **alone),
        question("a1", 3.0, cluster="d1", **alone),
        question("a2", 3.0, cluster="d2", **alone),
        question("a4", "low_coverage", cluster="d4", **alone),
        question("a9", 3.0, cluster="d9", **alone),
    ]
    found = conversation_statistics(judgements_of([*dialogues, *twins]))
    assert set(found) == {QA}
    rates = by_name(found[QA], "with − without")
    # d1 to d3: refused 1 with and 3 without of three; d4's twin is unscored
    assert rates["rr1"].value == pytest.approx(1 / 3 - 1)
    assert (rates["rr1"].n, rates["rr1"].unscored) == (3, 1)
    assert rates["rr1"].method == "Tango, over the scored"
    # d4 was not refused: against an unscored twin it is 1/4 − 4/4 or 1/4 − 3/4
    assert (rates["rr1"].lowest, rates["rr1"].highest) == (-0.75, -0.5)
    assert {row.group for row in found[QA]} == {"conversation difference"}
