"""What a conversation before a question does to the refusals, within one run."""

from typing import Any

import pytest
from judged_rows import judgements_of

from normscope.pipeline.conversations import CONVERSATION, conversation_statistics
from normscope.records.item import Item, Turn

QUESTION = (Turn("user", "?"),)
DIALOGUE = (Turn("user", "Hello"), Turn("assistant", "Hi"), *QUESTION)


def refusal(value: float, *, sample: int = 0) -> dict[str, Any]:
    return {"criterion": "refusal", "value": value, "reason": None, "sample": sample}


def test_a_dialogue_is_paired_with_its_question_alone_in_another_benchmark() -> None:
    pairs = []
    for number, (in_dialogue, alone) in enumerate([(3, 0), (3, 3), (0, 0)]):
        name = f"d{number}"
        pairs += [
            (Item("talks", name, DIALOGUE, "en"), refusal(in_dialogue)),
            (Item("alone", f"q{number}", QUESTION, "en", cluster=name), refusal(alone)),
            # of another draw, and in the dialogues' own benchmark: neither is its twin
            (Item("alone", f"q{number}", QUESTION, "en", cluster=name), refusal(0, sample=1)),
            (Item("talks", f"q{number}", QUESTION, "en", cluster=name), refusal(0)),
        ]
    pairs.append((Item("talks", "without one", DIALOGUE, "en"), refusal(3)))
    found = conversation_statistics(judgements_of(pairs))
    assert list(found) == ["talks"]
    assert {row.group for row in found["talks"]} == {CONVERSATION}
    # refused in two of three dialogues, and alone in one of three questions
    third = pytest.approx(1 / 3)
    by_name = {row.name: row.estimate.value for row in found["talks"]}
    assert by_name == {"rr1": third, "rr2": third, "hr": pytest.approx(-1 / 3)}
    assert {row.estimate.n for row in found["talks"]} == {3}
