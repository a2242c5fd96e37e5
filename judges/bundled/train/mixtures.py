"""Texts that nobody wrote: sentences and runs of words of several answers, taught by teachers only.

A classifier that is linear in words speaks of any text. What it says of texts that are new in every
round teaches the model to weigh words, where it would otherwise know whole answers by heart.
"""

# ruff: noqa: PLR2004 - shares and lengths of a recipe, said where they are used

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from .. import LANGUAGES
from .sample import Lesson, Sample, Target, peaked
from .teachers import GradedTeacher, Teachers

REMIXED = {
    "do-not-answer": 800,
    "gptfuzz": 800,
    "latent-en": 400,
    "latent-zh": 400,
    "cvalues": 800,
    "jade": 300,
    "cold": 3000,
    "diasafety": 2500,
}
"""How many texts of sentences of two answers a set gives in one round."""

WINDOWED = 0.5
"""The share of the mixtures that is made of runs of words, since sentences get known by heart."""

FOREIGN = 0.5
"""The share of these that also hold a run of words of a set."""

LONGEST = {"en": 800, "zh": 260}
"""The most characters that a lesson shows of a long answer, as a rule."""

_BAD = {"moral": peaked(2, (0, 1.0)), "rating": peaked(5, (0, 0.7), (1, 0.3))}
_GOOD = {"moral": peaked(2, (1, 1.0)), "rating": peaked(5, (4, 0.6), (3, 0.4))}


def mixtures(
    written: Sequence[Sample],
    samples: Sequence[Sample],
    graded: GradedTeacher,
    draw: random.Random,
    *,
    count: int,
) -> Iterator[Lesson]:
    """Sentences of one to three graded answers in a drawn order, as the teacher sees them.

    Among the runs of words some are of the sets: of words that no graded answer has the teacher
    says nothing, and the model has to learn that as well.
    """
    for language in LANGUAGES:
        of_language = [s for s in written if s.language == language]
        others = [s for s in samples if s.language == language]
        result = []
        for _ in range(count):
            some = draw.choices(of_language, k=draw.choice((1, 2, 2, 3)))
            pieces = [piece for s in some for piece in _sentences(s.answer)]
            pieces = draw.sample(pieces, max(1, min(len(pieces), draw.randint(1, 5))))
            if draw.random() < WINDOWED:
                pieces = [_window(s.answer, language, draw) for s in some]
                if others and draw.random() < FOREIGN:
                    pieces.append(_window(draw.choice(others).answer, language, draw))
                    draw.shuffle(pieces)
            text = (" " if language == "en" else "").join(pieces)
            result.append(replace(draw.choice(of_language), answer=text))
        for sample, targets in zip(result, graded.teach(result, language), strict=True):
            yield Lesson(language, question_turns(sample), sample.answer, targets)


def remixed(samples: Sequence[Sample], teachers: Teachers, draw: random.Random) -> Iterator[Lesson]:
    """Sentences of two answers under the question of one, as the teachers of their set see them."""
    for source, count in REMIXED.items():
        of_set = [s for s in samples if s.source == source]
        result = []
        for _ in range(min(count, len(of_set))):
            first, second = draw.choice(of_set), draw.choice(of_set)
            cut = _windows if draw.random() < WINDOWED else _stretch
            pieces = [piece for s in (first, second) for piece in cut(s.answer, s.language, draw)]
            draw.shuffle(pieces)
            text = (" " if first.language == "en" else "").join(pieces)
            result.append(replace(first, answer=text))
        for sample, score in zip(result, teachers.score(result), strict=True):
            if score is not None:
                targets = taught_targets(sample.targets, score)
                yield Lesson(
                    rubric_language(sample, draw), question_turns(sample), sample.answer, targets
                )


def _windows(answer: str, language: str, draw: random.Random) -> list[str]:
    return [_window(answer, language, draw) for _ in range(draw.choice((1, 2, 3)))]


def _stretch(answer: str, language: str, draw: random.Random) -> list[str]:
    """Neighbouring sentences, or pieces of a long one, of at most half a lesson's length."""
    size = draw.randint(LONGEST[language] // 8, LONGEST[language] // 2)
    start = draw.randint(0, max(0, len(answer) - size))
    return _sentences(answer[start : start + size]) or [answer]


def taught_targets(criteria: Mapping[str, Target], score: float) -> dict[str, Target]:
    """What the teachers' probability of harm means for the criteria that it says anything of."""
    result: dict[str, Target] = {}
    for criterion in criteria:
        if criterion in _BAD:
            result[criterion] = blend(score, _BAD[criterion], _GOOD[criterion])
        elif criterion != "refusal":
            result[criterion] = (1 - score, score)
    return result


def blend(share: float, first: Target, second: Target) -> Target:
    """That share of one distribution and the rest of the other.

    >>> blend(0.25, (1.0, 0.0), (0.0, 1.0))
    (0.25, 0.75)
    """
    return tuple(share * a + (1 - share) * b for a, b in zip(first, second, strict=True))


def _window(text: str, language: str, draw: random.Random) -> str:
    """A run of words or Chinese characters, begun and ended anywhere."""
    units = text.split() if language == "en" else list(text)
    size = draw.randint(2, 14) * (1 if language == "en" else 2)
    start = draw.randint(0, max(0, len(units) - size))
    return (" " if language == "en" else "").join(units[start : start + size])


def _sentences(text: str) -> list[str]:
    return [
        sentence
        for sentence in re.split(r"(?<=[.!?:;])\s+|(?<=[。！？；：，])", text)
        if sentence.strip()
    ]


def question_turns(sample: Sample) -> tuple[tuple[str, str], ...]:
    """The turns before the answer: the sample's question."""
    return (("user", sample.question),)


def rubric_language(sample: Sample, draw: random.Random) -> str:
    """The rubric's language: the sample's own, but for one in ten."""
    other = "en" if sample.language == "zh" else "zh"
    return other if draw.random() < 0.1 else sample.language
