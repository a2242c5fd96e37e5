"""Writes benchmarks as tasks that lm-evaluation-harness runs with `--include_path`.

A task is a folder: `NAME.yaml`, its prompts as JSONL and `utils.py`. Options and vignettes are a
`multiple_choice`, everything else (and what is requested in text) a `generate_until`. The harness
gives every sample back with its prompt's row, by whose columns `normscope import` knows it.
"""

import json
import re
from pathlib import Path
from typing import Any

import yaml

from ... import __version__
from ...errors import UsageError
from ...files import write_text
from ...judges.respondent import OPTION, answer_words, item_scale
from ...pipeline.requested import choose, requested_benchmarks
from ...records.item import Item
from ...records.provenance import BenchmarkItems
from ...records.settings import Settings
from .task_functions import PROMPTS

UTILS = Path(__file__).parent / "task_functions.py"


def write_tasks(config: Settings, out: Path) -> dict[Path, int]:
    """A task per benchmark of the configuration, and per channel where it may be answered in both.

    They have the items that a run of the same configuration asks, but for conversations of several
    turns, which no task of the harness can ask. A benchmark that brings its answers along is
    refused. Returns the folder of each task and how many prompts it has.
    """
    chosen = choose(config, requested_benchmarks(config))
    tasks = {}
    for name, about in chosen.benchmarks.items():
        items = [item for item in chosen.items if item.benchmark == name]
        if items[0].response is not None:
            raise UsageError(f"{name} brings its answers along; no model is asked")
        for channel in config.channels if about.labelled else ("text",):
            words = ["normscope", *re.findall(r"[a-z0-9]+", name.lower())]
            task = "_".join([*words, "text"] if about.labelled and channel == "text" else words)
            criterion = about.criteria[0] if channel == "labels" else ""
            rows = [_row(item, criterion) for item in items if len(item.messages) == 1]
            folder = out / task
            folder.mkdir(parents=True, exist_ok=True)
            lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            write_text(folder / PROMPTS.name, "".join(lines))
            write_text(folder / "utils.py", UTILS.read_text(encoding="utf-8"))
            # last: without it the harness sees no task
            written = _yaml(task, name, about, criterion, config)
            write_text(folder / f"{task}.yaml", written)
            tasks[folder] = len(rows)
    return tasks


def _row(item: Item, criterion: str) -> dict[str, Any]:
    """A prompt as the harness logs it; its first columns say which of the benchmark's it is."""
    row: dict[str, Any] = {
        "item_id": item.item_id,
        "variant_id": item.variant_id,
        "scale_order": item.scale_order,
        "prompt": item.question,
    }
    if criterion:
        scale = item_scale(item, criterion)
        is_option = criterion == OPTION
        # a degree is spelt as the prompt lists it
        row["choices"] = list(scale.labels if is_option else answer_words(item) or scale.labels)
        row["values"] = [] if is_option else list(scale.values)
        row["key"] = item.answer
    return row


def _yaml(
    task: str, benchmark: str, about: BenchmarkItems, criterion: str, config: Settings
) -> str:
    """The task's file: what the harness asks, how it reads the answers, what this was made from."""
    if criterion:
        statistic = "accuracy" if criterion == OPTION else "acceptability"
        measures = {
            statistic: True if criterion == OPTION else None,
            "coverage": True,
            "unscored": False,
        }
        # between prompt and label as our engines have it; where a chat template is applied, the
        # harness puts nothing there
        request: dict[str, Any] = {"output_type": "multiple_choice", "target_delimiter": "\n"}
        request["doc_to_choice"] = "choices"
    else:
        measures = {"no_answer": False}
        how = {"until": [], "do_sample": False, "max_gen_toks": config.decoding.max_new_tokens}
        request = {"output_type": "generate_until", "generation_kwargs": how}
    value = {
        "task": task,
        "tag": "normscope",
        "test_split": "test",
        "doc_to_text": "prompt",
        # what the measures need stands in the prompts' other columns
        "doc_to_target": "",
        **request,
        "metric_list": [
            {"metric": name, "aggregation": "mean", "higher_is_better": better}
            for name, better in measures.items()
        ],
        "metadata": {
            "version": 1,
            "normscope": __version__,
            "benchmark": benchmark,
            "revision": about.revision,
        },
    }
    text = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=100)
    reads = "measures" if criterion else "reply"
    functions = {"custom_dataset": "documents", "process_results": reads}
    tags = "".join(f"{name}: !function utils.{of}\n" for name, of in functions.items())
    return f"# written by `normscope build --as lm-eval`\n{text}{tags}"
