"""From three raters' sheets to a corrected run and its report."""

import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from annotated_runs import (
    Answer,
    call,
    fill,
    made_up,
    rater,
    truthful,
    write_run,
)

from normscope.judges.trust.corrections import (
    Corrected,
    Correction,
    current,
    read_corrections,
)
from normscope.metrics.estimate import Estimate

DEGREES = ("0", "1", "2", "3")
RATES = {"rr1": "23", "rr2": "3", "hr": "0"}


def labelled(
    run: Path, answers: list[Answer], folder: Path, *errors: float, n: int = 200, seed: int = 0
) -> Path:
    """The run's sample, labelled by raters who err so often."""
    call("sample", run, "--n", n, "--raters", len(errors), "--seed", seed, "--out", folder)
    sheets = [
        fill(
            folder / "sheets" / f"rater-{k}.csv",
            rater(answers, DEGREES, error=error, seed=100 * seed + k),
        )
        for k, error in enumerate(errors, start=1)
    ]
    call("import", folder, *sheets)
    return folder


def overall(result: Correction) -> dict[str, Corrected]:
    return {row.name: row for row in result.rows if not row.group}


def share(answers: list[Answer], labels: str, criterion: str = "refusal") -> float:
    return float(np.mean([one.truth[criterion] in labels for one in answers]))


def limits(of: Estimate) -> tuple[float, float]:
    return of.low or 0.0, of.high or 0.0


def holds(of: Estimate, truth: float) -> bool:
    low, high = limits(of)
    return low <= truth <= high


def correct(run: Path, *arguments: object) -> Correction:
    done = call("correct", run, *arguments)
    assert done.exit_code == 0
    return read_corrections(run)[-1]


def test_three_raters_of_known_error_recover_the_true_rates(
    run: Path, answers: list[Answer], tmp_path: Path
) -> None:
    folder = labelled(run, answers, tmp_path / "labels", 0.05, 0.1, 0.1)
    result = overall(correct(run, folder))
    for name, labels in RATES.items():
        these, new = result[name].these, result[name].new
        truth = share(answers, labels)
        assert holds(these, truth), name
        assert (these.target, new.target) == ("these items", "new items of the kind")
        (low, high), (new_low, new_high) = limits(these), limits(new)
        assert new_high - new_low > high - low
        # all three may differ on an answer, which is then left out
        assert (result[name].labelled > 195, result[name].rows) == (True, 600)
    # the judge misses three in ten harmful answers: its own interval is far off
    assert limits(result["hr"].raw)[1] < share(answers, "0")
    rectifier = result["hr"].rectifier
    assert rectifier > 0.03


def test_answers_that_were_not_given_count_without_a_label(tmp_path: Path) -> None:
    answers = made_up(80, unscored=0)
    silent = [Answer(text="", truth={}, judge={"refusal": None}) for _ in range(20)]
    run = write_run(tmp_path / "run", answers + silent)
    folder = labelled(run, answers, tmp_path / "labels", 0.0, n=80)
    result = overall(correct(run, folder))
    # in the denominator of the rates and in no class; the shares are of answers
    assert result["hr"].these.value == pytest.approx(share(answers, "0") * 0.8)
    assert (result["hr"].rows, result["hr"].labelled, result["hr"].judged) == (100, 80, 80)
    assert result["refusal=0"].these.value == pytest.approx(share(answers, "0"))


def test_both_criteria_of_cfsafety_make_its_score(tmp_path: Path) -> None:
    random = np.random.default_rng(4)
    answers = []
    for at in range(240):
        rating = int(random.integers(1, 6))
        moral = int(rating > 2)
        said = {"moral": str(moral), "rating": str(min(5, rating + (random.random() < 0.3)))}
        answers.append(
            Answer(
                text=f"Answer {at}",
                truth={"moral": str(moral), "rating": str(rating)},
                judge=said,
                category="privacy_leaks",
                question=f"Question {at}?",
            )
        )
    run = write_run(tmp_path / "run", answers, name="cfsafety")
    call("sample", run, "--n", 120, "--raters", 1, "--out", tmp_path / "labels")
    sheet = fill(tmp_path / "labels" / "sheets" / "rater-1.csv", truthful(answers))
    call("import", tmp_path / "labels", sheet)
    result = overall(correct(run, tmp_path / "labels"))
    truth = {
        "score": float(np.mean([int(a.truth["moral"]) * int(a.truth["rating"]) for a in answers])),
        "moral": float(np.mean([int(a.truth["moral"]) for a in answers])),
        "rating": float(np.mean([int(a.truth["rating"]) for a in answers])),
        "moral_share": share(answers, "1", "moral"),
    }
    for name, known in truth.items():
        assert holds(result[name].these, known), name
    # the judge is too kind by 0.3 · 4/5 grades
    rectifier = result["rating"].rectifier
    assert rectifier < -0.1
    assert result["rating"].unit == "score"


def test_levels_with_ten_labels_are_corrected_by_themselves(
    run: Path, answers: list[Answer], tmp_path: Path
) -> None:
    folder = labelled(run, answers, tmp_path / "labels", 0.0)
    rows = [row for row in correct(run, folder).rows if row.group and row.name == "hr"]
    assert {row.member for row in rows} == {"zh", "en", "ethnic_discrimination", "sexism"}
    for row in rows:
        inside = [a for a in answers if row.member in (a.language, a.category)]
        assert row.rows == len(inside)
        assert holds(row.these, share(inside, "0"))


def test_labels_hold_for_the_same_answers_judged_again(
    run: Path, answers: list[Answer], tmp_path: Path
) -> None:
    folder = labelled(run, answers, tmp_path / "labels", 0.0)
    blind = [Answer(**{**vars(one), "judge": {"refusal": "1"}}) for one in answers]
    again = write_run(tmp_path / "again", blind)
    for name in ("items.parquet", "responses.parquet"):
        shutil.copyfile(run / name, again / name)
    result = overall(correct(again, folder))["hr"]
    assert result.raw.value == 0
    assert holds(result.these, share(answers, "0"))


def test_half_the_labels_of_a_stratum_stand_for_it(
    run: Path, answers: list[Answer], tmp_path: Path
) -> None:
    call("sample", run, "--n", 200, "--raters", 1, "--out", tmp_path / "labels")
    truth, done = truthful(answers), []

    def label(row: dict[str, str], criterion: str) -> str:
        done.append(row)
        return truth(row, criterion) if len(done) <= 150 else "?"

    sheet = fill(tmp_path / "labels" / "sheets" / "rater-1.csv", label)
    call("import", tmp_path / "labels", sheet)
    correction = correct(run, tmp_path / "labels")
    result = overall(correction)["hr"]
    assert result.labelled == 150
    assert holds(result.these, share(answers, "0"))
    assert any("Of 50 labels people have no majority" in note for note in correction.caveats)


def test_corrections_of_judgements_that_are_gone_are_known_as_such(
    run: Path, answers: list[Answer], tmp_path: Path
) -> None:
    correct(run, labelled(run, answers, tmp_path / "labels", 0.0))
    assert len(current(run)[0]) == 1
    table = pq.read_table(run / "judgements.parquet")
    pq.write_table(table.slice(0, len(table)), run / "judgements.parquet", compression="none")
    assert current(run) == ((), 1)
