"""Rotations of the options: what moves, what stays, and where the answer then is."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from normscope.builders.chisafetybench.mcq import prompt_of
from normscope.pipeline.options import can_turn, rotations
from normscope.records.item import Item, Turn

MakeItem = Callable[..., Item]


def asked(made: Item) -> Item:
    return replace(made, messages=(Turn("user", prompt_of("what is eaten?", made.options)),))


@pytest.fixture
def question(item: MakeItem) -> Item:
    return asked(item(options=("bread", "stones", "sand"), answer="A"))


def test_every_text_stands_once_behind_every_letter_and_the_letters_stay(question: Item) -> None:
    turned = rotations(question)
    assert [one.scale_order for one in turned] == ["", "rotation-1", "rotation-2"]
    assert all([o.letter for o in one.options] == ["A", "B", "C"] for one in turned)
    columns = zip(*([o.text for o in one.options] for one in turned), strict=True)
    assert all(sorted(column) == ["bread", "sand", "stones"] for column in columns)


def test_the_answer_goes_where_its_text_goes(question: Item) -> None:
    for one in rotations(question):
        assert {o.letter: o.text for o in one.options}[one.answer or ""] == "bread"
    # bread was first, so after one turn it is last
    assert [one.answer for one in rotations(question)] == ["A", "C", "B"]


def test_the_prompt_shows_the_turned_options_and_nothing_else_changes(question: Item) -> None:
    original, turned, _ = rotations(question)
    assert original is question
    assert turned.question == prompt_of("what is eaten?", turned.options)
    assert turned.question.splitlines()[1] == "A. stones"
    same = {name: getattr(question, name) for name in ("item_id", "category", "language")}
    assert {name: getattr(turned, name) for name in same} == same


@pytest.mark.parametrize(
    ("options", "turns"),
    [
        (("bread", "stones"), True),
        (("甲", "乙"), True),
        (("vitamin C", "iron"), True),
        (("head and body", "a or the"), True),
        (("bread", "stones", "以上都是"), False),
        (("面包", "上述两项"), False),
        (("bread", "none of the above"), False),
        (("bread", "stones", "A and B"), False),
        (("面包", "石头", "A和B都对"), False),
        (("面包", "石头", "A、B"), False),
        (("bread",), False),
    ],
)
def test_options_that_speak_of_a_place_are_not_turned(
    item: MakeItem, options: Any, turns: bool
) -> None:
    made = asked(item(options=options))
    assert can_turn(made) is turns
    assert len(rotations(made)) == (len(options) if turns else 1)
