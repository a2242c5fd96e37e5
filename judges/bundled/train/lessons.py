"""What is shown to the model: crops, re-pairings and hard negatives, with softened targets.

A lesson's target is its sample's own, mixed with what the classical teachers of the sample's set
say of the text without having been fitted on it, above all where the answer is cropped, since a
part of a harmful answer need not show the harm. Texts put together from sentences of two answers
are taught by the teachers alone. Quoting, warning and sorry beginnings are put before answers whose
verdict they must not change.
"""

# ruff: noqa: PLR2004 - shares, grades and lengths of a recipe, said where they are used

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .. import LANGUAGES
from .mixtures import (
    LONGEST,
    blend,
    mixtures,
    question_turns,
    remixed,
    rubric_language,
    taught_targets,
)
from .sample import Lesson, Sample, Target, peaked
from .synthetic import read_phrases, targets_of, written_texts
from .teachers import GradedTeacher, Teachers

SHARES = {
    "do-not-answer": 0.8,
    "gptfuzz": 1.2,
    "latent-en": 1.0,
    "latent-zh": 1.0,
    "cvalues": 2.0,
    "jade": 1.0,
    "cold": 0.4,
    "diasafety": 0.7,
}
"""How many lessons a sample of the set gives in one round, on average."""

TAUGHT = {False: 0.4, True: 0.6}
"""The teachers' share in the targets of whole answers and of cropped ones."""

RARE_HARM = 5.0
"""The same, for the few harmful answers of Do-Not-Answer."""

WHOLE = 3
"""How many lessons a whole written answer gives in one round."""

_WHOLE = {"en": 3000, "zh": 1000}


@dataclass(frozen=True, slots=True)
class Size:
    """Answers of each grade put together per topic, and mixtures per language, in one round."""

    graded_rounds: int = 5
    mixed: int = 8000


@dataclass(frozen=True, slots=True)
class _Crop:
    """A sample with a part of its answer; without the beginning no refusal or rating shows."""

    sample: Sample
    cut: bool = True
    begins: bool = True


def _whole(written: Sequence[Sample], graded: GradedTeacher) -> Iterator[Lesson]:
    """Every written answer, its targets mixed with what the teachers say who have not seen it."""
    for language in LANGUAGES:
        of_language = [s for s in written if s.language == language]
        for sample, taught in zip(of_language, graded.teach(of_language, language), strict=True):
            targets = {
                criterion: blend(TAUGHT[False], taught[criterion], target)
                for criterion, target in sample.targets.items()
            }
            yield Lesson(language, question_turns(sample), sample.answer, targets)


def make_round(
    samples: Sequence[Sample],
    teachers: Teachers,
    graded: GradedTeacher,
    *,
    seed: int,
    size: Size,
) -> list[Lesson]:
    """The lessons of one round over the training samples; another seed, another round."""
    draw = random.Random(seed)  # noqa: S311 - texts, not secrets
    crops = [crop for sample in samples for crop in _crops(sample, draw)]
    _pair_anew(crops, draw)
    scores = teachers.score([crop.sample for crop in crops])
    lessons = [
        Lesson(
            rubric_language(crop.sample, draw),
            question_turns(crop.sample),
            crop.sample.answer,
            targets,
        )
        for crop, score in zip(crops, scores, strict=True)
        if (targets := _soften(crop, score))
    ]
    written = written_texts("train", seed=seed, rounds=size.graded_rounds, times=WHOLE)
    lessons += remixed(samples, teachers, draw)
    lessons += _whole(written, graded)
    lessons += mixtures(written, samples, graded, draw, count=size.mixed)
    lessons += _hard(samples, written, draw)
    lessons = [_with_conversation(lesson, written, draw) for lesson in lessons]
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
            yield _Crop(replace(sample, answer=answer), cut=False)
        elif kind < 0.06:  # some at full length, for the far positions
            whole = answer[: _WHOLE[sample.language]]
            yield _Crop(replace(sample, answer=whole), cut=False)
        elif kind < 0.75:
            size = draw.randint(longest // 6, longest)
            excerpt = answer[:size]
            if draw.random() < 0.4 and len(answer) > size:
                excerpt += " […] " + answer[-draw.randint(30, longest // 3) :]
            yield _Crop(replace(sample, answer=excerpt))
        else:
            size = draw.randint(longest // 6, longest // 2)
            start = draw.randint(0, max(0, len(answer) - size))
            excerpt = answer[start : start + size]
            yield _Crop(replace(sample, answer=excerpt), begins=start == 0)


def _pair_anew(crops: list[_Crop], draw: random.Random) -> None:
    """Gives an eighth of the answers another question of their set: most verdicts stay."""
    pools: dict[str, list[str]] = {}
    for crop in crops:
        pools.setdefault(crop.sample.source, []).append(crop.sample.question)
    for index, crop in enumerate(crops):
        if crop.sample.source not in {"diasafety", "cvalues"} and draw.random() < 0.12:
            other = draw.choice(pools[crop.sample.source])
            crops[index] = replace(crop, sample=replace(crop.sample, question=other))


def _soften(crop: _Crop, score: float | None) -> dict[str, Target]:
    targets = dict(crop.sample.targets)
    if score is not None:
        for criterion, taught in taught_targets(targets, score).items():
            targets[criterion] = blend(TAUGHT[crop.cut], taught, targets[criterion])
    if not crop.begins:
        targets.pop("refusal", None)
        targets.pop("rating", None)
    return targets


def _hard(
    samples: Sequence[Sample], written: Sequence[Sample], draw: random.Random
) -> Iterator[Lesson]:
    """Beginnings that must not decide: warnings and sorrows before compliance, quotes before no."""
    phrases = {language: read_phrases(language) for language in LANGUAGES}
    criteria = [s for s in samples if "rating" in s.targets and s.question]
    harmful = [s for s in criteria if s.binary == 1]
    harmless = [s for s in criteria if s.binary == 0]
    for sample in draw.sample(harmful, min(len(harmful), 1200)):
        openings, space = phrases[sample.language], " " if sample.language == "en" else ""
        kind = draw.choice(("reserve", "reserve", "refuse", "agree", "decline"))
        opened = draw.choice(openings[kind])
        body = sample.answer[: draw.randint(120, LONGEST[sample.language])]
        targets = targets_of(1 if kind == "agree" else 2, 0)
        yield Lesson(sample.language, question_turns(sample), opened + space + body, targets)
    for sample in draw.sample(harmless, min(len(harmless), 700)):
        quote = draw.choice(phrases[sample.language]["quote"]).replace("{q}", sample.question)
        body = sample.answer[: LONGEST[sample.language]]
        yield Lesson(sample.language, question_turns(sample), f"{quote} {body}", sample.targets)
    for sample in draw.sample(criteria, min(len(criteria), 1500)):
        openings = phrases[sample.language]
        no = draw.choice(openings["refuse"])
        if draw.random() < 0.5:
            no += (" " if sample.language == "en" else "") + draw.choice(openings["refuse"])
        yield Lesson(sample.language, question_turns(sample), no, targets_of(4, 2))
    # an answer to another topic helps nobody with this one, and does no harm here either
    for _ in range(500):
        question_of, other = draw.choice(written), draw.choice(written)
        if question_of.language == other.language and other.grade == 5:
            targets = {"moral": (0.05, 0.95), "rating": peaked(5, (4, 0.6), (3, 0.4))}
            yield Lesson(question_of.language, question_turns(question_of), other.answer, targets)


def _with_conversation(lesson: Lesson, written: Sequence[Sample], draw: random.Random) -> Lesson:
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
