"""Rows of recorded answers matched with a benchmark's prompts; what matches none is kept apart."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...errors import DataError, UsageError
from ...messages import joined, message
from ..imported import COLUMNS, KNOWN
from .columns import Answers, Layout
from .raw import RawAnswers, Role
from .target import Target
from .values import are_numbers, as_text, degree_labels, is_nothing

ITEM, PROMPT, CONTRADICTORY = "no such item", "no such prompt", "item and prompt contradict"
AMBIGUOUS, NO_VARIANT, NO_ORDER = "several prompts", "no prompt variant", "no scale order"
"""Why a row matches no prompt, as the column `why` of the rows that match none has it."""

_KEY = ("item_id", "variant_id", "scale_order")
_TEXT = pa.string()
_NULL = pa.scalar(None, _TEXT)
_DECIMAL = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"


@dataclass(frozen=True, slots=True)
class Matched:
    """Recorded answers with the keys of what they answer, as `import_answers` takes them.

    `unmatched` are the rows that answer no prompt of the benchmark, with their `place` in the file
    and `why`; `empty` are the columns of a wide table without any answer, prompts that were not
    asked.
    """

    answers: pa.Table
    unmatched: pa.Table
    empty: tuple[str, ...]


def matched(
    raw: RawAnswers,
    layout: Layout,
    target: Target,
    *,
    model: str = "",
    variant: str = "",
    order: str = "",
) -> Matched:
    """The answers of the file, one row each, in its order; of a wide one, column by column.

    `variant` and `order` hold for rows that name none. An item is known by the words of its prompt,
    else by its id, else by its factors.
    """
    if not layout.wide and "answer" not in layout.roles:
        raise UsageError(
            message(
                "no column holds answers (there are {columns}): name it with --column answer=NAME, "
                "or several, one per prompt variant, with --column answer:VARIANT[:ORDER]=NAME",
                columns=", ".join(raw.table.column_names),
            )
        )
    keys, why = _keys(raw, layout, target)
    model = model_of(raw, layout, model)
    for name, value in (("variant_id", variant), ("scale_order", order)):
        column = _filled(keys[name].combine_chunks(), name, value, layout, target)
        text = NO_VARIANT if name == "variant_id" else NO_ORDER
        why = pc.if_else(pc.and_(pc.is_null(why), pc.is_null(column)), text, why)
        keys = keys.set_column(keys.schema.get_field_index(name), name, column)
    why = _of_benchmark(keys, why, target)
    unmatched = _unmatched(raw, layout, why)
    kept = pc.is_null(why)
    rows = pa.array(np.flatnonzero(kept.to_numpy(zero_copy_only=False)))
    raw_rows, keys = raw.table.take(rows), keys.take(rows)
    wide = [each for each in layout.wide if not _is_empty(raw.table[each.column])]
    empty = tuple(each.column for each in layout.wide if each not in wide)
    if layout.wide:
        parts = [_in_prompt(raw_rows, keys, each) for each in wide]
    else:
        parts = [keys.append_column("answer", as_text(raw_rows[layout.roles["answer"]]))]
    answers = pa.concat_tables(parts).combine_chunks()
    where = Places(raw.place.take(rows), tuple(each.column for each in wide))
    answers = answers.append_column("model", pa.repeat(pa.scalar(model, _TEXT), len(answers)))
    answers = _with_values(answers, target, where)
    answers = _with_numbers(answers, raw_rows, layout, where, len(parts))
    _refuse_twice(answers, where)
    names = [name for name in (*COLUMNS, *KNOWN) if name in answers.column_names]
    return Matched(answers.select(names), unmatched, empty)


def model_of(raw: RawAnswers, layout: Layout, given: str) -> str:
    """The model whose answers these are; several are refused with what each has."""
    if "model" not in layout.roles:
        if not given:
            raise UsageError(
                message("no column says whose answers these are: name the model with --model NAME")
            )
        return given
    column = layout.roles["model"]
    counts = as_text(raw.table[column]).combine_chunks().value_counts().to_pylist()
    if len(counts) > 1:
        several = joined(
            message("{model} ({n} rows)", model=each["values"] or "–", n=f"{each['counts']:,}")
            for each in counts[:20]
        )
        raise DataError(
            message(
                "the file has answers of {n} models: {several}; a run is one model's: take the "
                "rows of one with --where {column}={first}, and import each into a folder of its "
                "own",
                n=len(counts),
                several=several,
                column=repr(column) if " " in column else column,
                first=counts[0]["values"],
            )
        )
    return given or str(counts[0]["values"] or "")


@dataclass(frozen=True, slots=True)
class Places:
    """Where each answer stands: the place of its row and, in a wide table, its column."""

    rows: pa.Array
    columns: tuple[str, ...]

    def __getitem__(self, at: int) -> str:
        """Where the answer stands, as a person looks it up."""
        place: str = self.rows[at % len(self.rows)].as_py()
        if not self.columns:
            return place
        return f"{place}, {self.columns[at // len(self.rows)]}"


def _keys(raw: RawAnswers, layout: Layout, target: Target) -> tuple[pa.Table, pa.Array]:
    """The key that each row names, null where it names none, and why its item is not known."""
    n, roles = len(raw.table), layout.roles
    item, variant, order = (pa.nulls(n, _TEXT) for _ in _KEY)
    why = pa.nulls(n, _TEXT)
    if "prompt" in roles:
        questions = target.questions
        asked = pc.utf8_trim_whitespace(_texts(raw, roles["prompt"]))
        counts = questions.group_by("question").aggregate([([], "count_all")])
        several = counts.filter(pc.greater(counts["count_all"], 1))["question"]
        is_several = pc.is_in(asked, value_set=several.combine_chunks())
        at = pc.if_else(
            is_several,
            pa.scalar(None, pa.int32()),
            pc.index_in(asked, value_set=questions["question"].combine_chunks()),
        )
        item, variant, order = (questions[name].combine_chunks().take(at) for name in _KEY)
        why = pc.if_else(is_several, AMBIGUOUS, pc.if_else(pc.is_null(at), PROMPT, _NULL))
    if "item_id" in roles or layout.factors:
        if "item_id" in roles:
            ids = pc.utf8_trim_whitespace(_texts(raw, roles["item_id"]))
            named = pc.if_else(pc.is_in(ids, value_set=target.ids), ids, _NULL)
        else:
            named = _by_factors(raw, layout.factors, target)
        other = pc.fill_null(pc.not_equal(named, item), False)
        item = pc.coalesce(item, named)
        why = pc.if_else(pc.fill_null(pc.equal(why, AMBIGUOUS), False), why, ITEM)
        why = pc.if_else(pc.is_valid(item), _NULL, why)
        why = pc.if_else(other, CONTRADICTORY, why)
    elif "prompt" not in roles:
        raise _nothing_names_items(raw, target)
    if "variant_id" in roles:
        variant = pc.coalesce(variant, _variants(_texts(raw, roles["variant_id"]), target))
    if "scale_order" in roles:
        orders = pc.utf8_trim_whitespace(_texts(raw, roles["scale_order"]))
        order = pc.coalesce(order, pc.if_else(is_nothing(orders), _NULL, orders))
    return pa.table(dict(zip(_KEY, (item, variant, order), strict=True))), why


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
    texts = pc.utf8_trim_whitespace(given)
    texts = pc.if_else(is_nothing(texts), _NULL, texts)
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


def _of_benchmark(keys: pa.Table, why: pa.Array, target: Target) -> pa.Array:
    """Why rows match nothing, with those of a prompt that there is not.

    A vignette may have been asked in words and orders that are not the benchmark's.
    """
    if target.is_of_degrees:
        return why
    named = pc.equal(pc.binary_length(keys["variant_id"]), 0)
    return pc.if_else(pc.or_(pc.is_valid(why), named), why, NO_VARIANT).combine_chunks()


def _unmatched(raw: RawAnswers, layout: Layout, why: pa.Array) -> pa.Table:
    """The rows that match nothing: their place, why, and what they named their prompt by."""
    names = [column for role, column in layout.roles.items() if role in {*_KEY, "prompt"}]
    names += layout.factors.values()
    rows = pa.array(np.flatnonzero(pc.is_valid(why).to_numpy(zero_copy_only=False)))
    columns = {name: as_text(raw.table[name]).take(rows) for name in dict.fromkeys(names)}
    return pa.table({"place": raw.place.take(rows), "why": why.take(rows), **columns})


def _in_prompt(rows: pa.Table, keys: pa.Table, answers: Answers) -> pa.Table:
    """The answers of a wide table's column, with the key of each in that column's prompt."""
    for name in ("variant_id", "scale_order"):
        if value := getattr(answers, name):
            at = keys.schema.get_field_index(name)
            keys = keys.set_column(at, name, pa.repeat(pa.scalar(value, _TEXT), len(rows)))
    return keys.append_column("answer", as_text(rows[answers.column]))


def _is_empty(column: pa.ChunkedArray) -> bool:
    empty: bool = pc.all(is_nothing(as_text(column))).as_py()
    return empty


def _with_values(answers: pa.Table, target: Target, where: Places) -> pa.Table:
    """The answers as texts, null where there is none; numbers as the labels they stand for."""
    texts = answers["answer"]
    nothing = is_nothing(texts)
    if target.is_of_degrees and are_numbers(texts):
        labels = degree_labels(texts)
        off = pc.and_(pc.is_null(labels), pc.invert(nothing))
        if n := pc.sum(off).as_py():
            at = pc.index(off, True).as_py()
            raise DataError(
                message(
                    "{n} answers are no degree of acceptability (−2 … +2), first {value} at "
                    "{place}; correct them, or leave them empty where there is no valid answer",
                    n=f"{n:,}",
                    value=repr(texts[at].as_py()),
                    place=where[at],
                )
            )
        texts = labels
    else:
        texts = pc.if_else(nothing, _NULL, texts)
    return answers.set_column(answers.schema.get_field_index("answer"), "answer", texts)


def _with_numbers(
    answers: pa.Table, rows: pa.Table, layout: Layout, where: Places, times: int
) -> pa.Table:
    """The answers with their sample and temperature, and which calls failed, where columns say."""
    kinds: dict[Role, pa.DataType] = {"sample": pa.int32(), "temperature": pa.float64()}
    for role, kind in kinds.items():
        if role not in layout.roles:
            continue
        texts = as_text(rows[layout.roles[role]])
        texts = pc.if_else(is_nothing(texts), _NULL, pc.utf8_trim_whitespace(texts))
        try:
            column = texts.cast(kind)
        except pa.ArrowInvalid as error:
            raise DataError(_no_number(texts, kind, role, where)) from error
        if role == "sample" and column.null_count:
            raise DataError(_no_number(texts, kind, role, where))
        answers = answers.append_column(role, pa.chunked_array(column.chunks * times, kind))
    if "failed" in layout.roles:
        texts = as_text(rows[layout.roles["failed"]])
        false = pc.is_in(pc.utf8_lower(texts), value_set=pa.array(["false", "0"]))
        failed = pc.invert(pc.or_(is_nothing(texts), false))
        answers = answers.append_column(
            "failed", pa.chunked_array(failed.chunks * times, pa.bool_())
        )
    return answers


def _no_number(texts: pa.ChunkedArray, kind: pa.DataType, role: str, where: Places) -> str:
    """Which row holds no number."""
    numbers = pc.match_substring_regex(texts, r"^\d+$" if kind == pa.int32() else _DECIMAL)
    at = pc.index(pc.fill_null(numbers, False), False).as_py()
    return message(
        "{place}: {value} is no {role}; write a number, or name another column with "
        "--column {role}=NAME",
        place=where[at],
        value=repr(texts[at].as_py()),
        role=role,
    )


def _refuse_twice(answers: pa.Table, where: Places) -> None:
    """Refuses two answers to the same prompt, with where the first of them stand."""
    keys = [n for n in (*_KEY, "sample", "temperature") if n in answers.column_names]
    rows = answers.select(keys).append_column("at", pa.array(np.arange(len(answers))))
    counted = rows.group_by(keys).aggregate([("at", "count"), ("at", "min"), ("at", "max")])
    twice = counted.filter(pc.greater(counted["at_count"], 1)).sort_by("at_min")
    if not len(twice):
        return
    first = twice.slice(0, 1).to_pylist()[0]
    remedy = message("leave one answer to each")
    if "sample" not in keys:
        remedy = message(
            "leave one answer to each, or name the column that numbers them (--column sample=NAME)"
        )
    raise DataError(
        message(
            "{n} prompts were answered more than once, first {key} at {place} and {other}; "
            "{remedy}",
            n=f"{len(twice):,}",
            key=" ".join(str(first[name]) for name in keys if first[name] not in (None, "")),
            place=where[first["at_min"]],
            other=where[first["at_max"]],
            remedy=remedy,
        )
    )
