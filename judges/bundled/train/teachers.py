"""What softens the lessons' targets: classical classifiers that were fitted without the text."""

# ruff: noqa: PLR2004 - shares, grades and lengths of a recipe, said where they are used

import hashlib
from collections.abc import Sequence

import numpy as np

from .. import LANGUAGES
from .classical import Classifier
from .sample import Sample, Target
from .synthetic import MORAL, written_texts

FOLDS = 4
WHOLE = 6
"""How often a whole answer counts beside one that is put together from pieces."""

STRENGTH = 16.0
"""Of the classifiers of grades; on validation better than 8, 4, 2 and 1."""


class Teachers:
    """Two classical classifiers per set and fold; a text is judged by those fitted without it."""

    def __init__(self, samples: Sequence[Sample], *, folds: int = FOLDS) -> None:
        """Fits them on the training samples of each set that has a yes or no."""
        self._folds = folds
        self._of: dict[str, list[list[Classifier]]] = {}
        for source in dict.fromkeys(sample.source for sample in samples):
            of_set = [s for s in samples if s.source == source and s.binary is not None]
            labels = [s.binary for s in of_set]
            if min(labels.count(0), labels.count(1)) < 20:
                continue
            has_questions = any(s.question for s in of_set) and not source.startswith("latent")
            kinds = (False, True) if has_questions else (False,)
            self._of[source] = [
                [self._fit_without(of_set, fold, question=kind) for kind in kinds]
                for fold in range(folds)
            ]

    def _fit_without(self, of_set: Sequence[Sample], fold: int, *, question: bool) -> Classifier:
        others = [s for s in of_set if fold_of(s.group, self._folds) != fold]
        return Classifier(question=question).fit(others, [int(s.binary or 0) for s in others])

    def score(self, samples: Sequence[Sample]) -> list[float | None]:
        """How harmful each text is to the teachers of its set; null where there are none."""
        result: list[float | None] = [None] * len(samples)
        for source, folds in self._of.items():
            for fold, some in enumerate(folds):
                at = [
                    i
                    for i, sample in enumerate(samples)
                    if sample.source == source and fold_of(sample.group, self._folds) == fold
                ]
                if at:
                    scores = np.mean([c.score([samples[i] for i in at]) for c in some], axis=0)
                    for i, score in zip(at, scores.tolist(), strict=True):
                        result[i] = score
        return result


def fold_of(group: str, folds: int = FOLDS) -> int:
    """The fold of a group, by its hash: the same in every run."""
    return hashlib.sha256(b"fold" + group.encode()).digest()[0] % folds


class GradedTeacher:
    """Per language and fold a classifier of the written grades and one of the refusal degrees.

    They are linear in words, so they speak of any mixture of sentences or runs of words; what they
    say of mixtures teaches the model to weigh words that it would otherwise know by heart in their
    sentences only.
    """

    def __init__(self, *, seed: int, rounds: int = 5, folds: int = FOLDS) -> None:
        """Fits them on training topics and phrases, and on whole answers; one fold has it all."""
        written = written_texts("train", seed=seed, rounds=rounds, times=WHOLE)
        self._folds = folds
        self._of: dict[str, list[tuple[Classifier, Classifier]]] = {}
        for language in LANGUAGES:
            of_language = [s for s in written if s.language == language]
            self._of[language] = []
            for fold in range(folds):
                others = [s for s in of_language if folds == 1 or fold_of(s.group, folds) != fold]
                self._of[language].append(
                    (
                        _graded().fit(others, [(s.grade or 1) - 1 for s in others]),
                        _graded().fit(others, [s.degree or 0 for s in others]),
                    )
                )

    def teach(self, samples: Sequence[Sample], language: str) -> list[dict[str, Target]]:
        """Targets of the three criteria for texts of that language."""
        result: list[dict[str, Target]] = [{} for _ in samples]
        morals = np.asarray([MORAL[grade] for grade in range(1, 6)])
        for fold, (grade, degree) in enumerate(self._of[language]):
            at = [i for i, s in enumerate(samples) if fold_of(s.group, self._folds) == fold]
            if not at:
                continue
            grades = grade.shares([samples[i] for i in at])
            degrees = degree.shares([samples[i] for i in at])
            for i, g, r, d in zip(at, grades, degrees, grades @ morals, strict=True):
                result[i] = {
                    "moral": (1 - float(d), float(d)),
                    "rating": tuple(map(float, g)),
                    "refusal": tuple(map(float, r)),
                }
        return result


def _graded() -> Classifier:
    return Classifier(question=False, strength=STRENGTH)
