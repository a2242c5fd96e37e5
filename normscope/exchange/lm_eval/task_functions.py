"""What a task of lm-evaluation-harness does with its prompts; Normscope wrote both.

This file stands beside the task as `utils.py` and needs nothing but the harness: the prompts are
read from the folder in which it stands, wherever that is.
"""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PROMPTS = Path(__file__).parent / "prompts.jsonl"


def documents(**_: Any) -> dict[str, Any]:
    """The prompts as the split `test`, a row per item, prompt variant and order of the answers."""
    from datasets import Dataset

    with PROMPTS.open(encoding="utf-8") as file:
        return {"test": Dataset.from_list([json.loads(line) for line in file])}


def measures(
    doc: Mapping[str, Any], results: Sequence[tuple[float, bool]]
) -> dict[str, float | int]:
    """What is read off the choices' log-probabilities; a measure that cannot be had is left out.

    `coverage` is the probability of all choices together, of which the harness asks in one spelling
    and with the line break that stands before them. `unscored` is 1 where none of them is the
    likeliest (two are equally likely, or one has no log-probability). `acceptability` is the
    likeliest degree, −2 … +2, and `accuracy` whether the likeliest option is that of the key.

    >>> doc = {"values": [-1.0, 0.0, 1.0], "choices": ["A", "B", "C"], "key": None}
    >>> measures(doc, [(math.log(0.5), True), (math.log(0.2), False), (math.log(0.1), False)])
    {'coverage': 0.8, 'unscored': 0, 'acceptability': -1.0}
    >>> measures(doc, [(-1.0, False), (-1.0, False), (math.nan, False)])
    {'unscored': 1}
    """
    logs = [log for log, _ in results]
    if any(math.isnan(log) for log in logs):
        return {"unscored": 1}
    measured: dict[str, float | int] = {"coverage": round(math.fsum(map(math.exp, logs)), 6)}
    likeliest = [at for at, log in enumerate(logs) if log == max(logs)]
    measured["unscored"] = int(len(likeliest) > 1)
    if len(likeliest) == 1:
        if doc["values"]:
            measured["acceptability"] = doc["values"][likeliest[0]]
        if doc["key"]:
            measured["accuracy"] = int(doc["choices"][likeliest[0]] == doc["key"])
    return measured


def reply(_doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, int]:
    """Whether the model wrote nothing; what it wrote is read when the samples are imported."""
    return {"no_answer": int(not results[0].strip())}
