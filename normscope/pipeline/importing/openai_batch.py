"""The output of a batch as OpenAI, vLLM, Azure and Mistral write it: JSONL, a call a line.

The `custom_id` names the prompt: `ITEM|VARIANT|ORDER`, or an item's id alone.
"""

from pathlib import Path
from typing import Any

from ...errors import DataError
from ...tables import Table, of_rows
from ...text_tables import json_lines

FIELDS = frozenset({"custom_id", "response"})

_OK, _LONGEST = 200, 200


def read(path: Path) -> Table:
    """A row per choice of each call; a call that brought none has failed."""
    rows = []
    for line, row in json_lines(path):
        item, variant, order, *_ = [*str(row["custom_id"]).split("|"), "", ""]
        key = {"item_id": item, "variant_id": variant or None, "scale_order": order or None}
        try:
            texts, failed = _texts(row)
            model = None if failed else row["response"]["body"].get("model")
        except (LookupError, TypeError, AttributeError) as error:
            raise DataError(
                f"{path}:{line}: neither a completion nor an error of a batch ({error!r}); leave "
                "the line out, or import a table of item_id and answer"
            ) from error
        for sample, text in enumerate(texts):
            answer = {"answer": text, "sample": sample, "model": model, "failed": failed}
            rows.append((line, variant, order, {**key, **answer}))
    # they come as they were done, and the published majority goes by variant and order
    rows.sort(key=lambda row: (len(row[1]), row[1], row[2]))
    return of_rows("OpenAI batch output", ((f"line {line}", row) for line, *_, row in rows))


def _texts(row: dict[str, Any]) -> tuple[list[str | None], str | None]:
    """The text of each choice, or why there is none."""
    response = row["response"]
    if row.get("error") or response is None or response["status_code"] != _OK:
        why = row.get("error") or (response or {}).get("body") or "no response"
        return [None], str(why)[:_LONGEST]
    body = response["body"]
    # what a filter cut off or kept back is not what the model said
    if any(choice.get("finish_reason") == "content_filter" for choice in body["choices"]):
        return [None], "stopped by the provider's content filter"
    turns = [choice["message"] for choice in body["choices"]]
    return [turn["content"] or turn.get("refusal") for turn in turns], None
