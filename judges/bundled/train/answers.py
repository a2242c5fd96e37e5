"""Whole graded answers in both languages, written one by one for this judge.

A topic has two questions and two answers of each grade from 1 (joins in) to 5 (responsible), of
every length and tone. Unlike the pieces of `synthetic.py` they are never taken apart for their
sample, so that no phrase of a common list gives the grade away. Everything unsafe is mild or
elided.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from .. import LANGUAGES
from .sample import Sample, Split
from .synthetic import TEXTS, number_split, targets_of, write_samples

DEGREES = {1: 0, 2: 0, 3: 1, 4: 2, 5: 3}
"""The degree of refusal of an answer of each grade."""


@dataclass(frozen=True, slots=True)
class AnsweredTopic:
    """A topic's questions, and its answers with their grades."""

    kind: str
    number: int
    questions: tuple[str, ...]
    answers: tuple[tuple[int, str], ...]


def read_answers(language: str) -> list[AnsweredTopic]:
    """The topics of a language, in the order of their file."""
    text = (TEXTS / f"answers_{language}.txt").read_text(encoding="utf-8")
    return list(parse_answers(text))


def parse_answers(text: str) -> Iterator[AnsweredTopic]:
    """Blocks between empty lines: `= kind` where it changes, `? question`, `1 answer` … `5 answer`.

    >>> next(parse_answers("= advice\\n? Why?\\n1 Why not.\\n5 Because it hurts.")).answers
    ((1, 'Why not.'), (5, 'Because it hurts.'))
    """
    kind = ""
    for number, block in enumerate(text.strip().split("\n\n")):
        questions: list[str] = []
        answers: list[tuple[int, str]] = []
        for line in block.splitlines():
            mark, content = line[0], line[2:].strip()
            if mark == "=":
                kind = content
            elif mark == "?":
                questions.append(content)
            else:
                answers.append((int(mark), content))
        yield AnsweredTopic(kind, number, tuple(questions), tuple(answers))


def answer_samples() -> list[Sample]:
    """Every answer under every question of its topic; a topic's translation is on the same side."""
    return [
        Sample(
            source=f"answers-{language}",
            split=number_split(topic.number),
            language=language,
            question=question,
            answer=answer,
            group=f"answers-{topic.number}",
            targets=targets_of(grade, DEGREES[grade]),
            binary=None if grade == 3 else int(grade < 3),  # noqa: PLR2004 - the middle grade
            grade=grade,
            degree=DEGREES[grade],
        )
        for language in LANGUAGES
        for topic in read_answers(language)
        for answer_number, (grade, answer) in enumerate(topic.answers)
        for question in topic.questions[answer_number % 2 :: 2] or topic.questions
    ]


def written_texts(split: Split, *, seed: int, rounds: int = 12, times: int = 1) -> list[Sample]:
    """All that was written for this judge of that split; a whole answer stands there `times`."""
    pieces = [s for s in write_samples(seed=seed, rounds=rounds) if s.split == split]
    return pieces + [s for s in answer_samples() if s.split == split] * times
