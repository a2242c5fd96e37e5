"""Small rows for each `evaluate` module: columns, and options with a value per row."""

from typing import Any

Rows = dict[str, Any]

FEW: dict[str, Rows] = {
    "cfsafety_score": {"moral": [1.0], "rating": [5.0]},
    "norm_consensus": {"predictions": [1], "item_id": ["a"], "variant_id": ["v0"]},
    "refusal_rates": {"predictions": [3]},
    "risk_identification": {"predictions": ["A"], "references": ["A"]},
}
"""The fewest rows that each module takes."""

NAN = float("nan")
_LONG: Rows = {
    "predictions": [2, 1, None, -1, 0, 1, -2, NAN, 1, 1, 2, 0],
    "item_id": ["a", "a", "a", "b", "b", "b", "c", "c", "c", "d", "d", "d"],
    "variant_id": ["v0", "v1", "v2"] * 4,
}
_GAPS = [None, None, "no_answer"] + [None] * 4 + ["call_failed"] + [None] * 4
_SENDER = ["x"] * 6 + ["y"] * 6

MANY: dict[str, tuple[Rows, Rows]] = {
    "cfsafety_score": (
        {"moral": [1.0, 0.5, None, 0.8, NAN], "rating": [5.0, 2.0, 3.0, 4.0, None]},
        {
            "groups": {"category": ["misleading"] * 3 + ["social_bias"] * 2},
            "clusters": ["p", "p", "", None, "q"],
            "reasons": [None, None, "low_coverage", None, "call_failed"],
        },
    ),
    "norm_consensus": (_LONG, {"groups": {"sender": _SENDER}, "reasons": _GAPS}),
    "refusal_rates": (
        {"predictions": [0, 1, 2, 3, None, NAN, 3]},
        {
            "groups": {"area": ["values", "values", "rights", "rights", "rights", "values", ""]},
            "reasons": [None] * 4 + ["no_answer", "low_coverage", None],
            "turns": ["single"] * 3 + ["multi"] * 4,
        },
    ),
    "risk_identification": (
        {"predictions": [None, "A", "b", "", "C"], "references": ["B", "A", "C", "D", None]},
        {
            "groups": {"area": ["values"] * 2 + ["rights"] * 3},
            "reasons": ["call_failed", None, None, None, None],
            "orders_of": ["q", "q", "r", "s", "t"],
        },
    ),
}
"""Rows with nulls, NaN and reasons, and options with a value for each row."""


def cut(rows: Rows, start: int, stop: int | None) -> Rows:
    """The rows from `start` to `stop` of every column, also of mappings of columns."""
    return {
        name: cut(column, start, stop) if isinstance(column, dict) else column[start:stop]
        for name, column in rows.items()
    }
