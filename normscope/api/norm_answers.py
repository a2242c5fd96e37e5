"""Answers to vignettes as people have them (a matrix, a wide or a long table) as one matrix."""

import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..categorical import Categorical, combined, first_rows
from ..errors import DataError, UsageError, nearest
from ..judges.rules import read_likert
from ..messages import message
from ..metrics.columns import is_missing, listed, names, rows, tabled
from ..metrics.majority import LABELS, LIKERT
from ..metrics.norms import by_vignette
from ..pipeline.norms import VignetteAnswers
from ..reasons import Reason
from ..records.item import Item
from ..tables import read_table
from .rows import Rows

Read = Literal["labels", "rules"]

_BETWEEN = " · "
_SHOWN = 80
"""Letters of what is no answer, in an error."""

_ID = "item_id"
"""The column that says which vignette it is, whatever stands beside it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a cell becomes an answer: `read` its words, and why there is none where it is empty."""

    read: Read = "labels"
    missing: Reason = Reason.NO_ANSWER

    def column(self, values: Iterable[Any], place: str) -> tuple[list[float], list[str | None]]:
        """The degrees of a column (NaN where there is none), and the reasons for none.

        A `DataError` has the row, counted from 0, of the first that is no answer.

        >>> Reading().column([2, "neutral", None], "v1")
        ([2.0, 0.0, nan], [None, None, 'no_answer'])
        """
        # few values in many rows: each distinct one is read once
        known: dict[Hashable, tuple[float, str | None]] = {}
        result = []
        for row, value in enumerate(listed(values)):
            key = value if isinstance(value, Hashable) else repr(value)
            if key not in known:
                known[key] = self._one(value, place, row)
            result.append(known[key])
        return [degree for degree, _ in result], [reason for _, reason in result]

    def _one(self, value: Any, place: str, row: int) -> tuple[float, str | None]:
        if is_missing(value) or (isinstance(value, str) and not value.strip()):
            return np.nan, str(self.missing)
        if isinstance(value, str) and self.read == "rules":
            result = read_likert(value)
            if result.label is None:
                return np.nan, str(result.reason)
            return LABELS[result.label], None
        if isinstance(value, str) and (word := " ".join(value.split()).casefold()) in LABELS:
            return LABELS[word], None
        try:
            degree = float(value)
        except (TypeError, ValueError):
            degree = np.nan
        if degree not in LIKERT:
            raise DataError(
                message(
                    "{place}, row {row} (from 0): {value} is no degree of acceptability: −2 … +2, "
                    "a label such as 'somewhat acceptable', or null; read texts by the rules with "
                    'read="rules", and name with item= the columns that say which vignette it is',
                    place=place,
                    row=row,
                    value=repr(value)[:_SHOWN],
                )
            )
        return degree, None


def of_matrix(answers: Any, reading: Reading) -> VignetteAnswers:
    """Those of vignettes × prompt variants: an array, or a list of lists."""
    try:
        cells = rows(answers)
    except TypeError as error:
        raise DataError(
            message(
                "answers are vignettes × prompt variants, a list of answers for each vignette, or "
                "a table; not {given}",
                given=repr(answers)[:_SHOWN],
            )
        ) from error
    widths = {len(row) for row in cells}
    if len(widths) != 1 or widths == {0}:
        raise DataError(
            message(
                "answers are vignettes × prompt variants, a row of the same length for each "
                "vignette; these rows have {lengths} answers",
                lengths=", ".join(map(str, sorted(widths))) or "0",
            )
        )
    columns = [
        reading.column(column, message("answers, column {column} (from 0)", column=at))
        for at, column in enumerate(zip(*cells, strict=True))
    ]
    keys = [(str(at), "") for at in range(len(columns))]
    ids, facets = _vignettes({}, len(cells))
    return _stacked(ids, facets, keys, columns)


def of_wide(
    table: Mapping[Any, Any], reading: Reading, *, item: Sequence[str], wording: Sequence[str]
) -> VignetteAnswers:
    """Those of a row per vignette: `wording` are the columns of answers, or all but `item`.

    A column that is called by a pair, as a pivot calls it, is of a prompt variant and an order.
    """
    by_name = {_name(key): key for key in table}
    _refuse_unknown((*item, *wording), list(by_name))
    chosen = wording or [name for name in by_name if name not in item]
    if not chosen:
        raise UsageError(message("answers have no column beside those of item; name those of one"))
    columns = [reading.column(table[by_name[name]], name) for name in chosen]
    n = len(columns[0][0])
    ids, facets = _vignettes({name: names(table[by_name[name]]) for name in item}, n)
    if len(set(ids)) < n:
        first = next(each for each in ids if ids.count(each) > 1)
        raise DataError(
            message(
                "the vignette {vignette} has several rows; name all columns that tell vignettes "
                "apart with item=, or, of a table with a row per answer, the one of answers with "
                "answer=",
                vignette=repr(first),
            )
        )
    keys = [_pair(by_name[name]) for name in chosen]
    return _stacked(ids, facets, keys, columns)


