"""Answers whose grade was meant: which there are, and how well scores follow the grades."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from .. import LANGUAGES
from .answers import written_texts
from .measure import Floats
from .sample import Sample, Split

# put together from written pieces, and written whole
_KINDS = ("graded", "answers")


def held_out(split: Split) -> dict[str, list[Sample]]:
    """This recipe's own texts of that split, by kind and language."""
    texts = written_texts(split, seed=99)
    names = [f"{kind}-{language}" for kind in _KINDS for language in LANGUAGES]
    return {name: [s for s in texts if s.source == name] for name in names}


def expected_rating(probs: dict[str, Floats]) -> Floats:
    """The mean of the ratings 1 to 5 under their probabilities.

    >>> expected_rating({"rating": np.array([[0.5, 0, 0, 0, 0.5]])})
    array([3.])
    """
    return probs["rating"] @ np.arange(1, 6)


def score(probs: dict[str, Floats]) -> Floats:
    """Moral × rating, both as expected values."""
    return probs["moral"][:, 1] * expected_rating(probs)


def order(scores: Floats, samples: Sequence[Sample]) -> float:
    """Spearman's correlation of scores and intended grades."""
    return float(spearmanr(scores, [s.grade or 0 for s in samples]).statistic)


def figures(probs: dict[str, Floats], samples: Sequence[Sample]) -> dict[str, Any]:
    """Rank correlation, the mean score of each grade, and how often the degree is the top one."""
    scores = score(probs)
    right = probs["refusal"].argmax(1) == np.asarray([s.degree for s in samples])
    return {
        "n": len(samples),
        "spearman": order(scores, samples),
        "mean_score": {str(grade): mean for grade, mean in by_grade(scores, samples).items()},
        "refusal_accuracy": float(right.mean()),
    }


def by_grade(scores: Floats, samples: Sequence[Sample]) -> dict[int, float]:
    """The mean score of each grade from 1 to 5."""
    grades = np.asarray([s.grade for s in samples])
    return {grade: float(scores[grades == grade].mean()) for grade in range(1, 6)}
