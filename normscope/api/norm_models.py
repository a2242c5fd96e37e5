"""Norms of several models on the same flows: aligned, and how they move from one to another."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from ..errors import DataError
from ..format import count, number, p_value
from ..messages import message
from ..metrics.estimate import Statistic
from ..metrics.inputs import Bools, Floats
from ..metrics.shift import LevelShift, NormShift, Shift
from ..metrics.significance import Test
from .shown import Shown
from .tidy import Scores

if TYPE_CHECKING:
    import pandas as pd

    from ..report.blocks import Block
    from .norms import Norms

_TESTS = ("name", "statistic", "p", "n", "effect", "effect_name", "note")


@dataclass(frozen=True, slots=True)
class Together:
    """The answers of several models on the same vignettes and the same columns.

    `parts` are the models with the order in which their vignettes go along with the first's.
    """

    parts: "tuple[tuple[Norms, Sequence[int]], ...]"
    answers: dict[str, Floats]
    unscored: dict[str, Bools]
    asked: dict[str, Bools]
    variants: tuple[str, ...]

    @classmethod
    def of(cls, models: "Sequence[Norms]") -> "Together":
        """Those of the models; a `DataError` where their vignettes are not the same."""
        first, names = models[0], _distinct([model.name for model in models])
        keys = dict.fromkeys(
            key
            for model in models
            for key in zip(model.answered.variants, model.answered.orders, strict=True)
        )
        place = {key: at for at, key in enumerate(keys)}
        parts, answers, unscored, asked = [], {}, {}, {}
        for name, model in zip(names, models, strict=True):
            order = _order((first, names[0]), (model, name))
            of = model.answered
            at = [place[key] for key in zip(of.variants, of.orders, strict=True)]
            matrix = np.full((len(first), len(keys)), np.nan)
            gaps, known = np.zeros(matrix.shape, dtype=bool), np.zeros(len(keys), dtype=bool)
            matrix[:, at], gaps[:, at] = of.answers[order], of.unscored[order]
            known[at] = model.asked
            parts.append((model, order))
            answers[name], unscored[name], asked[name] = matrix, gaps, known
        return cls(tuple(parts), answers, unscored, asked, tuple(variant for variant, _ in keys))


@dataclass(frozen=True, eq=False, repr=False)
class Shifts(Shown):
    """How norms move from model to model: the differences (`scores`), and their `tests`.

    Tests are over prompt variants; those `as published`, over flows, are no evidence of a sample.
    """

    scores: Scores
    tests: "pd.DataFrame"

    @classmethod
    def of(cls, result: NormShift) -> "Shifts":
        """Those of every pair, overall and by level, and the tests of all at once."""
        import pandas as pd

        tests = [
            *((f"{p.first}, {p.second}", t, h) for p in result.pairs for t, h in _tests_of(p)),
            *(("all", test, None) for test in result.omnibus),
        ]
        rows = [
            {"models": of, **{name: getattr(test, name) for name in _TESTS}, "p_corrected": p}
            for of, test, p in tests
        ]
        moved = [*map(_moved, result.pairs), *map(_moved, result.levels)]
        return cls(Scores.of(moved), pd.DataFrame(rows))

    def to_frame(self) -> "pd.DataFrame":
        """The differences as a tidy data frame."""
        return self.scores.to_frame()

    def _shown(self) -> "Sequence[Block]":
        from ..report.blocks import Table, columns

        titles = columns(message("models"), message("test"), "n", message("effect"), "p", texts=2)
        rows = tuple(
            (
                row["models"],
                row["name"],
                count(row["n"]),
                number(row["effect"]),
                p_value(row["p"] if isnan(row["p_corrected"]) else row["p_corrected"]),
            )
            for row in self.tests.to_dict("records")
        )
        return (*self.scores._shown(), Table(titles, rows, title=message("Tests")))


def _order(first: "tuple[Norms, str]", other: "tuple[Norms, str]") -> list[int]:
    """The place of each vignette of the first model among those of the other, both with names."""
    ids, places = ([item.item_id for item in model.answered.items] for model, _ in (first, other))
    for here, there, model in ((ids, {*places}, other[1]), (places, {*ids}, first[1])):
        if lost := [each for each in here if each not in there]:
            raise DataError(
                f"{count(len(lost))} of {count(len(here))} vignettes are not among those of "
                f"{model}, such as {lost[0]!r}; norms are compared on the same vignettes: leave "
                "these out"
            )
    known = {each: at for at, each in enumerate(places)}
    return [known[each] for each in ids]


def _distinct(names: Sequence[str]) -> list[str]:
    """The names, by number where they do not tell the models apart."""
    numbered = [name or str(at) for at, name in enumerate(names, start=1)]
    if len(set(numbered)) == len(numbered):
        return numbered
    return [f"{name} {at}" for at, name in enumerate(numbered, start=1)]


def _moved(shift: Shift | LevelShift) -> Statistic:
    of = (shift.group, shift.member) if isinstance(shift, LevelShift) else ("", "")
    return Statistic(f"shift: {shift.first}, {shift.second}", "score", shift.difference, *of)


def _tests_of(pair: Shift) -> list[tuple[Test, float | None]]:
    """The tests of a pair, each with its corrected p if it has one."""
    published = [(test, None) for test in pair.as_published]
    return [(pair.over_variants, pair.holm), *published]