def of_long(
    table: Mapping[Any, Any],
    reading: Reading,
    *,
    item: Sequence[str],
    wording: str | None,
    order: str | None,
    answer: str,
) -> VignetteAnswers:
    """Those of a row per answer, in the order in which prompt variants are first seen."""
    asked = [name for name in (wording, order) if name is not None]
    _refuse_unknown((*item, *asked, answer), [_name(key) for key in table])
    if not item:
        raise UsageError(message("name with item= the columns that say which vignette was asked"))
    n = len(listed(table[answer]))
    ids, facets = _vignettes({name: names(table[name]) for name in item}, n)
    variants, orders = (
        [""] * n if name is None else [value or "" for value in names(table[name])]
        for name in (wording, order)
    )
    items, replies = Categorical.of(ids), combined(*map(Categorical.of, (variants, orders)))
    vignettes = combined(items)
    cells = combined(vignettes, replies)
    if len(first := first_rows(cells)) < n:
        twice = np.setdiff1d(np.arange(n), first)
        at = int(twice[0])
        raise DataError(
            message(
                "{n} rows answer a prompt that another has answered, first row {row} (from 0): "
                "{vignette}, {variant}; leave one answer to each, or name wording= and order=",
                n=f"{len(twice):,}",
                row=at,
                vignette=ids[at],
                variant=_BETWEEN.join(filter(None, (variants[at], orders[at]))) or "–",
            )
        )
    degrees, reasons = reading.column(table[answer], answer)
    matrix, why = by_vignette(items, replies, np.array(degrees), Categorical.of(reasons))
    of_items, of_replies = first_rows(vignettes).tolist(), first_rows(replies).tolist()
    return VignetteAnswers(
        items=_items([ids[at] for at in of_items], [facets[at] for at in of_items]),
        variants=tuple(variants[at] for at in of_replies),
        orders=tuple(orders[at] for at in of_replies),
        answers=matrix,
        reasons=why,
    )


def columns_of(answers: Any) -> Mapping[Any, Any] | None:
    """The columns of a table, by the names that they have; null of a matrix."""
    if isinstance(answers, Rows | str | os.PathLike):
        answers = read_table(answers).rows
    if hasattr(answers, "columns") and hasattr(answers, "to_numpy"):
        # a data frame, whose names may be pairs
        return {key: answers[key] for key in answers.columns}
    if isinstance(answers, Mapping) or hasattr(answers, "column_names"):
        return tabled(answers, "answers")
    return None


def _stacked(
    ids: Sequence[str],
    facets: Sequence[Mapping[str, str]],
    keys: Sequence[tuple[str, str]],
    columns: Sequence[tuple[list[float], list[str | None]]],
) -> VignetteAnswers:
    shape = (len(columns), len(ids))
    reasons = Categorical.of([why for _, column in columns for why in column])
    return VignetteAnswers(
        items=_items(ids, facets),
        variants=tuple(variant for variant, _ in keys),
        orders=tuple(order for _, order in keys),
        answers=np.array([column for column, _ in columns], dtype=float).reshape(shape).T,
        reasons=Categorical(reasons.codes.reshape(shape).T, reasons.names),
    )


def _items(ids: Sequence[str], facets: Sequence[Mapping[str, str]]) -> tuple[Item, ...]:
    return tuple(
        Item("", each, (), "", facets=dict(levels))
        for each, levels in zip(ids, facets, strict=True)
    )


def _vignettes(
    columns: Mapping[str, Sequence[str | None]], n: int
) -> tuple[list[str], list[dict[str, str]]]:
    """The id of each row's vignette and its levels; without columns rows are numbered from 0.

    A single column is the id, and so is `item_id` beside factors; else the factors together are.
    """
    if not columns:
        return [str(at) for at in range(n)], [{}] * n
    named = _ID if _ID in columns else next(iter(columns)) if len(columns) == 1 else None
    if named is not None and None in columns[named]:
        raise DataError(
            message(
                "row {row} (from 0) has no {column}; fill it in",
                row=list(columns[named]).index(None),
                column=named,
            )
        )
    factors = {name: column for name, column in columns.items() if name != named}
    rows_of = list(zip(*factors.values(), strict=True)) if factors else [()] * n
    levels = [
        {name: level for name, level in zip(factors, row, strict=True) if level is not None}
        for row in rows_of
    ]
    if named is not None:
        return [str(each) for each in columns[named]], levels
    return [_BETWEEN.join(level or "–" for level in row) for row in rows_of], levels


def _name(key: Any) -> str:
    return _BETWEEN.join(filter(None, map(str, key))) if isinstance(key, tuple) else str(key)


def _pair(key: Any) -> tuple[str, str]:
    """The prompt variant and the order of a column."""
    if isinstance(key, tuple) and len(key) > 1:
        return str(key[0]), str(key[1])
    return _name(key), ""


def _refuse_unknown(wanted: Sequence[str], known: list[str]) -> None:
    for name in wanted:
        if name not in known:
            raise UsageError(
                message(
                    "answers have no column {name}; {known}",
                    name=repr(name),
                    known=nearest(name, known),
                )
            )
