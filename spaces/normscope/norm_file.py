"""The norms that a visitor's file of answers makes.

A file is a run's `judgements.parquet` or `responses.parquet`, or a table with the answers' texts
beside `item_id` and `variant_id`, or beside the prompt itself. Texts are read by the rule for
Likert answers.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

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

_BLANKS = r"[\s\p{Z}\x0b\x1c-\x1f\x85]+"


@dataclass(frozen=True, slots=True, eq=False)
class ContextAnswers:
    """The rows of a file that are about one context, with the vignette's id in `item_id`.

    `began` are levels to begin with: those that the file has answers about, one of each factor
    while they are too many. `models` are whose answers these are.
    """

    path: Path
    context: str
    rows: LongTable
    began: Mapping[str, list[str]]
    models: tuple[str, ...]


def read_answers(path: Path, name: str, levels: Levels) -> Norms:
    """The norms that the answers of the file make to the chosen vignettes of the context."""
    return norms_in(read_context(path, name), levels)


def read_context(path: Path, name: str, *, guess: bool = False) -> ContextAnswers:
    """The file's answers about the context; with `guess` about the one that most ids are of."""
    table = read_long(path, _NEEDED)
    if guess:
        name = _context_of(table) or name
    rows = _about(table, name)
    models = [str(model or path.stem) for model in pc.unique(rows.array("model")).to_pylist()]
    return ContextAnswers(path, name, rows, _levels_in(name, rows), tuple(dict.fromkeys(models)))


def norms_in(file: ContextAnswers, levels: Levels) -> Norms:
    """The norms that the answers of the file make to the chosen vignettes of its context."""
    name, models = file.context, file.models
    inside = {vignette.item_id for vignette in choose(name, levels)}
    if len(models) > 1:
        raise VisitorError(
            "The file has answers of several models: {models}. Take the rows of one.",
            models=", ".join(models[:3]),
        )
    ids = file.rows.array("item_id")
    table = file.rows.where(pc.is_in(ids, pa.array(list(inside), pa.string())))
    refuse_many(pc.count_distinct(table.array("item_id")).as_py(), MAX_SHOWN)
    read = _reader(table, name)
    answers: dict[str, list[Answer]] = {}
    answered: set[tuple[str, PromptKey]] = set()
    for row, place in enumerate(zip(table.column("item_id"), _keys(table), strict=True)):
        item_id, key = place
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
            n=f"{len(ids):,}",
        )
    chosen = [vignette for vignette in vignettes(name) if vignette.item_id in answers]
    return norms_of(name, models[0], chosen, answers, left_out=len(inside) - len(chosen))


def _context_of(table: LongTable) -> str | None:
    """The context that the most of the rows are about; null if the table does not say."""
    counted = pc.value_counts(pc.replace_substring_regex(table.texts("item_id"), "-[^-]*$", ""))
    contexts = {row["values"]: row["counts"] for row in counted.to_pylist()}
    known = [name for name in bundled_contexts() if name in contexts]
    return max(known, key=contexts.__getitem__, default=None)


def _levels_in(name: str, rows: LongTable) -> dict[str, list[str]]:
    ids = set(pc.unique(rows.array("item_id")).to_pylist())
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


def _about(table: LongTable, name: str) -> LongTable:
    """The rows that are about the context, with the ids of their vignettes."""
    if table.has("item_id"):
        ids = table.texts("item_id")
        # a row of judgements has a criterion, one of answers has none
        judged = pc.is_in(table.texts("criterion"), pa.array([ACCEPTABILITY, None]))
        known = pa.array([vignette.item_id for vignette in vignettes(name)])
        rows = table.having(item_id=ids).where(pc.and_(judged, pc.is_in(ids, known)))
    elif table.has("prompt"):
        places = {
            # a spreadsheet or a model may have changed blanks and line ends
            " ".join(prompt.split()): (vignette.item_id, variant)
            for vignette in vignettes(name)
            for variant, prompt in prompts_of(vignette).items()
        }
        prompts = pc.replace_substring_regex(table.texts("prompt"), _BLANKS, " ")
        at = pc.index_in(pc.utf8_trim_whitespace(prompts), pa.array(list(places)))
        ids, variants = (pa.array(column).take(at) for column in zip(*places.values(), strict=True))
        rows = table.having(item_id=ids, variant_id=variants).where(pc.is_valid(ids))
    else:
        raise _lacking_columns(table)
    if not len(rows.table):
        raise VisitorError(
            "{name} has no answer about the vignettes of {context}. Choose the context that it "
            "is about.",
            name=table.name,
            context=name,
        )
    return rows


def _lacking_columns(table: LongTable) -> VisitorError:
    return VisitorError(
        "{name} needs a column item_id (or prompt), and one with the answers: answer, response "
        "or text; or it is a run's responses.parquet or judgements.parquet. It has: {has}.",
        name=table.name,
        has=", ".join(table.names[:12])[:200],
    )


def _keys(table: LongTable) -> Iterator[PromptKey]:
    columns = [table.column(name) for name in PromptKey._fields]
    for variant, order, sample, temperature in zip(*columns, strict=True):
        yield PromptKey(
            "" if variant is None else str(variant),
            str(order or ORDER),
            int(_number(sample)),
            _number(temperature),
        )


def _reader(table: LongTable, name: str) -> Callable[[int, str, PromptKey], Answer]:
    """A function from a row, its vignette and its prompt to the answer that the file has there."""
    reasons = table.column("reason")
    if table.has("criterion", "value"):
        values, shares = table.column("value"), table.column("probs")
        return lambda row, _, key: _judged(key, values[row], shares[row], reasons[row])
    column = next((text for text in _TEXTS if table.has(text)), None)
    if column is None and not table.has("label_probs"):
        raise _lacking_columns(table)
    probs, coverage = table.column("label_probs"), table.column("coverage")
    texts = table.column(column or "")

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


def _judged(key: PromptKey, cell: Any, probs: Any, reason: Any) -> Answer:
    """The answer of a row of judgements, as it was judged."""
    value = _number(cell, math.nan)
    if math.isfinite(value) and value not in VALUES:
        raise VisitorError(
            "A judgement has the value {value!r}; acceptability goes from −2 to +2 in whole steps.",
            value=str(cell)[:20],
        )
    shares = _five(probs) if isinstance(probs, list) else None
    if math.isfinite(value):
        return Answer(key, value, shares, None)
    return Answer(key, None, shares, str(_reason(reason) or Reason.OFF_SCALE))


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
