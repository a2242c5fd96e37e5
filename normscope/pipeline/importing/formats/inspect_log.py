"""Logs of Inspect (`inspect eval`): the answers of their samples, as they were recorded.

A sample's epochs are ours of one prompt. The prompt is the turn that the last answer follows, so
that what a solver made of a sample's input counts. Scores are not answers, and stay out.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from ....messages import joined, message
from ..raw import RawAnswers
from .columns import Columns
from .content import refuse_requests
from .inspect_records import Log, opened_log

NAME = "Inspect log"

SUFFIXES = (".eval", ".json")
"""The endings of a log."""

_ITEM: Final = "item_id"


def is_format(first: Mapping[str, Any], path: Path) -> bool:  # noqa: ARG001
    """Whether the file is a log, by its ending: no other format here has it."""
    return path.suffix in SUFFIXES


def read(path: Path, requests: Path | None = None) -> RawAnswers:
    """The answer of each sample and epoch, with the sample's metadata as columns.

    A sample that ended in an error is a failed call.
    """
    refuse_requests(requests, NAME)
    with opened_log(path) as log:
        return _answers(log)


def _answers(log: Log) -> RawAnswers:
    header = log.header
    columns = Columns(
        {
            _ITEM: "id",
            "prompt": "input",
            "answer": "output",
            "model": "model",
            "sample": "epoch",
            "temperature": "temperature",
            "failed": "error",
        },
        added="metadata",
    )
    places = {name: at for at, name in enumerate(header.eval.dataset.sample_ids or ())}
    failed = 0
    for sample, _ in log.samples:
        failed += sample.failed is not None
        columns.add(
            f"sample {sample.id}, epoch {sample.epoch}",
            {
                _ITEM: str(sample.id),
                "prompt": sample.prompt,
                "answer": sample.answer,
                "model": header.model,
                "sample": sample.epoch - 1,
                "temperature": header.temperature,
                "failed": sample.failed,
            },
            sample.metadata,
            rank=(sample.epoch, places.get(sample.id, len(places))),
        )
    notes = []
    if header.status != "success":
        notes.append(
            message(
                "the run of {task} was not finished ({status}): the log has {n} samples",
                task=header.eval.task,
                status=header.status,
                n=len(columns),
            )
        )
    if failed:
        notes.append(
            message("samples that ended in an error, taken as failed calls: {n}", n=failed)
        )
    answers = columns.answers(NAME, joined(notes, "; "))
    if _ITEM not in answers.table.column_names:
        return answers
    # a sample has an id of its own where its metadata name the item
    return replace(answers, roles={r: c for r, c in answers.roles.items() if r != _ITEM})
