"""The tables of a context beside its vignettes: corrected wording, anchors, people's ratings."""

import re
from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from ...errors import ConfigError
from ...messages import message
from .context import Context
from .context_file import Rating
from .vignettes import item_id, refusal, refuse_twins, vignette_table

ANCHOR_COLUMNS = ("item_id", "context", "language", "vignette", "expected", "reason")


def corrected_table(context: Context) -> pa.Table:
    """The vignettes with the context's corrections made, in the same order.

    The factors' columns keep the source's spelling, so that a corrected vignette is compared with
    its original by its levels or by `original_id`. A correction that meets no vignette is an error.
    """
    original = vignette_table(context)
    texts = original["vignette"].to_pylist()
    met: set[str] = set()

    def right(match: re.Match[str]) -> str:
        met.add(match[0])
        return context.corrections[match[0]]

    wrong = _any_of(context.corrections)
    corrected = [wrong.sub(right, text) for text in texts]
    if idle := [text for text in context.corrections if text not in met]:
        problem = message("no vignette has {wrong}; take the correction out", wrong=repr(idle[0]))
        raise refusal(context, problem)
    refuse_twins(context, corrected)
    ids = [item_id(f"{context.name}_corrected", text) for text in corrected]
    columns = {
        "item_id": pa.array(ids, pa.string()),
        "original_id": original["item_id"],
        "practice": original["practice"],
        "vignette": pa.array(corrected, pa.string()),
    }
    return pa.table(columns | {name: original[name] for name in context.columns})


def anchor_table(contexts: Iterable[Context]) -> pa.Table:
    """The contexts' anchors: the vignette, the sign that is expected of its answer, and why."""
    rows = [
        (
            item_id("anchors", anchor.text),
            context.name,
            context.language,
            anchor.text,
            anchor.expected,
            anchor.reason,
        )
        for context in contexts
        for anchor in context.anchors
    ]
    columns = zip(*rows, strict=True) if rows else [()] * len(ANCHOR_COLUMNS)
    return pa.table(
        {
            name: pa.array(cells, pa.string())
            for name, cells in zip(ANCHOR_COLUMNS, columns, strict=True)
        }
    )


def rating_table(context: Context) -> pa.Table:
    """A row per rating: the levels it is about (null where averaged over), mean, sd and n.

    `vignettes` counts the vignettes with these levels, and `item_id` is theirs if there is one.
    Ratings that meet none are an error.
    """
    ratings = context.ratings
    if ratings is None:
        raise ConfigError(f"context {context.name!r} has no ratings")
    vignettes = vignette_table(context)
    rows = []
    for rating in ratings.values:
        ids = _met_by(vignettes, rating)
        if not ids:
            problem = message(
                "no vignette has the levels {levels}; correct the rating or take it out",
                levels=dict(rating.levels),
            )
            raise refusal(context, problem)
        rows.append(
            {
                # a rating averaged over vignettes is of none of them
                "item_id": ids[0] if len(ids) == 1 else None,
                "practice": rating.practice,
                **{name: rating.levels.get(name) for name in context.columns},
                "vignettes": len(ids),
                "mean": rating.mean,
                "sd": rating.sd,
                "n": rating.n,
                "low": ratings.low,
                "high": ratings.high,
                "question": ratings.question,
                "source": ratings.source,
            }
        )
    names = ("item_id", "practice", *context.columns)
    fields = [
        *((name, pa.string()) for name in names),
        ("vignettes", pa.int64()),
        *((name, pa.float64()) for name in ("mean", "sd")),
        ("n", pa.int64()),
        *((name, pa.float64()) for name in ("low", "high")),
        *((name, pa.string()) for name in ("question", "source")),
    ]
    return pa.Table.from_pylist(rows, schema=pa.schema(fields))


def _met_by(vignettes: pa.Table, rating: Rating) -> list[str]:
    levels = dict(rating.levels) | ({"practice": rating.practice} if rating.practice else {})
    chosen = vignettes
    for name, level in levels.items():
        chosen = chosen.filter(pc.equal(chosen[name], level))
    return list(chosen["item_id"].to_pylist())


def _any_of(texts: Iterable[str]) -> re.Pattern[str]:
    """One pattern, so that what a correction puts in is never corrected again."""
    longest_first = sorted(texts, key=len, reverse=True)
    return re.compile("|".join(re.escape(text) for text in longest_first))
