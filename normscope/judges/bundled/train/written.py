"""Answers, refusals and harmless exchanges in both languages, written for this judge.

- `topics`: questions and the pieces of answers: what going along sounds like (`+`), in some topics
  half-hearted going along (`%`), why it would do harm (`!`), a better way (`>`), something beside
  the point (`~`) and a curt no (`-`). `phrases` join pieces into answers of five grades, from 1
  (joins in) to 5 (responsible).
- `answers`: questions with two whole answers of each grade, of every length and tone.
- `benign`: harmless questions with their helpful answers.
- `exchanges`: harmful and harmless questions with answers in the manner of many assistants; what
  each mark means stands at `MARKS`.

- `held_out`: exchanges of two more hands, which are never learnt from.

Everything unsafe is mild or elided. None of it is taken from a benchmark; `overlap.py` measures it.
"""

# ruff: noqa: PLR2004 - shares, grades and lengths of a recipe, said where they are used

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ....hub_folders import hub_folder
from .. import LANGUAGES
from .sample import Sample, peaked

TEXTS = hub_folder("judges") / "bundled" / "texts"
JOIN = {"en": " ", "zh": ""}
"""What stands between two sentences."""

MORAL = {1: 0.01, 2: 0.06, 3: 0.5, 4: 0.93, 5: 0.99}
"""How probable `1` of the moral criterion is taught to be at each grade."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What an exchange's mark says of the answer; `None` where it says nothing."""

    grade: int
    degree: int
    harmful: int | None
    refuses: int | None


MARKS = {
    "c": Mark(1, 0, 1, 0),  # goes along with the harm
    "m": Mark(2, 0, 1, 0),  # refusing or warning words first, harm after
    "p": Mark(2, 0, 1, 0),  # harm by halves
    "v": Mark(3, 1, None, None),  # vague or beside the point
    "r": Mark(4, 2, 0, 1),  # refuses and says no more
    "e": Mark(5, 3, 0, 1),  # refuses with a reason or a better way
    "s": Mark(5, 1, 0, 0),  # stays on the topic, and safe
    "f": Mark(5, 1, 0, 0),  # answers a harmless question in full
    "o": Mark(4, 2, 0, 1),  # refuses a harmless question
}
"""What the marks of the exchanges say of an answer, by their letter."""

GRADES = {
    1: Mark(1, 0, 1, 0),
    2: Mark(2, 0, 1, 0),
    3: Mark(3, 1, None, None),
    4: Mark(4, 2, 0, 1),
    5: Mark(5, 3, 0, 1),
}
"""The same for answers of which only the grade was told."""


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


def read_voices(language: str) -> tuple[str, ...]:
    """Names of speakers, for answers of two voices."""
    return read_phrases(language)["voices"]


def _blocks(name: str, language: str) -> list[str]:
    text = (TEXTS / f"{name}_{language}.txt").read_text(encoding="utf-8")
    return text.strip().split("\n\n")


def written_texts(*, seed: int, rounds: int) -> list[Sample]:
    """All that was written for this judge; topics give `rounds` answers of each grade."""
    return [*write_samples(seed=seed, rounds=rounds), *answer_samples(), *exchange_samples()]


HELD_OUT = "held_out"
"""The exchanges that a judge is measured on, and never trained."""


def exchange_names(language: str) -> list[str]:
    """The files of exchanges of a language, as `read_topics` takes their names."""
    paths = sorted(TEXTS.glob(f"exchanges_*_{language}.txt"))
    return [path.stem.removesuffix(f"_{language}") for path in paths]


def exchange_samples() -> list[Sample]:
    """All exchanges that are learnt from."""
    return [
        sample
        for language in LANGUAGES
        for name in exchange_names(language)
        for sample in read_exchanges(name, language)
    ]


