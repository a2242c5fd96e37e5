"""The norms that answers to vignettes make: from the model under test, or from a visitor's file."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...datasets_builders.ci_vignettes.context import bundled_contexts
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
from ...metrics.norms import NormState, norm_consensus, norm_states, unscored_cells
from ...metrics.variants import variant_means
from ...reasons import Reason, is_ours
from ...records.item import Item
from ...records.judgement import Judgement
from ...records.response import Response, ResponseKey
from . import limits
from .model import ServedModel
from .upload import LongTable, read_long
from .vignettes import ORDER, Levels, Vignette, choose, items_of, prompts_of, vignettes
from .words import Told

MAX_ASKED = 24
"""Vignettes that the model here is asked about at once, each in eleven prompt variants."""
MAX_SHOWN = 600
MIN_COVERAGE = 0.5
MAX_TEXT = 2_000
"""Characters of an answer that are kept to be shown."""

_TEXTS = ("answer", "response", "text", "output", "completion", "reply", "回答")
_WANTED = (
    *("benchmark", "item_id", "variant_id", "scale_order", "sample", "temperature", "model"),
    *("criterion", "labels", "probs", "label_probs", "value", "coverage", "reason", "prompt"),
    *_TEXTS,
)

Way = tuple[str, str, int, float]
"""Variant, order of the scale, sample, temperature: what tells the answers to a vignette apart."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to one variant. Without a `value` there is a `reason`."""

    way: Way
    value: float | None
    probs: tuple[float, ...] | None
    reason: str | None
    text: str | None = None

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
    """Vignettes, the answers to each, and the norm that most of them make or why there is none."""

    context: str
    model: str
    vignettes: tuple[Vignette, ...]
    answers: Mapping[str, tuple[Answer, ...]]
    states: tuple[NormState, ...]
    statistics: tuple[Statistic, ...]
    by_variant: Mapping[str, float]
    ways: int
    left_out: int = 0

    @property
    def norms(self) -> tuple[float | None, ...]:
        """The norm of each vignette, −2 … +2; null where there is none."""
        return tuple(VALUES[state] if state < len(VALUES) else None for state in self.states)

    def state_of(self) -> dict[str, NormState]:
        """The state of each vignette by its id."""
        return dict(zip((v.item_id for v in self.vignettes), self.states, strict=True))

    def vignette(self, item_id: str) -> Vignette | None:
        """The vignette of the id."""
        return next((one for one in self.vignettes if one.item_id == item_id), None)


@dataclass(frozen=True, slots=True)
class Asking:
    """How far the asking is, in prompts."""

    done: int
    of: int


def ask_model(model: ServedModel, name: str, levels: Levels) -> Iterator[Asking | Norms]:
    """Its progress after every vignette, then the norms of the model under test."""
    chosen = choose(name, levels)
    if not model.name:
        raise Told("vignettes_no_model")
    if len(chosen) > MAX_ASKED:
        raise Told("vignettes_too_many", n=len(chosen), most=MAX_ASKED)
    items = list(items_of(name, chosen))
    per = len(items) // len(chosen)
    given: dict[str, list[Answer]] = {}
    begun = time.monotonic()
    yield Asking(0, len(items))
    for start in range(0, len(items), per):
        mine = items[start : start + per]
        left = limits.FILE_S - (time.monotonic() - begun)
        if left <= 0:
            raise Told("vignettes_too_slow", seconds=round(limits.FILE_S))
        scale = item_scale(mine[0], ACCEPTABILITY)
        requests = [
            LabelRequest(conversation=(("user", item.question),), scale=scale) for item in mine
        ]
        for item, result in zip(mine, model.labels(requests, timeout=left), strict=True):
            response = labels_response(ResponseKey(*item.key), scale, result)
            made = _judged_response(item, response)
            given.setdefault(item.item_id, []).append(_of(_way(item.variant_id), made))
        yield Asking(start + len(mine), len(items))
    told = f"{model.shown} ({model.note})" if model.note else model.shown
    yield norms_of(name, told, chosen, given)


