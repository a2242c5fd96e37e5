from pathlib import Path

import pytest

from normscope.builders.chisafetybench.mcq import read_user_key
from normscope.errors import SourceError

LETTERS = {1: ["A", "B"], 2: ["A", "B", "C"], 30: ["A", "B"]}


def _key(folder: Path, *lines: str, header: str = "id,answer") -> Path:
    path = folder / "key.csv"
    path.write_text("\n".join([header, *lines, ""]), encoding="utf-8")
    return path


def test_a_key_is_read_by_the_source_s_ids(tmp_path: Path) -> None:
    path = _key(tmp_path, "30,B", " 1 , a ", "2,C")
    assert read_user_key(path, LETTERS) == {30: "B", 1: "A", 2: "C"}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("1,A", "7,B", "x,B"), "ids that belong to no question: 7, x"),
        (("1,A", "1,B", "2,A"), "ids that stand twice: 1"),
        (("1,C", "2,D", "30,B"), r"none of their options: 1 \(C\), 2 \(D\)"),
        (("1,AB",), r"none of their options: 1 \(AB\)"),
        (("01,A",), "ids that belong to no question: 01"),
        (tuple(f"{n},A" for n in range(100, 112)), "100, .*109 and 2 more"),
        (("1",), "1 cells in a row under 2 columns"),
    ],
)
def test_what_cannot_be_meant_is_named(
    tmp_path: Path, lines: tuple[str, ...], message: str
) -> None:
    path = _key(tmp_path, *lines)
    with pytest.raises(SourceError, match=message) as caught:
        read_user_key(path, LETTERS)
    assert "key.csv" in str(caught.value)


def test_questions_without_an_answer_are_warned_of_by_id(tmp_path: Path) -> None:
    path = _key(tmp_path, "2,B", "30,")
    with pytest.warns(UserWarning, match="no answer to 2 of 3 questions, .*: 1, 30"):
        assert read_user_key(path, LETTERS) == {2: "B"}
