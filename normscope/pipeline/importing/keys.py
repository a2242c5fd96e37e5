"""Which prompt each row of recorded answers names: item, prompt variant and order of the labels."""

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from ...errors import UsageError
from ...messages import message
from .columns import Layout
from .raw import KEY, RawAnswers
from .target import Target
from .values import as_text, is_nothing

ITEM, PROMPT, CONTRADICTORY = "no such item", "no such prompt", "item and prompt contradict"
AMBIGUOUS, NO_VARIANT, NO_ORDER = "several prompts", "no prompt variant", "no scale order"
"""Why a row matches no prompt, as the column `why` of the rows that match none has it."""

_TEXT = pa.string()
_NULL = pa.scalar(None, _TEXT)


@dataclass(frozen=True, slots=True)
class Keys:
    """The key (`KEY`) of the prompt that each row names, and `why` it names none, null if it does.

    `reworded` is where the row says what was asked, and it is none of the benchmark's prompts.
    """

    table: pa.Table
    why: pa.Array
    reworded: pa.Array


def keys_of(
    raw: RawAnswers, layout: Layout, target: Target, *, variant: str = "", order: str = ""
) -> Keys:
    """The keys of the rows; `variant` and `order` hold for rows that name none.

    An item is known by the words of its prompt, else by its id, else by its factors.
    """
    roles = layout.roles
    prompts, why = _by_prompt(raw, roles.get("prompt"), target)
    reworded = pc.fill_null(pc.equal(why, PROMPT), False)
    item, known_variant, known_order = (prompts[name].combine_chunks() for name in KEY)
    if "item_id" in roles or layout.factors:
        named = _named(raw, layout, target)
        other = pc.fill_null(pc.not_equal(named, item), False)
        item = pc.coalesce(item, named)
        why = pc.if_else(pc.fill_null(pc.equal(why, AMBIGUOUS), False), why, ITEM)
        why = pc.if_else(pc.is_valid(item), _NULL, why)
        why = pc.if_else(other, CONTRADICTORY, why)
    elif "prompt" not in roles:
        raise _nothing_names_items(raw, target)
    if "variant_id" in roles:
        given = _variants(_texts(raw, roles["variant_id"]), target)
        known_variant = pc.coalesce(known_variant, given)
    if "scale_order" in roles:
        known_order = pc.coalesce(known_order, _something(_texts(raw, roles["scale_order"])))
    known_variant = _filled(known_variant, "variant_id", variant, layout, target)
    known_order = _filled(known_order, "scale_order", order, layout, target)
    for column, text in ((known_variant, NO_VARIANT), (known_order, NO_ORDER)):
        why = pc.if_else(pc.and_(pc.is_null(why), pc.is_null(column)), text, why)
    if not target.is_of_degrees:
        # a vignette alone may have been asked in words that are not the benchmark's
        other = pc.and_(pc.is_null(why), pc.not_equal(known_variant, ""))
        why = pc.if_else(pc.fill_null(other, False), NO_VARIANT, why)
    columns = (item, known_variant, known_order)
    return Keys(pa.table(dict(zip(KEY, columns, strict=True))), why, reworded)


def _by_prompt(raw: RawAnswers, column: str | None, target: Target) -> tuple[pa.Table, pa.Array]:
    """The key of the prompt with each row's words, null without one, and why there is none."""
    n = len(raw.table)
    if column is None:
        return pa.table({name: pa.nulls(n, _TEXT) for name in KEY}), pa.nulls(n, _TEXT)
    questions = target.questions
    asked = pc.utf8_trim_whitespace(_texts(raw, column))
    counts = questions.group_by("question").aggregate([([], "count_all")])
    several = counts.filter(pc.greater(counts["count_all"], 1))["question"]
    is_several = pc.is_in(asked, value_set=several.combine_chunks())
    at = pc.index_in(asked, value_set=questions["question"].combine_chunks())
    at = pc.if_else(is_several, pa.scalar(None, pa.int32()), at)
    why = pc.if_else(is_several, AMBIGUOUS, pc.if_else(pc.is_null(at), PROMPT, _NULL))
    return questions.select(KEY).take(at), why


