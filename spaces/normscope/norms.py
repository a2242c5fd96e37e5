"""The norms that answers to vignettes make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...judges.respondent import ACCEPTABILITY, respondent_judgement
from ...metrics.estimate import Statistic
from ...metrics.majority import LIKERT as VALUES
from ...metrics.norms import norm_consensus, unscored_cells
from ...metrics.variants import variant_means
from ...metrics.vignette_norms import NormState, vignette_norms
from ...reasons import is_ours
from ...records.item import Item
from ...records.response import Response
from .served import MIN_COVERAGE
from .vignettes import MAX_SHOWN, Levels, Vignette, choose, refuse_many

MAX_TEXT = 2_000
"""Characters of an answer that are kept to be shown."""


class PromptKey(NamedTuple):
    """What tells the answers to a vignette apart."""

    variant_id: str
    scale_order: str
    sample: str
    temperature: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to one prompt variant. Without a `value` there is a `reason`."""

    key: PromptKey
    value: float | None
    reason: str | None
    text: str | None = None

    @classmethod
    def of(cls, key: PromptKey, item: Item, response: Response, text: str | None) -> "Answer":
        """The answer that the response gives, as the rules for acceptability read it."""
        judgement = respondent_judgement(item, ACCEPTABILITY, response, min_coverage=MIN_COVERAGE)
        reason = None if judgement.reason is None else str(judgement.reason)
        return cls(key, judgement.value, reason, None if text is None else text[:MAX_TEXT])

    @property
    def state(self) -> NormState:
        """The degree of acceptability that it came to, or whose doing it is that there is none."""
        if self.value is not None:
            return NormState(VALUES.index(self.value))
        return NormState.UNSCORED if is_ours(self.reason) else NormState.NO_ANSWER


@dataclass(frozen=True, slots=True)
class Norms:
    """Vignettes, the answers to each, and the norm that most of them make or why there is none.

    `prompts` is how many prompts each vignette was answered under, `needed` how many valid answers
    make a norm.
    """

    context: str
    model: str
    vignettes: tuple[Vignette, ...]
    answers: Mapping[str, tuple[Answer, ...]]
    states: Mapping[str, NormState]
    statistics: tuple[Statistic, ...] = ()
    by_variant: Mapping[str, float] = field(default_factory=dict)
    prompts: int = 0
    needed: int = 0
    left_out: int = 0


def blank_norms(name: str, levels: Levels) -> Norms:
    """The chosen vignettes before anybody has answered them."""
    chosen = choose(name, levels)
    refuse_many(len(chosen), MAX_SHOWN)
    return Norms(
        context=name,
        model="",
        vignettes=tuple(chosen),
        answers={vignette.item_id: () for vignette in chosen},
        states={vignette.item_id: NormState.NOT_ASKED for vignette in chosen},
    )


def norms_of(
    name: str,
    model: str,
    chosen: Sequence[Vignette],
    answers: Mapping[str, Sequence[Answer]],
    *,
    left_out: int = 0,
) -> Norms:
    """The majority of every vignette's answers, and the statistics over all of them."""
    keys = list({answer.key for several in answers.values() for answer in several})
    # the ids of variants are numbers as text: "2" stands before "10"
    keys.sort(key=lambda key: (len(key.variant_id), key))
    column = {key: at for at, key in enumerate(keys)}
    matrix = np.full((len(chosen), len(keys)), np.nan)
    reasons: list[list[str | None]] = [[None] * len(keys) for _ in chosen]
    for row, vignette in enumerate(chosen):
        for answer in answers[vignette.item_id]:
            at = column[answer.key]
            matrix[row, at] = np.nan if answer.value is None else answer.value
            reasons[row][at] = answer.reason
    ids = [vignette.item_id for vignette in chosen]
    variants = [key.variant_id for key in keys]
    result = vignette_norms(matrix, unscored_cells(matrix, reasons), asked=True)
    return Norms(
        context=name,
        model=model,
        vignettes=tuple(chosen),
        answers={at: tuple(sorted(answers[at], key=lambda a: column[a.key])) for at in ids},
        states=dict(zip(ids, map(NormState, result.states.tolist()), strict=True)),
        statistics=tuple(norm_consensus(matrix, reasons=reasons, variants=variants)),
        by_variant=variant_means(matrix, variants),
        prompts=len(keys),
        needed=result.needed,
        left_out=left_out,
    )
