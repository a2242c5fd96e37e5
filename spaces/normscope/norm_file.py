"""The norms that a visitor's file of answers makes.

A file is the table of prompts that the tab hands out with its answers filled in, or a run's
`judgements.parquet`. Texts are read by the rule for Likert answers.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ...datasets_builders.ci_vignettes.context import bundled_contexts
from ...judges.respondent import ACCEPTABILITY
from ...metrics.majority import LIKERT as VALUES
from ...reasons import Reason
from ...records.item import Item
from ...records.response import Response
from . import limits
from .norms import Answer, Norms, PromptKey, norms_of
from .texts import VisitorError
from .upload import LOOKED_AT, Row, read_upload
from .vignettes import (
    MAX_SHOWN,
    ORDER,
    Levels,
    choose,
    levels_of,
    refuse_many,
    vignettes,
)

_TEXTS = ("answer", "response", "text")


@dataclass(frozen=True, slots=True, eq=False)
class ContextAnswers:
    """A file's rows about one context, by their vignette and prompt; `models` gave the answers.

    `texts` is the column of answers, null in judgements.
    """

    context: str
    rows: Mapping[str, Mapping[PromptKey, Row]]
    texts: str | None
    models: tuple[str, ...]


# every choice of levels looks at the same rows
@lru_cache(maxsize=limits.READ_ONCE)
def read_answers(path: Path) -> ContextAnswers:
    """The file's answers about the context that most of its rows are about."""
    upload = read_upload(path, LOOKED_AT)
    texts = next((name for name in _TEXTS if name in upload.columns), None)
    judged = {"criterion", "value"} <= set(upload.columns)
    if not {"item_id", "variant_id"} <= set(upload.columns) or not (texts or judged):
        raise VisitorError(
            "{name} needs the columns item_id, variant_id and answer, or is a run's "
            "judgements.parquet. It has: {has}.",
            name=upload.name,
            has=", ".join(upload.columns[:12])[:200],
        )
    rows = [row for row in upload.rows if not judged or row["criterion"] == ACCEPTABILITY]
    counted = Counter((row["item_id"] or "").rpartition("-")[0] for row in rows)
    name = max(bundled_contexts(), key=lambda context: counted[context])
    known = {vignette.item_id for vignette in vignettes(name)}
    by_vignette: dict[str, dict[PromptKey, Row]] = {}
    for row in rows:
        item_id, key = row["item_id"] or "", _key(row)
        if item_id in known and by_vignette.setdefault(item_id, {}).setdefault(key, row) is not row:
            raise VisitorError(
                "{item} is answered twice in prompt variant {variant!r}.",
                item=item_id,
                variant=key.variant_id,
            )
    if not by_vignette:
        raise VisitorError(
            "{name} has no answer about the vignettes of a context that is known here.",
            name=upload.name,
        )
    if len({key.temperature for prompts in by_vignette.values() for key in prompts}) > 1:
        raise VisitorError("The file has answers at several temperatures. Take the rows of one.")
    models = dict.fromkeys(row.get("model") or path.stem for row in rows)
    return ContextAnswers(name, by_vignette, None if judged else texts, tuple(models))


def first_levels(file: ContextAnswers) -> dict[str, list[str]]:
    """Levels to begin with: those that the file answers, one of each factor while too many."""
    left = [vignette for vignette in vignettes(file.context) if vignette.item_id in file.rows]
    chosen: dict[str, list[str]] = {}
    for factor, levels in levels_of(file.context).items():
        inside = [level for level in levels if any(v.flow.get(factor) == level for v in left)]
        # the first factors are held first: they stand on neither side of the map
        if len(left) > MAX_SHOWN and len(inside) > 1:
            inside = inside[:1]
            left = [v for v in left if v.flow.get(factor) in {None, *inside}]
        chosen[factor] = [] if len(inside) == len(levels) else inside
    return chosen


def norms_in(file: ContextAnswers, levels: Levels) -> Norms:
    """The norms that the answers of the file make to the chosen vignettes of its context."""
    if len(file.models) > 1:
        raise VisitorError(
            "The file has answers of several models: {models}. Take the rows of one.",
            models=", ".join(file.models[:3]),
        )
    inside = choose(file.context, levels)
    chosen = [vignette for vignette in inside if vignette.item_id in file.rows]
    refuse_many(len(chosen), MAX_SHOWN)
    if not chosen:
        raise VisitorError(
            "The file has {n} vignettes of this context, but none of the chosen ones. Choose other "
            "levels, or none for all.",
            n=f"{len(file.rows):,}",
        )
    answers = {
        vignette.item_id: [
            _answer(file, vignette.item_id, key, row)
            for key, row in file.rows[vignette.item_id].items()
        ]
        for vignette in chosen
    }
    left_out = len(inside) - len(chosen)
    return norms_of(file.context, file.models[0], chosen, answers, left_out=left_out)


def _key(row: Row) -> PromptKey:
    return PromptKey(
        row["variant_id"] or "",
        row.get("scale_order") or ORDER,
        row.get("sample") or "0",
        row.get("temperature") or "0.0",
    )


def _answer(file: ContextAnswers, item_id: str, key: PromptKey, row: Row) -> Answer:
    reason = _reason(row.get("reason"))
    if file.texts is not None:
        item = Item(benchmark=file.context, item_id=item_id, messages=(), language="en")
        text = row[file.texts]
        return Answer.of(key, item, Response.to(item, text, reason=reason), text)
    value = _value(row["value"])
    if value is None:
        return Answer(key, None, str(reason or Reason.OFF_SCALE))
    return Answer(key, value, None)


def _reason(cell: str | None) -> Reason | None:
    try:
        return Reason(cell) if cell else None
    except ValueError:
        raise VisitorError(
            "A row of the file has the reason {reason!r}, which is not one of Normscope's.",
            reason=str(cell)[:40],
        ) from None


def _value(cell: str | None) -> float | None:
    """The degree of acceptability of a judgement; null where it has none."""
    try:
        value = float(cell or math.nan)
    except ValueError:
        value = math.inf
    if math.isnan(value):
        return None
    if value not in VALUES:
        raise VisitorError(
            "A judgement has the value {value!r}; acceptability goes from −2 to +2 in whole steps.",
            value=str(cell)[:20],
        )
    return value