def read_answers(path: Path, name: str, levels: Levels) -> Norms:
    """The norms that the answers of a file make to the chosen vignettes.

    A file is a run's `judgements.parquet` or `responses.parquet`, or a table with the answers'
    texts beside `item_id` and `variant_id`, or beside the prompt itself. Texts are read by the rule
    for Likert answers.
    """
    table = read_long(path, _WANTED)
    place = _places(table, name)
    inside = {vignette.item_id for vignette in choose(name, levels)}
    read = _reader(table, name)
    given: dict[str, list[Answer]] = {}
    seen: set[tuple[str, Way]] = set()
    models: dict[str, None] = {}
    named = table.column("model")
    for row, (item_id, way) in place.items():
        models[str(named[row] or path.stem)] = None
        if item_id not in inside or len(models) > 1:
            continue
        if (item_id, way) in seen:
            raise Told("vignettes_twice", item=item_id, variant=way[0])
        seen.add((item_id, way))
        given.setdefault(item_id, []).append(read(row, item_id, way))
    if len(models) > 1:
        raise Told("vignettes_several_models", models=", ".join(list(models)[:3]))
    if not given:
        raise Told("vignettes_none_chosen", n=f"{len(place):,}")
    if len(given) > MAX_SHOWN:
        raise Told("vignettes_too_many", n=f"{len(given):,}", most=MAX_SHOWN)
    chosen = [one for one in vignettes(name) if one.item_id in given]
    return norms_of(name, next(iter(models)), chosen, given, left_out=len(inside) - len(chosen))


def blank_norms(name: str, chosen: Sequence[Vignette]) -> Norms:
    """The vignettes before anybody has answered them."""
    return Norms(
        context=name,
        model="",
        vignettes=tuple(chosen),
        answers={one.item_id: () for one in chosen},
        states=(NormState.NOT_ASKED,) * len(chosen),
        statistics=(),
        by_variant={},
        ways=0,
    )


def context_of(path: Path) -> str | None:
    """The context that the most of the file's rows are about; null if it does not say."""
    ids = read_long(path, ("item_id", "benchmark", "criterion")).column("item_id")
    names = [str(one).rpartition("-")[0] for one in ids if one is not None]
    found = {name: names.count(name) for name in bundled_contexts()}
    best = max(found, key=lambda name: found[name])
    return best if found[best] else None


def norms_of(
    name: str,
    model: str,
    chosen: Sequence[Vignette],
    given: Mapping[str, Sequence[Answer]],
    *,
    left_out: int = 0,
) -> Norms:
    """The majority of every vignette's answers, and the statistics over all of them."""
    ways = list(dict.fromkeys(answer.way for answers in given.values() for answer in answers))
    ways.sort(key=lambda way: (len(way[0]), way))
    matrix = np.full((len(chosen), len(ways)), np.nan)
    reasons: list[list[str | None]] = [[None] * len(ways) for _ in chosen]
    for row, vignette in enumerate(chosen):
        for answer in given[vignette.item_id]:
            at = ways.index(answer.way)
            matrix[row, at] = np.nan if answer.value is None else answer.value
            reasons[row][at] = answer.reason
    unscored = unscored_cells(matrix, reasons)
    return Norms(
        context=name,
        model=model,
        vignettes=tuple(chosen),
        answers={
            one.item_id: tuple(sorted(given[one.item_id], key=lambda a: ways.index(a.way)))
            for one in chosen
        },
        states=tuple(map(NormState, norm_states(matrix, unscored, asked=True).tolist())),
        statistics=tuple(
            norm_consensus(matrix, reasons=reasons, variants=[way[0] for way in ways])
        ),
        by_variant=variant_means(matrix, [way[0] for way in ways]),
        ways=len(ways),
        left_out=left_out,
    )


def _places(table: LongTable, name: str) -> dict[int, tuple[str, Way]]:
    """The vignette and the way of asking of every row that is about the context."""
    known = {vignette.item_id for vignette in vignettes(name)}
    criteria, ids = table.column("criterion"), table.column("item_id")
    if not table.has("item_id"):
        return _places_by_prompt(table, name)
    found = {
        row: (str(item_id), _way(*_told(table, row)))
        for row, item_id in enumerate(ids)
        if item_id in known and criteria[row] in {None, ACCEPTABILITY}
    }
    if not found:
        raise Told("vignettes_other_context", name=table.name, context=name)
    return found


