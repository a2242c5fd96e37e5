"""The vignettes of a context: the product of its factors, in order, with stable ids."""

import hashlib
from collections import Counter

import pyarrow as pa

from ...errors import ConfigError
from ...messages import message
from .context_file import ContextFile, factors_of
from .template import fill

MAX_VIGNETTES = 50_000
_DIGITS = 12

Row = tuple[str, ...]


def vignette_table(context: ContextFile, *, null_control: bool = False) -> pa.Table:
    """A row per vignette: `item_id`, `practice`, `vignette`, and a column per parameter and factor.

    The context has no error in it (`check.py`), as a `CheckedContext` never has.
    Practices follow one another in the order of the file; within one, the last factor changes
    fastest. A column is null where the practice has neither the factor nor a constant. With
    `null_control`, the templates without the transmission principle are used instead.

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
    excluded: dict[tuple[int, ...], set[Row]] = {}
    for exclusion in context.exclusions:
        if set(exclusion) <= set(names):
            places = tuple(sorted(names.index(name) for name in exclusion))
            excluded.setdefault(places, set()).add(tuple(exclusion[names[at]] for at in places))
    for places, levels in excluded.items():
        rows = [row for row in rows if tuple(row[at] for at in places) not in levels]
    if context.only_rated:
        rated = _rated(context, names, practice)
        rows = [
            row
            for row in rows
            if any(tuple(row[at] for at in places) in levels for places, levels in rated.items())
        ]
    return rows


def _refuse_more(context: ContextFile, number: int) -> None:
    """Refuses more vignettes than anybody would ask."""
    if number > MAX_VIGNETTES:
        problem = message(
            "the product makes more than {most} vignettes: use fewer levels, tie factors, or split "
            "it into several contexts",
            most=f"{MAX_VIGNETTES:,}",
        )
        raise refusal(context, problem)


def _rated(
    context: ContextFile, names: tuple[str, ...], practice: str
) -> dict[tuple[int, ...], set[Row]]:
    """The levels that ratings of the practice are of, by the places of their factors.

    A null control has the combinations of which some condition was rated.
    """
    whole = set(factors_of(context, context.practices[practice].template))
    rated: dict[tuple[int, ...], set[Row]] = {}
    for rating in context.ratings.values if context.ratings else ():
        if rating.practice in {None, practice} and rating.levels.keys() <= whole:
            places = tuple(at for at, name in enumerate(names) if name in rating.levels)
            levels = tuple(rating.levels[names[at]] for at in places)
            rated.setdefault(places, set()).add(levels)
    return rated


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
