import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from normscope.errors import DataError, NormscopeError
from normscope.space import limits
from normscope.space.upload import Columns, guess, read_upload


def write(path: Path, content: bytes | str) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("columns", "question", "answer"),
    [
        (["question", "response"], "question", "response"),
        (["id", "Prompt", "Output"], "Prompt", "Output"),
        (["user_prompt", "model_response"], "user_prompt", "model_response"),
        (["问题", "回答", "类别"], "问题", "回答"),
        (["instruction", "input", "output"], "instruction", "output"),
        (["a", "b"], "", ""),
    ],
)
def test_columns_are_guessed_by_their_names(columns: list[str], question: str, answer: str) -> None:
    found = guess(columns)
    assert (found.question, found.answer) == (question, answer)


def test_one_column_is_never_guessed_for_two_things() -> None:
    assert guess(["text"]) == Columns(question="", answer="text")


def test_all_three_kinds_of_file_are_read_alike(tmp_path: Path) -> None:
    rows = [{"question": "Why?", "answer": "So."}, {"question": "Who?", "answer": "Me."}]
    write(tmp_path / "a.csv", "question,answer\nWhy?,So.\nWho?,Me.\n")
    write(tmp_path / "b.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "c.parquet")
    for name in ("a.csv", "b.jsonl", "c.parquet"):
        found = read_upload(tmp_path / name)
        assert (found.rows, found.columns) == (rows, ("question", "answer"))


def test_cells_that_are_no_text_become_text(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl", '{"question": 1, "answer": {"b": [true]}}\n{"answer": null}\n'
    )
    assert [list(row.values()) for row in read_upload(path).rows] == [
        ["1", "{'b': [True]}"],
        [None, None],
    ]


def refused(path: Path) -> str:
    with pytest.raises(NormscopeError) as error:
        read_upload(path)
    assert str(path.parent) not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b"PAR1....", "is empty"),
        ("a.csv", b"a,b\n\x00\x01", "1 cells in a row"),
        ("a.csv", b"\x1f\x8b\x08", "not UTF-8 text"),
        ("a.csv", b"PK\x03\x04\x14\xff", "a Word, spreadsheet or ZIP file"),
        ("a.csv", b"\xd0\xcf\x11\xe0", "a Word, spreadsheet or ZIP file"),
        ("a.csv", "question,answer\n".encode("utf-16"), "UTF-16"),
        ("a.xlsx", b"PK\x03\x04", "the ending is .xlsx, not .csv, .jsonl, .parquet"),
        ("a", b"question\nx\n", "the ending is missing"),
        ("a.parquet", b"PAR1 and no more", "not a readable Parquet file"),
        ("a.parquet", b"no parquet at all", "not a readable Parquet file"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_remedy(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    assert message in refused(write(tmp_path / name, content))


def test_too_much_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "a.csv").open("wb") as file:
        file.truncate(50_000_000)
    assert "The file has 50 MB" in refused(tmp_path / "a.csv")
    many = "question,answer\n" + "a,b\n" * (limits.MAX_ROWS + 1)
    assert "more than 2,000 rows" in refused(write(tmp_path / "b.csv", many))
    wide = ",".join(f"c{i}" for i in range(limits.MAX_COLUMNS + 1))
    assert "more than 200 columns" in refused(write(tmp_path / "c.csv", f"{wide}\n{wide}\n"))


def test_a_small_parquet_file_that_unpacks_into_much_is_refused(tmp_path: Path) -> None:
    text = "x" * 1_000_000
    table = pa.table({"question": [text + str(i) for i in range(150)], "answer": [""] * 150})
    pq.write_table(table, tmp_path / "a.parquet", compression="zstd", use_dictionary=False)
    assert (tmp_path / "a.parquet").stat().st_size < limits.MAX_FILE_BYTES
    assert "once it is read" in refused(tmp_path / "a.parquet")


def test_an_error_names_the_file_and_no_path_of_the_server(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^a\.jsonl:1") as error:
        read_upload(write(tmp_path / "a.jsonl", "[1]\n"))
    assert str(tmp_path) not in str(error.value)
    other = "question,answer\na,b\n\u95ee,\u7b54\n".encode("gbk")
    with pytest.raises(DataError, match=r"^a\.csv:3: not UTF-8 text; in GBK .*'问,答'"):
        read_upload(write(tmp_path / "a.csv", other))
    with pytest.raises(DataError, match=r"^a\.jsonl:1: the object is nested beyond reason"):
        read_upload(write(tmp_path / "a.jsonl", '{"a":' * 100_000))
    with pytest.raises(DataError, match=r"^a\.csv is empty: it has no row"):
        read_upload(write(tmp_path / "a.csv", "question,answer\n"))
