"""Reading filled sheets: agreement, the majority, and every way in which a sheet can be wrong."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from annotated_runs import Answer, call, fill, made_up, rater, read, truthful, write, write_run

from normscope.errors import DataError
from normscope.judges.trust.raters import (
    Majority,
    agreement_of_raters,
    majority_of,
    read_people,
)
from normscope.judges.trust.sample import read_sample

DEGREES = ("0", "1", "2", "3")
Rows = list[dict[str, str]]


@pytest.fixture(scope="module")
def drawn(judged: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sample of the run, drawn once."""
    folder = tmp_path_factory.mktemp("drawn") / "labels"
    call("sample", judged, "--n", 60, "--out", folder)
    return folder


@pytest.fixture
def folder(drawn: Path, tmp_path: Path) -> Path:
    """A copy of the sample, which a test may change."""
    return shutil.copytree(drawn, tmp_path / "labels")


def sheet(folder: Path, number: int) -> Path:
    return folder / "sheets" / f"rater-{number}.csv"


def majority(folder: Path) -> Majority:
    sample = read_sample(folder)
    return majority_of(read_people(folder, sample), sample)


def test_agreement_is_of_each_pair_of_raters_and_of_all(
    folder: Path, answers: list[Answer]
) -> None:
    sheets = [
        fill(sheet(folder, k), rater(answers, DEGREES, error=error, seed=k))
        for k, error in enumerate((0.1, 0.3, 0.3), start=1)
    ]
    assert "rater 1 × rater 2" in call("import", folder, *sheets).output
    sample = read_sample(folder)
    people = read_people(folder, sample)
    rows = agreement_of_raters(people, sample)["refusal"]
    table = {(row.member, row.name): row.estimate for row in rows}
    columns = [
        [int(filled.labels[row.row]["refusal"]) for row in sample.drawn] for filled in people.raters
    ]
    alpha = krippendorff.alpha(
        np.array(columns, dtype=float), level_of_measurement="ordinal", value_domain=[0, 1, 2, 3]
    )
    assert table["all", "alpha"].value == pytest.approx(alpha)
    same = np.mean(np.array(columns[1]) == columns[2])
    assert table["rater 2 × rater 3", "rater_agreement"].value == pytest.approx(same)
    assert (table["all", "alpha"].low or 1) < alpha < (table["all", "alpha"].high or -1)


def test_the_majority_stands_and_where_all_differ_there_is_none(
    folder: Path, answers: list[Answer]
) -> None:
    truth = truthful(answers)
    items = [row["item"] for row in read(sheet(folder, 1))]
    tied, outvoted, unknown = set(items[:4]), items[10], items[11]

    def raters(number: int) -> Callable[[dict[str, str], str], str]:
        def label(row: dict[str, str], criterion: str) -> str:
            right = int(truth(row, criterion))
            if row["item"] == unknown:
                return "?"
            if row["item"] in tied:
                return str((right + number) % 4)
            return str((right + 1) % 4) if number == 3 and row["item"] == outvoted else str(right)

        return label

    sheets = [fill(sheet(folder, k), raters(k)) for k in (1, 2, 3)]
    assert "5 have no majority and are left out" in call("import", folder, *sheets).output
    known = {row["item"]: truth(row, "refusal") for row in read(sheet(folder, 1))}
    found = majority(folder)
    assert {row: labels["refusal"] for row, labels in found.labels.items()} == {
        row: label for row, label in known.items() if row not in {*tied, unknown}
    }
    assert (found.disagreed, found.undecided) == (5, 5)


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_the_page_s_csv_without_texts_is_read_however_columns_are_parted(
    folder: Path, answers: list[Answer], sign: str
) -> None:
    path = fill(sheet(folder, 2), truthful(answers))
    kept = ("item", "label_refusal", "comment", "sheet")
    rows = [{name: row[name] for name in kept} for row in read(path)]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=sign)
        writer.writeheader()
        writer.writerows(rows)
    assert "rater 2" in call("import", folder, path).output


def broken(rows: Rows, what: str) -> Rows:
    first, second, *rest = rows
    changes = {
        "unknown label": [first | {"label_refusal": "7"}, second, *rest],
        "stranger": [first | {"item": "rffff"}, second, *rest],
        "duplicate": [first, first, *rest],
        "empty cell": [first | {"label_refusal": ""}, second, *rest],
        "deleted row": [second, *rest],
        "other sample": [row | {"sheet": "s0123-1"} for row in rows],
        "two sheets": [first | {"sheet": first["sheet"][:-1] + "2"}, second, *rest],
        "no column": [{k: v for k, v in row.items() if k != "label_refusal"} for row in rows],
    }
    return changes[what]


@pytest.mark.parametrize(
    ("what", "problem"),
    [
        ("unknown label", r"row 2: label_refusal is '7'; write one of 0, 1, 2, 3, or \?"),
        ("stranger", "row 2: there is no item 'rffff' in this sample"),
        ("duplicate", "row 3: .* stands in row 2 already; delete one"),
        ("empty cell", r"1 of 60 labels are missing \(first row 2\):.* leave the sheet out"),
        ("deleted row", r"1 of 60 labels are missing \(rows of the sheet were deleted\)"),
        ("other sample", "is of another sample: it says 's0123-1'"),
        ("two sheets", "do not put two sheets into one file"),
        ("no column", "no column 'label_refusal'"),
    ],
)
def test_a_wrong_sheet_is_refused_with_row_and_remedy(
    folder: Path, answers: list[Answer], what: str, problem: str
) -> None:
    path = fill(sheet(folder, 1), truthful(answers))
    write(path, broken(read(path), what))
    with pytest.raises(DataError, match=problem):
        call("import", folder, path)
    assert not (folder / "labels.json").exists()


def test_files_that_are_no_sheet_of_this_sample_are_refused(
    folder: Path, answers: list[Answer], tmp_path: Path
) -> None:
    first = fill(sheet(folder, 1), truthful(answers))
    with pytest.raises(DataError, match="are both of rater 1"):
        call("import", folder, first, write(folder / "again.csv", read(first)))
    other = write_run(tmp_path / "other", made_up(100, seed=9))
    call("sample", other, "--n", 40, "--out", tmp_path / "theirs")
    theirs = fill(tmp_path / "theirs" / "sheets" / "rater-1.csv", lambda _, __: "1")
    with pytest.raises(DataError, match="is of another sample"):
        call("import", folder, theirs)
    first.write_bytes(first.read_text(encoding="utf-8").encode("gbk"))
    with pytest.raises(DataError, match="save it again as UTF-8"):
        call("import", folder, first)
    (folder / "labels.xlsx").write_bytes(b"PK")
    with pytest.raises(DataError, match=r"the ending is \.xlsx, not \.csv"):
        call("import", folder, folder / "labels.xlsx")


def test_labels_of_another_sample_are_refused(folder: Path, answers: list[Answer]) -> None:
    with pytest.raises(DataError, match="has no labels yet"):
        call("check", folder)
    call("import", folder, fill(sheet(folder, 1), truthful(answers)))
    path = folder / "sample.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(value | {"seed": 5}), encoding="utf-8")
    with pytest.raises(DataError, match="of another sample"):
        call("check", folder)
