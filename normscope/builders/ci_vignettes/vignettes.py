"""The tables of a context: its vignettes, corrected ones, anchors, and people's ratings."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import pyarrow as pa

from ...categorical import group_by
from ...errors import ConfigError
from ...messages import message
from .context_file import ContextFile, factors_of, fill

MAX_VIGNETTES = 50_000
_DIGITS = 12

ANCHOR_COLUMNS = ("item_id", "context", "language", "vignette", "expected", "reason")

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

Row = tuple[str, ...]


def vignette_table(context: ContextFile, *, null_control: bool = False) -> pa.Table:
    """A row per vignette: `item_id`, `practice`, `vignette`, and a column per parameter and factor.

    The context has no error in it (`check.py`). Practices follow one another in the order of the
    file; within one, the last factor changes fastest. A column is null where the practice has
    neither the factor nor a constant. With `null_control`, the templates without the transmission
    principle are used instead.

    An `item_id` is the config's name and the first 12 hexadecimal digits of the SHA-256 of the
    vignette's text. So an id stands for a wording: it survives new contexts, practices, levels and
    orders, whereas a changed stimulus never keeps the id of the old one, as a running number would.
    """
    config = f"{context.name}_null" if null_control else context.name
    practices: list[str] = []
    texts: list[str] = []
    columns: dict[str, list[str | None]] = {name: [] for name in context.columns}
    for name, template in _templates(context, null_control=null_control):
        factors = factors_of(context, template)
        rows = combine(context, factors, name)
        if not rows:
            raise refusal(
                context, message("exclusions leave nothing of {practice}", practice=repr(name))
            )
        _refuse_more(context, len(texts) + len(rows))
        texts += fill(template, factors, rows)
        practices += [name] * len(rows)
        # last, so that a practice's own constants override those of the context
        constants = {**context.constants, **context.practices[name].constants}
        values = dict(zip(factors, zip(*rows, strict=True), strict=True))
        for column in columns:
            columns[column] += values.get(column, [constants.get(column)] * len(rows))
    refuse_twins(context, texts)
    ids = [item_id(config, text) for text in texts]
    table = {"item_id": ids, "practice": practices, "vignette": texts, **columns}
    return pa.table({name: pa.array(cells, pa.string()) for name, cells in table.items()})


def item_id(config: str, text: str) -> str:
    """The id of a wording.

    >>> item_id("iot", "a door lock records audio")
    'iot-16681081afbd'
    """
    return f"{config}-{hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]}"


def count_vignettes(context: ContextFile, *, null_control: bool = False) -> int:
    """How many vignettes there are, of which no text is made."""
    templates = _templates(context, null_control=null_control)
    return sum(len(combine(context, factors_of(context, text), name)) for name, text in templates)


def _templates(context: ContextFile, *, null_control: bool) -> list[tuple[str, str]]:
    """Each practice's name and template; only those with a null control when that is meant."""
    chosen = [
        (name, practice.null_control if null_control else practice.template)
        for name, practice in context.practices.items()
    ]
    return [(name, template) for name, template in chosen if template is not None]


def combine(context: ContextFile, names: tuple[str, ...], practice: str) -> list[Row]:
    """Every combination of levels that is not left out, the last factor changing fastest.

    `names` are the factors of the practice's template, or of its null control. More combinations
    than anybody would ask are a `ConfigError` before they are made.
    """
    rows: list[Row] = [()]
    for name in names:
        factor = context.factors[name]
        if factor.tied_to is None:
            levels_of = [factor.levels] * len(rows)
        else:
            at = names.index(factor.tied_to)
            levels_of = [factor.levels_for[row[at]] for row in rows]
        _refuse_more(context, sum(map(len, levels_of)))
        pairs = zip(rows, levels_of, strict=True)
        rows = [(*row, level) for row, levels in pairs for level in levels]
    # an exclusion or a rating with a factor that the template has not is of none of its rows
    excluded = _with_levels(names, (e for e in context.exclusions if set(e) <= set(names)))
    rows = [row for row in rows if not excluded(row)]
    if context.only_rated:
        # of a null control the combinations of which some condition was rated
        whole = set(factors_of(context, context.practices[practice].template))
        rated = _with_levels(
            names,
            (
                rating.levels
                for rating in (context.ratings.values if context.ratings else ())
                if rating.practice in {None, practice} and rating.levels.keys() <= whole
            ),
        )
        rows = [row for row in rows if rated(row)]
    return rows


def _with_levels(
    names: tuple[str, ...], choices: Iterable[Mapping[str, str]]
) -> Callable[[Row], bool]:
    """Whether a row of these factors has all levels of one of the choices."""
    wanted: dict[tuple[int, ...], set[Row]] = {}
    for choice in choices:
        places = tuple(at for at, name in enumerate(names) if name in choice)
        wanted.setdefault(places, set()).add(tuple(choice[names[at]] for at in places))
    return lambda row: any(
        tuple(row[at] for at in places) in levels for places, levels in wanted.items()
    )


def _refuse_more(context: ContextFile, number: int) -> None:
    """Refuses more vignettes than anybody would ask."""
    if number > MAX_VIGNETTES:
        problem = message(
            "the product makes more than {most} vignettes: use fewer levels, tie factors, or split "
            "it into several contexts",
            most=f"{MAX_VIGNETTES:,}",
        )
        raise refusal(context, problem)


def refusal(context: ContextFile, problem: str) -> ConfigError:
    """The error for what comes out only when the tables of the context are made."""
    return ConfigError(
        message("context {context}: {problem}", context=repr(context.name), problem=problem)
    )


def refuse_twins(context: ContextFile, texts: list[str]) -> None:
    """Refuses texts of which two are the same: they would have one id."""
    for text, times in Counter(texts).items():
        if times > 1:
            problem = message(
                "two combinations of levels give the same text, {text}; make their levels or "
                "templates differ",
                text=repr(text),
            )
            raise refusal(context, problem)


def corrected_table(context: ContextFile) -> pa.Table:
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


def anchor_table(contexts: Iterable[ContextFile]) -> pa.Table:
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


def rating_table(context: ContextFile) -> pa.Table:
    """A row per rating: the levels it is about (null where averaged over), mean, sd and n.

    `item_ids` are the vignettes with these levels, and `item_id` is theirs if there is one.
    `counts` has how many people gave each answer, and `missing` how many gave none that counts;
    null where the context does not say. Ratings that are of no vignette are an error.
    """
    ratings = context.ratings
    if ratings is None:
        raise ConfigError(f"context {context.name!r} has no ratings")
    vignettes = vignette_table(context).to_pylist()
    rated: list[list[str]] = []
    # the vignettes under their levels in the columns that some rating names
    by_levels: dict[tuple[str, ...], Mapping[Row, list[dict[str, str]]]] = {}
    for rating in ratings.values:
        practice = {} if rating.practice is None else {"practice": rating.practice}
        combination = {**rating.levels, **practice}
        names = tuple(combination)
        if names not in by_levels:
            by_levels[names] = group_by(vignettes, lambda row: tuple(row[name] for name in names))  # noqa: B023
        of_levels = by_levels[names].get(tuple(combination.values()), [])
        rated.append([row["item_id"] for row in of_levels])
    if unmatched := [rating for rating, ids in zip(ratings.values, rated, strict=True) if not ids]:
        problem = message(
            "{n} of {m} ratings are of no vignette, such as that of {levels}; correct them or take "
            "them out",
            n=len(unmatched),
            m=len(ratings.values),
            levels=dict(unmatched[0].levels),
        )
        raise refusal(context, problem)
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
