"""The cells of recorded answers as texts: ids as they stand, degrees as the labels they are for."""

import pyarrow as pa
import pyarrow.compute as pc

from ...judges.respondent import LIKERT_SCALE

_TEXT = pa.string()
_NOTHING = pa.array(["", "nan", "null"])
_NUMBER = r"^[+\-−–]?\d+(\.\d*)?$"
_WHOLE = r"^(-?\d+)\.0*$"


def as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column as texts; a whole number has no decimals, so that 3.0 is the prompt variant 3.

    >>> as_text(pa.chunked_array([[3.0, None, 0.5]])).to_pylist()
    ['3', None, '0.5']
    """
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not pa.types.is_floating(column.type):
        return column.cast(_TEXT)
    column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    return pc.replace_substring_regex(column.cast(_TEXT), _WHOLE, r"\1")


def is_nothing(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Where there is no valid answer: null, empty, or the NaN and null that programs write.

    >>> is_nothing(pa.chunked_array([["yes", " ", "NaN", None]])).to_pylist()
    [False, True, True, True]
    """
    plain = pc.utf8_lower(pc.utf8_trim_whitespace(texts))
    return pc.or_(pc.is_null(texts), pc.fill_null(pc.is_in(plain, value_set=_NOTHING), False))


def are_numbers(texts: pa.ChunkedArray) -> bool:
    """Whether every text is a number, and there is one at least."""
    plain = pc.utf8_trim_whitespace(texts)
    numbers = pc.match_substring_regex(plain.filter(pc.invert(is_nothing(texts))), _NUMBER)
    return len(numbers) > 0 and pc.all(numbers).as_py()


def degree_labels(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """The label that each number stands for (−2 … +2); null is none of these.

    >>> degree_labels(pa.chunked_array([["-2.0", "−2", "+1", "3", ""]])).to_pylist()
    ['strongly unacceptable', 'strongly unacceptable', 'somewhat acceptable', None, None]
    """
    plain = pc.replace_substring_regex(pc.utf8_trim_whitespace(texts), "^[−–]", "-")
    plain = pc.replace_substring_regex(plain, r"^\+|\.0*$", "")
    names = [f"{value:g}" for value in LIKERT_SCALE.values]
    places = pc.index_in(plain, value_set=pa.array(names, _TEXT))
    return pc.take(pa.array(LIKERT_SCALE.labels, _TEXT), places)
