"""The tables of a context beside its vignettes: corrected wording, anchors, people's ratings."""

import re
from collections.abc import Iterable

import pyarrow as pa

from ...errors import ConfigError
from ...messages import message
from .context import CheckedContext
from .context_file import Rating
from .vignettes import item_id, refusal, refuse_twins, vignette_table

ANCHOR_COLUMNS = ("item_id", "context", "language", "vignette", "expected", "reason")


def corrected_table(context: CheckedContext) -> pa.Table:
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

    # one pattern, so that what a correction puts in is never corrected again
    longest_first = sorted(context.corrections, key=len, reverse=True)
    wrong = re.compile("|".join(map(re.escape, longest_first)))
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


def anchor_table(contexts: Iterable[CheckedContext]) -> pa.Table:
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


RATING_FIELDS = (
    ("item_ids", pa.list_(pa.string())),
    ("mean", pa.float64()),
    ("sd", pa.float64()),
    ("n", pa.int64()),
    ("missing", pa.int64()),
    ("counts", pa.list_(pa.struct([("answer", pa.string()), ("n", pa.int64())]))),
    ("low", pa.float64()),
    ("high", pa.float64()),
    ("question", pa.string()),
    ("source", pa.string()),
)
"""The columns of a table of ratings after those that say of which vignettes they are."""


def rating_table(context: CheckedContext) -> pa.Table:
    """A row per rating: the levels it is about (null where averaged over), mean, sd and n.

    `item_ids` are the vignettes with these levels, and `item_id` is theirs if there is one.
    `counts` has how many people gave each answer, and `missing` how many gave none that counts;
    null where the context does not say. Ratings that are of no vignette are an error.
    """
    ratings = context.ratings
    if ratings is None:
        raise ConfigError(f"context {context.name!r} has no ratings")
    rated = rated_vignettes(context)
    rows = [
        {
            # a rating averaged over vignettes is of none of them
            "item_id": ids[0] if len(ids) == 1 else None,
            "practice": rating.practice,
            **{name: rating.levels.get(name) for name in context.columns},
            "item_ids": ids,
            "mean": rating.mean,
            "sd": rating.sd,
            "n": rating.n,
            "missing": rating.missing,
            "counts": [{"answer": answer, "n": n} for answer, n in rating.counts.items()] or None,
            "low": ratings.low,
            "high": ratings.high,
            "question": ratings.question,
            "source": ratings.source,
        }
        for rating, ids in zip(ratings.values, rated, strict=True)
    ]
    names = ("item_id", "practice", *context.columns)
    fields = [*((name, pa.string()) for name in names), *RATING_FIELDS]
    return pa.Table.from_pylist(rows, schema=pa.schema(fields))


def rated_vignettes(context: CheckedContext) -> list[list[str]]:
    """The ids of the vignettes that each rating is of; ratings of none are an error."""
    vignettes = vignette_table(context)
    ids = vignettes["item_id"].to_pylist()
    by_levels: dict[tuple[str, ...], dict[tuple[str, ...], list[str]]] = {}
    result: list[list[str]] = []
    unmatched: list[Rating] = []
    values = context.ratings.values if context.ratings else ()
    for rating in values:
        places = {**rating.levels, "practice": rating.practice}
        wanted = {name: level for name, level in places.items() if level is not None}
        names = tuple(wanted)
        if names not in by_levels:
            index: dict[tuple[str, ...], list[str]] = {}
            columns = [vignettes[name].to_pylist() for name in names]
            for item, *levels in zip(ids, *columns, strict=True):
                index.setdefault(tuple(levels), []).append(item)
            by_levels[names] = index
        result.append(by_levels[names].get(tuple(wanted.values()), []))
        if not result[-1]:
            unmatched.append(rating)
    if unmatched:
        first = unmatched[0]
        problem = message(
            "{n} of {m} ratings are of no vignette, such as that of {levels}; correct them or take "
            "them out",
            n=len(unmatched),
            m=len(values),
            levels=dict(first.levels),
        )
        raise refusal(context, problem)
    return result
