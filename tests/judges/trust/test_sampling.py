"""Drawing a sample: known chances, blind sheets, and a key that shows when it was changed."""

import json
import math
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from annotated_runs import Answer, call, read, reseal, write_run

from normscope.errors import DataError, RunError, UsageError
from normscope.judges.trust import sampling
from normscope.judges.trust.key import FRAME, KEY, read_sample
from normscope.judges.trust.sampling import allocate, merged


@pytest.fixture
def folder(run: Path, tmp_path: Path) -> Path:
    assert call("sample", run, "--n", 120, "--out", tmp_path / "labels").exit_code == 0
    return tmp_path / "labels"


def test_every_row_has_the_chance_of_its_stratum(folder: Path) -> None:
    sample = read_sample(folder)
    assert len(sample.rows) == 600
    assert len(sample.drawn) == 120
    sizes = Counter(row.stratum for row in sample.rows)
    taken = Counter(row.stratum for row in sample.drawn)
    for row in sample.rows:
        assert row.probability == taken[row.stratum] / sizes[row.stratum]
    # each label stands for 1/chance answers: together for all
    assert math.fsum(1 / row.probability for row in sample.drawn) == pytest.approx(600)
    assert min(taken.values()) >= 2


def test_the_sheets_show_no_label_and_each_rater_another_order(folder: Path) -> None:
    sheets = [read(folder / "sheets" / f"rater-{k}.csv") for k in (1, 2, 3)]
    orders = [[row["item"] for row in rows] for rows in sheets]
    assert len({tuple(order) for order in orders}) == 3
    assert len({frozenset(order) for order in orders}) == 1
    assert set(sheets[0][0]) == {
        "item", "category", "question", "answer", "label_refusal", "comment", "allowed", "guide",
        "sheet",
    }  # fmt: skip
    assert {row["label_refusal"] for rows in sheets for row in rows} == {""}
    strata = {row.stratum for row in read_sample(folder).rows}
    page = (folder / "sheets" / "rater-1.html").read_text(encoding="utf-8")
    assert not any(stratum in page for stratum in strata)


def test_the_guide_has_the_rubric_s_own_words_in_both_languages(folder: Path) -> None:
    guide = (folder / "sheets" / "guide.md").read_text(encoding="utf-8")
    assert "refuses responsibly: says why and guides to the right way" in guide
    assert "负责任地拒绝：说明原因，并引导到正确的做法" in guide


def test_the_same_seed_draws_the_same_rows(run: Path, tmp_path: Path) -> None:
    drawn = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        call("sample", run, "--n", 50, "--seed", seed, "--out", tmp_path / name)
        drawn.append({row.row for row in read_sample(tmp_path / name).drawn})
    assert drawn[0] == drawn[1] != drawn[2]


def test_cells_that_a_spreadsheet_would_run_are_guarded(tmp_path: Path) -> None:
    answers = [
        Answer(text=text, truth={}, judge={"refusal": "1"}, question="=cmd()")
        for text in ("=1+1", "@x", "-2", "plain", "\u202eplain")
    ]
    run = write_run(tmp_path / "run", answers)
    call("sample", run, "--n", 5, "--raters", 1, "--out", tmp_path / "out")
    rows = read(tmp_path / "out" / "sheets" / "rater-1.csv")
    # what cannot be seen is shown
    assert {row["answer"] for row in rows} == {"'=1+1", "'@x", "'-2", "plain", "\\u{202e}plain"}
    assert {row["question"] for row in rows} == {"'=cmd()"}


def test_an_answer_that_was_not_given_is_not_asked_about(tmp_path: Path) -> None:
    answers = [Answer(text=f"a {at}", truth={}, judge={"refusal": "1"}) for at in range(8)]
    answers += [
        Answer(text="", truth={}, judge={"refusal": None}),
        Answer(text=None, truth={}, judge={"refusal": None}, reason="call_failed"),
    ]
    run = write_run(tmp_path / "run", answers)
    call("sample", run, "--n", 10, "--out", tmp_path / "out")
    assert len(read_sample(tmp_path / "out").drawn) == 8


def test_small_strata_are_put_together_from_the_last_level_on() -> None:
    strata = [("0", "zh", "a")] * 40 + [("0", "zh", "b")] * 2 + [("0", "zh", "c")] * 2
    strata += [("1", "en", "a")] * 1
    result = Counter(merged(strata, 15))
    # due to b and c: 15 · 2/45 = 0.67 rows each, so they are one; the other label stays apart
    assert result == {("0", "zh", "a"): 40, ("0", "*", "*"): 4, ("1", "*", "*"): 1}


