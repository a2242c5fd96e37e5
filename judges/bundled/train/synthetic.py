"""Graded answers, refusals and harmless exchanges in both languages, written for this judge.

A topic has questions and the pieces of answers: what going along sounds like (`+`), in some topics
half-hearted going along (`%`), why it would do harm (`!`), a better way (`>`), something beside the
point (`~`) and a curt no (`-`). Phrases join pieces into answers of five grades. Everything unsafe
is mild or elided. Neither a topic nor a phrase is taken from a benchmark; `overlap.py` measures it.
"""

# ruff: noqa: PLR2004 - shares, grades and lengths of a recipe, said where they are used

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .. import LANGUAGES
from .sample import Sample, Split, peaked, split_of

TEXTS = Path(__file__).parent / "texts"
_JOIN = {"en": " ", "zh": ""}

MORAL = {1: 0.01, 2: 0.06, 3: 0.5, 4: 0.93, 5: 0.99}
"""How probable `1` of the moral criterion is taught to be at each grade."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic's pieces by their mark (`?`, `+`, `%`, `!`, `>`, `~`, `-`)."""

    kind: str
    number: int
    pieces: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Written:
    """An answer with its intended grade (1 … 5) and degree of refusal (0 … 3)."""

    text: str
    grade: int
    degree: int


def read_topics(language: str) -> list[Topic]:
    """The topics of a language, in the order of their file."""
    kind = ""
    topics: list[Topic] = []
    text = (TEXTS / f"topics_{language}.txt").read_text(encoding="utf-8")
    for block in text.strip().split("\n\n"):
        pieces: dict[str, list[str]] = {}
        for line in block.splitlines():
            mark, content = line[0], line[2:].strip()
            if mark == "=":
                kind = content
            else:
                pieces.setdefault(mark, []).append(content)
        found = {mark: tuple(some) for mark, some in pieces.items()}
        topics.append(Topic(kind, len(topics), found))
    return topics


def read_benign(language: str) -> list[tuple[str, str]]:
    """Harmless questions with their helpful answers."""
    text = (TEXTS / f"benign_{language}.txt").read_text(encoding="utf-8")
    blocks = [block.splitlines() for block in text.strip().split("\n\n")]
    return [(block[0][2:].strip(), block[1][2:].strip()) for block in blocks]


def read_phrases(language: str) -> dict[str, tuple[str, ...]]:
    """The joining phrases by what they are for."""
    text = (TEXTS / f"phrases_{language}.txt").read_text(encoding="utf-8")
    blocks = [block.splitlines() for block in text.strip().split("\n\n")]
    return {block[0][2:].strip(): tuple(block[1:]) for block in blocks}


def write_samples(*, seed: int, rounds: int = 12) -> list[Sample]:
    """`rounds` answers of each grade to every topic, and as many harmless exchanges.

    Topics are split by their number, so that a topic and its translation fall on one side; a tenth
    of the phrases is used in validation and test only.
    """
    draw = random.Random(seed)  # noqa: S311 - texts, not secrets
    samples: list[Sample] = []
    for language in LANGUAGES:
        topics = read_topics(language)
        phrases = read_phrases(language)
        for topic in topics:
            split = topic_split(topic)
            said = Phrasebook(phrases, language, split, draw)
            questions = topic.pieces["?"]
            for turn in range(rounds if split == "train" else 3):
                for grade in range(1, 6):
                    question = questions[turn % len(questions)]
                    written = said.answer(topic, question, grade)
                    samples.append(_graded(topic, split, language, question, written))
        samples += _harmless(language, phrases, draw, rounds)
    return samples


def topic_split(topic: Topic) -> Split:
    """The topic's split, by its number."""
    return number_split(topic.number)


def number_split(number: int) -> Split:
    """A numbered topic's split: one in eight for validation and one in eight for the test."""
    place = number % 8
    return "val" if place == 3 else "test" if place == 6 else "train"


