"""Writes benchmarks as tasks that lm-evaluation-harness runs with `--include_path`.

A task is a folder: `NAME.yaml`, its prompts as JSONL and `utils.py`. Options and vignettes are a
`multiple_choice`, everything else (and what is requested in text) a `generate_until`. The harness
gives every sample back with its prompt's row, by whose columns `normscope import` knows it.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ... import __version__
from ...errors import UsageError
from ...files import replacing, write_text
from ...judges.respondent import OPTION, answer_words, item_scale
from ...pipeline.chosen import choose
from ...pipeline.requested import requested_benchmarks
from ...records.config import Channel, RunConfig
from ...records.item import Item
from ...records.provenance import BenchmarkItems
from .task_functions import PROMPTS

UTILS = Path(__file__).parent / "task_functions.py"
_FUNCTION = "!function utils."
_HIGHER: Mapping[str, bool | None] = {"acceptability": None, "accuracy": True}
"""Whether more of a measure is better; a norm is neither."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task that was written: its name in the harness, folder, and how many prompts it has.

    `left_out` prompts are conversations, which no task of the harness can ask.
    """

    name: str
    benchmark: str
    folder: Path
    prompts: int
    left_out: int


def write_tasks(config: RunConfig, out: Path) -> list[Task]:
    """A task per benchmark of the configuration, and per channel where it may be answered in both.

    They have the items that a run of the same configuration asks. A benchmark without a prompt of
    one turn is refused, and so is one that brings its answers along.
    """
    if not config.benchmark:
        raise UsageError("no benchmark is named: give one, such as ci-vignettes:coppa")
    chosen = choose(config, requested_benchmarks(config))
    tasks = []
    for name, about in chosen.benchmarks.items():
        items = [item for item in chosen.items if item.benchmark == name]
        if items[0].response is not None:
            raise UsageError(f"{name} brings its answers along; no model is asked")
        asked = [item for item in items if len(item.messages) == 1]
        if not asked:
            raise UsageError(
                f"every prompt of {name} is a conversation of several turns, which no task of "
                "lm-evaluation-harness can ask: `normscope respond` asks it"
            )
        for channel in config.channels if about.labelled else ("text",):
            task = Task(
                name=_name(name, in_text=about.labelled and channel == "text"),
                benchmark=name,
                folder=out / _name(name, in_text=about.labelled and channel == "text"),
                prompts=len(asked),
                left_out=len(items) - len(asked),
            )
            _write(task, asked, about, channel, config)
            tasks.append(task)
    return tasks


def _name(benchmark: str, *, in_text: bool) -> str:
    """The task's name in the harness, where it is a part of a file's name.

    >>> _name("ci-vignettes:coppa", in_text=True)
    'normscope_ci_vignettes_coppa_text'
    """
    words = ["normscope", *re.findall(r"[a-z0-9]+", benchmark.lower())]
    return "_".join([*words, "text"] if in_text else words)


def _write(
    task: Task, items: Iterable[Item], about: BenchmarkItems, channel: Channel, config: RunConfig
) -> None:
    task.folder.mkdir(parents=True, exist_ok=True)
    criterion = about.criteria[0] if channel == "labels" else ""
    with replacing(task.folder / PROMPTS.name) as part, part.open("w", encoding="utf-8") as file:
        for item in items:
            file.write(json.dumps(_row(item, criterion), ensure_ascii=False) + "\n")
    write_text(task.folder / "utils.py", UTILS.read_text(encoding="utf-8"))
    # last: without it the harness sees no task
    write_text(task.folder / f"{task.name}.yaml", _yaml(task, about, criterion, config))


def _row(item: Item, criterion: str) -> dict[str, Any]:
    """A prompt as the harness logs it; its first columns say which of the benchmark's it is."""
    row: dict[str, Any] = {
        "item_id": item.item_id,
        "variant_id": item.variant_id,
        "scale_order": item.scale_order,
        "prompt": item.question,
        "language": item.language,
        "area": item.area,
        "category": item.category,
    }
    if criterion:
        scale = item_scale(item, criterion)
        is_option = criterion == OPTION
        # a degree is spelt as the prompt lists it
        row["choices"] = list(scale.labels if is_option else answer_words(item) or scale.labels)
        row["values"] = [] if is_option else list(scale.values)
        row["key"] = item.answer
    return row


def _yaml(task: Task, about: BenchmarkItems, criterion: str, config: RunConfig) -> str:
    """The task's file: what the harness asks, how it reads the answers, what this was made from."""
    value: dict[str, Any] = {
        "task": task.name,
        "tag": "normscope",
        "test_split": "test",
        "doc_to_text": "prompt",
        # what the measures need stands in the prompts' other columns
        "doc_to_target": "",
    }
    functions = {"custom_dataset": "documents"}
    measures: dict[str, bool | None] = {"no_answer": False}
    if criterion:
        own = "accuracy" if criterion == OPTION else "acceptability"
        measures = {own: _HIGHER[own], "coverage": True, "unscored": False}
        value |= {
            "output_type": "multiple_choice",
            # between prompt and label as our engines have it; where a chat template is applied,
            # the harness puts nothing there
            "target_delimiter": "\n",
            "doc_to_choice": "choices",
        }
        functions["process_results"] = "measures"
    else:
        value |= {
            "output_type": "generate_until",
            "generation_kwargs": {
                "until": [],
                "do_sample": False,
                "max_gen_toks": config.decoding.max_new_tokens,
            },
        }
        functions["process_results"] = "reply"
    value["metric_list"] = [
        {"metric": name, "aggregation": "mean", "higher_is_better": better}
        for name, better in measures.items()
    ]
    value["metadata"] = {
        "version": 1,
        "normscope": __version__,
        "benchmark": task.benchmark,
        "revision": about.revision,
        "items": about.items,
        "items_in_dataset": about.items_in_dataset,
        "variants": list(about.variants),
    }
    text = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=100)
    tags = "".join(f"{name}: {_FUNCTION}{function}\n" for name, function in functions.items())
    return f"# written by `normscope export lm-eval`\n{text}{tags}"
