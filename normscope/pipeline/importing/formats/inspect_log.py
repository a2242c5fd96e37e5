"""Logs of Inspect (`inspect eval`): `.eval`, an archive with a member per sample, or `.json`.

A sample's epochs are ours of one prompt. The prompt is the turn that the last answer follows, so
that what a solver made of a sample's input counts. Scores are not answers, and stay out.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, Field, FiniteFloat

from ....errors import BudgetError, DataError
from ....files import check_regular
from ....messages import joined, message
from ....rows import well_formed
from ..raw import RawAnswers
from .columns import Columns
from .content import FILTERED, ChatTurn, record, refuse_requests
from .inspect_archive import Archive, opened_archive

NAME = "Inspect log"

_HEADER, _START = "header.json", "_journal/start.json"
_ATTACHMENT = "attachment://"
_ITEM: Final = "item_id"
_LONGEST = 1 << 30


class _Config(BaseModel):
    temperature: FiniteFloat | None = None


class _Plan(BaseModel):
    config: _Config = _Config()


class _Dataset(BaseModel):
    sample_ids: list[int | str] | None = None


class _Eval(BaseModel):
    task: str = ""
    model: str
    dataset: _Dataset = _Dataset()
    model_generate_config: _Config = _Config()


class _Header(BaseModel):
    """What a log says of the whole run; `status` is success, cancelled, error or started."""

    status: str = "started"
    eval: _Eval
    plan: _Plan = _Plan()

    @property
    def temperature(self) -> float | None:
        """That of the task, else that of the model."""
        of_task = self.plan.config.temperature
        return self.eval.model_generate_config.temperature if of_task is None else of_task


class _Choice(BaseModel):
    message: ChatTurn
    stop_reason: str | None = None


class _Output(BaseModel):
    choices: list[_Choice] = []
    error: str | None = None


class _Error(BaseModel):
    message: str = ""


class _Sample(BaseModel):
    id: int | str
    epoch: int = Field(1, ge=1, lt=1 << 31)
    input: str | list[ChatTurn]
    messages: list[ChatTurn] = []
    output: _Output = _Output()
    error: _Error | None = None
    metadata: dict[str, Any] = {}
    attachments: dict[str, str] = {}

    @property
    def prompt(self) -> str | None:
        """What was asked last."""
        asked = [turn for turn in self.messages if turn.role in {"user", "system"}]
        if asked:
            return self.whole(asked[-1].text)
        turns = self.input
        return self.whole(turns if isinstance(turns, str) else turns[-1].text if turns else None)

    @property
    def failed(self) -> str | None:
        """Why there is no answer of the model's."""
        if self.error is not None:
            return _line(self.error.message) or "error"
        if self.output.error:
            return _line(self.output.error)
        if not self.output.choices:
            return "no output"
        reason = self.output.choices[0].stop_reason
        # its text may be the provider's message
        return FILTERED if reason == "content_filter" else None

    @property
    def answer(self) -> str | None:
        """What the model said; null where the sample failed."""
        return None if self.failed else self.whole(self.output.choices[0].message.text)

    def whole(self, text: str | None) -> str | None:
        """A text, which the log may keep apart from where it stands."""
        if text is None or not text.startswith(_ATTACHMENT):
            return text
        return self.attachments.get(text.removeprefix(_ATTACHMENT), text)


def is_format(first: Mapping[str, Any], path: Path) -> bool:  # noqa: ARG001
    """Whether the file is a log, by its ending: no other format here has it."""
    return path.suffix in {".eval", ".json"}


def read(path: Path, requests: Path | None = None) -> RawAnswers:
    """The answer of each sample and epoch, with the sample's metadata as columns.

    A sample that ended in an error is a failed call.
    """
    refuse_requests(requests, NAME)
    if path.suffix == ".json":
        header, samples = _of_json(path)
        return _answers(header, samples)
    with opened_archive(path) as archive:
        return _answers(_header(archive, path), _of_archive(archive, path))


def _answers(header: _Header, samples: Iterator[_Sample]) -> RawAnswers:
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
    for sample in samples:
        failed += sample.failed is not None
        columns.add(
            f"sample {sample.id}, epoch {sample.epoch}",
            {
                _ITEM: str(sample.id),
                "prompt": sample.prompt,
                "answer": sample.answer,
                "model": header.eval.model,
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


def _of_json(path: Path) -> tuple[_Header, Iterator[_Sample]]:
    check_regular(path)
    if path.stat().st_size > _LONGEST:
        raise BudgetError(
            message(
                "{path} is larger than {limit} MiB, which is all that is read of a log in JSON; "
                "write it as .eval with `inspect log convert LOG --to eval --output-dir DIR`",
                path=path,
                limit=_LONGEST >> 20,
            ),
            what="bytes",
            limit=_LONGEST,
        )
    log = _json(path.read_bytes(), str(path))
    samples = log.pop("samples", None) or []
    if not isinstance(samples, list):
        raise DataError(message("{where}: samples is no list", where=path))
    header = record(_Header, log, str(path))
    return header, (_sample(row, f"{path}: samples[{at}]") for at, row in enumerate(samples))


def _header(archive: Archive, path: Path) -> _Header:
    for name in (_HEADER, _START):
        if name in archive.names:
            return record(_Header, _json(archive.read(name), f"{path}: {name}"), f"{path}: {name}")
    raise DataError(
        message(
            "{path} is an archive without {member}: no log of Inspect's", path=path, member=_HEADER
        )
    )


def _of_archive(archive: Archive, path: Path) -> Iterator[_Sample]:
    for name in archive.names:
        folder, _, file = name.partition("/")
        if folder != "samples" or not file.endswith(".json"):
            continue
        if "/" in file:
            raise DataError(
                message(
                    "{path}: {member} is a part of a sample that was written in parts, which is "
                    "not read here; import the log as it was before that conversion",
                    path=path,
                    member=name,
                )
            )
        where = f"{path}: {name}"
        yield _sample(_json(archive.read(name), where), where)


def _sample(value: Any, where: str) -> _Sample:
    return record(_Sample, value, where)


def _json(content: bytes, where: str) -> dict[str, Any]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise DataError(
            message("{where} is not JSON ({problem}); copy it again", where=where, problem=error)
        ) from error
    if not isinstance(value, dict):
        raise DataError(message("{where} is no object of a log", where=where))
    return well_formed(value) if b"\\u" in content else value


def _line(text: str) -> str:
    """The first line of an error, no longer than one."""
    return " ".join(text.split())[:200]
