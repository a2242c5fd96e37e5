"""Rows of recorded answers matched with a benchmark's prompts."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...errors import DataError, UsageError, nearest
from ...tables import Table
from ..imported import KNOWN, is_nothing
from .target import KEY, Target

ROLES = ("item_id", "prompt", "variant_id", "scale_order", "answer", "model", *KNOWN)
"""What a column can hold; the factors of a vignette are named by themselves."""

_OWN = ("answer", "model", *KNOWN)
_TEXT = pa.string()
_NULL = pa.scalar(None, _TEXT)


def matched(
    table: Table, target: Target, columns: Mapping[str, str] | None = None, *, model: str = ""
) -> tuple[Table, int]:
    """The answers with the keys of their prompts, in their order, as `import_answers` takes them.

    With them, how many are to a prompt in other words than the benchmark's. `columns` are those of
    another name, by their role. An item is known by the words of its prompt, else by its id, else
    by its factors. CFSafety's authors have a column per category, whose rows are the category's
    prompts in their order. A `DataError` names the first row that answers no prompt.
    """
    given = dict(columns or {})
    if "answer" not in {*given, *table.rows.column_names}:
        table = _by_category(table, target)
    rows = _by_role(table, target, given)
    if "model" not in rows:
        if not model:
            raise UsageError("no column says whose answers these are: name the model with --model")
        rows["model"] = pa.repeat(pa.scalar(model, _TEXT), len(table.rows))
    keys, why, reworded = _keys(rows, target)
    if n := len(table.rows) - why.null_count:
        at = pc.index(pc.is_valid(why), True).as_py()
        by = (values[at].as_py() for name, values in rows.items() if name not in _OWN)
        raise DataError(
            f"{n:,} of {len(table.rows):,} rows answer no prompt of {target.name}, whose items are "
            f"such as {target.ids[0]}; first {table.places[at]}: {why[at]}: "
            f"{' | '.join((text or '–')[:60] for text in by)}; correct them or take them out"
        )
    answers = pa.table({name: rows[name] for name in _OWN if name in rows} | keys)
    return Table(table.form, answers, table.places, table.note), pc.sum(reworded).as_py() or 0


def _by_category(table: Table, target: Target) -> Table:
    """A row per answer of a table that has a column per category."""
    names = table.rows.column_names
    parts, places = [], []
    for name in names:
        ids = [item.item_id for item in target.firsts if item.source_category == name]
        if not ids:
            continue
        if len(table.rows) > len(ids):
            raise DataError(
                f"{len(table.rows):,} rows of answers to the {len(ids):,} prompts of {name}: row N "
                "answers prompt N of the category; take the others out"
            )
        own = {"item_id": ids[: len(table.rows)], "answer": table.texts(name)}
        parts.append(
            pa.table(own | {role: table.texts(role) for role in ("model", *KNOWN) if role in names})
        )
        places += [f"{place}, {name}" for place in table.places]
    if not parts:
        raise UsageError(
            f"no column holds answers (there are {', '.join(names)}): name it with "
            "--column answer=NAME"
        )
    return Table(table.form, pa.concat_tables(parts), places, table.note)


def _by_role(table: Table, target: Target, given: Mapping[str, str]) -> dict[str, pa.Array]:
    """The columns that are used, as texts by the names of what they hold."""
    known = [*ROLES, *(name for name in target.factors.column_names if name != "item_id")]
    for role in given:
        if role not in known:
            raise UsageError(f"--column names no role {role!r}; {nearest(role, known)}")
    own = {name: name for name in table.rows.column_names if name not in given.values()}
    used = {role: given.get(role) or own.get(role) for role in known}
    texts = {role: table.texts(column) for role, column in used.items() if column is not None}
    # what nobody filled in says nothing
    said = {"answer"} | {role for role, each in texts.items() if each.null_count < len(each)}
    return {role: column for role, column in texts.items() if role in said}


def _keys(
    rows: Mapping[str, pa.Array], target: Target
) -> tuple[dict[str, pa.Array], pa.Array, pa.Array]:
    """The key of the prompt that each row names, why it names none, and where it is reworded."""
    nulls = pa.nulls(len(rows["model"]), _TEXT)
    item, variant, order = nulls, nulls, nulls
    why, reworded = pc.fill_null(nulls, "no such item"), pc.is_valid(nulls)
    factors = [name for name in target.factors.column_names if name in rows and name != "item_id"]
    if "prompt" in rows:
        questions, asked = target.questions, pc.utf8_trim_whitespace(rows["prompt"])
        counts = questions.group_by("question").aggregate([([], "count_all")])
        several = counts.filter(pc.greater(counts["count_all"], 1))["question"].combine_chunks()
        ambiguous = pc.is_in(asked, value_set=several)
        at = pc.index_in(asked, value_set=questions["question"].combine_chunks())
        at = pc.if_else(ambiguous, pa.scalar(None, pa.int32()), at)
        item, variant, order = (questions[name].combine_chunks().take(at) for name in KEY)
        why = pc.if_else(ambiguous, "several items have this prompt", "no such prompt")
        reworded = pc.and_(pc.is_valid(asked), pc.and_(pc.is_null(at), pc.invert(ambiguous)))
    elif "item_id" not in rows and not factors:
        raise UsageError(
            "no column says which item was asked: name the one with ids (--column item_id=NAME), "
            "with the prompts (--column prompt=NAME), or those of the factors"
        )
    contradict = pc.is_valid(nulls)
    if "item_id" in rows or factors:
        named = _by_id(rows, target) if "item_id" in rows else _by_factors(rows, target)
        contradict = pc.fill_null(pc.not_equal(named, item), False)
        item = pc.coalesce(item, named)
    keys = {
        "item_id": item,
        "variant_id": _filled(rows, "variant_id", variant, target),
        "scale_order": _filled(rows, "scale_order", order, target),
    }
    why = pc.if_else(pc.is_valid(item), _NULL, why)
    for name in KEY[1:]:
        why = pc.if_else(pc.and_(pc.is_null(why), pc.is_null(keys[name])), f"no {name}", why)
    return keys, pc.if_else(contradict, "item and prompt contradict", why), reworded


def _by_id(rows: Mapping[str, pa.Array], target: Target) -> pa.Array:
    ids = pc.utf8_trim_whitespace(rows["item_id"])
    return pc.if_else(pc.is_in(ids, value_set=target.ids), ids, _NULL)


def _by_factors(rows: Mapping[str, pa.Array], target: Target) -> pa.Array:
    """The item with the levels of each row, whatever their case and the blanks at their ends.

    Where the levels of the given factors are those of several items, the item is meant that has
    none of the others.
    """
    known = [name for name in target.factors.column_names if name != "item_id"]
    names = [name for name in known if name in rows]
    if len(_joined(target.factors, names).unique()) < len(target.ids):
        names = known
    nothing = pa.repeat(pa.scalar(""), len(rows["model"]))
    given = {name: rows.get(name, nothing) for name in names}
    at = pc.index_in(_joined(given, names), value_set=_joined(target.factors, names))
    return target.ids.take(at)


def _joined(columns: Any, names: list[str]) -> pa.Array:
    plain = [pc.utf8_lower(pc.utf8_trim_whitespace(pc.fill_null(columns[n], ""))) for n in names]
    # joined by a character that no level has
    texts = pc.binary_join_element_wise(*plain, "\x1f")
    return texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts


def _filled(rows: Mapping[str, pa.Array], name: str, column: pa.Array, target: Target) -> pa.Array:
    """The prompt variants or the orders, with the only one there can be where rows name none."""
    known = target.known(name)
    if name in rows:
        given = pc.utf8_trim_whitespace(rows[name])
        given = pc.if_else(is_nothing(given), _NULL, given)
        # 3.0 is the variant 3, as pandas writes it beside an empty cell
        whole = pc.replace_substring_regex(given, r"^(\d+)\.0$", r"\1")
        is_known = pc.is_in(whole, value_set=pa.array(known, _TEXT))
        column = pc.coalesce(column, pc.if_else(is_known, whole, given))
    if len(known) <= 1:
        return column.fill_null("".join(known))
    if name not in rows and "prompt" not in rows:
        raise UsageError(
            f"no column says in which {name} each item was asked, and {target.name} has "
            f"{', '.join(known)}: add the column {name}, or name it with --column {name}=NAME"
        )
    return column
