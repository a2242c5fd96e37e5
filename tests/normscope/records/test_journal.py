"""The journal keeps what is answered, and of what is damaged asks for the damaged alone."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from normscope.records.journal import Journal, Row
from normscope.records.units import plan, work_off

ROWS = [{"a": 0.1 + 0.2, "text": "行\n\u2028", "none": None}]


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    assert Journal.open(path).append("judge", ["3"], ROWS) == ROWS
    again = Journal.open(path)
    assert again.rows("judge") == {"3": ROWS[0]}
    assert again.rows("respond") == {}


def test_of_a_row_that_was_written_twice_the_later_one_counts(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    Journal.open(path).append("judge", ["0", "1"], [{"a": 0}, {"a": 1}])
    Journal.open(path).append("judge", ["1"], [{"a": 2}])
    assert Journal.open(path).rows("judge") == {"0": {"a": 0}, "1": {"a": 2}}


@pytest.mark.parametrize("torn", [b'{"stage": "judge", "un', b'{"stage":"judge"}', b"\0" * 40])
def test_a_torn_last_line_is_cut_off_and_the_next_one_is_whole(
    tmp_path: Path, torn: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "j.jsonl"
    Journal.open(path).append("judge", ["0"], ROWS)
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    journal = Journal.open(path)
    assert path.read_bytes() == whole
    assert "the last line was torn (of 2)" in capsys.readouterr().err
    journal.append("judge", ["1"], ROWS)
    assert Journal.open(path).rows("judge")["1"] == ROWS[0]
    assert capsys.readouterr().err == ""


def _another_number(line: bytes) -> bytes:
    return line.replace(b"0.25", b"0.75")


def _another_stage(line: bytes) -> bytes:
    return line.replace(b'"judge"', b'"respo"')


def _another_name(line: bytes) -> bytes:
    return line.replace(b'"names":["1"]', b'"names":["2"]')


def _without_rows(line: bytes) -> bytes:
    return json.dumps({k: v for k, v in json.loads(line).items() if k != "rows"}).encode() + b"\n"


DAMAGE: Mapping[str, Callable[[bytes], bytes]] = {
    "another number": _another_number,
    "another stage": _another_stage,
    "another name": _another_name,
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

    def do(unit: tuple[int, ...]) -> list[Row]:
        asked.extend(unit)
        return [{"p": 0.25 * i} for i in unit]

    def work() -> list[Row]:
        return work_off(Journal.open(path), "judge", [(0,), (1,), (2,)], do, label="t")

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


@pytest.mark.parametrize(
    "entry",
    [
        {"stage": "judge", "names": ["0", "1"], "rows": [{"p": 0}], "served": []},
        {"stage": "judge", "names": ["0"], "rows": None, "served": []},
        {"stage": "judge", "rows": [{"p": 0}], "served": []},
    ],
)
def test_a_line_of_another_shape_is_none_whatever_its_sum(
    tmp_path: Path, entry: dict[str, object]
) -> None:
    from normscope.records import journal

    content = json.dumps(entry).encode()
    line = b'{"sum":"%s",%s\n' % (journal._sum(content), content[1:])
    (tmp_path / "j.jsonl").write_bytes(line)
    assert Journal.open(tmp_path / "j.jsonl").rows("judge") == {}
    assert (tmp_path / "j.jsonl").read_bytes() == b""


def test_a_row_that_is_not_there_is_asked_for(tmp_path: Path) -> None:
    """As when a unit was written that had other rows: what fits is kept."""
    journal = Journal.open(tmp_path / "j.jsonl")
    journal.append("s", ["0", "2", "9"], [{"r": 0}, {"r": 2}, {"r": 9}])
    asked: list[tuple[int, ...]] = []

    def do(unit: tuple[int, ...]) -> list[Row]:
        asked.append(unit)
        return [{"r": i} for i in unit]

    assert work_off(journal, "s", [(2, 1), (0,)], do, label="t") == [{"r": i} for i in range(3)]
    assert asked == [(1,)]


def test_a_finished_unit_is_not_done_again(tmp_path: Path) -> None:
    units = plan([3, 1, 2, 0], size=3)
    assert units == [(3, 1, 2), (0,)]
    done: list[tuple[int, ...]] = []

    def do(unit: tuple[int, ...]) -> list[Row]:
        done.append(unit)
        return [{"row": i} for i in unit]

    for _ in range(2):
        found = work_off(Journal.open(tmp_path / "j.jsonl"), "s", units, do, label="t")
        assert found == [{"row": i} for i in range(4)]
    assert done == units


FAILED = {"text": None, "reason": "call_failed"}


@pytest.mark.parametrize("nested", [False, True])
def test_a_row_whose_call_failed_is_asked_again_and_the_rest_of_its_unit_is_not(
    tmp_path: Path, nested: bool
) -> None:
    path = tmp_path / "j.jsonl"
    well = False
    asked: list[tuple[int, ...]] = []

    def do(unit: tuple[int, ...]) -> list[Row]:
        asked.append(unit)
        rows = [FAILED if i % 2 and not well else {"text": str(i), "reason": None} for i in unit]
        return [{"criteria": [{"reason": "low_coverage"}, row]} for row in rows] if nested else rows

    def work(*, retry: bool = True) -> list[Row]:
        units = [(0, 1), (2, 3)]
        return work_off(Journal.open(path), "s", units, do, label="t", retry=retry)

    first = work()
    assert asked == [(0, 1), (2, 3)]
    size = path.stat().st_size
    # what fails again is not written again; what is finished, or final, is not asked
    assert work() == work(retry=False) == first
    assert asked[2:] == [(1,), (3,)]
    assert path.stat().st_size == size
    well = True
    assert work() == do((0, 1, 2, 3))
    assert asked[4:6] == [(1,), (3,)]
    assert work()[1] != first[1]
    assert len(asked) == 7
