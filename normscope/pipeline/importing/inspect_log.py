"""Logs of Inspect (`inspect eval`), read by its own reader: the answers of their samples."""

from pathlib import Path
from typing import Any

from ...errors import DataError
from ...extras import require
from ...files import check_regular
from ...messages import message
from ...records.item import Turn
from ...tables import Table, of_rows

SUFFIXES = (".eval", ".json")
_SPEAKERS = {"system", "user", "assistant"}


def read(path: Path) -> Table:
    """The answer of each sample to the turn before it, with the metadata as columns."""
    check_regular(path)
    read_log: Any = require("inspect_ai.log", extra="inspect").read_eval_log
    try:
        log = read_log(str(path), resolve_attachments="core", exclude_fields={"events"})
    # a damaged archive raises whatever is beneath its reader
    except Exception as error:
        why = " ".join(str(error).split())[:200]
        raise DataError(f"{path} is no whole log of Inspect ({why}): copy it again") from error
    configs = (log.plan.config, log.eval.model_generate_config)
    at = next((each.temperature for each in configs if each.temperature is not None), None)
    order = {name: number for number, name in enumerate(log.eval.dataset.sample_ids or ())}
    samples = sorted(log.samples or (), key=lambda each: (each.epoch, order.get(each.id, 0)))
    rows = []
    for sample in samples:
        turns, (answer, failed) = said(sample.messages), answer_of(sample.output, sample.error)
        columns = {
            "prompt": turns[-1].content if turns else None,
            "answer": answer,
            "failed": failed,
        }
        columns |= {"sample": sample.epoch - 1, "model": log.eval.model, "temperature": at}
        rows.append({**sample.metadata, **columns})
    places = [f"sample {each.id}, epoch {each.epoch}" for each in samples]
    about = {"task": log.eval.task, "status": log.status, "n": len(rows)}
    unfinished = message(
        "the run of {task} was not finished ({status}): the log has {n} samples", **about
    )
    note = "" if log.status == "success" else unfinished
    return of_rows("Inspect log", zip(places, rows, strict=True), note)


def said(messages: list[Any]) -> tuple[Turn, ...]:
    """All that was said up to the user's last turn, as far as it is text of the three roles."""
    turns = [Turn(turn.role, turn.text) for turn in messages if turn.role in _SPEAKERS]
    last = max((at for at, turn in enumerate(turns) if turn.role == "user"), default=-1)
    return tuple(turn for turn in turns[: last + 1] if turn.content)


def answer_of(output: Any, error: Any = None) -> tuple[str | None, str | None]:
    """What a model said, or why there is nothing: an error, no output, a provider's filter."""
    if error is not None or output.error or not output.choices:
        why = error.message if error is not None else output.error or "no output"
        return None, " ".join(why.split())[:200]
    if output.stop_reason == "content_filter":
        return None, "stopped by the provider's content filter"
    return output.completion, None
