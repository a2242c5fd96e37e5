"""The journal keeps what is answered, and of what is damaged asks for the damaged alone."""

import json
import resource
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from normscope.records import journal
from normscope.records.journal import Entry, Journal, Row, read_line
from normscope.records.units import Lanes, Unit, in_order, in_rows, plan, work_off

ROWS = [{"a": 0.1 + 0.2, "text": "行\n\u2028", "none": None}]


def entry(
    numbers: list[int], rows: list[Row], stage: str = "judge", hashes: list[str] | None = None
) -> Entry:
    return Entry(stage, "unit", numbers, hashes or [], rows, [])


def rows_of(path: Path, stage: str = "judge") -> dict[int, Row]:
    """What the journal holds of a stage, by the rows' numbers."""
    journal = Journal.open(path)
    kept = journal.kept(stage)
    there = np.flatnonzero(kept.there)
    return dict(zip(there.tolist(), journal.rows(stage, there, kept), strict=True))


def test_of_a_row_that_was_written_twice_the_first_counts_unless_its_call_failed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "j.jsonl"
    failed = {"reason": "call_failed"}
    Journal.open(path).append(entry([0, 1, 2], [{"a": 0}, failed, failed]))
    Journal.open(path).append(entry([1, 0], [{"a": 2}, {"a": 3}]))
    assert rows_of(path) == {0: {"a": 0}, 1: {"a": 2}, 2: failed}
    kept = Journal.open(path).kept("judge")
    assert kept.again == 1
    assert kept.failed.tolist() == [False, False, True]


def test_a_row_of_another_content_is_not_there(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "j.jsonl")
    journal.append(entry([0, 1], [{"a": 0}, {"a": 1}], hashes=["x" * 16, "y" * 16]))
    changed = np.array(["x" * 16, "z" * 16], "S16")
    assert journal.kept("judge", changed).there.tolist() == [True, False]


