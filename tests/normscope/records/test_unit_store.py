"""Units in a folder that others share: kept whole or not at all, by any number of writers."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from normscope.errors import RunError
from normscope.records.unit_store import Parcel, Part, UnitStore

TASK = {"what": "labels", "model": "tiny"}


def parcel(number: int, text: str = "a mild question") -> Parcel:
    inputs = pa.table({"question": [f"{text} {number}", "二"]})
    return Parcel(f"{number:016x}", (2 * number, 2 * number + 1), ("0a", "0b"), inputs)


@pytest.fixture
def part(tmp_path: Path) -> Part:
    return UnitStore(tmp_path).part("a")


def test_units_come_back_as_they_were_published(part: Part) -> None:
    parcels = [parcel(n) for n in range(600)]
    part.publish(TASK, iter(parcels))
    assert part.is_published
    assert part.task() == TASK
    assert list(part.parcels()) == parcels
    # from the middle of the second file on, and round
    assert list(part.parcels(start=0.5)) == parcels[300:] + parcels[:300]
    assert [units for _, units in part.files()] == [256, 256, 88]


def test_what_one_writer_finishes_every_other_one_sees(part: Part) -> None:
    other = Part(part.folder)
    part.put("a", b"line a\n")
    assert other.done() == {"a"}
    other.put("b", b"line b\n")
    # a unit gives the same line whoever does it: twice is no harm
    other.put("a", b"line a\n")
    assert list(part.lines(["b", "none", "a"])) == [b"line b\n", b"line a\n"]
    part.drop("a")
    assert other.done() == {"b"}


def test_a_publication_replaces_the_one_before_and_keeps_what_is_finished(part: Part) -> None:
    part.publish(TASK, [parcel(1), parcel(2)])
    part.put(parcel(1).name, b"line\n")
    part.publish({**TASK, "model": "other"}, [parcel(2)])
    assert [each.name for each in part.parcels()] == [parcel(2).name]
    assert part.done() == {parcel(1).name}


def test_a_publication_that_is_cut_short_is_not_seen(part: Part) -> None:
    def torn() -> Iterator[Parcel]:
        for number in range(300):
            yield parcel(number)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        part.publish(TASK, torn())
    assert not part.is_published
    with pytest.raises(RunError, match="has no units"):
        list(part.parcels())
    part.publish(TASK, [parcel(1)])
    assert list(part.parcels()) == [parcel(1)]
    # the torn one's files went with it
    assert len(list(part.folder.glob("units-*"))) == 1


def test_a_second_driver_is_refused_by_name(tmp_path: Path) -> None:
    store, other = UnitStore(tmp_path), UnitStore(tmp_path)
    assert not other.is_driven()
    with store.driving("runs/x"):
        with (
            pytest.raises(RunError, match=f"process {os.getpid()} of .*, for runs/x, since 20"),
            other.driving("runs/y"),
        ):
            pass
        assert other.is_driven()
    assert not other.is_driven()
    with other.driving("runs/y"):
        pass


def test_a_driver_that_died_is_followed_at_once(tmp_path: Path) -> None:
    script = (
        "import os, sys, pathlib\nfrom normscope.records.unit_store import UnitStore\n"
        "with UnitStore(pathlib.Path(sys.argv[1])).driving('runs/x'): os._exit(9)"
    )
    dead = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert dead.returncode == 9
    with UnitStore(tmp_path).driving("runs/y"):
        pass


def test_a_writer_killed_before_its_file_is_whole_has_written_nothing(part: Part) -> None:
    script = (
        "import os, pathlib, signal, sys\nfrom normscope.records.unit_store import Part\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "Part(pathlib.Path(sys.argv[1])).put('a', b'line')"
    )
    dead = subprocess.run([sys.executable, "-c", script, str(part.folder)], check=False)
    assert dead.returncode == -signal.SIGKILL
    assert part.done() == set()
    part.put("a", b"line\n")
    assert list(part.lines(part.done())) == [b"line\n"]


def test_a_full_disk_is_said_and_leaves_what_is_finished(
    part: Part, monkeypatch: pytest.MonkeyPatch
) -> None:
    part.put("a", b"line\n")

    def full(_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunError, match=r"done/b.jsonl: .*No space left on device.*--units"):
        part.put("b", b"line\n")
    assert [path.name for path in (part.folder / "done").iterdir()] == ["a.jsonl"]


def test_a_claim_holds_until_its_process_is_gone(part: Part) -> None:
    script = (
        "import pathlib, sys\nfrom normscope.records.unit_store import Part\n"
        "with Part(pathlib.Path(sys.argv[1])).claimed('a') as mine:\n"
        "    print(mine, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(part.folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        with part.claimed("a") as mine, part.claimed("b") as free:
            assert (mine, free) == (False, True)
        other.kill()
    with part.claimed("a") as mine:
        assert mine
