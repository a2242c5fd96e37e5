"""Writing Inspect's logs, version 2 of its format: `.eval`, an archive of JSON, or `.json`.

Their members are those that `inspect_ai.log` writes (0.3.285). Samples are written one by one, so
that a log of many takes no memory but for the summaries that `inspect view` lists them by.
"""

import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import UsageError
from ...files import replacing
from ...messages import message
from ...pipeline.importing.formats.inspect_log import SUFFIXES
from ...pipeline.importing.formats.inspect_records import HEADER, SAMPLES, START, Json

VERSION = 2

SUMMARIES, REDUCTIONS = "summaries.json", "reductions.json"
JOURNAL = "_journal/"

# of the time of an archive's member nothing hangs, and the same log gives the same bytes
_NO_TIME = (1980, 1, 1, 0, 0, 0)

_SHORT = 1024
_LISTED = (
    *("id", "epoch", "choices", "target", "model_usage", "role_usage", "started_at"),
    *("completed_at", "total_time", "working_time", "uuid", "turn_count"),
)
"""The fields of a sample that stand in its summary as they are."""


def check_log(path: Path) -> None:
    """An error where no log can be written: another ending, or a folder."""
    if path.suffix not in SUFFIXES:
        raise UsageError(
            message(
                "{path} ends in {ending}: a log of Inspect ends in {known}",
                path=path,
                ending=path.suffix or message("nothing"),
                known=" / ".join(SUFFIXES),
            )
        )
    if path.is_dir():
        raise UsageError(message("{path} is a folder: name a file", path=path))


def write_log(
    path: Path,
    head: Json,
    samples: Iterable[Json],
    *,
    members: Iterable[tuple[str, bytes]] = (),
) -> None:
    """Writes a log, whole or not at all: the head is all of it but the samples.

    `members` of another archive are kept in an `.eval`, after ours.
    """
    check_log(path)
    with replacing(path) as part:
        if path.suffix == ".json":
            _write_json(part, head, samples)
        else:
            _write_archive(part, head, samples, members)


def _write_json(path: Path, head: Json, samples: Iterable[Json]) -> None:
    """The head comes first: Inspect reads no further where it needs the head alone."""
    last = {name: head[name] for name in ("reductions",) if head.get(name)}
    first = _dumped({name: value for name, value in head.items() if name != "reductions"})
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f'{first.removesuffix("}")},\n"{SAMPLES}": [')
        for at, sample in enumerate(samples):
            file.write((",\n" if at else "\n") + _dumped(sample))
        file.write("\n]" + "".join(f',\n"{name}": {_dumped(last[name])}' for name in last) + "}\n")


def _write_archive(
    path: Path, head: Json, samples: Iterable[Json], members: Iterable[tuple[str, bytes]]
) -> None:
    head = dict(head)
    reductions = head.pop("reductions", None)
    summaries = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:

        def put(name: str, content: str | bytes) -> None:
            info = zipfile.ZipInfo(name, _NO_TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)

        put(START, _dumped({name: head[name] for name in ("version", "eval", "plan")}))
        for sample in samples:
            put(f"{SAMPLES}/{sample['id']}_epoch_{sample['epoch']}.json", _dumped(sample))
            summaries.append(summary_of(sample))
        put(SUMMARIES, _dumped(summaries))
        if reductions:
            put(REDUCTIONS, _dumped(reductions))
        for name, content in members:
            put(name, content)
        # last, as Inspect has it: a log without it is one whose run goes on
        put(HEADER, _dumped(head))


def summary_of(sample: Json) -> Json:
    """What a list of samples shows of one: its texts cut short, and its scores."""
    error = sample.get("error")
    return {name: sample[name] for name in _LISTED if sample.get(name) is not None} | {
        "input": _short(sample["input"]),
        "target": _short(sample.get("target", "")),
        "metadata": _shorts(sample.get("metadata") or {}),
        "scores": {
            name: {
                **{key: score[key] for key in ("value", "answer", "reason") if key in score},
                "metadata": _shorts(score.get("metadata") or {}),
            }
            for name, score in (sample.get("scores") or {}).items()
        },
        "error": error and error.get("message", ""),
        "completed": True,
        "message_count": len(sample.get("messages") or ()),
    }


def _shorts(values: Mapping[str, Any]) -> Json:
    """The values that are short enough for a list, the others cut."""
    return {
        name: _short(value)
        for name, value in values.items()
        if isinstance(value, str) or len(_dumped(value)) <= _SHORT
    }


def _short(value: Any) -> Any:
    """The value with its texts cut: a conversation, too."""
    if isinstance(value, str):
        return value if len(value) <= _SHORT else f"{value[:_SHORT]}..."
    if isinstance(value, Sequence):
        return [_short(each) for each in value]
    if isinstance(value, Mapping):
        return {name: _short(each) for name, each in value.items()}
    return value


def _dumped(value: Any) -> str:
    """JSON as Inspect writes it: what is unscored is the constant NaN."""
    return json.dumps(value, ensure_ascii=False)