class Phrasebook:
    """Draws phrases of one split and joins pieces into answers."""

    def __init__(
        self, phrases: dict[str, tuple[str, ...]], language: str, split: Split, draw: random.Random
    ) -> None:
        """Keeps one phrase in ten for validation and test."""
        held = {kind: some[9::10] or some[-1:] for kind, some in phrases.items()}
        self._phrases = {
            kind: tuple(p for p in some if p not in held[kind]) if split == "train" else some
            for kind, some in phrases.items()
        }
        self._space, self._draw = _JOIN[language], draw

    def say(self, kind: str, chance: float = 1.0) -> str:
        """A phrase of the kind, or nothing with the rest of the chance."""
        return self._draw.choice(self._phrases[kind]) if self._draw.random() < chance else ""

    def answer(self, topic: Topic, question: str, grade: int) -> Written:
        """An answer of that grade, put together anew each time."""
        draw = self._draw
        do = [_pick(draw, topic, "+"), *topic.pieces["+"]][: draw.choice((1, 1, 2))]
        do = list(dict.fromkeys(do))
        harm, way = _pick(draw, topic, "!"), _pick(draw, topic, ">")
        aside, curt = _pick(draw, topic, "~"), _pick(draw, topic, "-")
        if grade == 1:
            parts = [self.say("agree", 0.4), *do, self.say("cheer", 0.4)]
            return self._join(parts, 1, 0)
        if grade == 2:
            if "%" in topic.pieces and draw.random() < 0.6:
                return self._join([_pick(draw, topic, "%"), self.say("reserve_end", 0.2)], 2, 0)
            parts = draw.choice(
                (
                    [self.say("reserve"), *do],
                    [self.say("reserve"), *do, self.say("reserve_end", 0.6)],
                    [*do, self.say("reserve_end")],
                    [harm, self.say("reserve"), *do],
                )
            )
            return self._join(parts, 2, 0)
        if grade == 3:
            parts = draw.choice(
                (
                    [aside, self.say("vague", 0.5)],
                    [self.say("vague"), aside],
                    [aside],
                    [self.say("vague"), self.say("vague", 0.4)],
                )
            )
            return self._join(parts, 3, 1)
        if grade == 4:
            parts = draw.choice(
                (
                    [self.say("refuse")],
                    [self.say("refuse"), self.say("refuse", 0.6)],
                    [curt],
                    [curt, self.say("curt", 0.7)],
                    [self.say("refuse", 0.5), curt, self.say("curt", 0.4)],
                    [self.say("refuse"), self.say("curt")],
                    [self.say("refuse"), self.say("refuse"), curt, self.say("curt")],
                )
            )
            return self._join(parts, 4, 2)
        quote = self.say("quote", 0.12).replace("{q}", question)
        parts = draw.choice(
            (
                [self.say("decline", 0.6), harm, way, self.say("offer", 0.4)],
                [harm, way],
                [quote, self.say("decline", 0.4), harm, self.say("offer", 0.3)],
                [self.say("decline", 0.5), way, harm],
                [quote, self.say("decline"), way, self.say("offer", 0.4)],
                [curt, harm, way],
            )
        )
        return self._join(parts, 5, 3)

    def _join(self, parts: list[str], grade: int, degree: int) -> Written:
        return Written(self._space.join(part for part in parts if part), grade, degree)


def targets_of(grade: int, degree: int) -> dict[str, tuple[float, ...]]:
    """What the criteria are taught about an answer of that grade and degree."""
    near = [(grade - 1, 0.82)]
    near += [(grade - 2, 0.09)] if grade > 1 else []
    near += [(grade, 0.09)] if grade < 5 else []
    return {
        "moral": (1 - MORAL[grade], MORAL[grade]),
        "rating": peaked(5, *near),
        "refusal": peaked(4, (degree, 1.0)),
    }


def _graded(topic: Topic, split: Split, language: str, question: str, written: Written) -> Sample:
    return Sample(
        source=f"graded-{language}",
        split=split,
        language=language,
        question=question,
        answer=written.text,
        group=f"topic-{topic.number}",
        targets=targets_of(written.grade, written.degree),
        binary=None if written.grade == 3 else int(written.grade < 3),
        grade=written.grade,
        degree=written.degree,
    )


def _harmless(
    language: str,
    phrases: dict[str, tuple[str, ...]],
    draw: random.Random,
    rounds: int,
) -> Iterator[Sample]:
    """Helpful answers to harmless questions, some of them refused, which is harmless as well."""
    for number, (question, answer) in enumerate(read_benign(language)):
        split = split_of(f"benign-{number}")
        said = Phrasebook(phrases, language, split, draw)
        for _ in range(rounds if split == "train" else 2):
            if draw.random() < 0.2:
                written = Written(said.say("refuse"), 4, 2)
            else:
                opened = said.say("agree", 0.2) if draw.random() < 0.5 else ""
                parts = [opened, answer, said.say("offer", 0.1)]
                written = Written(_JOIN[language].join(p for p in parts if p), 5, 1)
            yield Sample(
                source=f"harmless-{language}",
                split=split,
                language=language,
                question=question,
                answer=written.text,
                group=f"benign-{number}",
                targets=targets_of(written.grade, written.degree),
                binary=0,
                grade=written.grade,
                degree=written.degree,
            )


def _pick(draw: random.Random, topic: Topic, mark: str) -> str:
    return draw.choice(topic.pieces[mark])
