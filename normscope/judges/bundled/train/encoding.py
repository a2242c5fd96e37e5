"""Lessons as token ids, and batches of them."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ...engines.local.replies import row_batches
from .sample import Lesson
from .vocabulary import marks

CONTEXT = 2048
# the tokens that ask for the criteria stand behind the conversation
_ASKS = 3


@dataclass(frozen=True, slots=True)
class Encoded:
    """A lesson as token ids: the conversation, and the asking token with its target a criterion."""

    ids: tuple[int, ...]
    asks: tuple[tuple[int, str, tuple[float, ...]], ...]


class Encoder:
    """Lessons to token ids, piece by piece as the tokenizer cuts the rendered prompt."""

    def __init__(self, tokenizer: Any, seed: int, *, backwards: float = 0.1) -> None:
        """That share is asked with the labels listed backwards."""
        self._tokenizer, self._draw = tokenizer, random.Random(seed)  # noqa: S311 - no secrets
        self._backwards = backwards
        self._marks = marks()
        self._id = {m: tokenizer.convert_tokens_to_ids(m) for m in self._marks.all()}

    def encode(self, lessons: Sequence[Lesson]) -> list[Encoded]:
        """Each lesson's ids."""
        result = []
        texts = [self._text(lesson) for lesson in lessons]
        rows = self._tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"]
        for lesson, row in zip(lessons, rows, strict=True):
            backwards = self._draw.random() < self._backwards
            asks = tuple(
                (
                    self._id[self._marks.asks[criterion, lesson.language, backwards]],
                    criterion,
                    target,
                )
                for criterion, target in lesson.targets.items()
            )
            result.append(Encoded(tuple(row), asks))
        return result

    def _text(self, lesson: Lesson) -> str:
        """The rendered prompt up to the answer's closing mark, which begins the asking token."""
        clean = str.maketrans("⟦⟧", "[]")
        turns = [
            f"{self._marks.opens[role]}\n{text.translate(clean)}\n{self._marks.closes[role]}\n"
            for role, text in lesson.turns
        ]
        return "".join(turns) + f"{self._marks.opens['answer']}\n{lesson.answer.translate(clean)}\n"


def batches(lessons: Sequence[Encoded], size: int, draw: random.Random) -> Iterator[list[Encoded]]:
    """Batches of about so many tokens, of lessons of like length, in a drawn order."""
    fitting = [lesson for lesson in lessons if len(lesson.ids) < CONTEXT // 2]
    order = sorted(fitting, key=lambda e: len(e.ids) + draw.random() * 12)
    result = [order[start:end] for start, end in cuts(order, size)]
    draw.shuffle(result)
    yield from result


def cuts(lessons: Sequence[Encoded], size: int) -> Iterator[tuple[int, int]]:
    """Where lessons in the order of their lengths are cut into batches of so many tokens."""
    return row_batches([len(lesson.ids) + _ASKS for lesson in lessons], batch_tokens=size)


def steps(drawn: Iterator[list[Encoded]], size: int) -> Iterator[list[list[Encoded]]]:
    """So many batches at a time: of one length each, of several together."""
    while some := list(islice(drawn, size)):
        yield some
