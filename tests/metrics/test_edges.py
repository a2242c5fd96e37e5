"""What each module does with rows that make no sense, or no number: an error, or NaN and a warning.

Every case is a row of a table per module: the columns, the options, and what must come of them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from metric_rows import FEW, Rows

from normscope.errors import NormscopeError
from normscope.metrics.module import UndefinedWarning

Load = Callable[..., Any]
NAN = float("nan")


@dataclass
class Case:
    """One edge: `told` is in the error, or with `at` in the warning beside a NaN there."""

    columns: Rows
    told: str
    at: tuple[Any, ...] | None = None
    options: Rows = field(default_factory=dict)


def columns(name: str, **other: Any) -> Rows:
    return {**FEW[name], **other}


ITEMS: Rows = {"item_id": ["a", "a"], "variant_id": ["v0", "v1"]}

OFF_THE_SCALE = {
    "cfsafety_score": Case({"moral": [1.2], "rating": [5.0]}, "1.2 is off the scale 0 … 1"),
    "norm_consensus": Case(columns("norm_consensus", predictions=[-3]), "-3 is not one of -2"),
    "refusal_rates": Case({"predictions": [4]}, "row 0 (from 0): 4 is not one of 0, 1, 2, 3"),
    "risk_identification": Case(
        {"predictions": ["4"], "references": ["A"]},
        "'4' is not one of A to Z",
    ),
}

UNLIKE_IN_LENGTH = {
    name: Case({**own, list(own)[-1]: [*list(own.values())[-1], list(own.values())[-1][0]]}, "(")
    for name, own in FEW.items()
    if len(own) > 1
} | {
    "refusal_rates": Case(
        {"predictions": [3]}, "classes 1, reasons 2", options={"reasons": [None, None]}
    )
}


OTHER_OPTION = {
    name: Case(own, f"{name} has no option 'group'", options={"group": []})
    for name, own in FEW.items()
}

EMPTY = {
    "cfsafety_score": Case({}, "score (nothing scored)", ("score",)),
    "norm_consensus": Case({}, "simple_majority (nothing scored)", ("simple_majority",)),
    "refusal_rates": Case({}, "rr1 (nothing scored)", ("rr1",)),
    "risk_identification": Case({}, "agreement (nothing scored)", ("agreement",)),
}
for name, case in EMPTY.items():
    case.columns = {column: [] for column in FEW[name]}

ALL_UNSCORED = {
    "cfsafety_score": Case({"moral": [None], "rating": [NAN]}, "score (", ("score",)),
    "norm_consensus": Case(
        columns("norm_consensus", predictions=[NAN]), "simple_majority (", ("simple_majority",)
    ),
    "refusal_rates": Case({"predictions": [None, NAN]}, "rr1 (", ("rr1",)),
    "risk_identification": Case(
        {"predictions": [None], "references": ["A"]}, "agreement (", ("agreement",)
    ),
}

ONE_CLASS = {
    # where nothing varies some statistics are not defined
    "norm_consensus": Case(
        {"predictions": [1, 1], **ITEMS},
        "alpha (no item has two answers that could differ)",
        ("alpha",),
    ),
}

ERRORS = [
    *((name, case) for cases in (OFF_THE_SCALE,) for name, case in cases.items()),
    *((name, case) for cases in (UNLIKE_IN_LENGTH, OTHER_OPTION) for name, case in cases.items()),
]
UNDEFINED = [
    (name, case)
    for cases in (EMPTY, ALL_UNSCORED, ONE_CLASS)
    for name, case in cases.items()
    if case.at is not None
]


@pytest.mark.parametrize(("name", "case"), ERRORS)
def test_what_cannot_be_is_an_error_that_says_why(load: Load, name: str, case: Case) -> None:
    # evaluate itself raises a ValueError where columns differ in length
    with pytest.raises((NormscopeError, ValueError)) as raised:
        load(name).compute(**case.columns, **case.options)
    assert case.told in str(raised.value)


@pytest.mark.parametrize(("name", "case"), UNDEFINED)
def test_what_has_no_value_is_nan_with_a_warning(load: Load, name: str, case: Case) -> None:
    with pytest.warns(UndefinedWarning) as warned:
        found = load(name).compute(**case.columns, **case.options)
    assert any(case.told in str(one.message) for one in warned), [str(w.message) for w in warned]
    assert case.at is not None
    for key in case.at:
        found = found[key]
    assert isinstance(found, float)
    assert math.isnan(found)