def _named(raw: RawAnswers, layout: Layout, target: Target) -> pa.Array:
    """The item that each row names by its id, or else by its factors; null if there is none."""
    if "item_id" not in layout.roles:
        return _by_factors(raw, layout.factors, target)
    ids = pc.utf8_trim_whitespace(_texts(raw, layout.roles["item_id"]))
    return pc.if_else(pc.is_in(ids, value_set=target.ids), ids, _NULL)


def _something(texts: pa.Array) -> pa.Array:
    """The texts without blanks at their ends; null where there is none."""
    return pc.if_else(is_nothing(texts), _NULL, pc.utf8_trim_whitespace(texts))


def _texts(raw: RawAnswers, column: str) -> pa.Array:
    return as_text(raw.table[column]).combine_chunks()


def _by_factors(raw: RawAnswers, factors: Mapping[str, str], target: Target) -> pa.Array:
    """The item with the levels of each row, whatever their case and the blanks at their ends.

    Where items differ in further factors, those are meant that have none of these.
    """
    items = target.factors
    lacking = [name for name in items.column_names if name not in {"item_id", *factors}]
    known = _joined([items[name] for name in factors])
    combinations = len(known.unique())
    if combinations < len(items):
        for name in lacking:
            items = items.filter(pc.equal(items[name], ""))
        known = _joined([items[name] for name in factors])
    if len(known.unique()) < max(1, len(items)):
        raise UsageError(
            message(
                "{columns} alone do not name an item: {n} items have {m} combinations of their "
                "levels; say which columns hold {lacking} (--column {first}=NAME), or the item_id",
                columns=", ".join(factors.values()),
                n=f"{len(target.ids):,}",
                m=f"{combinations:,}",
                lacking=", ".join(lacking),
                first=lacking[0] if lacking else "item_id",
            )
        )
    wanted = _joined([as_text(raw.table[column]) for column in factors.values()])
    return items["item_id"].combine_chunks().take(pc.index_in(wanted, value_set=known))


def _joined(columns: list[pa.ChunkedArray]) -> pa.Array:
    plain = [pc.utf8_lower(pc.utf8_trim_whitespace(pc.fill_null(c, ""))) for c in columns]
    # joined by a character that no level has
    texts = pc.binary_join_element_wise(*plain, "\x1f")
    return texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts


def _nothing_names_items(raw: RawAnswers, target: Target) -> UsageError:
    factors = [name for name in target.factors.column_names if name != "item_id"]
    return UsageError(
        message(
            "no column says which item was asked (there are {columns}): name the one with ids "
            "(--column item_id=NAME), with the prompts (--column prompt=NAME){factors}",
            columns=", ".join(raw.table.column_names),
            factors=message(
                ", or those of {names} (--column {first}=NAME …)",
                names=", ".join(factors),
                first=factors[0],
            )
            if factors
            else "",
        )
    )


def _variants(given: pa.Array, target: Target) -> pa.Array:
    """Prompt variants by id, number (3.0 is 3) or the words of their template; others as named."""
    texts = _something(given)
    names = target.templates
    if names:
        by_words = pc.index_in(texts, value_set=pa.array(list(names), _TEXT))
        texts = pc.coalesce(pa.array(list(names.values()), _TEXT).take(by_words), texts)
    whole = pc.replace_substring_regex(texts, r"^(\d+)\.0$", r"\1")
    known = pc.is_in(whole, value_set=pa.array(target.variants, _TEXT))
    return pc.if_else(known, whole, texts)


def _filled(column: pa.Array, name: str, given: str, layout: Layout, target: Target) -> pa.Array:
    """The prompt variants or the orders, with the only one there can be where rows name none."""
    known = target.variants if name == "variant_id" else target.orders
    if layout.wide and all(getattr(each, name) for each in layout.wide):
        return column.fill_null("")
    if given or not known or known[1:] == ():
        return column.fill_null(given or "".join(known))
    if not {name, "prompt"} & layout.roles.keys():
        raise UsageError(
            message(
                "no column says in which {name} each item was asked, and {benchmark} has {known}: "
                "name the column (--column {name}=NAME), or the only one that was asked ({flag} "
                "{first})",
                name=name,
                benchmark=target.name,
                known=", ".join(known),
                flag="--variant" if name == "variant_id" else "--order",
                first=known[0],
            )
        )
    return column
