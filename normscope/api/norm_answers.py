"""Answers to vignettes as people have them (a matrix, a wide or a long table) as one matrix."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..categorical import Categorical, combined, first_rows
from ..errors import DataError, UsageError, nearest
from ..frames import is_missing
from ..metrics.columns import names, rows
from ..metrics.majority import LABELS, LIKERT
from ..metrics.norms import by_vignette
from ..pipeline.norms import VignetteAnswers
from ..reasons import Reason
from ..records.item import Item
from ..tables import read_table

if TYPE_CHECKING:
    import pandas as pd

_BETWEEN = " · "
_SHOWN = 80
"""Letters of what is no answer, in an error."""

_ID = "item_id"
"""The column that says which vignette it is, whatever stands beside it."""

_VARIANT, _ORDER, _ANSWER = " variant", " order", " answer"
"""Columns that no table has: a name that begins with a space is none of ours."""


def read_vignettes(
    answers: Any,
    *,
    item: Sequence[str],
    wording: Sequence[str],
    order: str | None,
    answer: str | None,
    missing: Reason,
) -> VignetteAnswers:
    """The answers as vignettes × replies: of a matrix, or of a table with these columns.

    Without `answer` it has a row per vignette, and `wording` are the columns of answers (all that
    `item` does not name, if none is); else a row per answer. `missing` is why there is none where a
    cell is empty.
    """
    frame = _frame(answers)
    for name in filter(None, (*item, *wording, order, answer)):
        if name not in frame.columns:
            raise UsageError(f"answers have no column {name!r}; {nearest(name, [*frame.columns])}")
    if answer is None:
        frame, item = _melted(frame, item, wording, order)
    elif not item or len(wording) > 1:
        raise UsageError(
            "a table with a row per answer: name with item= the columns that say which vignette "
            "was asked, and with wording= the one of prompt variants"
        )
    else:
        named = {_VARIANT: next(iter(wording), None), _ORDER: order, _ANSWER: answer}
        frame = frame.assign(**{to: frame[of] if of else "" for to, of in named.items()})
    ids, facets = _vignettes(frame, item)
    variants, orders = ([each or "" for each in names(frame[of])] for of in (_VARIANT, _ORDER))
    items, replies = Categorical.of(ids), combined(*map(Categorical.of, (variants, orders)))
    vignettes = combined(items)
    if len(first := first_rows(combined(vignettes, replies))) < len(frame):
        twice = np.setdiff1d(np.arange(len(frame)), first)
        at = int(twice[0])
        prompt = _BETWEEN.join(filter(None, (variants[at], orders[at]))) or "–"
        raise DataError(
            f"{len(twice):,} rows answer a prompt that another has answered, first row "
            f"{frame.index[at]} (from 0): {ids[at]}, {prompt}; name with item=, wording= and "
            "order= all columns that tell prompts apart, and of a table with a row per answer "
            "the one of answers with answer="
        )
    degrees, reasons = _degrees(frame, variants, missing)
    matrix, why = by_vignette(items, replies, degrees, reasons)
    of_items, of_replies = first_rows(vignettes).tolist(), first_rows(replies).tolist()
    return VignetteAnswers(
        items=tuple(Item("", ids[at], (), "", facets=facets[at]) for at in of_items),
        variants=tuple(variants[at] for at in of_replies),
        orders=tuple(orders[at] for at in of_replies),
        answers=matrix,
        reasons=why,
    )


def _frame(answers: Any) -> "pd.DataFrame":
    """The table, or the matrix with its columns numbered; its index are the rows' numbers."""
    import pandas as pd

    if not isinstance(answers, list | tuple | np.ndarray):
        return read_table(answers).rows.to_pandas()
    try:
        cells = rows(answers)
    except TypeError:
        cells = []
    if len({len(row) for row in cells}) != 1 or not cells[0]:
        raise DataError(
            "answers are vignettes × prompt variants, a row of the same length for each vignette, "
            f"or a table; not {repr(answers)[:_SHOWN]}"
        )
    return pd.DataFrame(cells, columns=[*map(str, range(len(cells[0])))], dtype=object)


def _melted(
    frame: "pd.DataFrame", item: Sequence[str], wording: Sequence[str], order: str | None
) -> "tuple[pd.DataFrame, Sequence[str]]":
    """A table with a row per vignette as one with a row per answer; and what names the vignette."""
    if order is not None:
        raise UsageError(
            "order= is for a table with a row per answer: name its answers with answer="
        )
    wide = [*wording] or [name for name in frame.columns if name not in item]
    if not wide:
        raise UsageError("answers have no column beside those of item; name those of one")
    if not item:
        # the rows are numbered
        item = [_ID]
        frame = frame[wide].assign(**{_ID: [*map(str, range(len(frame)))]})
    frame = frame[[*item, *wide]].astype(object)
    long = frame.melt([*item], wide, var_name=_VARIANT, value_name=_ANSWER, ignore_index=False)
    return long.assign(**{_ORDER: ""}), item


def _vignettes(
    frame: "pd.DataFrame", item: Sequence[str]
) -> tuple[list[str], list[dict[str, str]]]:
    """The id of each row's vignette and its levels.

    A single column is the id, and so is `item_id` beside factors; else the factors together are.
    """
    columns = {name: names(frame[name]) for name in item}
    named = _ID if _ID in columns else item[0] if len(item) == 1 else None
    if named is not None and None in columns[named]:
        row = frame.index[columns[named].index(None)]
        raise DataError(f"row {row} (from 0) has no {named}; fill it in")
    factors = {name: column for name, column in columns.items() if name != named}
    rows_of = list(zip(*factors.values(), strict=True)) if factors else [()] * len(frame)
    levels = [
        {name: level for name, level in zip(factors, row, strict=True) if level is not None}
        for row in rows_of
    ]
    if named is not None:
        return [str(each) for each in columns[named]], levels
    return [_BETWEEN.join(level or "–" for level in row) for row in rows_of], levels


def _degrees(
    frame: "pd.DataFrame", variants: Sequence[str], missing: Reason
) -> tuple["np.ndarray[Any, np.dtype[np.float64]]", Categorical]:
    """The degree of each row (NaN where there is none), and why there is none."""
    # few values in many rows: each distinct one is read once
    known: dict[Hashable, tuple[float, str | None]] = {}
    values = []
    for row, variant, value in zip(frame.index, variants, frame[_ANSWER], strict=True):
        key = value if isinstance(value, Hashable) else repr(value)
        if key not in known:
            known[key] = _degree(value, f"answers, {variant or '–'}, row {row}", missing)
        values.append(known[key])
    return np.array([degree for degree, _ in values]), Categorical.of([why for _, why in values])


def _degree(value: Any, place: str, missing: Reason) -> tuple[float, str | None]:
    """The degree of a cell, or the reason why it has none; a `DataError` where it is no answer."""
    if is_missing(value) or (isinstance(value, str) and not value.strip()):
        return np.nan, str(missing)
    if isinstance(value, str) and (word := " ".join(value.split()).casefold()) in LABELS:
        return LABELS[word], None
    try:
        degree = float(value)
    except (TypeError, ValueError):
        degree = np.nan
    if degree not in LIKERT:
        raise DataError(
            f"{place} (from 0): {repr(value)[:_SHOWN]} is no degree of acceptability: −2 … +2, a "
            "label such as 'somewhat acceptable', or null; name with item= the columns that say "
            "which vignette it is, and let ns.import_answers read texts"
        )
    return degree, None
