"""Small runs of everything that an answer can be: variants, samples, channels, languages, gaps."""

import random
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from normscope.builders.taxonomy import LIKERT
from normscope.records.integrity import ITEMS, JUDGEMENTS, RESPONSES
from normscope.records.item import SCHEMA as ITEM_SCHEMA
from normscope.records.item import Item, Turn
from normscope.records.judgement import SCHEMA as JUDGED
from normscope.records.response import SCHEMA as RESPONDED
from normscope.records.run import Run
from normscope.records.settings import Settings
from normscope.records.tables import to_table

Rows = list[dict[str, Any]]

WORDS = ("Lake", "mug", "(a+b)*", "50 %", "茶馆", "Straße", 'so "quoted"', "back\\slash")
SCALES = {
    "moral": ("0", "1"),
    "rating": ("1", "2", "3", "4", "5"),
    "refusal": ("0", "1", "2", "3"),
    "option": ("A", "B", "C"),
    "acceptability": LIKERT,
}
REASONS = ("low_coverage", "call_failed", "no_answer", "no_key")


def items_of(seed: int = 0) -> list[Item]:
    """Judged questions, options and vignettes in three prompt variants."""
    random_ = random.Random(seed)
    questions = [
        Item(
            "judged",
            f"q{n}",
            _turns(random_, n),
            ("en", "zh")[n % 2],
            area=("indoors", "outdoors")[n % 2],
            category=("cups", "lakes", "hills")[n % 3],
            cluster=f"c{n // 2}",
        )
        for n in range(9)
    ]
    options = [Item("options", f"o{n}", _turns(random_, 0), "en", answer="A") for n in range(4)]
    vignettes = [
        Item("vignettes", f"v{n}", _turns(random_, 0), "en", variant_id=v, scale_order="forward")
        for n in range(3)
        for v in ("first", "second", "third")
    ]
    return [*questions, *options, *vignettes]


def rows_of(items: Sequence[Item], seed: int) -> tuple[Rows, Rows]:
    """Responses and judgements as plain rows; some responses were never judged."""
    random_ = random.Random(seed)
    responses: Rows = []
    judgements: Rows = []
    for item in items:
        for key in _keys(random_, item):
            reason = random_.choice([None] * 6 + ["call_failed", "no_answer"])
            text = " ".join(random_.choices(WORDS, k=3)) if reason is None else None
            by_labels = item.benchmark != "judged" and key["temperature"] is None
            judged = [_judged(random_, key, *each) for each in _asked(random_, item, by_labels)]
            row = {**key, "text": None if by_labels else text, "reason": reason}
            responses.append(row)
            judgements += judged
    return responses, judgements


def mixed_run(name: str, items: Sequence[Item], rows: tuple[Rows, Rows]) -> Run:
    """The run of these rows."""
    responses, judgements = rows
    tables = {
        ITEMS: to_table(items, ITEM_SCHEMA),
        RESPONSES: pa.Table.from_pylist(responses, schema=RESPONDED),
        JUDGEMENTS: pa.Table.from_pylist(judgements, schema=JUDGED),
    }
    return Run(name, Settings(), contents=tables)


def _turns(random_: random.Random, earlier: int) -> tuple[Turn, ...]:
    before = (Turn("user", random_.choice(WORDS)), Turn("assistant", random_.choice(WORDS)))
    asked = Turn("user", " ".join(random_.choices(WORDS, k=3)))
    return (*before, asked) if earlier % 4 == 3 else (asked,)


def _keys(random_: random.Random, item: Item) -> Rows:
    """The replies to an item: labels and text of what the model says itself, else two samples."""
    drawn = (
        [(0, 0.0), (1, 0.7)]
        if item.benchmark == "judged"
        else [(0, None), *([(0, 0.0)] if random_.random() < 0.8 else [])]
    )
    return [{**item.key._asdict(), "sample": k, "temperature": t, "model": "toy"} for k, t in drawn]


def _asked(random_: random.Random, item: Item, by_labels: bool) -> list[tuple[str, str]]:
    if item.benchmark == "judged":
        if random_.random() < 0.1:
            return []
        channels = ("judge_logits", "judge_text") if random_.random() < 0.5 else ("judge_logits",)
        return [(name, c) for c in channels for name in ("moral", "rating", "refusal")]
    name = "option" if item.benchmark == "options" else "acceptability"
    return [(name, "model_logits" if by_labels else "text_rule")]


def _judged(
    random_: random.Random, key: dict[str, Any], criterion: str, source: str
) -> dict[str, Any]:
    labels = SCALES[criterion]
    top = random_.randrange(len(labels))
    probs = [0.0] * len(labels)
    probs[top] = 1.0
    reason = random_.choice([None] * 5 + list(REASONS))
    value = {"acceptability": top - 2.0, "option": float(top == 0), "rating": top + 1.0}
    return {
        **key,
        "judge": None if source in {"model_logits", "text_rule"} else "judge",
        "rubric_hash": "0" * 64,
        "criterion": criterion,
        "source": source,
        "labels": list(labels),
        "probs": None if reason == "call_failed" else probs,
        "value": None if reason else value.get(criterion, float(top)),
        "coverage": None if source.endswith(("text", "rule")) else random_.randrange(11) / 10,
        "windows": 1,
        "reason": reason,
    }
