"""Samples that lm-evaluation-harness logs (`--log_samples`): a document and filter a line."""

import json
import math
from pathlib import Path
from typing import Any

from ...errors import DataError
from ...tables import Table, of_rows
from ...text_tables import json_lines

FIELDS = frozenset({"doc_id", "arguments", "filtered_resps"})


def read(path: Path) -> Table:
    """The answer to each document, with its columns; of several filters `none`, else the first."""
    lines = list(json_lines(path))
    filters = [row.get("filter", "none") for _, row in lines]
    chosen = "none" if "none" in filters else filters[0]
    lines = [entry for entry in lines if entry[1].get("filter", "none") == chosen]
    results = next(path.parent.glob(f"results_{path.stem.rpartition('_')[2]}.json"), None)
    about = json.loads(results.read_bytes()) if results else {}
    rows, places = [], []
    for line, row in sorted(lines, key=lambda entry: int(entry[1]["doc_id"])):
        try:
            asked, (answers, failed) = [*row["arguments"].values()], _answers(row)
            columns = {**row["doc"], "prompt": _prompt(asked[0]["arg_0"], row["doc"], about)}
            how = asked[0]["arg_1"] if isinstance(asked[0]["arg_1"], dict) else {}
        except (LookupError, TypeError, ValueError) as error:
            raise DataError(f"{path}:{line}: neither text nor a choice ({error!r})") from error
        columns["temperature"] = 0.0 if how.get("do_sample") is False else how.get("temperature")
        columns |= {"model": about.get("model_name"), "failed": failed}
        rows += [{**columns, "answer": text, "sample": at} for at, text in enumerate(answers)]
        places += [f"line {line}"] * len(answers)
    return of_rows("lm-eval samples", zip(places, rows, strict=True))


def _answers(row: dict[str, Any]) -> tuple[list[str | None], str | None]:
    """The texts, or the likeliest choice (none of several as likely), and why there is none."""
    asked, values = [*row["arguments"].values()], row["filtered_resps"]
    if isinstance(asked[0]["arg_1"], dict):
        # several repeats of a prompt stay a list, unless a filter takes one of them
        return list(values[0] if isinstance(values[0], list) else values), None
    if not 1 < len(asked) == len(values):
        raise ValueError(f"{len(values)} values of {len(asked)} requests")
    weights = [float(value[0] if isinstance(value, list) else value) for value in values]
    if any(map(math.isnan, weights)):
        return [None], "a choice has no log-probability"
    best = [at for at, weight in enumerate(weights) if weight == max(weights)]
    return [asked[best[0]]["arg_1"].strip() if len(best) == 1 else None], None


def _prompt(context: Any, doc: dict[str, Any], about: dict[str, Any]) -> str:
    """What was asked: the document's prompt, if nothing but a chat template stood around it."""
    text: str = json.loads(context[0])[-1]["content"] if isinstance(context, list) else context
    around = [about.get("system_instruction"), *about.get("n-shot", {"": 1}).values()]
    for task in about.get("configs", {}).values():
        around += [task.get("description"), task.get("gen_prefix")]
    prompt = str(doc.get("prompt"))
    return prompt if about.get("chat_template") and not any(around) and prompt in text else text