def test_what_a_full_disk_has_kept_of_a_line_does_not_damage_the_next(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    journal = Journal.open(path)
    journal.append(entry([0], ROWS))
    size = path.stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            journal.append(entry([1], ROWS))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.stat().st_size == size
    # room was made, and the same process goes on
    journal.append(entry([1], ROWS))
    assert Journal.read(path).damaged == 0
    assert rows_of(path) == {0: ROWS[0], 1: ROWS[0]}


@pytest.mark.parametrize("torn", [b'{"stage": "judge", "un', b'{"stage":"judge"}', b"\0" * 40])
def test_a_torn_last_line_is_cut_off_and_the_next_one_is_whole(
    tmp_path: Path, torn: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "j.jsonl"
    Journal.open(path).append(entry([0], ROWS))
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    journal = Journal.open(path)
    assert path.read_bytes() == whole
    assert "the last line was torn (of 2)" in capsys.readouterr().err
    journal.append(entry([1], ROWS))
    assert rows_of(path)[1] == ROWS[0]
    assert capsys.readouterr().err == ""


def _another_number(line: bytes) -> bytes:
    return line.replace(b"0.25", b"0.75")


def _another_stage(line: bytes) -> bytes:
    return line.replace(b'"judge"', b'"respo"')


def _another_place(line: bytes) -> bytes:
    return line.replace(b'"numbers":[1]', b'"numbers":[2]')


def _without_rows(line: bytes) -> bytes:
    return json.dumps({k: v for k, v in json.loads(line).items() if k != "rows"}).encode() + b"\n"


DAMAGE: Mapping[str, Callable[[bytes], bytes]] = {
    "another number": _another_number,
    "another stage": _another_stage,
    "another place": _another_place,
    "no rows": _without_rows,
    "without its sum": lambda line: b"{" + line[line.index(b",") + 1 :],
    "zeros": lambda line: b"\0" * (len(line) - 1) + b"\n",
    "nothing": lambda _: b"\n",
    "another value": lambda _: b'[{"sum": 3}]\n',
    "deep": lambda _: b"[" * 100_000 + b"\n",
    "not UTF-8": lambda line: line.replace(b"0.25", b"\xff\xfe"),
    "two lines that became one": lambda line: line[:-1],
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_of_a_damaged_line_only_its_unit_is_done_again(
    tmp_path: Path, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "j.jsonl"
    asked: list[int] = []

    def do(unit: Unit) -> list[Row]:
        asked.extend(unit.rows.tolist())
        return [{"p": 0.25 * i} for i in unit.rows.tolist()]

    def work() -> list[Row]:
        planned = plan("judge", in_order(range(3)), size=1)
        return in_rows(work_off(Journal.open(path), planned, do, label="t"), 3)

    rows = work()
    lines = path.read_bytes().splitlines(keepends=True)
    middle = DAMAGE[damage](lines[1])
    assert middle != lines[1]
    path.write_bytes(lines[0] + middle + lines[2])
    asked.clear()
    capsys.readouterr()
    assert work() == rows
    lost = [1, 2] if damage == "two lines that became one" else [1]
    assert asked == lost
    told = f"damaged lines: 1 (of {2 if lost == [1, 2] else 3})"
    assert f"{path}: {told}" in capsys.readouterr().err
    # the damaged line is gone, and nothing is asked any more
    assert sorted(path.read_bytes().splitlines(keepends=True)) == sorted(lines)
    asked.clear()
    assert work() == rows
    assert asked == []


def _shaped(**changes: object) -> bytes:
    """A line with a checksum of its own, with other fields."""
    fields = json.loads(entry([0], [{"p": 0}]).line()) | changes
    head = json.dumps(fields["head"], separators=(",", ":"))
    content = f'"head":{head},"rows":{json.dumps(fields["rows"])}}}'.encode()
    return b'{"sum":"%s",%s\n' % (journal._sum(content), content)


HEAD = {"failed": [], "hashes": [], "numbers": [0], "served": [], "stage": "judge", "unit": "u"}


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": None},
        {"rows": {"p": 0}},
        {"head": {name: value for name, value in HEAD.items() if name != "numbers"}},
        {"head": HEAD | {"stage": ["judge"]}},
        {"head": HEAD | {"numbers": [-1]}},
        {"head": HEAD | {"numbers": ["a"]}},
        {"head": HEAD | {"numbers": [[0]]}},
        {"head": HEAD | {"hashes": ["a", "b"]}},
        {"head": HEAD | {"numbers": [2**70]}},
        {"head": HEAD | {"failed": [1]}},
    ],
)
def test_a_line_of_another_shape_is_none_whatever_its_sum(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes(_shaped(**changes))
    assert read_line(path.read_bytes()) is None
    assert rows_of(path) == {}
    assert path.read_bytes() == b""


def test_a_finished_unit_is_not_done_again(tmp_path: Path) -> None:
    planned = plan("s", in_order([3, 1, 2, 0]), size=3)
    assert [unit.rows.tolist() for unit in planned.units] == [[3, 1, 2], [0]]
    done: list[str] = []

    def do(unit: Unit) -> list[Row]:
        done.append(unit.name)
        return [{"row": i} for i in unit.rows.tolist()]

    for _ in range(2):
        journal = Journal.open(tmp_path / "j.jsonl")
        rows = in_rows(work_off(journal, planned, do, label="t"), 4)
        assert rows == [{"row": i} for i in range(4)]
    assert done == [unit.name for unit in planned.units]


def test_an_error_in_one_lane_keeps_what_is_done(tmp_path: Path) -> None:
    planned = plan("s", in_order(range(40)), size=1)
    begun: list[str] = []

    def do(unit: Unit) -> list[Row]:
        begun.append(unit.name)
        if unit.rows[0] == 5:
            raise OSError("gone")
        return [{"row": int(unit.rows[0])}]

    journal = Journal.open(tmp_path / "j.jsonl")
    with pytest.raises(OSError, match="gone"):
        work_off(journal, planned, do, label="t", lanes=Lanes(2))
    assert len(journal.lines("s")) == len(begun) - 1 < 39


FAILED = {"text": None, "reason": "call_failed"}


@pytest.mark.parametrize("nested", [False, True])
def test_a_row_whose_call_failed_is_asked_again_and_the_rest_of_its_unit_is_not(
    tmp_path: Path, nested: bool
) -> None:
    path = tmp_path / "j.jsonl"
    well = False
    asked: list[list[int]] = []

    def made(numbers: list[int]) -> list[Row]:
        rows = [FAILED if i % 2 and not well else {"text": str(i), "reason": None} for i in numbers]
        return [{"criteria": [{"reason": "low_coverage"}, row]} for row in rows] if nested else rows

    def do(unit: Unit) -> list[Row]:
        asked.append(unit.rows.tolist())
        return made(asked[-1])

    planned = plan("s", in_order(range(4)), size=2)

    def work(*, retry: bool = True) -> list[Row]:
        return in_rows(work_off(Journal.open(path), planned, do, label="t", retry=retry), 4)

    first = work()
    assert asked == [[0, 1], [2, 3]]
    size = path.stat().st_size
    # what fails again is not written again; what is finished, or final, is not asked
    assert work() == work(retry=False) == first
    assert asked[2:] == [[1], [3]]
    assert path.stat().st_size == size
    assert Journal.open(path).has_failed
    well = True
    assert work() == made([0, 1, 2, 3])
    assert asked[4:6] == [[1], [3]]
    assert work()[1] != first[1]
    assert len(asked) == 6
    assert not Journal.open(path).has_failed
