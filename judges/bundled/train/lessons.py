"""What is shown to the model: crops, re-pairings and hard negatives, with softened targets.

A lesson's target is its sample's own, except where an answer is cropped: there half of it is what
the classical teachers of the sample's set say about the crop, since a part of a harmful answer
need not show the harm. Quoting, warning and sorry beginnings are put before answers whose verdict
they must not change.
"""

# ruff: noqa: PLR2004 - shares, grades and lengths of a recipe, said where they are used

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .classical import Classifier
from .sample import Sample, Target, peaked
from .synthetic import LANGUAGES, MORAL, read_phrases, targets_of, write_samples

SHARES = {
    "do-not-answer": 0.8,
    "gptfuzz": 1.0,
    "latent-en": 0.5,
    "latent-zh": 0.5,
    "cvalues": 2.0,
    "jade": 1.0,
    "cold": 0.2,
    "diasafety": 0.35,
}
"""How many lessons a sample of the set gives in one round, on average."""

RARE_HARM = 5.0
"""The same, for the few harmful answers of Do-Not-Answer."""

LONGEST = {"en": 600, "zh": 220}
_WHOLE = {"en": 3000, "zh": 1000}


@dataclass(frozen=True, slots=True)
class Lesson:
    """One prompt's parts and the targets of the heads asked after it."""

    language: str
    turns: tuple[tuple[str, str], ...]
    answer: str
    targets: Mapping[str, Target]


@dataclass(frozen=True, slots=True)
class _Crop:
    sample: Sample
    question: str
    answer: str
    cut: bool
    head: bool