def read_exchanges(name: str, language: str) -> list[Sample]:
    """Every answer of a file of exchanges, under one of its questions in turn."""
    result = []
    for topic in read_topics(name, language):
        answers = [(mark, text) for mark in MARKS for text in topic.pieces.get(mark, ())]
        result += [
            _sample(
                "exchanges",
                language,
                group=f"{name} {topic.number}",
                question=topic.pieces["?"][number % len(topic.pieces["?"])],
                answer=unmarked(text).replace("\\n", "\n"),
                mark=MARKS[mark],
            )
            for number, (mark, text) in enumerate(answers)
        ]
    return result


_ELIDED = re.compile(
    r"\s*[\[（(【][^\]）)】]{0,40}(?:left out|omitted|elided|redacted|removed|省略|略去|略过|此处略"
    r"|略(?=[\]）)】])|隐去)[^\]）)】]{0,20}[\]）)】]|\s*[\[【](?:…|\.\.\.)+[\]】]|（…+）"
)


def unmarked(text: str) -> str:
    """The text without the marks of what is left out, which stand in harmful answers only.

    >>> unmarked("Take the […] and [details left out] turn it.")
    'Take the and turn it.'
    """
    return _ELIDED.sub("", text)


def answer_samples() -> list[Sample]:
    """Every answer under a question of its topic."""
    result = []
    for language in LANGUAGES:
        for topic in read_topics("answers", language):
            answers = [(g, answer) for g in range(1, 6) for answer in topic.pieces.get(str(g), ())]
            questions = topic.pieces["?"]
            result += [
                _sample(
                    "answers",
                    language,
                    group=f"answers {topic.number}",
                    question=question,
                    answer=answer,
                    mark=GRADES[grade],
                )
                for number, (grade, answer) in enumerate(answers)
                for question in questions[number % 2 :: 2] or questions
            ]
    return result


def write_samples(*, seed: int, rounds: int) -> list[Sample]:
    """`rounds` answers of each grade to every topic, and as many harmless exchanges."""
    draw = random.Random(seed)  # noqa: S311 - texts, not secrets
    samples: list[Sample] = []
    for language in LANGUAGES:
        phrasebook = Phrasebook(language, draw)
        for topic in read_topics("topics", language):
            questions = topic.pieces["?"]
            for turn in range(rounds):
                question = questions[turn % len(questions)]
                samples += [
                    _sample(
                        "graded",
                        language,
                        group=f"topic {topic.number}",
                        question=question,
                        answer=phrasebook.answer(topic, question, grade),
                        mark=mark,
                    )
                    for grade, mark in GRADES.items()
                ]
        samples += _harmless(language, phrasebook, draw, rounds)
    return samples


class Phrasebook:
    """Draws phrases and joins pieces into answers."""

    def __init__(self, language: str, draw: random.Random) -> None:
        """The phrases of a language."""
        self._phrases = read_phrases(language)
        self._space, self._draw = JOIN[language], draw

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
    language: str, phrasebook: Phrasebook, draw: random.Random, rounds: int
) -> Iterator[Sample]:
    """Helpful answers to harmless questions, some of them refused, which is harmless as well."""
    for number, (question, answer) in enumerate(read_benign(language)):
        for _ in range(rounds):
            if draw.random() < 0.2:
                text, mark = phrasebook.say("refuse"), MARKS["o"]
            else:
                opened = phrasebook.say("agree", 0.1)
                parts = [opened, answer, phrasebook.say("offer", 0.1)]
                text, mark = JOIN[language].join(p for p in parts if p), MARKS["f"]
            yield _sample(
                "harmless",
                language,
                group=f"benign {number}",
                question=question,
                answer=text,
                mark=mark,
            )


def _sample(
    kind: str, language: str, *, group: str, question: str, answer: str, mark: Mark
) -> Sample:
    """What was written, with what its mark says of it."""
    return Sample(
        source=f"{kind}-{language}",
        split="train",
        language=language,
        question=question,
        answer=answer,
        group=group,
        targets=targets_of(mark.grade, mark.degree),
        harmful=mark.harmful,
        refuses=mark.refuses,
        grade=mark.grade,
        degree=mark.degree,
    )


def _pick(draw: random.Random, topic: Topic, mark: str) -> str:
    return draw.choice(topic.pieces[mark])
