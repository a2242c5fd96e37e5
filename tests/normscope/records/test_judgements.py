"""Judgements in columns say what their rows say, whatever is null in them."""

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from normscope.judges.respondent import LIKERT_SCALE
from normscope.reasons import Reason
from normscope.records.item import Item, ItemKey, Option, Turn
from normscope.records.judgement import SCHEMA as JUDGEMENTS
from normscope.records.judgements import COLUMNS, Judgements, headline, read_judgements

Rows = list[dict[str, Any]]
LABELS = {
    "moral": ("0", "1"),
    "kind": ("0", "1", "2"),
    "acceptability": LIKERT_SCALE.labels,
    "option": (),
}
SOURCES = {"moral": ("judge_logits",), "kind": ("judge_logits",)}


def items() -> list[Item]:
    return [
        Item(
            "b",
            f"i{at // 2}",
            (Turn("user", "?"),),
            "en",
            variant_id=f"v{at % 2}",
            options=tuple(Option(letter, f"choice {letter}") for letter in "ABCD"[: 2 + at % 3]),
            answer=(None, "A", "B")[at % 3],
        )
        for at in range(12)
    ]


def row(item: Item, random: np.random.Generator) -> dict[str, Any]:
    """A judgement at random: everything that may be null is, now and then, and ties are many."""
    criterion = random.choice(list(LABELS)).item()
    source = random.choice(SOURCES.get(criterion, ("model_logits", "text_rule"))).item()
    labels = LABELS[criterion] or tuple(option.letter for option in item.options)
    weights = random.integers(1, 4, len(labels))
    reason = random.choice([str(one) for one in Reason]).item()
    there = random.random() < 0.6
    return {
        "benchmark": item.benchmark,
        "item_id": item.item_id,
        "variant_id": item.variant_id,
        "scale_order": item.scale_order,
        "sample": int(random.integers(3)),
        "temperature": (None, math.nan, 0.0, 0.7)[random.integers(4)],
        "model": "m",
        "criterion": criterion,
        "source": source,
        "labels": list(labels),
        "probs": (weights / weights.sum()).tolist() if random.random() < 0.8 else None,
        "value": float(random.integers(2)) if there else (None, math.nan)[random.integers(2)],
        "coverage": None if source == "text_rule" else (None, 0.2, 0.5, 0.9)[random.integers(4)],
        "reason": None if there else reason,
    }


@pytest.fixture(params=[1, 2])
def rows(request: pytest.FixtureRequest) -> Rows:
    random = np.random.default_rng(request.param)
    every = items()
    return [row(every[at], random) for at in random.integers(len(every), size=600)]


def columns(rows: Rows) -> Judgements:
    table = pa.Table.from_pylist(rows, schema=JUDGEMENTS).select(COLUMNS)
    # in several chunks, as a file of several row groups is read
    return read_judgements(pa.concat_tables([table[:250], table[250:]]), items())


def number(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def favourite(row: dict[str, Any]) -> str | None:
    """The likeliest label; of equals none."""
    probs = row["probs"]
    if probs is None or probs.count(max(probs)) > 1:
        return None
    label: str = row["labels"][probs.index(max(probs))]
    return label


def test_every_column_is_that_of_the_rows(rows: Rows) -> None:
    found = columns(rows)
    for name in (*ItemKey._fields, "criterion", "source", "reason"):
        assert getattr(found, name).tolist() == [row[name] for row in rows], name
    for name in ("value", "temperature"):
        told = [number(value) for value in getattr(found, name).tolist()]
        assert told == [number(row[name]) for row in rows], name
    assert found.sample.tolist() == [row["sample"] for row in rows]
    assert found.favourite.tolist() == [favourite(row) for row in rows]
    own = [(item.item_id, item.variant_id) for item in found.item_rows()]
    assert own == [(row["item_id"], row["variant_id"]) for row in rows]
    assert found.clusters.tolist() == [row["item_id"] for row in rows]


def test_labels_that_are_equally_likely_have_no_favourite(rows: Rows) -> None:
    probs = [[0.2] * 5, [0.4, 0.1, 0.4 * (1 + 1e-12), 0.1, 0], [0.4, 0.1, 0.4001, 0.1, 0], None]
    labels = list("abcde")
    tied = [{**rows[0], "labels": labels, "probs": each} for each in probs]
    table = pa.Table.from_pylist(tied, schema=JUDGEMENTS).select(COLUMNS)
    assert list(read_judgements(table, items()).favourite) == [None, None, "c", None]


def test_rows_can_be_chosen(rows: Rows) -> None:
    found = columns(rows)
    chosen = found[found.criterion.equals("option")]
    wanted = [row for row in rows if row["criterion"] == "option"]
    assert chosen.favourite.tolist() == list(map(favourite, wanted))


def test_the_channel_that_counts_is_that_of_the_rows(rows: Rows) -> None:
    # at one temperature all answers to vignettes count
    rows = [{**row, "temperature": None} for row in rows]
    doubled = {row["criterion"] for row in rows if row["source"] == "model_logits"}
    kept = [row for row in rows if row["criterion"] not in doubled or row["source"] != "text_rule"]
    found = columns(rows)
    assert headline(found).favourite.tolist() == list(map(favourite, kept))
