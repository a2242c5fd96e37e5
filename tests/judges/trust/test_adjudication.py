"""Reading filled sheets: agreement, ties, and every way in which a sheet can be wrong."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from annotated_runs import Answer, call, fill, made_up, rater, read, truthful, write, write_run
from statsmodels.stats.inter_rater import cohens_kappa  # type: ignore[import-untyped]

from normscope.errors import DataError, UsageError
from normscope.judges.trust.adjudication import consensus, gold_of, read_people
from normscope.judges.trust.agreement import agreement_of_raters
from normscope.judges.trust.filled import label_of
from normscope.judges.trust.key import read_sample

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


def three(folder: Path, answers: list[Answer], *errors: float) -> list[Path]:
    return [
        fill(sheet(folder, k), rater(answers, DEGREES, error=error, seed=k))
        for k, error in enumerate(errors, start=1)
    ]


def test_agreement_is_that_of_independent_libraries(folder: Path, answers: list[Answer]) -> None:
    sheets = three(folder, answers, 0.1, 0.3, 0.3)
    problem = call("import", folder, *sheets).output
    assert "rater 1 × rater 2" in problem
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
    pairs = np.zeros((4, 4))
    np.add.at(pairs, (columns[0], columns[2]), 1)
    kappa = cohens_kappa(pairs).kappa
    assert table["rater 1 × rater 3", "kappa"].value == pytest.approx(kappa)
    same = np.mean(np.array(columns[1]) == columns[2])
    assert table["rater 2 × rater 3", "rater_agreement"].value == pytest.approx(same)
    low, high = table["all", "alpha"].low, table["all", "alpha"].high
    assert low is not None
    assert high is not None
    assert low < alpha < high


def test_the_majority_stands_and_ties_are_settled_by_another_person(
    folder: Path, answers: list[Answer]
) -> None:
    truth = truthful(answers)
    items = [row["item"] for row in read(sheet(folder, 1))]
    tied, outvoted = set(items[:4]), items[10]

    def raters(number: int) -> Callable[[dict[str, str], str], str]:
        def label(row: dict[str, str], criterion: str) -> str:
            right = int(truth(row, criterion))
            if row["item"] in tied:
                return str((right + number) % 4)
            return str((right + 1) % 4) if number == 3 and row["item"] == outvoted else str(right)

        return label

    sheets = [fill(sheet(folder, k), raters(k)) for k in (1, 2, 3)]
    assert "4 are open" in call("import", folder, *sheets).output
    assert "4 ties" in call("adjudicate", folder).output
    rows = read(folder / "ties.csv")
    assert {row["item"] for row in rows} == tied
    assert rows[0]["label_refusal"] == ""
    assert len(rows[0]["raters"].removeprefix("label_refusal: ").split(", ")) == 3
    filled = fill(folder / "ties.csv", truth)
    assert "4 ties are settled, 0 are open" in call("adjudicate", folder, filled).output
    sample = read_sample(folder)
    gold = gold_of(read_people(folder, sample), sample)
    known = {row["item"]: truth(row, "refusal") for row in read(sheet(folder, 1))}
    assert {row: labels["refusal"] for row, labels in gold.labels.items()} == known
    assert (gold.disagreed, gold.adjudicated, gold.ties) == (5, 4, ())
    assert "no tie is open" in call("adjudicate", folder).output


def test_labels_may_be_spelt_as_a_spreadsheet_saves_them(
    folder: Path, answers: list[Answer]
) -> None:
    truth = truthful(answers)
    forms = ("{}", " {} ", "{}.0", "'{}")
    rows = [
        row | {"label_refusal": forms[at % 4].format(truth(row, "refusal"))}
        for at, row in enumerate(read(sheet(folder, 1)))
    ]
    # and blank lines below the table
    write(sheet(folder, 1), [*rows, dict.fromkeys(rows[0], "")])
    assert call("import", folder, sheet(folder, 1)).exit_code == 0
    assert label_of("３", DEGREES) == "3"
    assert label_of("？", DEGREES) == "?"


def test_the_page_s_csv_without_texts_is_read_too(folder: Path, answers: list[Answer]) -> None:
    path = fill(sheet(folder, 2), truthful(answers))
    kept = ("item", "label_refusal", "comment", "sheet")
    write(path, [{name: row[name] for name in kept} for row in read(path)])
    assert "rater 2" in call("import", folder, path).output


@pytest.mark.parametrize("sign", [";", "\t"])
def test_columns_may_be_parted_as_in_other_countries(
    folder: Path, answers: list[Answer], sign: str
) -> None:
    path = fill(sheet(folder, 1), truthful(answers))
    rows = read(path)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=sign)
        writer.writeheader()
        writer.writerows(rows)
    assert "rater 1" in call("import", folder, path).output


def test_another_encoding_is_refused_with_the_remedy(folder: Path, answers: list[Answer]) -> None:
    path = fill(sheet(folder, 1), truthful(answers))
    path.write_bytes(path.read_text(encoding="utf-8").encode("gbk"))
    with pytest.raises(DataError, match="save it as UTF-8"):
        call("import", folder, path)


def broken(rows: Rows, what: str) -> Rows:
    first, second, *rest = rows
    changes = {
        "unknown label": [first | {"label_refusal": "7"}, second, *rest],
        "stranger": [first | {"item": "rffff"}, second, *rest],
        "duplicate": [first, first, *rest],
        "edited answer": [first | {"answer": "Another answer"}, second, *rest],
        "edited question": [first | {"question": "Another question?"}, second, *rest],
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
        ("edited answer", "row 2: the question or the answer was edited"),
        ("edited question", "row 2: the question or the answer was edited"),
        ("empty cell", r"1 of 60 labels are missing \(first row 2\): .* --partial"),
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


def test_all_bad_cells_are_named_at_once(folder: Path) -> None:
    path = fill(sheet(folder, 1), lambda _, __: "x")
    with pytest.raises(DataError) as error:
        call("import", folder, path)
    assert str(error.value).count("label_refusal is 'x'") == 10
    assert "and 50 more" in str(error.value)


def test_a_half_filled_sheet_is_taken_on_request(folder: Path, answers: list[Answer]) -> None:
    path = fill(sheet(folder, 1), truthful(answers))
    rows = read(path)
    write(path, [*rows[:40], *(row | {"label_refusal": ""} for row in rows[40:])])
    assert "20 cells empty" in call("import", folder, path, "--partial").output
    sample = read_sample(folder)
    gold = gold_of(read_people(folder, sample), sample)
    assert (len(gold.labels), gold.missing) == (40, 20)


def test_two_files_of_one_rater_are_refused(folder: Path, answers: list[Answer]) -> None:
    first = fill(sheet(folder, 1), truthful(answers))
    second = write(folder / "again.csv", read(first))
    with pytest.raises(DataError, match="are both of rater 1"):
        call("import", folder, first, second)


def test_a_sheet_of_another_run_is_refused(
    folder: Path, answers: list[Answer], tmp_path: Path
) -> None:
    other = write_run(tmp_path / "other", made_up(100, seed=9))
    call("sample", other, "--n", 40, "--out", tmp_path / "theirs")
    path = fill(tmp_path / "theirs" / "sheets" / "rater-1.csv", lambda _, __: "1")
    with pytest.raises(DataError, match="is of another sample"):
        call("import", folder, path)


@pytest.mark.parametrize("name", ["labels.xlsx", "labels.txt"])
def test_a_sheet_that_is_no_csv_is_refused(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"PK")
    with pytest.raises(DataError, match="save it from the spreadsheet as CSV"):
        call("import", folder, folder / name)


def test_a_folder_that_is_no_sample_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has no key"):
        call("import", tmp_path, tmp_path / "x.csv")


def test_labels_of_another_sample_are_refused(folder: Path, answers: list[Answer]) -> None:
    call("import", folder, fill(sheet(folder, 1), truthful(answers)))
    path = folder / "labels.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(value | {"seal": "s0"}), encoding="utf-8")
    with pytest.raises(DataError, match="of another sample"):
        call("adjudicate", folder)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"label_refusal": "9"}, "row 2: label_refusal is '9'; write one of 0, 1, 2, 3"),
        ({"item": "rffff"}, "row 2: there is no item 'rffff' in this sample"),
        ({"sheet": "s0-0"}, "do not put two sheets into one file"),
    ],
)
def test_a_wrong_sheet_of_ties_is_refused(
    folder: Path, answers: list[Answer], change: dict[str, str], problem: str
) -> None:
    sheets = [fill(sheet(folder, k), lambda _, __, k=k: str(k)) for k in (1, 2, 3)]
    call("import", folder, *sheets)
    call("adjudicate", folder)
    rows = read(folder / "ties.csv")
    write(folder / "ties.csv", [rows[0] | change, *rows[1:]])
    with pytest.raises(DataError, match=problem):
        call("adjudicate", folder, folder / "ties.csv")


def test_nobody_can_tell_is_a_tie_that_may_stay_open_for_good(
    folder: Path, answers: list[Answer]
) -> None:
    truth = truthful(answers)
    item = read(sheet(folder, 1))[0]["item"]

    def label(row: dict[str, str], criterion: str) -> str:
        return "?" if row["item"] == item else truth(row, criterion)

    call("import", folder, *(fill(sheet(folder, k), label) for k in (1, 2)))
    call("adjudicate", folder)
    (tie,) = read(folder / "ties.csv")
    assert tie["raters"] == "label_refusal: nobody can tell"
    call("adjudicate", folder, write(folder / "ties.csv", [tie | {"label_refusal": "?"}]))
    sample = read_sample(folder)
    gold = gold_of(read_people(folder, sample), sample)
    assert (gold.undecided, gold.ties, len(gold.labels)) == (1, (), 59)


def test_a_label_of_what_is_no_tie_and_a_sheet_of_another_kind_are_refused(
    folder: Path, answers: list[Answer]
) -> None:
    truth = truthful(answers)
    first = read(sheet(folder, 1))[0]["item"]

    def raters(number: int) -> Callable[[dict[str, str], str], str]:
        def label(row: dict[str, str], criterion: str) -> str:
            right = int(truth(row, criterion))
            return str((right + number) % 4 if row["item"] == first else right)

        return label

    sheets = [fill(sheet(folder, k), raters(k)) for k in (1, 2)]
    call("import", folder, *sheets)
    call("adjudicate", folder)
    (tie,) = read(folder / "ties.csv")
    other = next(row for row in read(sheets[0]) if row["item"] != first)
    texts = {name: other[name] for name in ("item", "question", "answer")}
    path = write(folder / "more.csv", [tie, {**tie, **texts, "label_refusal": "0"}])
    with pytest.raises(DataError, match="label_refusal is no tie; empty the cell"):
        call("adjudicate", folder, path)
    with pytest.raises(DataError, match="is the sheet of a rater"):
        call("adjudicate", folder, sheets[0])
    with pytest.raises(DataError, match="is the sheet of ties"):
        call("import", folder, folder / "ties.csv")


@pytest.mark.parametrize(
    ("given", "rule", "label"),
    [
        ("11", "majority", "1"),
        ("110", "majority", "1"),
        ("10", "majority", None),
        ("1102", "majority", None),
        ("012", "majority", None),
        ("", "majority", None),
        ("012", "median", "1"),
        ("0033", "median", None),
        ("0113", "median", "1"),
        ("3", "median", "3"),
    ],
)
def test_several_labels_become_one(given: str, rule: str, label: str | None) -> None:
    assert consensus(tuple(given), DEGREES, rule) == label  # type: ignore[arg-type]


def test_correcting_needs_one_way_of_it(run: Path) -> None:
    with pytest.raises(UsageError, match="correct by what"):
        call("correct", run)
