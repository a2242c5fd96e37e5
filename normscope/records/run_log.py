"""`run.log`: when the stages that ask a model began and ended, on what machine, by which code.

It is no part of any hash, seal or manifest: the same run made again has the same bytes but here. A
line is a JSON object, and a run that goes on adds to it.
"""

import json
import os
import platform
import subprocess
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Literal

from ..extras import packages
from ..files import typed_json

RUN_LOG = "run.log"


@dataclass(frozen=True, slots=True)
class Entry:
    """A stage's beginning or end: the time in UTC, the machine, and the code with its commit.

    `commit` is empty where the code was installed and not checked out.
    """

    time: str
    stage: str
    event: Literal["start", "end"]
    machine: str
    version: str
    commit: str


def note(run: Path, stage: str, event: Literal["start", "end"]) -> None:
    """Adds a line to the run's log."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    entry = Entry(now, stage, event, machine(), packages()["normscope"], commit())
    with (run / RUN_LOG).open("a", encoding="utf-8") as file:
        file.write(f"{json.dumps(asdict(entry))}\n")


def read_log(run: Path) -> tuple[Entry, ...]:
    """The entries in their order; none where there is no log. What is no entry is passed over."""
    path = run / RUN_LOG
    if not path.is_file():
        return ()
    entries = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            entry = typed_json(Entry, line)
            datetime.fromisoformat(entry.time)
        except ValueError:
            continue
        entries.append(entry)
    return tuple(entries)


def duration_s(entries: tuple[Entry, ...]) -> float:
    """The seconds that stages took from their beginning to their end; what was killed is left out.

    >>> entry = Entry("2026-01-01T10:00:00+00:00", "judge", "start", "", "", "")
    >>> duration_s((entry, Entry("2026-01-01T10:01:30+00:00", "judge", "end", "", "", "")))
    90.0
    """
    begun: dict[str, datetime] = {}
    total = 0.0
    for entry in entries:
        time = datetime.fromisoformat(entry.time)
        if entry.event == "start":
            begun[entry.stage] = time
        elif entry.stage in begun:
            total += (time - begun.pop(entry.stage)).total_seconds()
    return total


@cache
def machine() -> str:
    """What kind of machine this is, without its name: system, processors, and GPUs in use."""
    facts = [f"{platform.system()} {platform.machine()}", f"{os.cpu_count()} CPUs"]
    # only what is loaded is asked, since loading it takes seconds
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        facts.append(f"{torch.cuda.device_count()} × {torch.cuda.get_device_name()}")
    return ", ".join((*facts, f"Python {platform.python_version()}"))


@cache
def commit() -> str:
    """The commit of the checkout that runs, with `+` where files in it differ; else empty."""
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        return ""

    # no tag, the whole hash
    command = ["git", "-C", str(root), "describe", "--always", "--exclude=*", "--abbrev=40"]
    try:
        done = subprocess.run(  # noqa: S603 - no word of others
            [*command, "--dirty=+"], capture_output=True, text=True, check=True, timeout=10
        )
        return done.stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
