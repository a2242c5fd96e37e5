"""The norms that a visitor's file of answers makes.

A file is a run's `judgements.parquet` or `responses.parquet`, or a table with the answers' texts
beside `item_id` and `variant_id`, or beside the prompt itself. Texts are read by the rule for
Likert answers.
"""

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...datasets_builders.ci_vignettes.context import bundled_contexts
from ...datasets_builders.taxonomy import LIKERT
from ...judges.respondent import ACCEPTABILITY, item_scale
from ...metrics.majority import LIKERT as VALUES
from ...reasons import Reason
from ...records.item import Item
from ...records.response import Response, ResponseKey
from .norms import Answer, Norms, PromptKey, norms_of
from .texts import VisitorError
from .upload import LongTable, read_long
from .vignettes import (
    MAX_SHOWN,
    ORDER,
    Levels,
    choose,
    levels_of,
    prompts_of,
    refuse_many,
    vignettes,
)

_TEXTS = ("answer", "response", "text", "output", "completion", "reply", "回答")
_NEEDED = (
    *("benchmark", "item_id", "variant_id", "scale_order", "sample", "temperature", "model"),
    *("criterion", "labels", "probs", "label_probs", "value", "coverage", "reason", "prompt"),
    *_TEXTS,
)

Place = tuple[str, PromptKey]
"""A vignette's id, and which of its prompts was answered."""


def read_answers(path: Path, name: str, levels: Levels) -> Norms:
    """The norms that the answers of the file make to the chosen vignettes of the context."""
    table = read_long(path, _NEEDED)
    places = _places(table, name)
    inside = {vignette.item_id for vignette in choose(name, levels)}
    read = _reader(table, name)
    answers: dict[str, list[Answer]] = {}
    answered: set[Place] = set()
    column = table.column("model")
    models = list(dict.fromkeys(str(column[row] or path.stem) for row in places))
    if len(models) > 1:
        raise VisitorError(
            "The file has answers of several models: {models}. Take the rows of one.",
            models=", ".join(models[:3]),
        )
    for row, place in places.items():
        item_id, key = place
        if item_id not in inside:
            continue
        if place in answered:
            raise VisitorError(
                "{item} is answered twice in prompt variant {variant!r}. A column variant_id (or "
                "prompt) tells the prompt variants apart.",
                item=item_id,
                variant=key.variant_id,
            )
        answered.add(place)
        answers.setdefault(item_id, []).append(read(row, item_id, key))
    if not answers:
        raise VisitorError(
            "The file has {n} answers about this context, but none about the chosen "
            "vignettes. Choose other levels, or none for all.",
            n=f"{len(places):,}",
        )
    refuse_many(len(answers), MAX_SHOWN)
    chosen = [vignette for vignette in vignettes(name) if vignette.item_id in answers]
    return norms_of(name, models[0], chosen, answers, left_out=len(inside) - len(chosen))


def context_of(path: Path) -> str | None:
    """The context that the most of the file's rows are about; null if it does not say."""
    ids = read_long(path, ("item_id",)).column("item_id")
    contexts = Counter(str(item_id).rpartition("-")[0] for item_id in ids)
    best = max(bundled_contexts(), key=lambda name: contexts[name])
    return best if contexts[best] else None


def levels_in(name: str, path: Path) -> dict[str, list[str]]:
    """The levels that the file has answers about, one of each factor while they are too many."""
    ids = {str(item_id) for item_id in read_long(path, ("item_id",)).column("item_id")}
    left = [vignette for vignette in vignettes(name) if vignette.item_id in ids]
    chosen: dict[str, list[str]] = {}
    for factor, levels in levels_of(name).items():
        inside = [level for level in levels if any(v.flow.get(factor) == level for v in left)]
        # the first factors are held first: they stand on neither side of the map
        if len(left) > MAX_SHOWN and len(inside) > 1:
            inside = inside[:1]
            left = [v for v in left if v.flow.get(factor) in {None, *inside}]
        chosen[factor] = [] if len(inside) == len(levels) else inside
    return chosen


