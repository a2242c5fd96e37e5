"""Graded answers, refusals and harmless exchanges in both languages, written for this judge.

A topic has questions and the pieces of answers: what going along sounds like (`+`), in some topics
half-hearted going along (`%`), why it would do harm (`!`), a better way (`>`), something beside the
point (`~`) and a curt no (`-`). Phrases join pieces into answers of five grades, from 1 (joins in)
to 5 (responsible). Other topics have two whole answers of each grade, of every length and tone:
these are never taken apart, so that no phrase of a common list gives the grade away. Everything
unsafe is mild or elided. Neither a topic nor a phrase is taken from a benchmark; `overlap.py`
measures it.
"""

# ruff: noqa: PLR2004 - shares, grades and lengths of a recipe, said where they are used

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .. import LANGUAGES
from .sample import Sample, Split, peaked, split_of

TEXTS = Path(__file__).parent / "texts"
_JOIN = {"en": " ", "zh": ""}

MORAL = {1: 0.01, 2: 0.06, 3: 0.5, 4: 0.93, 5: 0.99}
"""How probable `1` of the moral criterion is taught to be at each grade."""

DEGREES = {1: 0, 2: 0, 3: 1, 4: 2, 5: 3}
"""The degree of refusal of an answer of each grade."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic's questions (`?`), and its pieces or the answers of each grade, by their mark."""

    kind: str
    number: int
    pieces: dict[str, tuple[str, ...]]


def read_topics(name: str, language: str) -> list[Topic]:
    """The topics of a language, in the order of their file: those in `topics` or in `answers`."""
    return parse_topics(_blocks(name, language))


def parse_topics(blocks: Iterable[str]) -> list[Topic]:
    """Blocks of `= kind` where it changes, and lines with a mark.

    >>> parse_topics(["= advice\\n? Why?\\n1 Why not.\\n5 Because it hurts."])[0].pieces
    {'?': ('Why?',), '1': ('Why not.',), '5': ('Because it hurts.',)}
    """
    kind = ""
    topics: list[Topic] = []
    for block in blocks:
        pieces: dict[str, tuple[str, ...]] = {}
        for line in block.splitlines():
            mark, content = line[0], line[2:].strip()
            if mark == "=":
                kind = content
            else:
                pieces[mark] = (*pieces.get(mark, ()), content)
        topics.append(Topic(kind, len(topics), pieces))
    return topics


def read_benign(language: str) -> list[tuple[str, str]]:
    """Harmless questions with their helpful answers."""
    blocks = [block.splitlines() for block in _blocks("benign", language)]
    return [(block[0][2:].strip(), block[1][2:].strip()) for block in blocks]


def read_phrases(language: str) -> dict[str, tuple[str, ...]]:
    """The joining phrases by what they are for."""
    blocks = [block.splitlines() for block in _blocks("phrases", language)]
    return {block[0][2:].strip(): tuple(block[1:]) for block in blocks}


def _blocks(name: str, language: str) -> list[str]:
    text = (TEXTS / f"{name}_{language}.txt").read_text(encoding="utf-8")
    return text.strip().split("\n\n")


def written_texts(split: Split, *, seed: int, rounds: int = 12, times: int = 1) -> list[Sample]:
    """All that was written for this judge of that split; a whole answer stands there `times`."""
    pieces = [s for s in write_samples(seed=seed, rounds=rounds) if s.split == split]
    return pieces + [s for s in answer_samples() if s.split == split] * times


def answer_samples() -> list[Sample]:
    """Every answer under every question of its topic; a topic's translation is on the same side."""
    result = []
    for language in LANGUAGES:
        for topic in read_topics("answers", language):
            answers = [(g, answer) for g in range(1, 6) for answer in topic.pieces.get(str(g), ())]
            questions = topic.pieces["?"]
            result += [
                _sample(
                    "answers",
                    language,
                    topic_split(topic.number),
                    group=f"answers-{topic.number}",
                    question=question,
                    answer=answer,
                    grade=grade,
                )
                for number, (grade, answer) in enumerate(answers)
                for question in questions[number % 2 :: 2] or questions
            ]
    return result


def write_samples(*, seed: int, rounds: int = 12) -> list[Sample]:
    """`rounds` answers of each grade to every topic, and as many harmless exchanges.

    Topics are split by their number, so that a topic and its translation fall on one side; a tenth
    of the phrases is used in validation and test only.
    """
    draw = random.Random(seed)  # noqa: S311 - texts, not secrets
    samples: list[Sample] = []
    for language in LANGUAGES:
        phrases = read_phrases(language)
        for topic in read_topics("topics", language):
            split = topic_split(topic.number)
            phrasebook = Phrasebook(phrases, language, split, draw)
            questions = topic.pieces["?"]
            for turn in range(rounds if split == "train" else 3):
                question = questions[turn % len(questions)]
                samples += [
                    _sample(
                        "graded",
                        language,
                        split,
                        group=f"topic-{topic.number}",
                        question=question,
                        answer=phrasebook.answer(topic, question, grade),
                        grade=grade,
                    )
                    for grade in range(1, 6)
                ]
        samples += _harmless(language, phrases, draw, rounds)
    return samples


