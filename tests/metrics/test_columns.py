"""Columns as pandas, Arrow and `datasets` have them, through functions and through modules."""

from collections.abc import Callable
from typing import Any

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from metric_rows import MANY

from normscope.errors import DataError, UsageError
from normscope.metrics.columns import listed, names, option
from normscope.metrics.concordance import norm_agreement
from normscope.metrics.factors import factor_effects
from normscope.metrics.majority import majority
from normscope.metrics.norms import norm_consensus

Load = Callable[..., Any]


def filtered(column: list[Any], dtype: Any = None) -> pd.Series:
    """A column as a filter leaves it: its index begins at 3 and has holes."""
    noise = [column[0]] * 3
    series = pd.Series([*noise, *column], dtype=dtype or ("float64" if _numeric(column) else None))
    return series[series.index > 2]


def _numeric(column: list[Any]) -> bool:
    return all(value is None or isinstance(value, int | float) for value in column)


def as_pandas(column: list[Any]) -> pd.Series:
    return filtered(column)


def as_nullable(column: list[Any]) -> pd.Series:
    if not _numeric(column):
        return filtered(column, "string")
    known = [None if pd.isna(value) else value for value in column]
    whole = all(value is None or value == int(value) for value in known)
    return filtered(known, "Int64" if whole else "Float64")


def as_arrow(column: list[Any]) -> pa.ChunkedArray:
    parts = [
        pa.array(part, from_pandas=True).cast(_type(column)) for part in (column[:2], column[2:])
    ]
    return pa.chunked_array(parts)


def _type(column: list[Any]) -> pa.DataType:
    return pa.float64() if _numeric(column) else pa.string()


def as_dataset(column: list[Any]) -> Any:
    return datasets.Dataset.from_dict({"x": column})["x"]


def as_categorical(column: list[Any]) -> pd.Series:
    return filtered(column) if _numeric(column) else filtered(column).astype("category")


KINDS = [as_pandas, as_nullable, as_arrow, as_dataset, as_categorical]


def converted(columns: dict[str, Any], kind: Callable[[list[Any]], Any]) -> dict[str, Any]:
    """Every column as that library has it, groups as a data frame."""
    made: dict[str, Any] = {}
    for name, column in columns.items():
        if isinstance(column, dict):
            made[name] = pd.DataFrame({key: list(one) for key, one in column.items()})
            made[name].index += 5
        else:
            made[name] = kind(column)
    return made


@pytest.mark.filterwarnings("ignore::normscope.metrics.module.UndefinedWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MANY)
def test_a_module_takes_the_columns_of_any_library(
    load: Load, name: str, kind: Callable[[list[Any]], Any]
) -> None:
    columns, options = MANY[name]
    expected = load(name).compute(**columns, **options)
    found = load(name).compute(**converted(columns, kind), **converted(options, kind))
    # NaN is no NaN's equal, but it is written alike
    assert str(found) == str(expected)


def test_matrices_may_be_data_frames_of_numbers_or_words() -> None:
    answers: list[list[float | None]] = [[1, 1, -1], [2, None, 2], [0, 0, 0]]
    words = [
        ["somewhat acceptable", "比较可接受", "Somewhat  unacceptable"],
        ["strongly acceptable", None, "完全可接受"],
        ["neutral", "中立", "中性"],
    ]
    frames = [pd.DataFrame(answers, dtype="Int64"), pd.DataFrame(words)]
    for frame in frames:
        frame.index += 7
        np.testing.assert_equal(majority(frame, min_valid=2), [1, 2, 0])
    reasons: list[list[str | None]] = [[None] * 3, [None, "no_answer", None], [None] * 3]
    variants = pd.Series(["v0", "v0", "v1"], index=[4, 5, 6])
    expected = norm_consensus(
        answers, reasons=reasons, variants=["v0", "v0", "v1"], groups={"s": ["x", "y", "y"]}
    )
    found = norm_consensus(
        frames[0],
        reasons=pd.DataFrame(reasons),
        variants=variants,
        groups=pa.table({"s": ["x", "y", "y"]}),
    )
    assert found == expected
    both = {"a": frames[1], "b": answers}
    assert norm_agreement(both, groups=pd.DataFrame({"s": ["x", "y", "y"]}))[0].estimate.n == 3
    effects = factor_effects(frames[1], pd.DataFrame({"s": ["x", "y", "y"], "r": ["p", "p", "q"]}))
    assert [row.member for row in effects[:2]] == ["s", "r"]


def test_a_module_refuses_the_options_of_others(load: Load) -> None:
    with pytest.raises(UsageError, match="refusal_rates has no option 'min_valid'"):
        load("refusal_rates").compute(predictions=[1], min_valid=1)


def test_a_column_that_is_missing_or_a_table_is_refused(load: Load) -> None:
    with pytest.raises(DataError, match="risk_identification has no column 'references'"):
        load("risk_identification").compute(predictions=["A"], references=None)
    table = pd.DataFrame({"a": [1], "b": [2]})
    with pytest.raises(DataError, match="a table of the columns a, b where one column is meant"):
        load("refusal_rates").compute(predictions=table)
    assert load("refusal_rates").compute(predictions=pd.DataFrame({"a": [3]}))["rr1"] == 1
    with pytest.raises(UsageError, match="groups is a Series; give groups="):
        load("refusal_rates").compute(predictions=[3], groups=pd.Series(["x"]))


def test_a_class_label_gives_its_words() -> None:
    label = datasets.ClassLabel(names=["hail", "rain"])
    features = datasets.Features({"category": label})
    table = datasets.Dataset.from_dict({"category": [1, 0, None, -1]}, features=features)
    assert names(table["category"]) == ["rain", "hail", None, None]
    assert option("groups", table) == {"category": ["rain", "hail", None, None]}
    # as the values that they are they stay numbers
    assert listed(table["category"]) == [1, 0, None, -1]