def _places(table: LongTable, name: str) -> dict[int, Place]:
    """Each row that is about the context, with its vignette and prompt."""
    if table.has("item_id"):
        known = {vignette.item_id for vignette in vignettes(name)}
        criteria, ids = table.column("criterion"), table.column("item_id")
        places = {
            row: (str(item_id), _key(table, row))
            for row, item_id in enumerate(ids)
            if item_id in known and criteria[row] in {None, ACCEPTABILITY}
        }
    elif table.has("prompt"):
        by_prompt = {
            # a spreadsheet or a model may have changed blanks and line ends
            " ".join(prompt.split()): (vignette.item_id, PromptKey(variant))
            for vignette in vignettes(name)
            for variant, prompt in prompts_of(vignette).items()
        }
        prompts = (" ".join(str(prompt).split()) for prompt in table.column("prompt"))
        places = {row: by_prompt[key] for row, key in enumerate(prompts) if key in by_prompt}
    else:
        raise _lacking_columns(table)
    if not places:
        raise VisitorError(
            "{name} has no answer about the vignettes of {context}. Choose the context that it "
            "is about.",
            name=table.name,
            context=name,
        )
    return places


def _lacking_columns(table: LongTable) -> VisitorError:
    return VisitorError(
        "{name} needs a column item_id (or prompt), and one with the answers: answer, response "
        "or text; or it is a run's responses.parquet or judgements.parquet. It has: {has}.",
        name=table.name,
        has=", ".join(table.names[:12])[:200],
    )


def _key(table: LongTable, row: int) -> PromptKey:
    variant, order, sample, temperature = (table.column(name)[row] for name in PromptKey._fields)
    return PromptKey(
        str(variant or ""), str(order or ORDER), int(_number(sample)), _number(temperature)
    )


def _reader(table: LongTable, name: str) -> Callable[[int, str, PromptKey], Answer]:
    """A function from a row, its vignette and its prompt to the answer that the file has there."""
    if table.has("criterion", "value"):
        return lambda row, _, key: _judged(table, row, key)
    column = next((text for text in _TEXTS if table.has(text)), None)
    if column is None and not table.has("label_probs"):
        raise _lacking_columns(table)
    probs, coverage = table.column("label_probs"), table.column("coverage")
    reasons, texts = table.column("reason"), table.column(column or "")

    def read(row: int, item_id: str, key: PromptKey) -> Answer:
        item = Item(benchmark=name, item_id=item_id, messages=(), language="en")
        reason = _reason(reasons[row])
        if probs[row] is not None:
            response = Response(
                ResponseKey(*item.key),
                labels=item_scale(item, ACCEPTABILITY).labels,
                label_probs=_five(probs[row]),
                coverage=_number(coverage[row], 1.0),
                reason=reason,
            )
            return Answer.of(key, item, response)
        text = None if texts[row] is None else str(texts[row])
        return Answer.of(key, item, Response.to(item, text, reason=reason), text)

    return read


def _judged(table: LongTable, row: int, key: PromptKey) -> Answer:
    """The answer of a row of judgements, as it was judged."""
    cell, probs = table.column("value")[row], table.column("probs")[row]
    value = _number(cell, math.nan)
    if math.isfinite(value) and value not in VALUES:
        raise VisitorError(
            "A judgement has the value {value!r}; acceptability goes from −2 to +2 in whole steps.",
            value=str(cell)[:20],
        )
    shares = _five(probs) if isinstance(probs, list) else None
    if math.isfinite(value):
        return Answer(key, value, shares, None)
    reason = _reason(table.column("reason")[row]) or Reason.OFF_SCALE
    return Answer(key, None, shares, str(reason))


def _five(probs: Any) -> tuple[float, ...]:
    """The probability of each label, checked."""
    numbers = [_number(prob, -1.0) for prob in probs] if isinstance(probs, list | tuple) else []
    if len(numbers) != len(LIKERT) or not all(0 <= number <= 1 for number in numbers):
        raise VisitorError(
            "A row of the file has probabilities that are not five numbers from 0 to 1."
        )
    return tuple(numbers)


def _reason(cell: Any) -> Reason | None:
    if cell in {None, ""}:
        return None
    try:
        return Reason(cell)
    except ValueError:
        raise VisitorError(
            "A row of the file has the reason {reason!r}, which is not one of Normscope's.",
            reason=str(cell)[:40],
        ) from None


def _number(value: Any, fallback: float = 0.0) -> float:
    try:
        return fallback if value is None or value == "" else float(value)
    except (TypeError, ValueError, OverflowError):
        return fallback
