"""Drawing a sample of one or several runs: known chances, equal shares, blind sheets."""

import json
import math
import shutil
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from annotated_runs import (
    Answer,
    call,
    fill,
    made_up,
    read,
    reseal,
    truthful,
    write_run,
)
from scipy import stats

from normscope.errors import DataError, RunError, UsageError
from normscope.files import read_json
from normscope.judges.trust import sample as module
from normscope.judges.trust.corrections import correct
from normscope.judges.trust.sample import FACTS, FRAME, Sample, allocate, merged, read_sample
from normscope.records.folder import opened

SIZES = {"alpha": 90, "beta": 60, "gamma": 40}


@pytest.fixture(scope="module")
def folder(judged: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sample of the run, which no test changes."""
    out = tmp_path_factory.mktemp("drawn") / "labels"
    assert call("sample", judged, "--n", 120, "--out", out).exit_code == 0
    return out


def test_every_row_has_the_chance_of_its_stratum(folder: Path) -> None:
    sample: Sample = read_sample(folder)
    assert (len(sample.rows), len(sample.drawn)) == (600, 120)
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
    strata = {row.stratum for row in read_sample(folder).rows}
    page = (folder / "sheets" / "rater-1.html").read_text(encoding="utf-8")
    assert not any(stratum in page for stratum in strata)


def test_silence_is_not_asked_about_and_what_cannot_be_seen_is_shown(tmp_path: Path) -> None:
    answers = [
        Answer(text=text, truth={}, judge={"refusal": "1"}) for text in ("plain", "\u202eplain")
    ]
    silent = [
        Answer(text="", truth={}, judge={"refusal": None}),
        Answer(text=None, truth={}, judge={"refusal": None}, reason="call_failed"),
    ]
    run = write_run(tmp_path / "run", [*answers, *silent])
    call("sample", run, "--n", 7, "--raters", 1, "--out", tmp_path / "out")
    rows = read(tmp_path / "out" / "sheets" / "rater-1.csv")
    assert {row["answer"] for row in rows} == {"plain", "\\u{202e}plain"}


def test_small_strata_are_put_together_from_the_last_level_on() -> None:
    strata = [("0", "zh", "a")] * 40 + [("0", "zh", "b")] * 2 + [("0", "zh", "c")] * 2
    strata += [("1", "en", "a")] * 1
    result = Counter(merged(strata, 15))
    # due to b and c: 15 · 2/45 = 0.67 rows each, so they are one; the other label stays apart
    assert result == {("0", "zh", "a"): 40, ("0", "*", "*"): 4, ("1", "*", "*"): 1}
    # two of each of three labels would be six
    assert set(merged([("a", "x"), ("b", "y"), ("c", "z")] * 9, 5)) == {("*",)}


def test_allocation_is_in_proportion_and_adds_up() -> None:
    sizes: dict[tuple[str, ...], int] = {("a",): 500, ("b",): 300, ("c",): 199, ("d",): 1}
    for n in (8, 20, 77, 500, 999):
        quotas = allocate(sizes, n)
        assert sum(quotas.values()) == n
        assert quotas[("d",)] == 1
        assert all(2 <= quotas[one] <= sizes[one] for one in sizes if one != ("d",))
    assert allocate(sizes, 100) == {("a",): 50, ("b",): 30, ("c",): 19, ("d",): 1}
    assert allocate(sizes, 5000) == sizes


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--n", 1], "n=1"),
        (["--n", 50, "--raters", 0], "raters=0"),
        (["--n", 50, "--criterion", "moral"], "criterion 'moral'"),
        (["--n", 50, "--benchmark", "cfsafety"], "no benchmark 'cfsafety'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    judged: Path, tmp_path: Path, arguments: list[object], problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        call("sample", judged, *arguments, "--out", tmp_path / "labels")
    assert not (tmp_path / "labels").exists()


def test_a_folder_in_use_is_not_written_over(
    judged: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DataError, match="holds something already"):
        call("sample", judged, "--n", 50, "--out", folder)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match="the folder that you are in"):
        call("sample", judged.resolve(), "--n", 50, "--out", ".")


def test_a_sample_that_is_ended_half_way_leaves_no_sheet(
    judged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "labels"
    out.mkdir()
    # of a process that was killed; no process has so high a number
    stale = tmp_path / ".labels.999999999.part" / "sheets"
    stale.mkdir(parents=True)
    (stale / "rater-1.html").write_text("half")

    def ended(path: Path, _: object) -> None:
        if path.name == "rater-2.html":
            raise ZeroDivisionError

    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(module, "write_text", ended)
        call("sample", judged, "--n", 50, "--out", out)
    assert [*tmp_path.rglob("*.html")] == [*out.iterdir()] == []
    assert call("sample", judged, "--n", 50, "--out", out).exit_code == 0
    assert sorted(path.name for path in out.iterdir()) == [FRAME, FACTS, "sheets"]
    assert len(read_sample(out).drawn) == 50
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".part")]


def test_a_table_that_was_changed_and_a_folder_that_is_no_sample_are_seen(
    judged: Path, tmp_path: Path
) -> None:
    call("sample", judged, "--n", 50, "--out", tmp_path / "labels")
    path = tmp_path / "labels" / FRAME
    pq.write_table(pq.read_table(path).slice(1), path)
    with pytest.raises(DataError, match="was changed after the sample was drawn"):
        read_sample(tmp_path / "labels")
    facts = tmp_path / "labels" / FACTS
    facts.write_text(json.dumps(json.loads(facts.read_text()) | {"format": 0}))
    with pytest.raises(DataError, match="draw the sample anew"):
        read_sample(tmp_path / "labels")
    with pytest.raises(DataError, match="normscope annotate sample"):
        read_sample(tmp_path)


def test_a_run_that_no_judge_has_judged_or_under_a_rubric_that_has_changed(
    run: Path, tmp_path: Path
) -> None:
    plain = write_run(tmp_path / "plain", [Answer("a", {}, {}) for _ in range(4)])
    with pytest.raises(DataError, match="no judgement by a judge"):
        call("sample", plain, "--n", 4, "--out", tmp_path / "labels")
    path = run / "judgements.parquet"
    table = pq.read_table(path)
    at = table.column_names.index("rubric_hash")
    pq.write_table(table.set_column(at, "rubric_hash", [["0" * 64] * len(table)]), path)
    with pytest.raises(RunError, match=r"judgements\.parquet: it was changed"):
        call("sample", run, "--n", 50, "--out", tmp_path / "labels")
    reseal(run, "judge")
    with pytest.raises(DataError, match="has changed since the run was judged"):
        call("sample", run, "--n", 50, "--out", tmp_path / "labels")


@pytest.fixture(scope="module")
def models() -> dict[str, list[Answer]]:
    """Of each model, to the same questions; the texts say whose they are, as a test must know."""
    return {
        name: [
            replace(answer, text=f"{answer.text} {name[0]}")
            for answer in made_up(size, seed=at, unscored=0.1)
        ]
        for at, (name, size) in enumerate(SIZES.items())
    }


@pytest.fixture(scope="module")
def runs(models: dict[str, list[Answer]], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    place = tmp_path_factory.mktemp("models")
    return [write_run(place / name, of) for name, of in models.items()]


@pytest.fixture(scope="module")
def labels(
    runs: list[Path], models: dict[str, list[Answer]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A sample of 62 labelled by three people who are always right."""
    out = tmp_path_factory.mktemp("sample") / "labels"
    call("sample", *runs, "--n", 62, "--out", out)
    everything = truthful([answer for of in models.values() for answer in of])
    sheets = [fill(out / "sheets" / f"rater-{k}.csv", everything) for k in (1, 2, 3)]
    assert "annotate check" in call("import", out, *sheets).output
    return out


def test_every_run_gives_an_equal_share_whatever_its_size(labels: Path) -> None:
    sample = read_sample(labels)
    assert [run.run for run in sample.runs] == list(SIZES)
    # 62 of three: what is left goes to the first two
    taken = Counter(row.stratum.split(" · ")[0] for row in sample.drawn)
    assert taken == {"alpha": 21, "beta": 21, "gamma": 20}
    # within a run every stratum's labels stand for all of its answers
    of = dict.fromkeys(SIZES, 0.0)
    for row in sample.drawn:
        of[row.stratum.split(" · ")[0]] += 1 / row.probability
    assert of == pytest.approx(SIZES)


def test_the_sheets_do_not_show_whose_an_answer_is(labels: Path, runs: list[Path]) -> None:
    for file in (labels / "sheets").iterdir():
        text = file.read_text(encoding="utf-8-sig")
        assert not any(name in text for name in (*SIZES, "toy judge", str(runs[0].parent)))
    # the runs are mixed: no run's rows stand together
    order = [row["answer"][-1] for row in read(labels / "sheets" / "rater-1.csv")]
    assert sum(one != other for one, other in pairwise(order)) > 20


def test_the_judge_agrees_with_people_so_pooled_and_in_each_run(
    labels: Path, models: dict[str, list[Answer]]
) -> None:
    output = " ".join(call("check", labels).output.split())
    assert "refusal all Kendall's τ-b" in output
    assert "refusal beta Pearson's r" in output
    table = read_json(labels / "agreement.json")["statistics"]["refusal"]
    found = {(row["member"], row["name"]): row["estimate"] for row in table}
    sheet = {row["answer"] for row in read(labels / "sheets" / "rater-1.csv")}
    by_run = {
        name: [
            (int(str(answer.judge["refusal"])), int(answer.truth["refusal"]))
            for answer in of
            if answer.text in sheet and answer.judge["refusal"] is not None
        ]
        for name, of in models.items()
    }
    by_run["all"] = [pair for pairs in by_run.values() for pair in pairs]
    for member, pairs in by_run.items():
        judge, people = np.array(pairs, dtype=float).T
        estimate = found[member, "pearson"]
        assert estimate["value"] == pytest.approx(stats.pearsonr(judge, people).statistic)
        assert estimate["n"] == len(pairs)
        assert estimate["low"] < estimate["value"] < estimate["high"]
        assert found[member, "raw_agreement"]["value"] == pytest.approx(np.mean(judge == people))
    # what the judge left unscored is counted and is no 0
    assert found["all", "pearson"]["n"] + found["all", "pearson"]["unscored"] == 62


def test_one_of_the_runs_is_corrected_by_its_part_of_the_labels(
    labels: Path, runs: list[Path]
) -> None:
    with opened(runs[1]) as run:
        correction = correct(run.read(), labels)
    hr = next(row for row in correction.rows if (row.name, row.group) == ("hr", ""))
    assert (hr.labelled, hr.rows) == (21, 60)


def test_what_cannot_be_pooled_or_was_answered_anew_is_refused_with_the_reason(
    runs: list[Path], tmp_path: Path, models: dict[str, list[Answer]]
) -> None:
    moral = [replace(each, truth={}, judge={"moral": "1"}) for each in models["gamma"]]
    other = write_run(tmp_path / "other", moral, name="cfsafety")
    twice = write_run(tmp_path / "copy", models["alpha"])
    for targets, problem in (
        ([runs[0], other], "benchmark: alpha has chisafetybench:qa, other has cfsafety"),
        ([runs[0], twice], "two of the runs have the same responses"),
        ([runs[0], runs[0]], "named twice"),
        ([*runs, "--n", 5], "3 runs need 6 or more"),
    ):
        with pytest.raises(UsageError, match=problem):
            call("sample", *targets, "--out", tmp_path / "labels")
    drawn_from = write_run(tmp_path / "gamma", models["gamma"])
    call("sample", drawn_from, "--n", 20, "--raters", 1, "--out", tmp_path / "labels")
    sheet = tmp_path / "labels" / "sheets" / "rater-1.csv"
    call("import", tmp_path / "labels", fill(sheet, truthful(models["gamma"])))
    shutil.rmtree(drawn_from)
    write_run(drawn_from, models["alpha"])
    with pytest.raises(DataError, match="labels are of other answers"):
        call("check", tmp_path / "labels")
