"""Vignettes of two runs: what varies is the wording, so the wordings are what is inferred over.

The vignettes of a context are an enumerated factorial and no sample. A test over thousands of them
is given as published, and is not relied on.
"""

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from ..metrics.estimate import Estimate
from ..metrics.groups import Rows, cluster_codes
from ..metrics.inputs import Bools, Floats, absent
from ..metrics.intervals import mean_interval
from ..metrics.majority import LIKERT, enough, majority, tally
from ..metrics.significance import wilcoxon
from .align import Aligned, Column
from .flips import paired_t, sign_flip
from .result import Found
from .runs import Subject


@dataclass(frozen=True, slots=True)
class Vignettes:
    """The answers of every run as vignettes × wordings, −2 … +2 or NaN; which are unscored."""

    subjects: tuple[Subject, ...]
    wordings: tuple[str, ...]
    answers: tuple[Floats, ...]
    unscored: tuple[Bools, ...]

    def norms(self, run: int) -> Floats:
        """The simple majority of each vignette, NaN where there is none."""
        return majority(self.answers[run])

    def shares(self) -> dict[str, tuple[Floats, ...]]:
        """Per share of `norm_consensus` a column per run, NaN where a vignette is unscored."""
        every = [_shares(*pair) for pair in zip(self.answers, self.unscored, strict=True)]
        return {name: tuple(one[name] for one in every) for name in every[0]}

    def change(self, first: int, second: int) -> dict[str, Found]:
        """The differences of the shares: exact, since only the unscored can move them."""
        return {
            name: _exact(columns[second], columns[first]) for name, columns in self.shares().items()
        }


def vignettes(aligned: Aligned) -> Vignettes:
    """The acceptability of every vignette in every wording and order of the scale."""
    columns = aligned.heads["acceptability"]
    subjects = {subject.item_id: subject for subject in aligned.subjects}
    places = dict.fromkeys((key[2], key[3], key[4]) for key in aligned.keys)
    row_of = {item_id: at for at, item_id in enumerate(subjects)}
    column_of = {place: at for at, place in enumerate(places)}
    rows = np.array([row_of[key[1]] for key in aligned.keys])
    cells = (rows, np.array([column_of[key[2:]] for key in aligned.keys]))
    shape = (len(subjects), len(places))
    pairs = [_matrices(column, cells, shape) for column in columns]
    return Vignettes(
        subjects=tuple(subjects.values()),
        wordings=tuple(variant for variant, _, _ in places),
        answers=tuple(answers for answers, _ in pairs),
        unscored=tuple(unscored for _, unscored in pairs),
    )


def acceptability(asked: Vignettes, first: int, second: int, *, rows: Rows = slice(None)) -> Found:
    """The mean answer of the run at `second` less that at `first`, over wordings.

    For each wording the difference of the two means over the vignettes that both answered; the
    interval is Student's t over the wordings, the test flips their signs (`sign_flip`). Unscored
    answers stand at −2 and +2 in the worst and the best case. Beside: the t test over wordings and,
    as published, Wilcoxon's test over the norms of the vignettes.
    """
    a, b = asked.answers[second][rows], asked.answers[first][rows]
    missing = asked.unscored[second][rows], asked.unscored[first][rows]
    codes = cluster_codes(asked.wordings, len(asked.wordings))
    means = _per_wording(a, b)
    used = ~np.isnan(means[0])
    shift = (means[0] - means[1])[used]
    limits = [_limits(a, b, *missing, lowest=lowest, codes=codes) for lowest in (True, False)]
    lowest, highest = limits
    if lowest is None or highest is None:
        nothing = Estimate(None, None, None, 0, len(used), None, None, "new wordings", "no answer")
        return Found(nothing, None, (None, None))
    (worst, low, _, method), (best, _, high, _) = lowest, highest
    estimate = Estimate(
        value=float(shift.mean()) if len(shift) else None,
        low=low,
        high=high,
        n=len(shift),
        unscored=int((~used).sum()),
        worst=worst,
        best=best,
        target="new wordings",
        method=f"{method}, on the means of {len(shift)} wordings over {len(a)} vignettes",
    )
    if not len(shift):
        return Found(estimate, None, (None, None))
    own = None if codes is None else codes[used]
    values = (float(means[1][used].mean()), float(means[0][used].mean()))
    published = wilcoxon(majority(a), majority(b))
    told = f"as published, over vignettes, which are no sample; {published.note}"
    beside = (paired_t(shift, own), replace(published, note=told))
    return Found(estimate, sign_flip(shift, own), values, tuple(t for t in beside if t))


