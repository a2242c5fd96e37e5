"""Judgements in columns from rows that say no more than a test is about."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from normscope.records.item import Item, Turn
from normscope.records.judgement import SCHEMA as JUDGEMENTS
from normscope.records.judgements import Judgements, read_judgements


def judgements_of(pairs: Sequence[tuple[Item, dict[str, Any]]]) -> Judgements:
    """The rows beside their items, whose keys they get."""
    keys = ("benchmark", "item_id", "variant_id", "scale_order")
    rows = [
        {"sample": 0, "source": "judge_logits", **row, **{k: getattr(item, k) for k in keys}}
        for item, row in pairs
    ]
    items = {tuple(getattr(item, k) for k in keys): item for item, _ in pairs}
    return read_judgements(pa.Table.from_pylist(rows, schema=JUDGEMENTS), items.values())


def item(item_id: str, category: str = "", language: str = "en", **parts: Any) -> Item:
    """An item of the benchmark that `judged` rows are of."""
    conversation = (Turn("user", f"question {item_id}"),)
    return Item("b", item_id, conversation, language, category=category, **parts)


def judged(
    criterion: str = "moral",
    value: float | None = 0.5,
    reason: str | None = None,
    *,
    item: str = "i",
    variant: str = "",
    order: str = "",
    favourite: str | None = None,
    **parts: Any,
) -> dict[str, Any]:
    """A row of `judgements.parquet`; its distribution, if there is one, is on the favourite."""
    return {
        "benchmark": "b",
        "item_id": item,
        "variant_id": variant,
        "scale_order": order,
        "sample": 0,
        "model": "m",
        "criterion": criterion,
        "source": "judge_logits",
        "value": value,
        "reason": reason,
        "coverage": 1.0,
        **({} if favourite is None else {"labels": [favourite], "probs": [1.0]}),
        **parts,
    }


def columns_of(rows: Sequence[dict[str, Any]], items: Sequence[Item] = ()) -> Judgements:
    """What the report's sections read: the rows beside their items, in the rows' variants."""
    by_id = {(item.benchmark, item.item_id): item for item in items}
    prompts = {item.key: item for item in items}
    for row in rows:
        if item := by_id.get((row["benchmark"], row["item_id"])):
            asked = {name: row[name] for name in ("variant_id", "scale_order")}
            prompts |= {(one := replace(item, **asked)).key: one}
    table = pa.Table.from_pylist(list(rows), schema=JUDGEMENTS)
    return read_judgements(table, prompts.values())
