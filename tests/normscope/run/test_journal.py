"""The journal keeps what is finished and drops what was torn."""

from pathlib import Path

import pytest

from normscope.errors import RunError
from normscope.run.journal import Journal
from normscope.run.units import plan, work_off

ROWS = [{"a": 0.1 + 0.2, "text": "行\n\u2028", "none": None}]


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    assert Journal.open(path).append("judge", 3, ROWS) == ROWS
    again = Journal.open(path)
    assert again.rows("judge", 3) == ROWS
    assert again.rows("judge", 4) is None
    assert again.rows("respond", 3) is None


@pytest.mark.parametrize("torn", [b'{"stage": "judge", "un', b'{"stage":"judge"}', b"\0" * 40])
def test_a_torn_last_line_is_cut_off_and_the_next_one_is_whole(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "j.jsonl"
    Journal.open(path).append("judge", 0, ROWS)
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    journal = Journal.open(path)
    assert path.read_bytes() == whole
    journal.append("judge", 1, ROWS)
    assert Journal.open(path).rows("judge", 1) == ROWS


def test_a_last_line_that_ends_but_says_nothing_is_cut_off_too(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    Journal.open(path).append("judge", 0, ROWS)
    whole = path.read_bytes()
    path.write_bytes(whole + b"\0\0\n")
    Journal.open(path)
    assert path.read_bytes() == whole


def test_damage_in_the_middle_is_an_error_that_says_where(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    for unit in range(3):
        Journal.open(path).append("judge", unit, ROWS)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"garbage\n" + lines[2])
    with pytest.raises(RunError, match="line 2 of 3"):
        Journal.open(path)


def test_a_finished_unit_is_not_done_again(tmp_path: Path) -> None:
    units = plan([3, 1, 2, 0], size=3)
    assert units == [(3, 1, 2), (0,)]
    done: list[tuple[int, ...]] = []

    def do(unit: tuple[int, ...]) -> list[dict[str, int]]:
        done.append(unit)
        return [{"row": i} for i in unit]

    for _ in range(2):
        journal = Journal.open(tmp_path / "j.jsonl")
        found = list(work_off(journal, "s", units, do, label="t"))
    assert found == [((3, 1, 2), [{"row": 3}, {"row": 1}, {"row": 2}]), ((0,), [{"row": 0}])]
    assert done == units