def _places_by_prompt(table: LongTable, name: str) -> dict[int, tuple[str, Way]]:
    if not table.has("prompt"):
        raise Told("vignettes_columns", name=table.name, has=", ".join(table.names[:12])[:200])
    by_prompt = {
        " ".join(prompt.split()): (vignette.item_id, _way(variant))
        for vignette in vignettes(name)
        for variant, prompt in prompts_of(vignette).items()
    }
    prompts = table.column("prompt")
    keys = ((row, " ".join(str(prompt).split())) for row, prompt in enumerate(prompts))
    found = {row: by_prompt[key] for row, key in keys if key in by_prompt}
    if not found:
        raise Told("vignettes_other_context", name=table.name, context=name)
    return found


def _told(table: LongTable, row: int) -> tuple[str, str, int, float]:
    variant, order, sample, heat = (
        table.column(name)[row] for name in ("variant_id", "scale_order", "sample", "temperature")
    )
    return str(variant or ""), str(order or ORDER), _whole(sample), _number(heat)


def _reader(table: LongTable, name: str) -> Any:
    """A function from a row, its vignette and its way to the answer that the file has there."""
    if table.has("criterion", "value"):
        return lambda row, _, way: _judged(table, row, way)
    texts = next((one for one in _TEXTS if table.has(one)), None)
    if texts is None and not table.has("label_probs"):
        raise Told("vignettes_columns", name=table.name, has=", ".join(table.names[:12])[:200])
    probs, coverage = table.column("label_probs"), table.column("coverage")
    reasons, said = table.column("reason"), table.column(texts or "")

    def read(row: int, item_id: str, way: Way) -> Answer:
        item = _item(name, item_id)
        reason = _reason(reasons[row])
        if probs[row] is not None:
            spread, seen = _spread(probs[row]), _number(coverage[row], 1.0)
            response = Response(
                ResponseKey(*item.key),
                labels=item_scale(item, ACCEPTABILITY).labels,
                label_probs=spread,
                coverage=seen,
                reason=reason,
            )
            return _of(way, _judged_response(item, response))
        text = None if said[row] is None else str(said[row])
        response = Response.to(item, text, reason=reason)
        return _of(way, _judged_response(item, response), text)

    return read


def _judged_response(item: Item, response: Response) -> Judgement:
    return respondent_judgement(item, ACCEPTABILITY, response, min_coverage=MIN_COVERAGE)


def _judged(table: LongTable, row: int, way: Way) -> Answer:
    value, reason = table.column("value")[row], table.column("reason")[row]
    number = None if value in {None, ""} else _number(value, float("nan"))
    if number is not None and not np.isfinite(number):
        number = None
    if number is not None and number not in VALUES:
        raise Told("vignettes_off_scale", value=str(value)[:20])
    why = None if number is not None else _reason(reason) or Reason.OFF_SCALE
    probs = table.column("probs")[row]
    spread = _spread(probs) if isinstance(probs, list) else None
    return Answer(way, number, spread, None if why is None else str(why))


def _of(way: Way, made: Judgement, text: str | None = None) -> Answer:
    probs = None if made.probs is None else tuple(made.probs)
    why = None if made.reason is None else str(made.reason)
    return Answer(way, made.value, probs, why, None if text is None else text[:MAX_TEXT])


def _item(name: str, item_id: str) -> Item:
    return Item(benchmark=name, item_id=item_id, messages=(), language="en")


def _way(variant: str, order: str = ORDER, sample: int = 0, temperature: float = 0.0) -> Way:
    return (variant, order, sample, temperature)


def _spread(probs: Any) -> tuple[float, ...]:
    """Five probabilities, or a `Told`."""
    numbers = [_number(one, -1.0) for one in probs] if isinstance(probs, list | tuple) else []
    if len(numbers) != len(LIKERT) or not all(0 <= one <= 1 for one in numbers):
        raise Told("vignettes_bad_probs")
    return tuple(numbers)


def _reason(reason: Any) -> Reason | None:
    if reason in {None, ""}:
        return None
    try:
        return Reason(reason)
    except ValueError:
        raise Told("vignettes_bad_reason", reason=str(reason)[:40]) from None


def _whole(value: Any) -> int:
    return int(_number(value))


def _number(value: Any, fallback: float = 0.0) -> float:
    try:
        return fallback if value is None or value == "" else float(value)
    except (TypeError, ValueError, OverflowError):
        return fallback
