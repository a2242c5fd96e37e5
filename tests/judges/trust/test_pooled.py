"""One sample of several models' answers: equal shares, blind, and the judge against people."""

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from annotated_runs import Answer, call, fill, made_up, read, reseal, truthful, write_run
from scipy import stats

from normscope.errors import DataError, UsageError
from normscope.files import read_json
from normscope.judges.trust.corrections import LabelledRun, correct
from normscope.judges.trust.key import read_sample
from normscope.records.folder import opened

SIZES = {"alpha": 90, "beta": 60, "gamma": 40}


@pytest.fixture(scope="module")
def answers() -> dict[str, list[Answer]]:
    """Of each model, to the same questions; the texts say whose they are, as a test must know."""
    return {
        name: [
            replace(answer, text=f"{answer.text} {name[0]}")
            for answer in made_up(size, seed=at, unscored=0.1)
        ]
        for at, (name, size) in enumerate(SIZES.items())
    }


@pytest.fixture(scope="module")
def runs(answers: dict[str, list[Answer]], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("models")
    return [write_run(folder / name, of) for name, of in answers.items()]


@pytest.fixture(scope="module")
def labels(
    runs: list[Path], answers: dict[str, list[Answer]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A sample of 62 labelled by three people who are always right."""
    folder = tmp_path_factory.mktemp("sample") / "labels"
    call("sample", *runs, "--n", 62, "--out", folder)
    everything = truthful([answer for of in answers.values() for answer in of])
    sheets = [fill(folder / "sheets" / f"rater-{k}.csv", everything) for k in (1, 2, 3)]
    assert "annotate check" in call("import", folder, *sheets).output
    return folder


def test_every_run_gives_an_equal_share_whatever_its_size(labels: Path) -> None:
    sample = read_sample(labels)
    assert [run.run for run in sample.key.runs] == list(SIZES)
    assert len(sample.rows) == sum(SIZES.values())
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


def test_the_judge_s_correlations_are_those_of_scipy_pooled_and_per_run(
    labels: Path, answers: dict[str, list[Answer]]
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
        for name, of in answers.items()
    }
    by_run["all"] = [pair for pairs in by_run.values() for pair in pairs]
    for member, pairs in by_run.items():
        judge, people = np.array(pairs, dtype=float).T
        for name, statistic in (
            ("kendall", stats.kendalltau),
            ("spearman", stats.spearmanr),
            ("pearson", stats.pearsonr),
        ):
            estimate = found[member, name]
            assert estimate["value"] == pytest.approx(statistic(judge, people).statistic)
            assert estimate["n"] == len(pairs)
            assert estimate["low"] < estimate["value"] < estimate["high"]
        assert found[member, "raw_agreement"]["value"] == pytest.approx(np.mean(judge == people))
    # what the judge left unscored is counted and is no 0
    assert found["all", "pearson"]["n"] + found["all", "pearson"]["unscored"] == 62


def test_one_of_the_runs_is_corrected_by_its_part_of_the_labels(
    labels: Path, runs: list[Path]
) -> None:
    with opened(runs[1]) as run:
        labelled = LabelledRun(run, labels)
        correction = correct(labelled)
    assert len(labelled.sample.drawn) == 21
    hr = next(row for row in correction.rows if (row.name, row.group) == ("hr", ""))
    assert (hr.labelled, hr.rows) == (21, 60)


def test_ties_of_several_runs_are_settled_on_one_sheet(
    runs: list[Path], answers: dict[str, list[Answer]], tmp_path: Path
) -> None:
    call(
        "sample", *runs, "--n", 12, "--raters", 2, "--strata", "none", "--out", tmp_path / "labels"
    )
    sheets = [tmp_path / "labels" / "sheets" / f"rater-{k}.csv" for k in (1, 2)]
    fill(sheets[0], lambda *_: "0")
    fill(sheets[1], lambda *_: "1")
    call("import", tmp_path / "labels", *sheets)
    call("adjudicate", tmp_path / "labels")
    ties = tmp_path / "labels" / "ties.csv"
    everything = truthful([answer for of in answers.values() for answer in of])
    call("adjudicate", tmp_path / "labels", fill(ties, everything))
    assert json.loads((tmp_path / "labels" / "labels.json").read_text())["adjudicated"]
    assert call("check", tmp_path / "labels").exit_code == 0


def test_what_cannot_be_pooled_is_refused_with_the_reason(
    runs: list[Path], tmp_path: Path, answers: dict[str, list[Answer]]
) -> None:
    other = write_run(
        tmp_path / "other",
        [
            replace(answer, truth={"moral": "1"}, judge={"moral": "1"})
            for answer in answers["gamma"]
        ],
        name="cfsafety",
    )
    twice = write_run(tmp_path / "copy", answers["alpha"])
    for targets, problem in (
        ([runs[0], other], "benchmark: alpha has chisafetybench:qa, other has cfsafety"),
        ([runs[0], twice], "two of the runs have the same responses"),
        ([runs[0], runs[0]], "named twice"),
        ([*runs, "--rule", "option"], "one run or file at a time"),
        ([*runs, "--n", 5], "3 runs need 6 or more"),
    ):
        with pytest.raises(UsageError, match=problem):
            call("sample", *targets, "--out", tmp_path / "labels")


def test_answers_that_were_given_anew_are_not_those_that_people_labelled(
    runs: list[Path], labels: Path, tmp_path: Path, answers: dict[str, list[Answer]]
) -> None:
    run = write_run(tmp_path / "run", answers["gamma"])
    call("sample", run, "--n", 20, "--raters", 1, "--out", tmp_path / "labels")
    sheet = tmp_path / "labels" / "sheets" / "rater-1.csv"
    call("import", tmp_path / "labels", fill(sheet, truthful(answers["gamma"])))
    call("check", tmp_path / "labels")
    with pytest.raises(DataError, match="labels are of other answers"):
        call("check", tmp_path / "labels", "--run", runs[0])
    with pytest.raises(UsageError, match="put them back"):
        call("check", labels, "--run", runs[0])
    reseal(run, "judge")
