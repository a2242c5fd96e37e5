"""Samples that lm-evaluation-harness logs (`--log_samples`): JSONL, a document and filter a line.

A line has `doc` (the task's own row), `arguments` (what the model was asked), `resps` and
`filtered_resps`. Of a task that generates, the text is the answer. Of one with choices, the model
was asked how likely each is: the likeliest is the answer.
"""

import json
import math
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from ....errors import DataError
from ....files import read_json
from ....messages import joined, message
from ....rows import json_lines
from ..raw import RawAnswers
from .columns import Columns
from .content import ChatTurn, record, refuse_requests

NAME = "lm-evaluation-harness samples"

_NO_FILTER = "none"
_DOCUMENT = "prompt"
"""The column of a document that holds its prompt."""
_SAMPLES = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")


class _Request(BaseModel):
    """What the model was given: a context, and a continuation or how to generate one."""

    arg_0: Any = None
    arg_1: Any = None


class _Line(BaseModel):
    doc_id: int
    doc: Any = None
    arguments: dict[str, _Request]
    filtered_resps: list[Any]
    filter: str = _NO_FILTER
    prompt_hash: str = ""


class _Task(BaseModel):
    """What a task of the harness puts around its documents."""

    description: str = ""
    gen_prefix: str | None = None


class _Results(BaseModel):
    """What the harness writes beside the samples."""

    model_name: str | None = None
    chat_template: str | None = None
    system_instruction: str | None = None
    shots: dict[str, int] = Field(default={}, alias="n-shot")
    configs: dict[str, _Task] = {}

    def only_templated(self, task: str) -> bool:
        """Whether the task's prompts had nothing around them but the model's chat template."""
        around = self.configs.get(task)
        return bool(
            self.chat_template
            and not self.system_instruction
            and self.shots.get(task) == 0
            and around is not None
            and not (around.description or around.gen_prefix)
        )


def is_format(first: Mapping[str, Any], path: Path) -> bool:  # noqa: ARG001
    """Whether the first record is such a sample."""
    return {"doc_id", "arguments", "filtered_resps"} <= first.keys()


def read(path: Path, requests: Path | None = None) -> RawAnswers:
    """The answer to each document, with the columns of the document.

    Of several filters the one called `none` is taken, else the first in the file. A choice is the
    likeliest by the sum of its log-probabilities, not divided by its length; of equally likely ones
    there is no answer. Where a chat template alone stood around the prompt of the document, that
    prompt is what was asked.
    """
    refuse_requests(requests, NAME)
    results, templated = _results_of(path)
    columns = _columns()
    taken, filters, seen = "", dict[str, None](), set[int]()
    prompts: dict[int, str] = {}
    choices = ties = 0
    for number, row in json_lines(path):
        where = f"{path}:{number}"
        line = record(_Line, row, where)
        if line.filter not in filters:
            filters[line.filter] = None
            if len(filters) == 1 or line.filter == _NO_FILTER:
                # the rows of a filter stand together, so that those before it are another's
                taken, columns, seen, choices, ties = line.filter, _columns(), set(), 0, 0
        is_taken = line.filter == taken
        # the filters of a task share its prompts
        other = prompts.setdefault(line.doc_id, line.prompt_hash) != line.prompt_hash
        if other or (is_taken and line.doc_id in seen):
            raise DataError(
                message(
                    "{where}: doc_id {id} is there again; are the samples of two tasks or of two "
                    "runs in one file? Import each by itself",
                    where=where,
                    id=line.doc_id,
                )
            )
        if not is_taken:
            continue
        seen.add(line.doc_id)
        answers, failed, is_choice = _answers(line, where)
        choices += is_choice
        ties += is_choice and failed is None and answers == [None]
        first = next(iter(line.arguments.values()))
        for sample, answer in enumerate(answers):
            columns.add(
                f"line {number}",
                {
                    "prompt": _prompt(first.arg_0, line.doc if templated else None),
                    "answer": answer,
                    "model": results.model_name,
                    "sample": sample,
                    "temperature": _temperature(first.arg_1),
                    "failed": failed,
                },
                line.doc if isinstance(line.doc, dict) else None,
                rank=(line.doc_id,),
            )
    return columns.answers(NAME, _note(list(filters), taken, choices, ties))


