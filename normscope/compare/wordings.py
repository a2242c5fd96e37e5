"""Vignettes of two runs: what varies is the wording, so the wordings are what is inferred over.

The vignettes of a context are an enumerated factorial and no sample. A test over thousands of them
is given as published, and is not relied on.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..metrics import norms
from ..metrics.groups import Rows
from ..metrics.inputs import Bools, Floats, absent
from ..metrics.majority import majority
from ..metrics.paired import exact_difference
from ..metrics.shift import norm_test
from ..metrics.significance import Test
from ..metrics.wordings import paired_t, wording_difference, wording_means, wording_test
from .align import Aligned, Column
from .result import Found
from .runs import Subject

Cells = tuple[NDArray[np.intp], NDArray[np.intp]]
"""The row and the column of every paired judgement."""

SHARES = ("accept_share", "reject_share", "neutral_share", "undecided", "no_answer")
"""The shares of vignettes that are compared."""


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
        # every run was asked every column, whatever failed in it
        return majority(self.answers[run], asked=True)

    def shares(self) -> dict[str, tuple[Floats, ...]]:
        """Per share of `norm_consensus` a column per run, NaN where a vignette is unscored."""
        pairs = zip(self.answers, self.unscored, strict=True)
        every = [norms.outcomes(*pair, asked=True) for pair in pairs]
        return {name: tuple(one[name] for one in every) for name in SHARES}

    def means(self, run: int) -> dict[str, float]:
        """The mean answer in each wording, orders of the scale together; NaN where none is."""
        return wording_means(self.answers[run], self.wordings)


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
    gaps = asked.unscored[second][rows], asked.unscored[first][rows]
    found = wording_difference(a, b, wordings=asked.wordings, unscored=gaps)
    told = f"{found.method}, over {len(a)} vignettes"
    both = ~(np.isnan(a) | np.isnan(b))
    means = [
        np.array(list(wording_means(np.where(both, one, np.nan), asked.wordings).values()))
        for one in (b, a)
    ]
    values = tuple(float(np.nanmean(one)) if found.n else None for one in means)
    test = wording_test(a, b, wordings=asked.wordings) if len(set(asked.wordings)) > 1 else None
    published = norm_test(asked.norms(second)[rows], asked.norms(first)[rows])
    beside: tuple[Test, ...] = (paired_t(means[1], means[0]), published)
    return Found(replace(found, method=told), test, (values[0], values[1]), beside)


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


def _exact(a: Floats, b: Floats) -> Found:
    both = ~(np.isnan(a) | np.isnan(b))
    values = (float(b[both].mean()), float(a[both].mean())) if both.any() else (None, None)
    return Found(exact_difference(a, b), None, values)