def topic_split(number: int) -> Split:
    """A numbered topic's split: one in eight for validation and one in eight for the test."""
    place = number % 8
    return "val" if place == 3 else "test" if place == 6 else "train"


class Phrasebook:
    """Draws phrases of one split and joins pieces into answers."""

    def __init__(
        self, phrases: dict[str, tuple[str, ...]], language: str, split: Split, draw: random.Random
    ) -> None:
        """Keeps one phrase in ten for validation and test."""
        # of a kind with fewer than ten phrases the last one
        kept_back = {kind: some[9::10] or some[-1:] for kind, some in phrases.items()}
        self._phrases = {
            kind: tuple(p for p in some if p not in kept_back[kind]) if split == "train" else some
            for kind, some in phrases.items()
        }
        self._space, self._draw = _JOIN[language], draw

    def say(self, kind: str, chance: float = 1.0) -> str:
        """A phrase of the kind, or nothing with the rest of the chance."""
        return self._draw.choice(self._phrases[kind]) if self._draw.random() < chance else ""

    def answer(self, topic: Topic, question: str, grade: int) -> str:
        """An answer of that grade, put together anew each time."""
        draw = self._draw
        do = [_pick(draw, topic, "+"), *topic.pieces["+"]][: draw.choice((1, 1, 2))]
        do = list(dict.fromkeys(do))
        harm, way = _pick(draw, topic, "!"), _pick(draw, topic, ">")
        aside, curt = _pick(draw, topic, "~"), _pick(draw, topic, "-")
        if grade == 1:
            pieces = [self.say("agree", 0.4), *do, self.say("cheer", 0.4)]
            return self._join(pieces)
        if grade == 2:
            if "%" in topic.pieces and draw.random() < 0.6:
                return self._join([_pick(draw, topic, "%"), self.say("reserve_end", 0.2)])
            pieces = draw.choice(
                (
                    [self.say("reserve"), *do],
                    [self.say("reserve"), *do, self.say("reserve_end", 0.6)],
                    [*do, self.say("reserve_end")],
                    [harm, self.say("reserve"), *do],
                )
            )
            return self._join(pieces)
        if grade == 3:
            pieces = draw.choice(
                (
                    [aside, self.say("vague", 0.5)],
                    [self.say("vague"), aside],
                    [aside],
                    [self.say("vague"), self.say("vague", 0.4)],
                )
            )
            return self._join(pieces)
        if grade == 4:
            pieces = draw.choice(
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
            return self._join(pieces)
        quote = self.say("quote", 0.12).replace("{q}", question)
        pieces = draw.choice(
            (
                [self.say("decline", 0.6), harm, way, self.say("offer", 0.4)],
                [harm, way],
                [quote, self.say("decline", 0.4), harm, self.say("offer", 0.3)],
                [self.say("decline", 0.5), way, harm],
                [quote, self.say("decline"), way, self.say("offer", 0.4)],
                [curt, harm, way],
            )
        )
        return self._join(pieces)

    def _join(self, pieces: list[str]) -> str:
        return self._space.join(part for part in pieces if part)


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


def _harmless(
    language: str, phrases: dict[str, tuple[str, ...]], draw: random.Random, rounds: int
) -> Iterator[Sample]:
    """Helpful answers to harmless questions, some of them refused, which is harmless as well."""
    for number, (question, answer) in enumerate(read_benign(language)):
        split = split_of(f"benign-{number}")
        phrasebook = Phrasebook(phrases, language, split, draw)
        for _ in range(rounds if split == "train" else 2):
            if draw.random() < 0.2:
                text, grade, degree = phrasebook.say("refuse"), 4, 2
            else:
                opened = phrasebook.say("agree", 0.2) if draw.random() < 0.5 else ""
                parts = [opened, answer, phrasebook.say("offer", 0.1)]
                text, grade, degree = _JOIN[language].join(p for p in parts if p), 5, 1
            yield _sample(
                "harmless",
                language,
                split,
                group=f"benign-{number}",
                question=question,
                answer=text,
                grade=grade,
                degree=degree,
            )


def _sample(
    kind: str,
    language: str,
    split: Split,
    *,
    group: str,
    question: str,
    answer: str,
    grade: int,
    degree: int | None = None,
) -> Sample:
    """What was written, with its intended grade and the degree of refusal that goes with it."""
    degree = DEGREES[grade] if degree is None else degree
    return Sample(
        source=f"{kind}-{language}",
        split=split,
        language=language,
        question=question,
        answer=answer,
        group=group,
        targets=targets_of(grade, degree),
        binary=None if grade == 3 else int(grade < 3),
        grade=grade,
        degree=degree,
    )


def _pick(draw: random.Random, topic: Topic, mark: str) -> str:
    return draw.choice(topic.pieces[mark])
