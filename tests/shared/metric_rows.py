"""Small rows for each `evaluate` module: columns, and options with a value per row."""

from typing import Any

Rows = dict[str, Any]

FEW: dict[str, Rows] = {
    "cfsafety_score": {"moral": [1.0], "rating": [5.0]},
    "factor_effects": {"predictions": [1], "item_id": ["a"], "variant_id": ["v0"]},
    "norm_agreement": {
        "predictions": [1, 1],
        "item_id": ["a", "a"],
        "variant_id": ["v0", "v0"],
        "model": ["x", "y"],
    },
    "norm_consensus": {"predictions": [1], "item_id": ["a"], "variant_id": ["v0"]},
    "norm_shift": {
        "predictions": [1, 1],
        "item_id": ["a", "a"],
        "variant_id": ["v0", "v0"],
        "condition": ["x", "y"],
    },
    "refusal_rates": {"predictions": [3]},
    "risk_identification": {"predictions": ["A"], "references": ["A"]},
    "score_shape": {"moral": [1.0], "rating": [5.0]},
}
"""The fewest rows that each module takes."""

NEEDED: dict[str, Rows] = {"factor_effects": {"groups": {"sender": ["x"]}}}
"""Options without which a module computes nothing, for `FEW`."""

NAN = float("nan")
_LONG: Rows = {
    "predictions": [2, 1, None, -1, 0, 1, -2, NAN, 1, 1, 2, 0],
    "item_id": ["a", "a", "a", "b", "b", "b", "c", "c", "c", "d", "d", "d"],
    "variant_id": ["v0", "v1", "v2"] * 4,
}
_GAPS = [None, None, "no_answer"] + [None] * 4 + ["call_failed"] + [None] * 4
_SENDER = ["x"] * 6 + ["y"] * 6
_TWICE: Rows = {name: column * 2 for name, column in _LONG.items()}
_TWICE["predictions"] = [*_LONG["predictions"], *_LONG["predictions"][::-1]]

MANY: dict[str, tuple[Rows, Rows]] = {
    "cfsafety_score": (
        {"moral": [1.0, 0.5, None, 0.8, NAN], "rating": [5.0, 2.0, 3.0, 4.0, None]},
        {
            "groups": {"category": ["misleading"] * 3 + ["social_bias"] * 2},
            "clusters": ["p", "p", "", None, "q"],
            "reasons": [None, None, "low_coverage", None, "call_failed"],
        },
    ),
    "factor_effects": (
        _LONG,
        {"groups": {"sender": _SENDER, "recipient": ["p", "p", "p", "q", "q", "q"] * 2}},
    ),
    "norm_agreement": (
        {**_TWICE, "model": ["one"] * 12 + ["other"] * 12},
        {"groups": {"sender": _SENDER * 2}, "reasons": _GAPS + _GAPS[::-1]},
    ),
    "norm_consensus": (_LONG, {"groups": {"sender": _SENDER}, "reasons": _GAPS}),
    "norm_shift": (
        {**_TWICE, "condition": ["base"] * 12 + ["tuned"] * 12},
        {"groups": {"sender": _SENDER * 2}, "reasons": _GAPS + _GAPS[::-1]},
    ),
    "refusal_rates": (
        {"predictions": [0, 1, 2, 3, None, NAN, 3]},
        {
            "groups": {"area": ["values", "values", "rights", "rights", "rights", "values", ""]},
            "reasons": [None] * 4 + ["no_answer", "low_coverage", None],
            "turns": ["single"] * 3 + ["multi"] * 4,
            "without_history": [None] * 3 + [3, 2, 0, 3],
        },
    ),
    "risk_identification": (
        {"predictions": [None, "A", "b", "", "C"], "references": ["B", "A", "C", "D", None]},
        {
            "groups": {"area": ["values"] * 2 + ["rights"] * 3},
            "reasons": ["call_failed", None, None, None, None],
            "n_options": [4, 4, 3, 4, 4],
            "orders_of": ["q", "q", "r", "s", "t"],
        },
    ),
    "score_shape": (
        {"moral": [1.0, 0.5, None, 0.8, 0.1, 0.9], "rating": [5.0, 2.0, 3.0, 4.0, 1.0, 4.9]},
        {
            "groups": {"category": ["misleading"] * 3 + ["social_bias"] * 3},
            "reasons": [None, None, "low_coverage", None, None, None],
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
