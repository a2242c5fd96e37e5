"""Norms of several models on the same flows: aligned, and how they move from one to another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import DataError
from ..format import count
from ..metrics.estimate import Statistic
from ..metrics.inputs import Bools, Floats
from ..metrics.shift import LevelShift, NormShift, Shift
from .shown import Shown
from .tidy import Scores

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from ..report.blocks import Block
    from .norms import Norms

_TESTS = ("name", "statistic", "p", "n", "effect", "effect_name", "note")


class Together(NamedTuple):
    """By model its answers, gaps and columns asked, all on the same vignettes × `variants`.

    `states` are those of the norms of each over all that it was asked.
    """

    answers: dict[str, Floats]
    unscored: dict[str, Bools]
    asked: dict[str, Bools]
    states: "list[NDArray[np.integer]]"
    variants: tuple[str, ...]


def together(models: "Sequence[Norms]") -> Together:
    """The models' answers, alike in order; a `DataError` where their vignettes differ."""
    names = [model.name or str(at) for at, model in enumerate(models, start=1)]
    if len(set(names)) < len(names):
        names = [f"{name} {at}" for at, name in enumerate(names, start=1)]
    keys = dict.fromkeys(
        key
        for model in models
        for key in zip(model.answered.variants, model.answered.orders, strict=True)
    )
    place = {key: at for at, key in enumerate(keys)}
    result = Together({}, {}, {}, [], tuple(variant for variant, _ in keys))
    for name, model in zip(names, models, strict=True):
        order = _order((models[0], names[0]), (model, name))
        of = model.answered
        at = [place[key] for key in zip(of.variants, of.orders, strict=True)]
        matrix = np.full((len(order), len(keys)), np.nan)
        gaps, known = np.zeros(matrix.shape, dtype=bool), np.zeros(len(keys), dtype=bool)
        matrix[:, at], gaps[:, at] = of.answers[order], of.unscored[order]
        known[at] = model.asked
        result.answers[name], result.unscored[name], result.asked[name] = matrix, gaps, known
        result.states.append(model.vignettes.states[order])
    return result


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

        tests = [(f"{p.first}, {p.second}", p.over_variants, p.holm) for p in result.pairs]
        tests += [(f"{p.first}, {p.second}", t, None) for p in result.pairs for t in p.as_published]
        tests += [("all", test, None) for test in result.omnibus]
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
        return self.scores._shown()


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


def _moved(shift: Shift | LevelShift) -> Statistic:
    of = (shift.group, shift.member) if isinstance(shift, LevelShift) else ("", "")
    return Statistic(f"shift: {shift.first}, {shift.second}", "score", shift.difference, *of)
