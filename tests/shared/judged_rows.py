"""Judgements in columns from rows that say no more than a test is about."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from normscope.records.item import Item
from normscope.records.judgement import SCHEMA as JUDGEMENTS
from normscope.records.judgements import Judgements, read_judgements
from normscope.report.verdicts import Verdict, read_verdicts


def judgements_of(pairs: Sequence[tuple[Item, dict[str, Any]]]) -> Judgements:
    """The rows beside their items, whose keys they get."""
    keys = ("benchmark", "item_id", "variant_id", "scale_order")
    rows = [
        {"sample": 0, "source": "judge_logits", **row, **{k: getattr(item, k) for k in keys}}
        for item, row in pairs
    ]
    items = {tuple(getattr(item, k) for k in keys): item for item, _ in pairs}
    return read_judgements(pa.Table.from_pylist(rows, schema=JUDGEMENTS), items.values())


def columns_of(verdicts: Sequence[Verdict]) -> Judgements:
    """What the report's sections read, from judgements by themselves."""
    rows = []
    for one in verdicts:
        variant, order, sample, temperature = one.asked
        favours = one.favourite is not None
        place = {"variant_id": variant, "scale_order": order, "sample": sample}
        given = {"labels": [one.favourite], "probs": [1.0]} if favours else {}
        rows.append(place | given | {"temperature": temperature} | asdict(one))
    return read_verdicts(pa.Table.from_pylist(rows, schema=JUDGEMENTS))