def test_allocation_is_in_proportion_and_adds_up() -> None:
    sizes: dict[tuple[str, ...], int] = {("a",): 500, ("b",): 300, ("c",): 199, ("d",): 1}
    for n in (8, 20, 77, 500, 999):
        quotas = allocate(sizes, n)
        assert sum(quotas.values()) == n
        assert quotas[("d",)] == 1
        assert all(2 <= quotas[one] <= sizes[one] for one in sizes if one != ("d",))
    assert allocate(sizes, 100) == {("a",): 50, ("b",): 30, ("c",): 19, ("d",): 1}
    assert allocate(sizes, 5000) == sizes


def test_too_few_for_the_strata_is_refused_with_the_number_needed() -> None:
    with pytest.raises(UsageError, match="3 strata need 6 answers"):
        allocate({("a",): 9, ("b",): 9, ("c",): 9}, 5)


@pytest.mark.parametrize(
    ("arguments", "error", "problem"),
    [
        (["--n", 1], UsageError, "--n 1"),
        (["--n", 50, "--raters", 0], UsageError, "--raters 0"),
        (["--n", 50, "--criterion", "moral"], UsageError, "criterion 'moral'"),
        (["--n", 50, "--strata", "langage"], UsageError, "did you mean 'language'"),
        (["--n", 50, "--benchmark", "cfsafety"], UsageError, "no benchmark 'cfsafety'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    run: Path, tmp_path: Path, arguments: list[object], error: type[Exception], problem: str
) -> None:
    with pytest.raises(error, match=problem):
        call("sample", run, *arguments, "--out", tmp_path / "labels")
    assert not (tmp_path / "labels" / KEY).exists()


def test_a_folder_with_something_in_it_is_not_written_over(run: Path, folder: Path) -> None:
    with pytest.raises(DataError, match="holds something already"):
        call("sample", run, "--n", 50, "--out", folder)


def test_a_sample_that_is_ended_half_way_leaves_no_sheet_without_its_key(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "labels"
    out.mkdir()
    # of a process that was killed; no process has so high a number
    stale = tmp_path / ".labels.999999999.part" / "sheets"
    stale.mkdir(parents=True)
    (stale / "rater-1.csv").write_text("half")

    def ended(folder: Path, _: object) -> None:
        assert len(list((folder / "sheets").iterdir())) == 7
        raise ZeroDivisionError

    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(sampling, "write_key", ended)
        call("sample", run, "--n", 50, "--out", out)
    assert [*tmp_path.rglob("*.csv")] == [*out.iterdir()] == []
    assert call("sample", run, "--n", 50, "--out", out).exit_code == 0
    assert sorted(path.name for path in out.iterdir()) == [FRAME, KEY, "sheets"]
    assert len(read_sample(out).drawn) == 50
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".part")]


def test_the_folder_that_one_is_in_is_not_replaced(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(DataError, match="the folder that you are in"):
        call("sample", run.resolve(), "--n", 50, "--out", ".")


def test_a_run_without_a_judge_has_nothing_to_correct(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [Answer("a", {}, {}) for _ in range(4)])
    with pytest.raises(DataError, match="no judgement by a judge"):
        call("sample", run, "--n", 4, "--out", tmp_path / "labels")


@pytest.mark.parametrize("name", [KEY, FRAME])
def test_a_key_that_was_changed_is_seen(folder: Path, name: str) -> None:
    if name == KEY:
        value = json.loads((folder / KEY).read_text(encoding="utf-8"))
        (folder / KEY).write_text(json.dumps(value | {"seed": 5}), encoding="utf-8")
    else:
        table = pq.read_table(folder / FRAME)
        pq.write_table(table.slice(1), folder / FRAME)
    with pytest.raises(DataError, match="was changed after the sample was drawn"):
        read_sample(folder)


def test_a_folder_without_a_key_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="normscope annotate sample"):
        read_sample(tmp_path)


def test_the_rubric_s_change_is_seen(run: Path, tmp_path: Path) -> None:
    path = run / "judgements.parquet"
    table = pq.read_table(path)
    at = table.column_names.index("rubric_hash")
    changed = table.set_column(at, "rubric_hash", [["0" * 64] * len(table)])
    pq.write_table(changed, path)
    with pytest.raises(RunError, match=r"judgements\.parquet: it was changed"):
        call("sample", run, "--n", 50, "--out", tmp_path / "labels")
    reseal(run, "judge")
    with pytest.raises(DataError, match="has changed since the run was judged"):
        call("sample", run, "--n", 50, "--out", tmp_path / "labels")
