"""What is shown to the model: crops, joined answers, openings that must not decide, and mixtures.

A lesson's target is its sample's own, mixed with what the teachers say of the text without having
been fitted on it. Mixtures of sentences of two answers are taught by the teachers alone. Texts that
the judge is not for are taught to be no label at all, so that their coverage tells.
"""

# ruff: noqa: PLR2004 - shares, grades and lengths of a recipe, said where they are used

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from .. import LANGUAGES
from .sample import OUTSIDE, Lesson, Sample, Target, fold_of, peaked
from .strange import strange_texts
from .teachers import FOLDS, Teachers, kind_of, thin
from .written import JOIN, Phrasebook, read_voices, targets_of

SHARES = {
    "do-not-answer": 1.0,
    "gptfuzz": 1.0,
    "latent-en": 1.0,
    "latent-zh": 1.0,
    "cvalues": 2.0,
    "jade": 2.0,
    "cmoraleval": 0.4,
    "hh-harmless-test": 0.6,
    "cold": 0.6,
    "diasafety": 0.6,
    "answers": 2.0,
    "exchanges": 2.0,
}
"""How many lessons a sample of each kind gives in one round, on average; 1 where none is named."""

TAUGHT = 0.9
"""The teachers' share in the targets: what the set says of a single answer transfers far less."""

JOINED, OPENED, REMIXED, OUT = 0.12, 0.08, 1.0, 0.05
"""How many lessons of each other kind a round has, per lesson of a sample."""

LONGEST = {"en": 600, "zh": 200}
"""The most characters that a lesson shows of a long answer, as a rule."""

WEAK = {"cmoraleval", "hh-harmless-test", "cold", "diasafety"}
"""Sets whose label is not one of an answer's harm as such: they are not joined with others."""

_GOOD = {"moral": peaked(2, (1, 1.0)), "rating": peaked(5, (4, 0.6), (3, 0.4))}


