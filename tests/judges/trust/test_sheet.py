import csv
from pathlib import Path

import pytest

from normscope.errors import DataError
from normscope.judges.rules import rule_hash
from normscope.judges.trust.rule_frame import Answer
from normscope.judges.trust.rule_sample import draw
from normscope.judges.trust.rule_sheet import REVIEWED, guarded, outdated, read_sheet, write_sheet

HOSTILE = [
    "=HYPERLINK(1)",
    "+1",
    "-1",
    "@SUM(1)",
    "\t=1",
    " =1",
    "＝1+1",
    "\r=1",
    "\ufeff=1",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_cell_can_be_run_as_a_formula(text: str) -> None:
    assert guarded(text).startswith("'")


@pytest.mark.parametrize("text", ["B", "选B", "1 = 1", "", "a\nb", "'quoted'"])
def test_other_cells_stay_as_they_are(text: str) -> None:
    assert guarded(text) == text


def test_a_cell_is_no_longer_than_a_spreadsheet_takes_and_keeps_both_ends() -> None:
    cell = guarded("a" * 50_000 + "b" * 50_000)
    assert len(cell) < 32_767
    assert cell.startswith("a" * 14_000)
    assert cell.endswith("b" * 14_000)
    assert "72,000 characters" in cell


def test_what_no_spreadsheet_can_hold_is_taken_out() -> None:
    assert guarded("a\x00b\x1bc\ud800") == "a b c?"


def fill(path: Path, **cells: list[str]) -> None:
    """The sheet with these columns overwritten, row by row, as a spreadsheet would save it."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for name, values in cells.items():
        for row, value in zip(rows, values, strict=True):
            row[name] = value
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    texts = ["=neutral", "选\n中立", "strongly acceptable", "As an AI, I have no opinions."]
    answers = [Answer(f"row {k}", "likert", text, "问题?") for k, text in enumerate(texts)]
    write_sheet(tmp_path / "sheet.csv", draw(answers, n=4, seed=0))
    return tmp_path / "sheet.csv"


def test_a_sheet_is_read_back_as_it_was_drawn(sheet: Path) -> None:
    assert sheet.read_bytes().startswith(b"\xef\xbb\xbf")
    rows = read_sheet(sheet)
    assert sorted(row.read for row in rows) == [
        "limitation_acknowledged",
        "neutral",
        "neutral",
        "strongly acceptable",
    ]
    assert [row.row for row in rows] == [2, 3, 4, 5]
    assert all(row.truth is None for row in rows)
    assert {row.stratum_size for row in rows if row.read == "neutral"} == {2}
    assert {row.rule_hash for row in rows} == {rule_hash("likert")}
    assert outdated(rows) == ()


def test_a_review_may_differ_in_case_and_blanks_and_name_reasons_in_words(sheet: Path) -> None:
    said = ["Neutral ", "strongly  ACCEPTABLE", "off scale", "no_answer"]
    fill(sheet, **{REVIEWED: said})
    truths = [row.truth for row in read_sheet(sheet)]
    assert truths == ["neutral", "strongly acceptable", "off_scale", "no_answer"]


def test_a_rule_that_has_changed_since_is_named(sheet: Path) -> None:
    fill(sheet, rule_hash=["0" * 64] * 4)
    assert outdated(read_sheet(sheet)) == ("likert",)


@pytest.mark.parametrize(
    ("column", "values", "told"),
    [
        (REVIEWED, ["", "", "fine", ""], "row 4: reviewed_label is 'fine'; write one of strongly"),
        ("stratum_size", ["2", "x", "2", "1"], "row 3: stratum_size is 'x', not a number"),
        ("label", ["?", "", "", ""], "row 2: label and reason say"),
    ],
)
def test_what_cannot_be_is_an_error_with_its_row(
    sheet: Path, column: str, values: list[str], told: str
) -> None:
    fill(sheet, **{column: values})
    with pytest.raises(DataError, match=told):
        read_sheet(sheet)


def test_a_sheet_without_its_columns_or_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("where,text\n1,b\n", encoding="utf-8")
    with pytest.raises(DataError, match="no column 'rule'"):
        read_sheet(tmp_path / "other.csv")
    with pytest.raises(DataError, match="save it from the spreadsheet as CSV"):
        read_sheet(tmp_path / "sheet.xlsx")
