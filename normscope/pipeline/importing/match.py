"""Rows of recorded answers matched with a benchmark's prompts; what matches none is kept apart."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...errors import DataError, UsageError
from ...messages import joined, message
from ..imported import COLUMNS, KNOWN
from .columns import Answers, Layout
from .keys import keys_of
from .raw import KEY, RawAnswers, Role
from .target import Target
from .values import are_numbers, as_text, degree_labels, is_nothing

_TEXT = pa.string()
_NULL = pa.scalar(None, _TEXT)
_DECIMAL = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"


@dataclass(frozen=True, slots=True)
class Matched:
    """Recorded answers with the keys of what they answer, as `import_answers` takes them.

    `unmatched` are the rows that answer no prompt of the benchmark, with their `place` in the file
    and `why`; `empty` are the columns of a wide table without any answer, prompts that were not
    asked. `reworded` answers are to prompts in other words than the benchmark's.
    """

    answers: pa.Table
    unmatched: pa.Table
    empty: tuple[str, ...]
    reworded: int


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
    model = model_of(raw, layout, model)
    of_rows = keys_of(raw, layout, target, variant=variant, order=order)
    rows, lost = (
        pa.array(np.flatnonzero(mask.to_numpy(zero_copy_only=False)))
        for mask in (pc.is_null(of_rows.why), pc.is_valid(of_rows.why))
    )
    unmatched = _unmatched(raw, layout, of_rows.why, lost)
    raw_rows, keys = raw.table.take(rows), of_rows.table.take(rows)
    wide = [each for each in layout.wide if not _is_empty(raw.table[each.column])]
    empty = tuple(each.column for each in layout.wide if each not in wide)
    if layout.wide and not wide:
        raise DataError(
            message("none of the columns of answers has any: {names}", names=", ".join(empty))
        )
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
    reworded = pc.sum(of_rows.reworded.take(rows)).as_py() or 0
    return Matched(answers.select(names), unmatched, empty, reworded * len(parts))


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
        named = [each["values"] for each in counts]
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
                first=given if given in named else named[0],
            )
        )
    if not (name := given or counts[0]["values"]):
        raise UsageError(
            message("the column {column} is empty: name the model with --model NAME", column=column)
        )
    return str(name)


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


def _unmatched(raw: RawAnswers, layout: Layout, why: pa.Array, rows: pa.Array) -> pa.Table:
    """The rows that match nothing: their place, why, and what they named their prompt by."""
    names = [column for role, column in layout.roles.items() if role in {*KEY, "prompt"}]
    names += layout.factors.values()
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
    # one that has digits only may be too large
    at = max(0, pc.index(pc.fill_null(numbers, False), False).as_py())
    return message(
        "{place}: {value} is no {role}; write a number, or name another column with "
        "--column {role}=NAME",
        place=where[at],
        value=repr(texts[at].as_py()),
        role=role,
    )


def _refuse_twice(answers: pa.Table, where: Places) -> None:
    """Refuses two answers to the same prompt, with where the first of them stand."""
    keys = [n for n in (*KEY, "sample", "temperature") if n in answers.column_names]
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
