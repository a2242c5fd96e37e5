"""The journal keeps what is done, for any number of processes, and asks for the rest alone."""

import resource
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from normscope.errors import RunError
from normscope.records.journal import PLACE, ROW, Claimed, Journal, Unit
from normscope.records.units import Lanes, groups, in_order, journal_of, work_off

FAILED = "call_failed"


def units(hashes: list[int], *, size: int = 2) -> Iterator[Unit]:
    """Units of rows, whose input is their place."""
    for places in groups(np.arange(len(hashes)), size=size):
        inputs = pa.table({"number": places})
        yield Unit(places, np.array(hashes, np.uint64)[places], inputs)


def made(inputs: pa.Table, *, fails: Callable[[int], bool] = lambda _: False) -> pa.Table:
    """Two rows for each input, of which the second may be absent because a call failed."""
    numbers = [number for number in inputs["number"].to_pylist() for _ in range(2)]
    reasons = [FAILED if at % 2 and fails(n) else None for at, n in enumerate(numbers)]
    return pa.table(
        {
            ROW: pa.array([at // 2 for at in range(len(numbers))], pa.int32()),
            "text": [
                None if r else f"{n}-{at % 2}"
                for at, (n, r) in enumerate(zip(numbers, reasons, strict=True))
            ],
            "reason": pa.array(reasons, pa.string()),
        }
    )


def rows_of(journal: Journal, stage: str = "s") -> list[tuple[int, str | None]]:
    tables = list(journal.tables(stage))
    return [
        pair
        for table in tables
        for pair in zip(table[PLACE].to_pylist(), table["text"].to_pylist(), strict=True)
    ]


def done(journal: Journal, hashes: list[int], **asked: object) -> list[int]:
    """Which rows are asked when the stage is worked off."""
    fails = asked.pop("fails", lambda _: False)
    asked_for: list[int] = []

    def do(inputs: pa.Table) -> pa.Table:
        asked_for.extend(inputs["number"].to_pylist())
        return made(inputs, fails=fails)  # type: ignore[arg-type]

    work_off(journal, "s", units(hashes), do, label="t", **asked)  # type: ignore[arg-type]
    return asked_for


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


WHOLE = [(at // 2, f"{at // 2}-{at % 2}") for at in range(10)]


def test_what_is_done_is_there_and_not_done_again(path: Path) -> None:
    for expected in ([0, 1, 2, 3, 4], []):
        with closing(Journal(path)) as journal:
            assert done(journal, [7] * 5) == expected
            assert rows_of(journal) == WHOLE
            assert journal.counts("s").units_done == 3
    # the last one that leaves it leaves one file
    assert [each.name for each in path.parent.iterdir()] == ["journal.sqlite"]


def test_in_memory_there_is_a_journal_as_well() -> None:
    with closing(Journal(None)) as journal:
        assert done(journal, [7] * 3) == [0, 1, 2]
        assert rows_of(journal) == WHOLE[:6]


@pytest.mark.parametrize(
    ("then", "now"), [([1, 2, 3], [1, 2, 4]), ([1, 2, 3], [1, 2]), ([1, 2, 3, 4], [1, 2])]
)
def test_another_input_than_was_planned_is_refused(
    path: Path, then: list[int], now: list[int]
) -> None:
    with closing(Journal(path)) as journal:
        done(journal, then)
        with pytest.raises(RunError, match="was begun with another input"):
            done(journal, now)


def test_where_whole_units_are_added_these_alone_are_asked(path: Path) -> None:
    with closing(Journal(path)) as journal:
        done(journal, [1, 2])
        assert done(journal, [1, 2, 3]) == [2]


def odd(number: int) -> bool:
    return number % 2 == 1


def test_where_calls_failed_only_those_rows_are_asked_again(path: Path) -> None:
    with closing(Journal(path)) as journal:
        assert done(journal, [7] * 4, fails=odd) == [0, 1, 2, 3]
        first = rows_of(journal)
        assert first[3] == (1, None)
        assert journal.has_failed
        assert journal.counts("s").failed == 2
        # what fails again stays as it is, and is asked once
        assert done(journal, [7] * 4, fails=odd) == [1, 3]
        assert rows_of(journal) == first
        assert done(journal, [7] * 4) == [1, 3]
        assert rows_of(journal) == WHOLE[:8]
        assert done(journal, [7] * 4) == []
        assert journal.counts("s").failed == 0


def test_a_row_may_have_another_input_only_where_a_call_had_failed(path: Path) -> None:
    with closing(Journal(path)) as journal:
        done(journal, [7] * 4, fails=odd)
        assert done(journal, [7, 8, 7, 7]) == [1, 3]
        assert rows_of(journal)[2:4] == [(1, "1-0"), (1, "1-1")]
        with pytest.raises(RunError, match="another input"):
            done(journal, [7, 9, 7, 7])


def test_two_never_claim_the_same_unit(path: Path) -> None:
    with closing(Journal(path)) as one, closing(Journal(path)) as other:
        one.plan("s", units([7] * 5))
        claims = [journal.claim("s") for journal in (one, other, one, other)]
        assert [claim and claim.id for claim in claims] == [0, 1, 2, None]
        assert one.due("s") == 5
        for journal, claim in zip((one, other, one), claims, strict=False):
            assert claim is not None
            journal.put("s", claim, made(claim.inputs))
        assert rows_of(other) == WHOLE


def test_a_unit_that_is_done_twice_is_there_once(path: Path) -> None:
    with closing(Journal(path)) as journal:
        journal.plan("s", units([7] * 2))
        claim = journal.claim("s")
        assert claim is not None
        for text in ("first", "second"):
            rows = pa.table({ROW: [0, 1], "text": [text] * 2, "reason": pa.nulls(2, pa.string())})
            journal.put("s", claim, rows)
        assert [text for _, text in rows_of(journal)] == ["first"] * 2


HOLDER = """
import sys, time
from pathlib import Path
from normscope.records.journal import Journal
journal = Journal(Path(sys.argv[1]))
print(journal.claim("s").id, flush=True)
time.sleep(60)
"""


def test_what_a_killed_process_had_claimed_is_free(path: Path) -> None:
    with closing(Journal(path)) as journal:
        journal.plan("s", units([7] * 2))
        command = [sys.executable, "-c", HOLDER, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "0\n"
            journal.free()
            assert journal.claim("s") is None
            holder.send_signal(signal.SIGKILL)
        journal.free()
        assert journal.claim("s") is not None


def test_a_claim_whose_lock_is_lost_is_free_and_what_one_left_goes(path: Path) -> None:
    with closing(Journal(path)) as journal:
        journal.plan("s", units([7] * 2))
        with sqlite3.connect(path) as db:
            db.execute("update unit set claim = 99")
        left = path.with_name(f"{path.name}-63.lock")
        left.touch()
        journal.free()
        assert not left.exists()
        assert journal.claim("s") is not None


def test_several_lanes_do_all_units_and_an_error_keeps_what_is_done(path: Path) -> None:
    def do(inputs: pa.Table) -> pa.Table:
        if 5 in inputs["number"].to_pylist():
            raise OSError("gone")
        return made(inputs)

    with closing(Journal(path)) as journal:
        with pytest.raises(OSError, match="gone"):
            work_off(journal, "s", units([7] * 40, size=1), do, label="t", lanes=Lanes(2))
        assert journal.due("s") > 0
        with pytest.raises(RunError, match="rows that nobody has done"):
            list(journal.tables("s"))
    with closing(Journal(path)) as journal:
        work_off(journal, "s", units([7] * 40, size=1), made, label="t", lanes=Lanes(3))
        assert [place for place, _ in rows_of(journal)[::2]] == list(range(40))


def test_what_another_does_is_waited_for(path: Path) -> None:
    with closing(Journal(path)) as other, closing(Journal(path)) as journal:
        other.plan("s", units([7] * 4))
        claim = other.claim("s")
        assert claim is not None

        def late(claim: Claimed) -> None:
            while journal.due("s") > 2:
                time.sleep(0.01)
            other.put("s", claim, made(claim.inputs))

        thread = threading.Thread(target=late, args=(claim,))
        thread.start()
        assert done(journal, [7] * 4) == [2, 3]
        thread.join()
        assert rows_of(journal) == WHOLE[:8]


def test_a_copy_has_all_but_a_stage_and_its_parts_and_models_in_the_order_they_answered(
    path: Path,
) -> None:
    names = iter([["b"], ["a", "b"], ["c"]] * 3)
    with closing(Journal(path)) as journal:
        for stage in ("respond:texts", "judge", "judge:facts"):
            work_off(journal, stage, units([7] * 5), made, label="t", served=lambda: next(names))
        journal.copy(path.with_name("copy"), without="judge")
    with closing(Journal(path.with_name("copy"))) as copy:
        assert not copy.counts("judge").units
        assert not copy.counts("judge:facts").units
        assert copy.served("respond") == ("b", "a", "c")
        assert copy.served("judge") == ()
        assert rows_of(copy, "respond:texts") == WHOLE


def test_a_file_that_is_no_journal_of_ours_is_named_and_left_alone(path: Path) -> None:
    path.write_bytes(b"no database at all, but long enough to be one" * 40)
    with pytest.raises(RunError, match=r"journal\.sqlite cannot be used .*move it away"):
        Journal(path)
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("create table unit (a)")
    before = path.read_bytes()
    with pytest.raises(RunError, match="is no journal of this version"):
        Journal(path)
    assert path.read_bytes() == before


def test_one_that_is_only_read_changes_nothing(path: Path) -> None:
    with closing(Journal(path)) as journal:
        done(journal, [7] * 5)
    before = path.read_bytes()
    path.parent.chmod(0o500)
    try:
        with closing(Journal(path, reads=True)) as journal:
            assert journal.counts("s").rows_done == 5
            assert journal.lacking("s", units([7, 7, 7, 8, 7])) == {1: 1}
    finally:
        path.parent.chmod(0o700)
    assert path.read_bytes() == before


def test_a_full_disk_is_an_error_of_the_disk_and_what_is_done_stays(path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with closing(Journal(path)) as journal:
        done(journal, [7] * 2)
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 20_000, limits[1]))
        try:
            with pytest.raises((OSError, RunError)):
                work_off(journal, "t", units([7] * 20_000, size=8), made, label="t")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        # room was made, and the same process goes on
        assert done(journal, [7] * 2) == []
        work_off(journal, "t", units([7] * 20, size=8), made, label="t")


def test_the_journal_of_a_task_goes_when_all_is_answered(tmp_path: Path) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "local"
    for folder in (None, elsewhere):
        with journal_of({"a": 1}, out, folder=folder) as journal:
            done(journal, [7] * 2, fails=odd)
        assert list(out.iterdir())
        with journal_of({"a": 1}, out, folder=folder) as journal:
            assert done(journal, [7] * 2) == [1]
        assert not list(out.iterdir())
    assert not list(elsewhere.iterdir())


def test_the_order_of_a_stage_is_that_in_which_it_was_planned(path: Path) -> None:
    order = in_order(["b", "c", "a"])
    planned = [
        Unit(rows, np.zeros(len(rows), np.uint64), pa.table({"number": rows}))
        for rows in groups(order, size=2)
    ]
    with closing(Journal(path)) as journal:
        assert journal.order("s", 3) is None
        journal.plan("s", planned)
        assert journal.order("s", 4) is None
        found = journal.order("s", 3)
        assert found is not None
        assert found.tolist() == [2, 0, 1]
