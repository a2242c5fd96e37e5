"""How the scores move with the coverage that a reading needs, from the distributions kept.

A judgement below the threshold keeps its distribution and its coverage, so every other threshold
can be looked at without asking anybody again. The statistics come under the group `min_coverage`.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..categorical import Bools, Categorical
from ..judges.respondent import ACCEPTABILITY, LIKERT_SCALE
from ..judges.scale import Scale
from ..metrics.estimate import Statistic
from ..metrics.inputs import Floats
from ..reasons import Reason
from ..records.judgement import Source
from ..records.judgements import Judgements
from ..records.judging import Judging

GROUP = "min_coverage"
# not 0: what is read off next to nothing is no number, and a judge that answers prose has none
THRESHOLDS = (0.1, 0.25, 0.5, 0.75, 0.9)

_AT_ONCE = 65_536
"""Rows whose distributions are Python lists at one time."""


@dataclass(frozen=True, slots=True)
class CriterionRead:
    """What is needed to read a criterion's value off its distribution again."""

    scale: Scale
    read: str

    def values(self, judgements: Judgements) -> Floats:
        """The expected values, or the most probable labels'."""
        if self.read == "mode":
            return _modes(self.scale, judgements)
        result = np.empty(len(judgements))
        for start in range(0, len(result), _AT_ONCE):
            probs = judgements.probs[start : start + _AT_ONCE].flatten().to_numpy()
            products = probs.reshape(-1, len(self.scale.values)) * np.array(self.scale.values)
            # the exactly rounded sum, as when the judgement was made (`Scale.expected`)
            result[start : start + _AT_ONCE] = [math.fsum(row) for row in products.tolist()]
        return result


def criteria_of(judging: Judging) -> dict[tuple[str, str], CriterionRead]:
    """The judge's criteria by benchmark and name."""
    return {
        (used.benchmark, used.criterion): CriterionRead(Scale(used.labels, used.values), used.read)
        for used in judging.criteria
    }


def by_threshold(
    judgements: Judgements,
    score: Callable[[Judgements], Iterable[Statistic]],
    *,
    criteria: Mapping[tuple[str, str], CriterionRead],
    used: float,
) -> Iterator[Statistic]:
    """The overall statistics at each of `THRESHOLDS` and at the one that was used, rising.

    `score` makes the overall statistics of judgements. Nothing comes out where no judgement has a
    coverage: text rules know none.
    """
    movable = read_again(judgements, criteria)
    if not movable.moves.any():
        return
    for threshold in sorted({*THRESHOLDS, used}):
        for statistic in score(movable.at(threshold)):
            yield replace(statistic, group=GROUP, member=f"{threshold:g}")


@dataclass(frozen=True, slots=True, eq=False)
class Movable:
    """Judgements with what each of those that can move comes to where its coverage is enough.

    `moves` marks them; `values` and `reasons` are of all rows.
    """

    judgements: Judgements
    moves: Bools
    values: Floats
    reasons: Categorical

    def at(self, threshold: float) -> Judgements:
        """The judgements as they would have been with this threshold."""
        low = self.moves & (self.judgements.coverage < threshold)
        of_model = self.judgements.source.equals(Source.MODEL_LOGITS)
        reasons = self.reasons.put(Reason.OFF_SCALE, low & of_model)
        return replace(
            self.judgements,
            value=np.where(low, np.nan, self.values),
            reason=reasons.put(Reason.LOW_COVERAGE, low & ~of_model),
        )


def read_again(
    judgements: Judgements, criteria: Mapping[tuple[str, str], CriterionRead]
) -> Movable:
    """What can be read off the distributions, whatever their coverage."""
    known = ~np.isnan(judgements.coverage)
    known &= judgements.probs.value_lengths().fill_null(0).to_numpy(zero_copy_only=False) > 0
    moves = np.zeros(len(judgements), dtype=np.bool_)
    values = judgements.value.copy()
    of_model = known & judgements.source.equals(Source.MODEL_LOGITS)
    for (benchmark, criterion), read in criteria.items():
        of_criterion = judgements.benchmark.equals(benchmark) & judgements.criterion.equals(
            criterion
        )
        rows = np.flatnonzero(known & ~of_model & of_criterion)
        values[rows], moves[rows] = read.values(judgements[rows]), True
    norms = np.flatnonzero(of_model & judgements.criterion.equals(ACCEPTABILITY))
    values[norms] = _modes(LIKERT_SCALE, judgements[norms])
    choices = np.flatnonzero(of_model & ~judgements.criterion.equals(ACCEPTABILITY))
    values[choices] = agreement_with_key(judgements[choices])
    moves |= of_model
    unread, tied = moves & np.isnan(values), judgements.top < 0
    reasons = judgements.reason.where(~moves).put(Reason.NO_KEY, unread & ~tied)
    reasons = reasons.put(Reason.AMBIGUOUS, unread & tied & of_model)
    reasons = reasons.put(Reason.TIE, unread & tied & ~of_model)
    return Movable(judgements.without_probs(), moves, values, reasons)


def _modes(scale: Scale, judgements: Judgements) -> Floats:
    """The values of the likeliest labels, NaN at a tie."""
    return np.append(scale.values, np.nan)[judgements.top]


def agreement_with_key(judgements: Judgements) -> Floats:
    """Whether the chosen option is the key's; NaN without a key, and where none is chosen."""
    answers = judgements.of_items("answer")
    chosen = judgements.favourite
    places = {name: code for code, name in enumerate(answers.names)}
    as_answers = np.array([*(places.get(name, -1) for name in chosen.names), -1], dtype=np.int32)
    agrees = as_answers[chosen.codes] == answers.codes
    return np.where((answers.codes < 0) | (chosen.codes < 0), np.nan, agrees)