def _matrices(
    column: Column, cells: tuple[np.ndarray, np.ndarray], shape: tuple[int, int]
) -> tuple[Floats, Bools]:
    answers = np.full(shape, np.nan)
    answers[cells] = column.values
    missing = np.isnan(column.values)
    respondent, source = absent(column.reasons, missing)
    unscored = np.zeros(shape, dtype=np.bool_)
    unscored[cells] = missing & ~respondent & ~source
    return answers, unscored


def _shares(answers: Floats, unscored: Bools) -> dict[str, Floats]:
    counted = tally(answers)
    needed = enough(answers.shape[1])
    norm, decided = majority(counted), counted.valid >= needed
    unknown = ~decided & (counted.valid + unscored.sum(axis=1) >= needed)
    hits = {
        "accept_share": norm > 0,
        "reject_share": norm < 0,
        "neutral_share": norm == 0,
        "undecided": decided & np.isnan(norm),
        "no_answer": ~decided,
    }
    return {name: np.where(unknown, np.nan, hit) for name, hit in hits.items()}


def _exact(a: Floats, b: Floats) -> Found:
    both = ~(np.isnan(a) | np.isnan(b))
    values = (float(b[both].mean()), float(a[both].mean())) if both.any() else None
    worst, best = (
        float((np.where(np.isnan(a), low, a) - np.where(np.isnan(b), 1 - low, b)).mean())
        for low in (0, 1)
    )
    n = int(both.sum())
    estimate = Estimate(
        value=None if values is None else values[1] - values[0],
        low=worst,
        high=best,
        n=n,
        unscored=len(a) - n,
        worst=worst,
        best=best,
        target="these items",
        method="exact",
    )
    return Found(estimate, None, values or (None, None))


def _per_wording(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The mean of each column over the rows that both have, NaN where there is none."""
    both = ~(np.isnan(a) | np.isnan(b))
    counts = both.sum(axis=0)
    known = np.where(counts > 0, counts, 1)
    means = [np.where(both, column, 0).sum(axis=0) / known for column in (a, b)]
    return cast("tuple[Floats, Floats]", tuple(np.where(counts > 0, m, np.nan) for m in means))


def _limits(
    a: Floats,
    b: Floats,
    missing_a: Bools,
    missing_b: Bools,
    *,
    lowest: bool,
    codes: np.ndarray | None,
) -> tuple[float, float, float, str] | None:
    """The mean shift and its limits with every unscored answer at an end of the scale."""
    ends = (LIKERT[0], LIKERT[-1]) if lowest else (LIKERT[-1], LIKERT[0])
    filled = [
        np.where(m, end, c) for m, end, c in zip((missing_a, missing_b), ends, (a, b), strict=True)
    ]
    means = _per_wording(*filled)
    used = ~np.isnan(means[0])
    if not used.any():
        return None
    shift = (means[0] - means[1])[used]
    widest = (LIKERT[0] - LIKERT[-1], LIKERT[-1] - LIKERT[0])
    own = None if codes is None else cluster_codes(codes[used], int(used.sum()))
    found = mean_interval(shift, clusters=own, bounds=widest)
    if found is None:
        return None
    return float(shift.mean()), found.low, found.high, found.method
