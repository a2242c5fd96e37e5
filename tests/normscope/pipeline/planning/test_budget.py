"""Budgets as they are typed."""

import pytest

from normscope.errors import UsageError
from normscope.pipeline.planning.budget import read_budget


@pytest.mark.parametrize(
    ("text", "kind", "most", "currency"),
    [
        ("2h", "time", 7200, ""),
        ("30min", "time", 1800, ""),
        ("0.5 d", "time", 43200, ""),
        ("5Mtok", "tokens", 5e6, ""),
        ("1 token", "tokens", 1, ""),
        ("750 tokens", "tokens", 750, ""),
        ("20USD", "money", 20, "USD"),
        ("3.5 EUR", "money", 3.5, "EUR"),
    ],
)
def test_a_budget_is_read(text: str, kind: str, most: float, currency: str) -> None:
    budget = read_budget(text)
    assert (budget.kind, budget.most, budget.currency) == (kind, most, currency)


@pytest.mark.parametrize("text", ["", "2", "h", "0h", "-1h", "2 weeks", "1.2.3h", "20 dollars"])
def test_what_is_no_budget_is_refused_with_examples(text: str) -> None:
    with pytest.raises(UsageError, match="is no budget: a time"):
        read_budget(text)
