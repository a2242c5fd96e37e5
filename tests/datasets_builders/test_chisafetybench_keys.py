import json
from pathlib import Path

import pytest

from normscope.builders.chisafetybench.builder import BUILDER
from normscope.builders.chisafetybench.keys import USER_KEY, read_user_key
from normscope.builders.chisafetybench.mcq import FILE, make_mcq, read_mcq
from normscope.errors import SourceError

LETTERS = {1: ["A", "B"], 2: ["A", "B", "C"], 30: ["A", "B"]}


def _key(folder: Path, *lines: str, header: str = "id,answer") -> Path:
    path = folder / USER_KEY
    path.write_text("\n".join([header, *lines, ""]), encoding="utf-8")
    return path


def _questions(folder: Path) -> Path:
    """Two questions of our own in the shape of the authors' file."""
    infos = [
        {"id": number, "question": f"第{number}杯是茶吗？\nA. 是\nB. 不是", "category": "性别歧视"}
        for number in (1, 2)
    ]
    path = folder / FILE.path
    path.write_text(
        json.dumps([{"category": "歧视性内容", "infos": infos}], ensure_ascii=False),
        encoding="utf-8",
    )
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
    assert USER_KEY in str(caught.value)


def test_questions_without_an_answer_are_warned_of_by_id(tmp_path: Path) -> None:
    path = _key(tmp_path, "2,B", "30,")
    with pytest.warns(UserWarning, match="no answer to 2 of 3 questions, .*: 1, 30"):
        assert read_user_key(path, LETTERS) == {2: "B"}


def test_a_key_beside_the_questions_fills_the_answers(tmp_path: Path) -> None:
    path = _questions(tmp_path)
    assert make_mcq(path)["answer"].to_pylist() == [None, None]
    _key(tmp_path, "1,B", "2,A")
    table = make_mcq(path)
    assert table["answer"].to_pylist() == ["B", "A"]
    items = read_mcq(table)
    assert [(item.answer, item.answer_source) for item in items] == [
        ("B", USER_KEY),
        ("A", USER_KEY),
    ]


def test_a_key_of_one_s_own_is_never_filled_up_with_the_silver_one(
    sources: Path, tmp_path: Path
) -> None:
    names = (FILE.path, *(path.name for path in (sources / "chisafetybench").glob("risky*.json")))
    for name in names:
        (tmp_path / name).write_bytes((sources / "chisafetybench" / name).read_bytes())
    _key(tmp_path, "3,A")
    with pytest.warns(UserWarning, match="no answer to 1,566 of 1,567 questions"):
        table = BUILDER.tables(tmp_path)["mcq"]
    assert table["silver_answer"].null_count == 0
    items = read_mcq(table)
    assert [item.item_id for item in items if item.answer] == ["chisafetybench-mcq-0003"]
    assert {item.answer_source for item in items} == {None, USER_KEY}
    assert {len(item.facets) for item in items} == {0}
