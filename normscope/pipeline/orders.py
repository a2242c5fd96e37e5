"""A multiple-choice question once per rotation of its options, and its scores over the rotations.

A model that prefers a letter, whatever stands behind it, agrees with the key by position alone;
asked in every rotation it agrees in one of them. The letters stay where they are and the texts
move: everything that is recorded about a rotation (labels, answer, options) is in its letters as
they were shown, and its item in `items.parquet` says what stood behind each.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from ..builders.chisafetybench.mcq import INSTRUCTION, prompt_of
from ..errors import DataError
from ..records.item import Item, Option, Turn

_ROTATION = "rotation-"

# an option that points at others by their place or letter says something else when they move
_POINTS = re.compile(
    r"以上|上述|前述|(?i:\b(?:above|preceding)\b)"
    r"|(?<![A-Za-z])[A-H]\s*(?:[、,，和与及或&+]|and|or)\s*[A-H](?![A-Za-z])"
)


def can_turn(item: Item) -> bool:
    """Whether the options may change places: none of them speaks of the place of another.

    >>> turned = (Option("A", "bread"), Option("B", "all of the above"))
    >>> can_turn(Item("b", "1", (), "en", options=turned))
    False
    """
    return len(item.options) > 1 and not any(_POINTS.search(o.text) for o in item.options)


def rotations(item: Item) -> list[Item]:
    """The item as it is, and `rotation-1`, `rotation-2` …: each text r letters earlier, round.

    An item whose options cannot change places stays alone.
    """
    if not can_turn(item):
        return [item]
    for instruction in (INSTRUCTION, ""):
        tail = prompt_of("", item.options, instruction=instruction)
        if item.question.endswith(tail):
            stem = item.question.removesuffix(tail)
            steps = range(1, len(item.options))
            return [item, *(_turned(item, stem, step, instruction) for step in steps)]
    raise DataError(
        f"{item.item_id}: its options are not where they can be turned; leave --option-orders given"
    )


def turned_answer(item: Item, letter: str | None) -> str | None:
    """The letter under which the item shows the option that has this one in the order given.

    >>> three = tuple(Option(letter, "") for letter in "ABC")
    >>> turned_answer(Item("b", "1", (), "zh", scale_order="rotation-1", options=three), "A")
    'C'
    """
    letters = [option.letter for option in item.options]
    step = int(item.scale_order.removeprefix(_ROTATION) or 0)
    # where a letter's text now stands: under the letter `step` places before it
    return dict(zip(_from(letters, step), letters, strict=True)).get(letter or "")


def _turned(item: Item, stem: str, step: int, instruction: str) -> Item:
    letters = [option.letter for option in item.options]
    texts = [option.text for option in item.options]
    options = tuple(map(Option, letters, _from(texts, step)))
    prompt = prompt_of(stem, options, instruction=instruction)
    turned = replace(
        item,
        messages=(*item.conversation, Turn(item.messages[-1].role, prompt)),
        scale_order=f"{_ROTATION}{step}",
        options=options,
    )
    return replace(turned, answer=turned_answer(turned, item.answer))


def _from(values: Sequence[str], step: int) -> list[str]:
    """The values from the one at `step` on, round.

    >>> _from("ABC", 1)
    ['B', 'C', 'A']
    """
    return [*values[step:], *values[:step]]
