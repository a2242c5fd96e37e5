"""The calls of a batch as answers: which prompt each was, by its id or by the batch's requests."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, FiniteFloat

from ....errors import DataError
from ....messages import joined, message
from ....rows import json_lines
from ..raw import RawAnswers, Role
from .columns import Columns
from .content import ChatTurn, record

SEPARATORS = ("|", ":", "/", "#", ";", ",", "__", "--")
"""What may stand between the names in a `custom_id`; no id of an item has them."""

_PARTS: tuple[Role, ...] = ("item_id", "variant_id", "scale_order")
_OTHERS: tuple[Role, ...] = ("prompt", "answer", "model", "sample", "temperature", "failed")
_MOST = 3


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a batch: its answers, of which there are several where several were wanted.

    `failed` is why it brought none.
    """

    place: str
    custom_id: str
    answers: Sequence[str | None] = ()
    model: str | None = None
    failed: str | None = None


class _Body(BaseModel):
    """What was requested, of chat completions, responses, completions or messages."""

    messages: list[ChatTurn] = []
    input: str | list[ChatTurn] = []
    prompt: str | None = None
    temperature: FiniteFloat | None = None

    @property
    def asked(self) -> str | None:
        """The text of the last turn."""
        turns = self.messages or self.input
        if isinstance(turns, str):
            return turns
        return turns[-1].text if turns else self.prompt


class _Request(BaseModel):
    """A line of a batch's input; OpenAI calls what is requested body, Anthropic params."""

    custom_id: str
    body: _Body | None = None
    params: _Body | None = None


def answers_of(calls: Sequence[Call], path: Path, name: str, requests: Path | None) -> RawAnswers:
    """The calls as answers, a row each, or several where a call has several.

    The `custom_id` is an item's id, or also names its variant and order. With the batch's requests
    the prompts are known as well, and the order in which they were asked; a request without a line
    is a failed call.
    """
    known = {} if requests is None else _requests(requests)
    missing = [] if requests is None else _missing(calls, path, known, requests)
    separator = separator_of([call.custom_id for call in calls])
    names = (
        {role: role for role in (*_PARTS, *_OTHERS)}
        if separator
        else {"item_id": "custom_id", **{role: role for role in _OTHERS}}
    )
    # a call that failed does not say which model would have answered
    models = {call.model for call in calls} - {None}
    model = models.pop() if len(models) == 1 else None
    columns = Columns(names, added="call")
    places = {custom_id: (at,) for at, custom_id in enumerate(known)}
    for call in (*calls, *missing):
        body = known[call.custom_id][1] if known else None
        parts = call.custom_id.split(separator) if separator else [call.custom_id]
        for sample, answer in enumerate(call.answers or (None,)):
            columns.add(
                call.place,
                {
                    **dict(zip(_PARTS, parts, strict=False)),
                    "prompt": body and body.asked,
                    "temperature": body and body.temperature,
                    "answer": answer,
                    "model": call.model or model,
                    "sample": sample,
                    "failed": call.failed,
                },
                {"custom_id": call.custom_id} if separator else None,
                rank=places.get(call.custom_id, ()),
            )
    return columns.answers(name, _note(calls, len(missing), separator, requests))


def _note(calls: Sequence[Call], missing: int, separator: str | None, requests: Path | None) -> str:
    """How the ids were read, and what is missing."""
    notes = []
    if missing:
        notes.append(
            message("requests without a line in the file, taken as failed calls: {n}", n=missing)
        )
    if separator:
        notes.append(
            message(
                "custom_id was split at {separator}: an item, its prompt variant, and the order of "
                "the scale if there is a third",
                separator=repr(separator),
            )
        )
    elif requests is None and calls:
        notes.append(
            message(
                "the custom_id is taken for the item's id; where it is none ({first}), name the "
                "batch's input with --requests: it knows the prompts",
                first=repr(calls[0].custom_id),
            )
        )
    return joined(notes, "; ")


def _missing(
    calls: Sequence[Call], path: Path, known: Mapping[str, tuple[str, _Body]], requests: Path
) -> list[Call]:
    """The requests that have no call; an error where a call has no request."""
    ids = {call.custom_id for call in calls}
    strange = [custom_id for custom_id in ids if custom_id not in known]
    if strange:
        raise DataError(
            message(
                "{path} has {n} of {m} calls that {requests} has no request for ({ids}); name "
                "the input of the same batch",
                path=path,
                n=len(strange),
                m=len(calls),
                requests=requests,
                ids=", ".join(sorted(strange)[:_MOST]),
            )
        )
    return [
        Call(f"{requests.name}, {place}", custom_id, failed="no line in the batch's output")
        for custom_id, (place, _) in known.items()
        if custom_id not in ids
    ]


def separator_of(ids: Sequence[str]) -> str | None:
    """What splits every id into an item, a variant and maybe an order; null if that is not plain.

    >>> separator_of(["iot-1|0|forward", "iot-1|1|forward"]), separator_of(["iot-1", "a:b"])
    ('|', None)
    """
    fitting = []
    for separator in SEPARATORS:
        counts = Counter(text.count(separator) for text in ids)
        if len(counts) == 1 and counts.keys() <= {1, 2}:
            fitting.append(separator)
    return fitting[0] if len(fitting) == 1 else None


def _requests(path: Path) -> dict[str, tuple[str, _Body]]:
    """The requests by their ids, each with its place."""
    requests: dict[str, tuple[str, _Body]] = {}
    for line, row in json_lines(path):
        request = record(_Request, row, f"{path}:{line}")
        body = request.body or request.params
        if body is None or body.asked is None:
            raise DataError(
                message(
                    "{where}: nothing is requested (no messages, input or prompt); --requests "
                    "takes the input of the batch",
                    where=f"{path}:{line}",
                )
            )
        if request.custom_id in requests:
            raise DataError(
                message(
                    "{where}: the custom_id {id} of {other} again; a batch has each once",
                    where=f"{path}:{line}",
                    id=repr(request.custom_id),
                    other=requests[request.custom_id][0],
                )
            )
        requests[request.custom_id] = (f"line {line}", body)
    return requests
