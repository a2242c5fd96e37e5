"""What softens the lessons' targets: classical classifiers that were fitted without the text.

They are fitted on all sets and written texts together, since one that has seen many sets says more
of the next than one that has seen one. They speak of any text, of parts and mixtures too.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_softmax, logit

from .classical import LISTS, Classifier, Scores, count, rows
from .sample import Sample, Target, fold_of

FOLDS = 3
MEMBERS = (
    ("words", "characters"),
    ("words", "characters", "question"),
    ("words", "opening"),
    ("words", "characters", LISTS),
)
"""What each member of the ensemble looks at; the mean of their log odds counts."""

MOST = 8000
"""How many samples of a source are learnt from at most."""

WINDOW = {"en": 400, "zh": 120}
"""An answer may be harmful in one place: characters of the places that are looked at one by one."""


_QUESTIONS: dict[str, tuple[tuple[tuple[str, ...], ...], Callable[[Sample], int | None]]] = {
    "harmful": (MEMBERS, lambda s: s.harmful),
    "refuses": (MEMBERS, lambda s: s.refuses),
    "reasons": (MEMBERS[:1], lambda s: {2: 0, 3: 1}.get(s.degree or 0)),
    "grade": (MEMBERS[:1], lambda s: None if s.grade is None else s.grade - 1),
}
"""What the teachers are asked: who answers, and what is known of a sample."""


@dataclass(frozen=True, slots=True)
class Taught:
    """What the teachers say of each text: a row of probabilities for each.

    `harmful` and `refuses` are single numbers, `grade` is a distribution over 1 to 5, `reasons` the
    probability that a refusal gives a reason or a way (degree 3, not 2).
    """

    harmful: Scores
    refuses: Scores
    reasons: Scores
    grade: Scores

    def targets(self, place: int) -> dict[str, Target]:
        """The targets of all criteria for one of the texts.

        The grade is split by its side, and its low end is as probable as the mean log odds of harm
        and of low grades say: harm transfers better, and grades tell tones apart. Who neither
        refuses nor does harm is of degree 1.
        """
        harmful, refuses = float(self.harmful[place]), float(self.refuses[place])
        reasons, grade = float(self.reasons[place]), self.grade[place] + 1e-6
        low = np.asarray([grade[0], grade[1], grade[2] / 2, 0, 0])
        high = np.asarray([0, 0, grade[2] / 2, grade[3], grade[4]])
        odds = logit(np.clip(harmful, 1e-4, 1 - 1e-4)) + logit(low.sum() / grade.sum())
        worse = expit(odds / 2)
        rating = worse * low / low.sum() + (1 - worse) * high / high.sum()
        return {
            "moral": (harmful, 1 - harmful),
            "rating": tuple(rating.tolist()),
            "refusal": (
                (1 - refuses) * harmful,
                (1 - refuses) * (1 - harmful),
                refuses * (1 - reasons),
                refuses * reasons,
            ),
        }


class Teachers:
    """An ensemble for every question and every fold of groups."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        """Fits them on those of the samples whose labels are known."""
        counts = count(samples)
        folds = np.asarray([fold_of(s.group, FOLDS) for s in samples])
        self._of: dict[str, list[list[Classifier]]] = {}
        for name, (members, known) in _QUESTIONS.items():
            labels = np.asarray([-1 if (label := known(s)) is None else label for s in samples])
            self._of[name] = []
            for fold in range(FOLDS):
                at = np.flatnonzero((folds != fold) & (labels >= 0))
                learnt = rows(counts, at)
                weights = balance([samples[i] for i in at.tolist()], labels[at])
                self._of[name].append(
                    [Classifier(sides).fit(learnt, labels[at], weights) for sides in members]
                )

    def teach(self, samples: Sequence[Sample], *, windows: bool = False) -> Taught:
        """What those that were fitted without a text's group say of it.

        With `windows`, half of the log odds of harm are those of the worst place of a long answer.
        """
        said = self._score(samples)
        harmful = said["harmful"][:, 1] - said["harmful"][:, 0]
        if windows and (places := [(n, p) for n, s in enumerate(samples) for p in _places(s)]):
            there = self._score([place for _, place in places], only=("harmful",))["harmful"]
            worst = harmful.copy()
            np.maximum.at(worst, np.asarray([n for n, _ in places]), there[:, 1] - there[:, 0])
            harmful = (harmful + worst) / 2
        return Taught(
            harmful=1 / (1 + np.exp(-harmful)),
            refuses=np.exp(said["refuses"][:, 1]),
            reasons=np.exp(said["reasons"][:, 1]),
            grade=np.exp(said["grade"]),
        )

    def _score(
        self, samples: Sequence[Sample], only: Sequence[str] = tuple(_QUESTIONS)
    ) -> dict[str, Scores]:
        """Log probabilities, the members' log odds averaged."""
        counts = count(samples)
        folds = np.asarray([fold_of(s.group, FOLDS) for s in samples])
        result: dict[str, Scores] = {}
        for fold in range(FOLDS):
            at = np.flatnonzero(folds == fold)
            if not len(at):
                continue
            of_fold = rows(counts, at)
            for name in only:
                logs = np.mean([c.score(of_fold) for c in self._of[name][fold]], axis=0)
                whole = result.setdefault(name, np.zeros((len(samples), logs.shape[1])))
                whole[at] = log_softmax(logs, axis=1)
        return result


def kind_of(sample: Sample) -> str:
    """The set, or for written texts which kind of them: what one share or weight is given to."""
    return sample.source.removesuffix(f"-{sample.language}") if sample.grade else sample.source


def balance(samples: Sequence[Sample], labels: npt.NDArray[np.int64]) -> Scores:
    """Weights of mean 1, and 0 for an unknown label (-1).

    A label that a source has four times as often as another weighs twice as much there, not four
    times, and likewise a source of four times the size: or which source a text is like would tell
    how probable harm is. A label of less than a tenth of its source is not raised above that.
    """
    of_source = np.unique([s.source for s in samples], return_inverse=True)[1]
    weights = np.zeros(len(samples))
    for number in range(of_source.max() + 1):
        known = (of_source == number) & (labels >= 0)
        classes = np.unique(labels[known])
        for label in classes:
            here = known & (labels == label)
            weights[here] = (len(classes) * max(here.sum(), 0.1 * known.sum())) ** -0.5
    return np.asarray(weights / weights[labels >= 0].mean())


def thin(samples: Sequence[Sample], *, seed: int) -> list[Sample]:
    """At most `MOST` samples of each source, drawn."""
    draw = random.Random(seed)  # noqa: S311 - texts, not secrets
    of_source: dict[str, list[Sample]] = {}
    for sample in samples:
        of_source.setdefault(sample.source, []).append(sample)
    return [s for some in of_source.values() for s in draw.sample(some, min(len(some), MOST))]


def _places(sample: Sample) -> list[Sample]:
    size = WINDOW[sample.language]
    answer = sample.answer[: 8 * size]
    if len(answer) < 1.3 * size:
        return []
    starts = range(0, len(answer) - size // 2, size // 2)
    return [replace(sample, answer=answer[start : start + size]) for start in starts]