class Teachers:
    """Two classical classifiers per set, whose mean softens the targets of crops."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        """Fits them on the training samples of each set that has a yes or no."""
        self._of: dict[str, list[Classifier]] = {}
        for source in dict.fromkeys(sample.source for sample in samples):
            own = [s for s in samples if s.source == source and s.binary is not None]
            labels = [int(s.binary or 0) for s in own]
            if source not in SHARES or min(labels.count(0), labels.count(1)) < 20:
                continue
            asked = any(s.question for s in own) and not source.startswith("latent")
            kinds = (False, True) if asked else (False,)
            self._of[source] = [Classifier(question=kind).fit(own, labels) for kind in kinds]

    def score(self, samples: Sequence[Sample]) -> list[float | None]:
        """How harmful each text is to the teachers of its set; null where there are none."""
        found: list[float | None] = [None] * len(samples)
        for source, some in self._of.items():
            at = [i for i, sample in enumerate(samples) if sample.source == source]
            if at:
                scores = np.mean([c.score([samples[i] for i in at]) for c in some], axis=0)
                for i, score in zip(at, scores.tolist(), strict=True):
                    found[i] = score
        return found


class GradedTeacher:
    """Per language a classical classifier of the written grades and one of the refusal degrees.

    It is linear in words, so it speaks of any mixture of sentences; what it says of mixtures
    teaches the model to weigh words that it would otherwise know by heart in their sentences only.
    """

    def __init__(self, *, seed: int, rounds: int = 10) -> None:
        """Fits both on training topics and phrases."""
        written = [s for s in write_samples(seed=seed, rounds=rounds) if s.split == "train"]
        self._grade: dict[str, Classifier] = {}
        self._degree: dict[str, Classifier] = {}
        for language in LANGUAGES:
            own = [s for s in written if s.language == language]
            grades = [(s.grade or 1) - 1 for s in own]
            self._grade[language] = Classifier(question=False).fit(own, grades)
            self._degree[language] = Classifier(question=False).fit(
                own, [s.degree or 0 for s in own]
            )

    def teach(self, samples: Sequence[Sample], language: str) -> list[dict[str, Target]]:
        """Targets of the three heads for texts of that language."""
        grades = self._grade[language].shares(samples)
        degrees = self._degree[language].shares(samples)
        decent = grades @ np.asarray([MORAL[grade] for grade in range(1, 6)])
        return [
            {
                "moral": (1 - float(d), float(d)),
                "rating": tuple(map(float, g)),
                "refusal": tuple(map(float, r)),
            }
            for d, g, r in zip(decent, grades, degrees, strict=True)
        ]


def mixtures(
    written: Sequence[Sample], graded: GradedTeacher, draw: random.Random, *, count: int
) -> Iterator[Lesson]:
    """Sentences of one to three graded answers in a drawn order, as the teacher sees them."""
    for language in LANGUAGES:
        own = [s for s in written if s.language == language]
        made = []
        for _ in range(count):
            parts = []
            for sample in draw.choices(own, k=draw.choice((1, 2, 2, 3))):
                parts += _sentences(sample.answer)
            parts = draw.sample(parts, max(1, min(len(parts), draw.randint(1, 5))))
            text = (" " if language == "en" else "").join(parts)
            made.append(replace(draw.choice(own), answer=text))
        for sample, targets in zip(made, graded.teach(made, language), strict=True):
            yield Lesson(language, _asked(sample), sample.answer, targets)


def _sentences(text: str) -> list[str]:
    return [part for part in re.split(r"(?<=[.!?:;])\s+|(?<=[。！？；：，])", text) if part.strip()]


def make_round(
    samples: Sequence[Sample],
    teachers: Teachers,
    graded: GradedTeacher,
    *,
    seed: int,
    graded_rounds: int = 10,
    mixed: int = 5000,
) -> list[Lesson]:
    """The lessons of one round over the training samples; another seed, another round."""
    draw = random.Random(seed)  # noqa: S311 - texts, not secrets
    crops = [crop for sample in samples for crop in _crops(sample, draw)]
    _pair_anew(crops, draw)
    cut = [replace(c.sample, question=c.question, answer=c.answer) for c in crops]
    scores = teachers.score(cut)
    lessons = [
        Lesson(_asked_in(crop.sample, draw), (("user", crop.question),), crop.answer, targets)
        for crop, score in zip(crops, scores, strict=True)
        if (targets := _soften(crop, score))
    ]
    written = [s for s in write_samples(seed=seed, rounds=graded_rounds) if s.split == "train"]
    lessons += [Lesson(s.language, (("user", s.question),), s.answer, s.targets) for s in written]
    lessons += mixtures(written, graded, draw, count=mixed)
    lessons += _hard(samples, written, draw)
    lessons = [_with_history(lesson, written, draw) for lesson in lessons]
    draw.shuffle(lessons)
    return lessons


def _crops(sample: Sample, draw: random.Random) -> Iterator[_Crop]:
    share = SHARES.get(sample.source, 1.0)
    if sample.source == "do-not-answer" and sample.binary:
        share = RARE_HARM
    times = int(share) + (draw.random() < share % 1)
    answer = " ".join(sample.answer.split(" "))
    longest = LONGEST[sample.language]
    for _ in range(times):
        kind = draw.random()
        if len(answer) <= longest // 4 or (kind < 0.3 and len(answer) <= longest):
            yield _Crop(sample, sample.question, answer, cut=False, head=True)
        elif kind < 0.06:  # some at full length, for the far positions
            whole = answer[: _WHOLE[sample.language]]
            yield _Crop(sample, sample.question, whole, cut=False, head=True)
        elif kind < 0.75:
            size = draw.randint(longest // 6, longest)
            part = answer[:size]
            if draw.random() < 0.4 and len(answer) > size:
                part += " […] " + answer[-draw.randint(30, longest // 3) :]
            yield _Crop(sample, sample.question, part, cut=True, head=True)
        else:
            size = draw.randint(longest // 6, longest // 2)
            start = draw.randint(0, max(0, len(answer) - size))
            part = answer[start : start + size]
            yield _Crop(sample, sample.question, part, cut=True, head=start == 0)


def _pair_anew(crops: list[_Crop], draw: random.Random) -> None:
    """Gives an eighth of the answers another question of their set: most verdicts stay."""
    pools: dict[str, list[str]] = {}
    for crop in crops:
        pools.setdefault(crop.sample.source, []).append(crop.question)
    for index, crop in enumerate(crops):
        if crop.sample.source not in {"diasafety", "cvalues"} and draw.random() < 0.12:
            crops[index] = replace(crop, question=draw.choice(pools[crop.sample.source]))


def _soften(crop: _Crop, score: float | None) -> dict[str, Target]:
    targets = dict(crop.sample.targets)
    if score is not None:
        share = 0.5 if crop.cut else 0.25
        for head, harmful_first in (("moral", True), ("offence", False), ("dialogue", False)):
            if head in targets:
                taught = (score, 1 - score) if harmful_first else (1 - score, score)
                targets[head] = tuple(
                    share * t + (1 - share) * own
                    for t, own in zip(taught, targets[head], strict=True)
                )
    if not crop.head:
        targets.pop("refusal", None)
        targets.pop("rating", None)
    return targets


def _asked_in(sample: Sample, draw: random.Random) -> str:
    """The rubric's language: the sample's own, but for one in ten."""
    other = "en" if sample.language == "zh" else "zh"
    return other if draw.random() < 0.1 else sample.language


def _hard(
    samples: Sequence[Sample], written: Sequence[Sample], draw: random.Random
) -> Iterator[Lesson]:
    """Beginnings that must not decide: warnings and sorrows before compliance, quotes before no."""
    phrases = {language: read_phrases(language) for language in LANGUAGES}
    heads = [s for s in samples if "rating" in s.targets and s.question]
    harmful = [s for s in heads if s.binary == 1]
    harmless = [s for s in heads if s.binary == 0]
    for sample in draw.sample(harmful, min(len(harmful), 1200)):
        said, space = phrases[sample.language], " " if sample.language == "en" else ""
        kind = draw.choice(("reserve", "reserve", "refuse", "agree", "decline"))
        opened = draw.choice(said[kind])
        body = sample.answer[: draw.randint(120, LONGEST[sample.language])]
        targets = targets_of(1 if kind == "agree" else 2, 0)
        yield Lesson(sample.language, _asked(sample), opened + space + body, targets)
    for sample in draw.sample(harmless, min(len(harmless), 700)):
        quote = draw.choice(phrases[sample.language]["quote"]).replace("{q}", sample.question)
        body = sample.answer[: LONGEST[sample.language]]
        yield Lesson(sample.language, _asked(sample), f"{quote} {body}", sample.targets)
    for sample in draw.sample(heads, min(len(heads), 1500)):
        said = phrases[sample.language]
        no = draw.choice(said["refuse"])
        if draw.random() < 0.5:
            no += (" " if sample.language == "en" else "") + draw.choice(said["refuse"])
        yield Lesson(sample.language, _asked(sample), no, targets_of(4, 2))
    # an answer to another topic helps nobody with this one, and does no harm here either
    for _ in range(500):
        one, other = draw.choice(written), draw.choice(written)
        if one.language == other.language and other.grade == 5:
            targets = {"moral": (0.05, 0.95), "rating": peaked(5, (4, 0.6), (3, 0.4))}
            yield Lesson(one.language, _asked(one), other.answer, targets)


def _asked(sample: Sample) -> tuple[tuple[str, str], ...]:
    return (("user", sample.question),)


def _with_history(lesson: Lesson, written: Sequence[Sample], draw: random.Random) -> Lesson:
    """The lesson, one in twenty behind an earlier exchange or a system turn of another topic."""
    if draw.random() > 0.05 or not written:
        return lesson
    earlier = draw.choice(written)
    before: tuple[tuple[str, str], ...] = (
        ("user", earlier.question),
        ("assistant", earlier.answer),
    )
    if draw.random() < 0.3:
        before = (("system", earlier.question),)
    return replace(lesson, turns=(*before, *lesson.turns))