def _columns() -> Columns:
    return Columns(
        {
            "prompt": "arguments",
            "answer": "filtered_resps",
            "model": "model_name",
            "sample": "repeat",
            "temperature": "temperature",
            "failed": "failed",
        },
        added="doc",
    )


def _answers(line: _Line, where: str) -> tuple[list[str | None], str | None, bool]:
    """The answers, why there is none, and whether it was a choice."""
    requests, values = list(line.arguments.values()), line.filtered_resps
    if requests and isinstance(requests[0].arg_1, dict):
        # several repeats of a prompt stay a list, unless a filter takes one of them
        texts = values[0] if len(values) == 1 and isinstance(values[0], list) else values
        if texts and all(isinstance(text, str) for text in texts):
            return list(texts), None, False
    elif len(requests) > 1 and len(requests) == len(values):
        # what measures mutual information asks for each choice again, without the context
        context = requests[0].arg_0
        pairs = zip(requests, values, strict=True)
        weights = {str(r.arg_1).strip(): _log_prob(v) for r, v in pairs if r.arg_0 == context}
        if any(math.isnan(weight) for weight in weights.values()):
            return [None], "a choice has no log-probability", True
        most = max(weights.values())
        likeliest = [text for text, weight in weights.items() if weight == most]
        return [likeliest[0] if len(likeliest) == 1 else None], None, True
    raise DataError(
        message(
            "{where}: neither generated text nor a choice among several: a task of the type "
            "loglikelihood has no answers; log one of generate_until or multiple_choice",
            where=where,
        )
    )


def _log_prob(value: Any) -> float:
    """The log-probability of a choice, which the harness writes as text beside another value."""
    try:
        return float(value[0] if isinstance(value, list) else value)
    except (IndexError, TypeError, ValueError):
        return math.nan


def _prompt(context: Any, doc: Any) -> str | None:
    """What was asked: the context, of a conversation for a chat interface its last turn.

    `doc` is a document whose prompt stands in the context as it is.
    """
    text = context[0] if isinstance(context, list) and context else context
    if not isinstance(text, str):
        return None
    if isinstance(context, list):
        with suppress(ValueError):
            turns = json.loads(text)
            return record(ChatTurn, turns[-1], "").text
    prompt = doc.get(_DOCUMENT) if isinstance(doc, dict) else None
    return prompt if isinstance(prompt, str) and prompt.strip() in text else text


def _temperature(arguments: Any) -> float | None:
    """The temperature that the generation was given; greedy decoding is 0."""
    if not isinstance(arguments, dict):
        return None
    given = arguments.get("temperature")
    if arguments.get("do_sample") is False:
        # both at once: which of them counts is the engine's affair
        return None if given else 0.0
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return float(given) if math.isfinite(given) else None


def _results_of(path: Path) -> tuple[_Results, bool]:
    """What the harness wrote beside the samples, and whether a chat template alone was added."""
    name = _SAMPLES.fullmatch(path.name)
    written = sorted(path.parent.glob(f"*_{name['date']}.json")) if name else []
    if name is None or not written:
        return _Results(), False
    results = record(_Results, read_json(written[0]), str(written[0]))
    return results, results.only_templated(name["task"])


def _note(filters: list[str], taken: str, choices: int, ties: int) -> str:
    """What a reader should know of how the answers were taken."""
    notes = []
    if len(filters) > 1:
        notes.append(
            message(
                "of the filters {filters} the answers of {taken} were taken",
                filters=", ".join(filters),
                taken=taken,
            )
        )
    if choices:
        notes.append(
            message(
                "{n} answers are choices: the likeliest by the sum of its log-probabilities "
                "({ties} ties have no answer)",
                n=choices,
                ties=ties,
            )
        )
    return joined(notes, "; ")
