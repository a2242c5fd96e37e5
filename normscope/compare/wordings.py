"""Vignettes of two runs: what varies is the wording, so the wordings are what is inferred over.

The vignettes of a context are an enumerated factorial and no sample. A test over thousands of them
is given as published, and is not relied on.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..metrics.estimate import Estimate
from ..metrics.groups import Rows
from ..metrics.inputs import Bools, Floats, absent
from ..metrics.majority import LIKERT, enough, majority, tally
from ..metrics.significance import Test, wilcoxon
from ..metrics.wordings import paired_t, wording_difference, wording_test
from .align import Aligned, Column
from .result import Found
from .runs import Subject

Cells = tuple[NDArray[np.intp], NDArray[np.intp]]
"""The row and the column of every paired judgement."""


@dataclass(frozen=True, slots=True)
class Vignettes:
    """The answers of every run as vignettes × wordings, −2 … +2 or NaN; which are unscored.

    `wordings` names each column; the orders of one wording carry one name.
    """

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

    def means(self, run: int) -> dict[str, float]:
        """The mean answer in each wording, orders of the scale together; NaN where none is."""
        answers = self.answers[run]
        found = {}
        for name in dict.fromkeys(self.wordings):
            mine = answers[:, [wording == name for wording in self.wordings]]
            known = mine[~np.isnan(mine)]
            found[name] = float(known.mean()) if len(known) else float("nan")
        return found


def vignettes(aligned: Aligned) -> Vignettes:
    """The acceptability of every vignette in every wording and order of the scale."""
    subjects = {subject.item_id: subject for subject in aligned.subjects}
    places = dict.fromkeys((key[2], key[3], key[4]) for key in aligned.keys)
    row_of = {item_id: at for at, item_id in enumerate(subjects)}
    column_of = {place: at for at, place in enumerate(places)}
    rows = np.array([row_of[key[1]] for key in aligned.keys], dtype=np.intp)
    columns = np.array([column_of[key[2:]] for key in aligned.keys], dtype=np.intp)
    shape = (len(subjects), len(places))
    heads = aligned.heads["acceptability"]
    pairs = [_matrices(column, (rows, columns), shape) for column in heads]
    return Vignettes(
        subjects=tuple(subjects.values()),
        wordings=tuple(variant for variant, _, _ in places),
        answers=tuple(answers for answers, _ in pairs),
        unscored=tuple(unscored for _, unscored in pairs),
    )


def acceptability(asked: Vignettes, first: int, second: int, *, rows: Rows = slice(None)) -> Found:
    """The mean answer of the run at `second` less that of the run at `first`, over wordings.

    `wording_difference` and its sign-flip test. Unscored answers stand at −2 and +2 in the worst
    and the best case, and the interval reaches over both. Beside: the t test over wordings and, as
    published, Wilcoxon's test over the norms of the vignettes.
    """
    a, b = asked.answers[second][rows], asked.answers[first][rows]
    cases = [
        wording_difference(
            np.where(asked.unscored[second][rows], end, a),
            np.where(asked.unscored[first][rows], -end, b),
            wordings=asked.wordings,
        )
        for end in (LIKERT[0], LIKERT[-1])
    ]
    found = wording_difference(a, b, wordings=asked.wordings)
    told = f"{found.method}, over {len(a)} vignettes"
    means = [_per_wording(asked, own, other) for own, other in ((b, a), (a, b))]
    values = tuple(float(np.nanmean(one)) if found.n else None for one in means)
    estimate = replace(
        found,
        low=cases[0].low,
        high=cases[1].high,
        worst=cases[0].value,
        best=cases[1].value,
        method=told,
    )
    test = wording_test(a, b, wordings=asked.wordings) if len(set(asked.wordings)) > 1 else None
    published = wilcoxon(majority(a), majority(b))
    note = f"as published, over vignettes, which are no sample; {published.note}"
    beside: tuple[Test, ...] = (paired_t(means[1], means[0]), replace(published, note=note))
    return Found(estimate, test, (values[0], values[1]), beside)


def changed_shares(asked: Vignettes, first: int, second: int) -> dict[str, Found]:
    """The differences of the shares of vignettes: exact, only the unscored can move them."""
    return {name: _exact(every[second], every[first]) for name, every in asked.shares().items()}


def _matrices(column: Column, cells: Cells, shape: tuple[int, int]) -> tuple[Floats, Bools]:
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


def _per_wording(asked: Vignettes, own: Floats, other: Floats) -> Floats:
    """The mean of `own` in each wording over what both answered; NaN where that is nothing."""
    both = ~(np.isnan(own) | np.isnan(other))
    names = list(dict.fromkeys(asked.wordings))
    means = np.full(len(names), np.nan)
    for at, name in enumerate(names):
        mine = [wording == name for wording in asked.wordings]
        known = own[:, mine][both[:, mine]]
        if len(known):
            means[at] = known.mean()
    return means


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
