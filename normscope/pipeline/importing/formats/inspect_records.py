"""What is used of a log of Inspect's, and how one is opened: `.eval`, or `.json`.

An `.eval` is an archive with a member per sample; a `.json` is one object. Both are read here as a
header and its samples, each beside the JSON as it stands there, for those who write it again.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, FiniteFloat

from ....errors import BudgetError, DataError
from ....files import check_regular
from ....messages import message
from ....records.item import Turn
from ....rows import well_formed
from .content import FILTERED, ChatTurn, record
from .inspect_archive import Archive, opened_archive

HEADER, START = "header.json", "_journal/start.json"
"""The members that say what the run was: the second is all that there is until it has ended."""

SAMPLES = "samples"
"""The folder of an archive's samples, and the field of a log in JSON that has them."""

UNKNOWN_PROVIDER = "none/"
"""What stands before the name of a model of which Inspect knows no provider."""

_ATTACHMENT = "attachment://"
_LONGEST = 1 << 30
_SPEAKERS = {"system", "user", "assistant"}

Json = dict[str, Any]
"""An object of a log, as it stands there."""


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


class Header(BaseModel):
    """What a log says of the whole run; `status` is success, cancelled, error or started."""

    status: str = "started"
    eval: _Eval
    plan: _Plan = _Plan()

    @property
    def model(self) -> str:
        """The model's name, without the provider that stands for none."""
        return self.eval.model.removeprefix(UNKNOWN_PROVIDER)

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


class Sample(BaseModel):
    """What is used of a sample: what was asked, and what the model answered."""

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
    def conversation(self) -> tuple[Turn, ...]:
        """All that was said up to the user's last turn, as far as it is text of the three roles."""
        turns = self.messages or (
            [ChatTurn(role="user", content=self.input)]
            if isinstance(self.input, str)
            else self.input
        )
        said = [Turn(turn.role, self.whole(turn.text) or "") for turn in turns]
        said = [turn for turn in said if turn.role in _SPEAKERS and turn.content]
        last = max((at for at, turn in enumerate(said) if turn.role == "user"), default=-1)
        return tuple(said[: last + 1])

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


@dataclass(frozen=True, slots=True)
class Log:
    """An opened log: the head is all of it but its samples, which are read once, one by one.

    `archive` has the members of an `.eval`; null for a log in JSON.
    """

    header: Header
    head: Json
    samples: Iterator[tuple[Sample, Json]]
    archive: Archive | None = None


@contextmanager
def opened_log(path: Path) -> Iterator[Log]:
    """The log while the block lasts; a `DataError` where the file is none, or was cut off."""
    if path.suffix == ".json":
        yield _of_json(path)
        return
    with opened_archive(path) as archive:
        head, where = _head(archive, path)
        yield Log(record(Header, head, where), head, _of_archive(archive, path), archive)


def _of_json(path: Path) -> Log:
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
    head = _json(path.read_bytes(), str(path))
    samples = head.pop(SAMPLES, None) or []
    if not isinstance(samples, list):
        raise DataError(message("{where}: samples is no list", where=path))
    header = record(Header, head, str(path))
    named = ((row, f"{path}: samples[{at}]") for at, row in enumerate(samples))
    return Log(header, head, ((record(Sample, row, where), row) for row, where in named))


def _head(archive: Archive, path: Path) -> tuple[Json, str]:
    for name in (HEADER, START):
        if name in archive.names:
            where = f"{path}: {name}"
            return _json(archive.read(name), where), where
    raise DataError(
        message(
            "{path} is an archive without {member}: no log of Inspect's", path=path, member=HEADER
        )
    )


def _of_archive(archive: Archive, path: Path) -> Iterator[tuple[Sample, Json]]:
    for name in archive.names:
        folder, _, file = name.partition("/")
        if folder != SAMPLES or not file.endswith(".json"):
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
        row = _json(archive.read(name), where)
        yield record(Sample, row, where), row


def _json(content: bytes, where: str) -> Json:
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