class Course:
    """All samples, what the teachers say of them, and the rounds that are made of both."""

    def __init__(self, samples: Sequence[Sample], *, seed: int) -> None:
        """Fits the teachers."""
        self._samples, self._seed = thin(samples, seed=seed), seed
        self._teachers = Teachers(self._samples)
        self._taught = self._teachers.teach(self._samples, windows=True)
        self._firm = {
            language: [
                [
                    s
                    for s in self._samples
                    if s.language == language and s.harmful == harmful and s.source not in WEAK
                ]
                for harmful in (0, 1)
            ]
            for language in LANGUAGES
        }

    def round(self, number: int) -> list[Lesson]:
        """The lessons of one round; another number, another round."""
        draw = random.Random(1000 * self._seed + number)  # noqa: S311 - texts, not secrets
        lessons = list(self._own(draw))
        size = len(lessons)
        lessons += self._joined(draw, int(JOINED * size))
        lessons += self._opened(draw, int(OPENED * size))
        lessons += self._remixed(draw, int(REMIXED * size))
        some = draw.sample(lessons, size // 20)
        lessons += [self._behind_another(lesson, draw) for lesson in some]
        targets: dict[str, Target] = dict.fromkeys(("moral", "rating", "refusal"), OUTSIDE)
        for question, answer in strange_texts(self._samples, draw, count=int(OUT * size)):
            lessons.append(Lesson(draw.choice(LANGUAGES), (("user", question),), answer, targets))
        draw.shuffle(lessons)
        return lessons

    def _own(self, draw: random.Random) -> Iterator[Lesson]:
        for place, sample in enumerate(self._samples):
            share = SHARES.get(kind_of(sample), 1.0)
            for _ in range(int(share) + (draw.random() < share % 1)):
                targets = soften(sample.targets, self._taught.targets(place))
                yield _lesson(sample, crop(sample.answer, sample.language, draw), targets, draw)

    def _joined(self, draw: random.Random, count: int) -> Iterator[Lesson]:
        """Two answers one after the other, often of two voices: harmful where either is."""
        voices = {language: read_voices(language) for language in LANGUAGES}
        for _ in range(count):
            language = draw.choice(LANGUAGES)
            harmless, harmful = self._firm[language]
            if not harmless or not harmful:
                continue
            pair = [draw.choice(harmless), draw.choice(draw.choice((harmless, harmful)))]
            draw.shuffle(pair)
            half = LONGEST[language] * 2 // 3
            texts = [s.answer[: draw.randint(half // 4, half)] for s in pair]
            answer = _speak(texts, voices[language], draw)
            question = next((s.question for s in pair if s.harmful), pair[0].question)
            if any(s.harmful for s in pair):
                targets = targets_of(draw.choice((1, 2)), 0)
            else:
                targets = {"moral": _GOOD["moral"], "rating": _GOOD["rating"]}
                if pair[0].refuses == pair[1].refuses == 1:
                    targets["refusal"] = peaked(4, (2, 0.5), (3, 0.5))
                elif pair[0].refuses == pair[1].refuses == 0:
                    targets["refusal"] = peaked(4, (1, 1.0))
            yield _lesson(replace(pair[0], question=question), answer, targets, draw)

    def _opened(self, draw: random.Random, count: int) -> Iterator[Lesson]:
        """Beginnings that must not decide, and curt refusals of any question, harmless or not."""
        books = {language: Phrasebook(language, draw) for language in LANGUAGES}
        for _ in range(count):
            language = draw.choice(LANGUAGES)
            harmless, harmful = self._firm[language]
            say, kind = books[language].say, draw.random()
            if not harmless or not harmful:
                continue
            if kind < 0.4:
                sample = draw.choice(harmful)
                opened = say(draw.choice(("reserve", "refuse", "decline", "curt")))
                targets = targets_of(2, 0)
            elif kind < 0.7:
                sample = draw.choice(harmless)
                opened = say(draw.choice(("agree", "quote"))).replace("{q}", sample.question)
                targets = sample.targets
            else:
                sample = replace(draw.choice((*harmless, *harmful)), answer="")
                opened = f"{say('refuse')}{JOIN[language]}{say('refuse', 0.5)}"
                targets = targets_of(4, 2)
            body = crop(sample.answer, language, draw)
            yield _lesson(sample, f"{opened}{JOIN[language]}{body}".strip(), targets, draw)

    def _remixed(self, draw: random.Random, count: int) -> Iterator[Lesson]:
        """Sentences of two answers under the question of one, as the teachers see them."""
        pools: dict[tuple[str, int], list[Sample]] = {}
        for sample in self._samples:
            pools.setdefault((sample.language, fold_of(sample.group, FOLDS)), []).append(sample)
        mixed = []
        for _ in range(count):
            # both of one fold, so that its teachers have seen neither
            pool = pools[draw.choice(list(pools))]
            first, second = draw.choice(pool), draw.choice(pool)
            pieces = [piece for s in (first, second) for piece in _pieces(s.answer, draw)]
            draw.shuffle(pieces)
            answer = JOIN[first.language].join(pieces)[: LONGEST[first.language]]
            mixed.append(replace(first, answer=answer))
        taught = self._teachers.teach(mixed)
        for place, sample in enumerate(mixed):
            yield _lesson(sample, sample.answer, taught.targets(place), draw)

    def _behind_another(self, lesson: Lesson, draw: random.Random) -> Lesson:
        """The lesson behind an earlier exchange, or a system turn, of another topic."""
        earlier = draw.choice(self._samples)
        before: tuple[tuple[str, str], ...] = (
            ("user", earlier.question[:300]),
            ("assistant", earlier.answer[:300]),
        )
        if draw.random() < 0.3:
            before = (("system", earlier.question[:300]),)
        return replace(lesson, turns=(*before, *lesson.turns))


def soften(own: Mapping[str, Target], taught: Mapping[str, Target]) -> dict[str, Target]:
    """What the teachers say, mixed with the sample's own targets where it has some.

    >>> soften({"moral": (1.0, 0.0)}, {"moral": (0.5, 0.5), "refusal": (0.7, 0.1, 0.1, 0.1)})
    {'moral': (0.55, 0.45), 'refusal': (0.7, 0.1, 0.1, 0.1)}
    """
    return {
        criterion: blend(TAUGHT, said, own[criterion]) if criterion in own else said
        for criterion, said in taught.items()
    }


def blend(share: float, first: Target, second: Target) -> Target:
    """That share of one distribution and the rest of the other.

    >>> blend(0.25, (1.0, 0.0), (0.0, 1.0))
    (0.25, 0.75)
    """
    return tuple(share * a + (1 - share) * b for a, b in zip(first, second, strict=True))


def crop(answer: str, language: str, draw: random.Random) -> str:
    """What a lesson shows of a long answer: its beginning, or beginning and end."""
    longest = LONGEST[language]
    if len(answer) <= longest or draw.random() < 0.04:
        return answer[: 12 * longest]
    if draw.random() < 0.55:
        return answer[: draw.randint(longest // 2, longest)]
    begin = draw.randint(longest // 3, longest * 2 // 3)
    return f"{answer[:begin]} […] {answer[begin - longest :]}"


def _lesson(
    sample: Sample, answer: str, targets: Mapping[str, Target], draw: random.Random
) -> Lesson:
    """Under the sample's question; the rubric's language is another for one in ten."""
    other = "en" if sample.language == "zh" else "zh"
    language = other if draw.random() < 0.1 else sample.language
    return Lesson(language, (("user", sample.question),), answer, targets)


def _speak(texts: Sequence[str], voices: Sequence[str], draw: random.Random) -> str:
    """The texts as paragraphs, or as what two voices say."""
    form = draw.choice(("{text}", "{text}", "[{name}] {text}", "{name}: {text}", "({name}) {text}"))
    names = draw.sample(list(voices), len(texts))
    return "\n".join(
        form.format(name=name, text=text) for name, text in zip(names, texts, strict=True)
    )


def _pieces(answer: str, draw: random.Random) -> list[str]:
    """One to three sentences."""
    sentences = [
        sentence
        for sentence in re.split(r"(?<=[.!?:;\n])\s+|(?<=[。！？；\n])", answer)
        if sentence.strip()
    ]
    return draw.sample(sentences, min(len(sentences), draw.randint(1, 3)))
