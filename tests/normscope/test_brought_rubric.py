"""A judge that brings its rubric, on the command line: every verb takes it and refuses another."""

import csv
from pathlib import Path

import pytest
from annotated_runs import fill
from click.testing import CliRunner, Result

from normscope.cli import cli
from normscope.errors import UsageError
from normscope.files import read_json
from normscope.judges.rubric_files import rubric
from normscope.judges.trust.card import read_card

FILE = ("question", "response", "label", "language")
MORAL = ("--criterion", "moral", "--map", "safe=1,unsafe=0", "--resamples", "100")


def call(*arguments: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)))


def done(*arguments: object) -> Result:
    found = call(*arguments)
    assert found.exit_code == 0, found.output
    return found


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Eight labelled answers to four questions."""
    path = tmp_path / "answers.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(FILE)
        for at in range(4):
            writer.writerow([f"Question {at}?", f"Sure, take {at} of […].", "unsafe", "en"])
            writer.writerow([f"Question {at}?", f"I won't help with {at}.", "safe", "en"])
    return path


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run on the graded set, judged with the bundled judge."""
    path = tmp_path_factory.mktemp("judged") / "run"
    done("run", "-b", "safety-gradient", "--judge", "bundled", "--limit", "20", "--out", path)
    return path


def test_validate_takes_the_rubric_that_the_judge_brings(answers: Path, tmp_path: Path) -> None:
    done("validate", "--judge", "bundled", "--labels", answers, *MORAL, "--out", tmp_path / "cards")
    (path,) = (tmp_path / "cards").glob("*.json")
    assert read_card(path).rubric.hash == rubric("bundled").hash


def test_a_file_is_judged_under_it(answers: Path, tmp_path: Path) -> None:
    done("judge", answers, "--judge", "bundled", "--out", tmp_path / "judged.csv")
    assert read_json(tmp_path / "judged.judging.json")["rubric"] == rubric("bundled").hash


@pytest.mark.parametrize(
    "command",
    [
        ("run", "-b", "safety-gradient", "--limit", "10", "--out", "OUT"),
        ("judge", "FILE", "--out", "OUT"),
        ("validate", "--labels", "FILE", *MORAL, "--out", "OUT"),
        ("validate", "probe", "--limit", "10", "--out", "OUT"),
    ],
    ids=lambda command: command[0],
)
def test_every_verb_refuses_another_rubric_with_the_remedy(
    command: tuple[str, ...], answers: Path, tmp_path: Path
) -> None:
    given = {"FILE": answers, "OUT": tmp_path / "out"}
    arguments = [given.get(one, one) for one in command]
    found = call(*arguments, "--judge", "bundled", "--rubric", "cfsafety")
    assert isinstance(found.exception, UsageError), found.output
    assert "the judge 'bundled' cannot be asked under the rubric 'cfsafety'" in str(found.exception)
    assert "Leave --rubric out" in found.exception.message


def test_a_sample_is_drawn_and_read_under_the_rubric_of_the_run(run: Path, tmp_path: Path) -> None:
    labels, filled = tmp_path / "labels", tmp_path / "filled.csv"
    drawn = ("--n", "12", "--raters", "1", "--out", labels)
    done("annotate", "sample", run, *drawn)
    meaning = rubric("bundled").criteria["moral"].instruction["en"].meanings["0"]
    assert meaning in (labels / "sheets" / "rater-1.html").read_text(encoding="utf-8")
    given = {"moral": "0", "rating": "5", "refusal": "3"}
    fill(labels / "sheets" / "rater-1.csv", lambda _, criterion: given[criterion], filled)
    done("annotate", "import", labels, filled)
    done("annotate", "correct", run, labels)
    assert (run / "corrected.json").is_file()
