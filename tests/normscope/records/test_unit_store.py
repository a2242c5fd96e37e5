"""Units on shared storage: kept whole or not at all, by any number of writers."""

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
from object_server import object_server

from normscope.errors import RunError
from normscope.records.unit_store import Parcel, UnitStore

STAGE = "respond:labels"
TASK = {"what": "labels", "model": "tiny"}


def parcel(number: int, text: str = "a mild question") -> Parcel:
    inputs = pa.table({"question": [f"{text} {number}", "二"]})
    return Parcel(f"{number:016x}", (2 * number, 2 * number + 1), ("0a", "0b"), inputs)


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    with object_server() as address:
        yield address


@pytest.fixture(params=["disk", "memory", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> UnitStore:
    if request.param == "disk":
        return UnitStore.open(str(tmp_path / "units"))
    name = request.node.name.replace("[", "-").rstrip("]")
    base = "memory://units" if request.param == "memory" else request.getfixturevalue("bucket")
    return UnitStore.open(f"{base}/{name}")


def test_units_come_back_as_they_were_published(store: UnitStore) -> None:
    parcels = [parcel(n) for n in range(600)]
    store.publish(STAGE, TASK, iter(parcels))
    assert store.stages() == [STAGE]
    assert store.task(STAGE) == TASK
    assert store.units(STAGE) == 600
    assert list(store.parcels(STAGE)) == parcels
    assert len(store.parcel_files(STAGE)) == 3
    rows = pa.concat_tables(
        pa.parquet.read_table(file, filesystem=store.arrow_filesystem(), partitioning=None)
        for file in store.parcel_files(STAGE)
    )
    assert [Parcel.of_row(row) for row in rows.to_pylist()] == parcels


def test_what_one_writer_finishes_every_other_one_sees(store: UnitStore) -> None:
    other = UnitStore.open(store.storage.where)
    store.publish(STAGE, TASK, [parcel(n) for n in range(3)])
    assert other.done(STAGE) == set()
    store.put(STAGE, "a", b"line a\n")
    assert other.done(STAGE) == {"a"}
    other.put(STAGE, "b", b"line b\n")
    # a unit gives the same line whoever does it: twice is no harm
    other.put(STAGE, "a", b"line a\n")
    assert store.done(STAGE) == {"a", "b"}
    assert list(store.lines(STAGE, ["b", "none", "a"])) == [b"line b\n", b"line a\n"]
    store.drop(STAGE, "a")
    assert other.done(STAGE) == {"b"}


def test_a_publication_replaces_the_one_before_and_keeps_what_is_finished(store: UnitStore) -> None:
    store.publish(STAGE, TASK, [parcel(1), parcel(2)])
    files = store.parcel_files(STAGE)
    store.put(STAGE, parcel(1).name, b"line\n")
    store.publish(STAGE, TASK, [parcel(1), parcel(2)])
    assert store.parcel_files(STAGE) == files
    store.publish(STAGE, {**TASK, "model": "other"}, [parcel(2)])
    assert store.parcel_files(STAGE) != files
    assert [each.name for each in store.parcels(STAGE)] == [parcel(2).name]
    assert store.done(STAGE) == {parcel(1).name}


def test_a_file_of_units_that_the_storage_has_lost_is_published_again(store: UnitStore) -> None:
    for _ in range(2):
        store.publish(STAGE, TASK, [parcel(1), parcel(2)])
        assert list(store.parcels(STAGE)) == [parcel(1), parcel(2)]
        (name,) = store.parcel_files(STAGE)
        store.storage.remove(name.removeprefix(f"{store.storage.root}/"))


def test_a_publication_that_is_cut_short_is_not_seen(store: UnitStore) -> None:
    def torn() -> Iterator[Parcel]:
        for number in range(300):
            yield parcel(number)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.publish(STAGE, TASK, torn())
    assert store.stages() == []
    with pytest.raises(RunError, match="no units of the stage 'respond:labels'"):
        list(store.parcels(STAGE))
    store.publish(STAGE, TASK, [parcel(1)])
    assert len(list(store.parcels(STAGE))) == 1
    # the torn one's files went with it
    assert (
        len([n for n in store.storage.names("stages/respond.labels") if n.startswith("units-")])
        == 1
    )


def test_a_second_driver_is_refused_by_name(store: UnitStore) -> None:
    other = UnitStore.open(store.storage.where)
    assert not other.is_driven()
    with store.driving("runs/x"):
        assert other.is_driven()
        assert other.stages() == []
        with (
            pytest.raises(RunError, match=f"process {os.getpid()} of .*, for runs/x, since 20"),
            other.driving("runs/y"),
        ):
            pass
        assert other.is_driven()
    assert not other.is_driven()
    with other.driving("runs/y"):
        pass


def test_a_driver_that_died_here_is_followed_at_once(store: UnitStore) -> None:
    if store.storage.is_memory:
        # nobody else sees this process's memory: the note of a dead process is put there
        with store.driving("runs/x"):
            note = next(store.storage.read(["driver.json"]))
        dead = subprocess.run(
            [sys.executable, "-c", "import os; print(os.getpid())"], check=True, stdout=-1
        )
        of_dead = note.replace(str(os.getpid()).encode(), dead.stdout.strip())
        store.storage.write("driver.json", of_dead)
    else:
        script = (
            "import os, sys\nfrom normscope.records.unit_store import UnitStore\n"
            "with UnitStore.open(sys.argv[1]).driving('runs/x'): os._exit(9)"
        )
        dead = subprocess.run([sys.executable, "-c", script, store.storage.where], check=False)
        assert dead.returncode == 9
    with UnitStore.open(store.storage.where).driving("runs/y"):
        pass


def test_of_another_machine_only_the_user_knows_that_its_driver_is_gone(bucket: str) -> None:
    store = UnitStore.open(f"{bucket}/elsewhere")
    with store.driving("runs/x"):
        note = next(store.storage.read(["driver.json"]))
    host = os.uname().nodename.encode()
    store.storage.write("driver.json", note.replace(host, b"node-7"))
    with pytest.raises(RunError, match="of node-7"), store.driving("runs/y"):
        pass
    with store.driving("runs/y", take_over=True):
        assert store.is_driven()


def test_a_writer_killed_before_its_file_is_whole_has_written_nothing(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys\nfrom normscope.records.unit_store import UnitStore\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "UnitStore.open(sys.argv[1]).put('judge', 'a', b'line')"
    )
    dead = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert dead.returncode == -signal.SIGKILL
    store = UnitStore.open(str(tmp_path))
    assert store.done("judge") == set()
    store.put("judge", "a", b"line\n")
    assert list(store.lines("judge", store.done("judge"))) == [b"line\n"]


def test_a_full_disk_is_said_and_leaves_what_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = UnitStore.open(str(tmp_path))
    store.put("judge", "a", b"line\n")

    def full(_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunError, match=r"done/b.jsonl: .*No space left on device.*--units"):
        store.put("judge", "b", b"line\n")
    assert [path.name for path in (tmp_path / "stages" / "judge" / "done").iterdir()] == ["a.jsonl"]


def test_storage_that_refuses_a_write_is_said_before_any_work(bucket: str, tmp_path: Path) -> None:
    UnitStore.open(f"{bucket}/x").check_writes()
    (tmp_path / "file").write_text("no folder")
    for where in ("s3://no-such-bucket/x", str(tmp_path / "file")):
        with pytest.raises(RunError, match="the storage refuses"):
            UnitStore.open(where).check_writes()


def test_a_claim_holds_until_its_process_is_gone(tmp_path: Path) -> None:
    store = UnitStore.open(str(tmp_path))
    script = (
        "import sys\nfrom normscope.records.unit_store import UnitStore\n"
        "with UnitStore.open(sys.argv[1]).claimed('judge', 'a') as mine:\n"
        "    print(mine, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        with store.claimed("judge", "a") as mine, store.claimed("judge", "b") as free:
            assert (mine, free) == (False, True)
        other.kill()
    with store.claimed("judge", "a") as mine:
        assert mine


def test_storage_without_locks_takes_no_claims() -> None:
    store = UnitStore.open("memory://claims")
    with pytest.raises(RunError, match="no locks"), store.claimed("judge", "a"):
        pass
