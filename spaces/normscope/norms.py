"""The norms that answers to vignettes make, and the model under test that is asked for them."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...datasets_builders.taxonomy import LIKERT
from ...judges.engine import LabelRequest
from ...judges.respondent import (
    ACCEPTABILITY,
    item_scale,
    labels_response,
    respondent_judgement,
)
from ...metrics.estimate import Statistic
from ...metrics.majority import LIKERT as VALUES
from ...metrics.norms import norm_consensus, unscored_cells
from ...metrics.variants import variant_means
from ...metrics.vignette_norms import NormState, vignette_norms
from ...reasons import is_ours
from ...records.item import Item
from ...records.judgement import Judgement
from ...records.response import Response, ResponseKey
from . import limits
from .served import ServedModel
from .vignettes import MAX_SHOWN, ORDER, Levels, Vignette, choose, items_of, refuse_many

MAX_REQUESTED = 24
"""Vignettes that the model here is asked about at once, each in eleven prompt variants."""
MIN_COVERAGE = 0.5
MAX_TEXT = 2_000
"""Characters of an answer that are kept to be shown."""


class PromptKey(NamedTuple):
    """What tells the answers to a vignette apart."""

    variant_id: str
    scale_order: str = ORDER
    sample: int = 0
    temperature: float = 0.0


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to one prompt variant. Without a `value` there is a `reason`."""

    key: PromptKey
    value: float | None
    probs: tuple[float, ...] | None
    reason: str | None
    text: str | None = None

    @classmethod
    def of(
        cls, key: PromptKey, item: Item, response: Response, text: str | None = None
    ) -> "Answer":
        """The answer that the response gives, as the rules for acceptability read it."""
        judgement: Judgement = respondent_judgement(
            item, ACCEPTABILITY, response, min_coverage=MIN_COVERAGE
        )
        return cls(
            key,
            judgement.value,
            None if judgement.probs is None else tuple(judgement.probs),
            None if judgement.reason is None else str(judgement.reason),
            None if text is None else text[:MAX_TEXT],
        )

    @property
    def state(self) -> NormState:
        """The degree of acceptability that it came to, or whose doing it is that there is none."""
        if self.value is not None:
            return NormState(VALUES.index(self.value))
        return NormState.UNSCORED if is_ours(self.reason) else NormState.NO_ANSWER

    @property
    def label(self) -> str | None:
        """The degree's name; null for none."""
        return None if self.value is None else LIKERT[self.state]


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

    def norm(self, vignette: Vignette) -> float | None:
        """The norm of the vignette, −2 … +2; null where there is none."""
        state = self.states[vignette.item_id]
        return VALUES[state] if state < len(VALUES) else None


@dataclass(frozen=True, slots=True)
class Asking:
    """How far the asking is, in prompts."""

    done: int
    of: int


def ask_model(model: ServedModel, name: str, levels: Levels) -> Iterator[Asking | Norms]:
    """Its progress after every vignette, then the norms of the model under test."""
    chosen = choose(name, levels)
    refuse_many(len(chosen), MAX_REQUESTED)
    items = list(items_of(name, chosen))
    variants = len(items) // len(chosen)
    answers: dict[str, list[Answer]] = {}
    begun = time.monotonic()
    yield Asking(0, len(items))
    # a vignette at a time, so that who leaves in between stops the asking
    for start in range(0, len(items), variants):
        batch = items[start : start + variants]
        left = limits.FILE_S - (time.monotonic() - begun)
        scale = item_scale(batch[0], ACCEPTABILITY)
        requests = [LabelRequest((("user", item.question),), scale) for item in batch]
        for item, result in zip(batch, model.labels(requests, timeout=left), strict=True):
            response = labels_response(ResponseKey(*item.key), scale, result)
            answer = Answer.of(PromptKey(item.variant_id), item, response)
            answers.setdefault(item.item_id, []).append(answer)
        yield Asking(start + len(batch), len(items))
    shown = f"{model.shown} ({model.note})" if model.note else model.shown
    yield norms_of(name, shown, chosen, answers)


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
