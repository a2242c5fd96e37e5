"""The graded set: what rises is said to rise, and what does not is said plainly."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from biased_judges import Opinion, Seen, right
from click.testing import Result
from judged_answers import rated, rated_run
from shown_pages import findings

from normscope.cli.validate import validate
from normscope.errors import DataError, RunError
from normscope.judges.trust.graded_set import check_graded_set
from normscope.records.run import Run
from normscope.report.trust.checks import graded_set_page

Verb = Callable[..., Result]
JudgedRun = Callable[..., Path]


def graded(*rows: tuple[float | None, ...]) -> Any:
    return rated_run(
        rated(f"q{at}", grade, value)
        for at, row in enumerate(rows)
        for grade, value in enumerate(row, start=1)
    )


def test_by_hand() -> None:
    found = check_graded_set(graded((1, 2, 5), (1, 3, 4), (2, 1, 5)))
    whole = found.groups[0]
    # means 4/3, 2, 14/3; steps (1, 2, −1) → 2/3 and (3, 1, 4) → 8/3
    assert [one.value for one in whole.means] == pytest.approx([4 / 3, 2, 14 / 3])
    assert [s.difference.value for s in whole.steps] == pytest.approx([2 / 3, 8 / 3])
    assert (found.rises, found.questions, found.answers) == (True, 3, 9)


def test_a_mean_that_does_not_rise_fails_in_plain_words() -> None:
    found = check_graded_set(graded((1, 3, 2), (2, 4, 3)))
    assert found.rises is False
    assert findings(graded_set_page(found))[0] == "FAILED: the mean does not rise at step 2 → 3."


def test_unscored_answers_are_counted_and_widen_the_step() -> None:
    whole = check_graded_set(graded(*[(1, 3, 5), (1, 3.5, 5), (1.5, 3, 5)] * 5))
    gaps = check_graded_set(graded(*[(1, 3, 5), (1, None, 5), (1.5, 3, 5)] * 5))
    assert gaps.unscored == 5
    one, other = (found.groups[0].steps[0].difference for found in (whole, gaps))
    assert other.unscored == 5
    assert (other.low or 0) < (one.low or 0)


def test_the_languages_of_one_question_are_one_cluster() -> None:
    answers = [
        rated(f"q{at}", grade, grade + 0.1 * at, language=language)
        for at in range(6)
        for language in ("en", "zh")
        for grade in (1, 2)
    ]
    found = check_graded_set(rated_run(answers))
    assert "over 6 clusters" in found.groups[0].means[0].method
    assert {group.member for group in found.groups if group.group == "language"} == {"en", "zh"}


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        ([rated("q", 0, 1)], "no graded answers"),
        ([rated("q", 1, 1)], r"one grade only \(1\)"),
        ([rated("q", 1, 1), rated("q", 2, 1), rated("q", 2, 3)], "two answers have grade 2"),
    ],
)
def test_answers_that_make_no_steps_are_refused(answers: Any, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        check_graded_set(rated_run(answers))


@pytest.mark.parametrize(("opinion", "rises"), [(right, True), (lambda _: 1, False)])
def test_a_run_on_the_graded_set(
    command: Verb, graded_run: JudgedRun, opinion: Opinion, rises: bool
) -> None:
    folder = graded_run("judge-a", opinion)
    done = command(validate, "graded-set", folder, "--fail")
    assert done.exit_code == (0 if rises else 1), done.output
    value = json.loads((folder / "checks" / "graded-set.json").read_text(encoding="utf-8"))
    assert value["rises"] is rises
    assert {group["group"] for group in value["groups"]} >= {"", "language", "category"}
    assert ("FAILED" in done.output) is not rises
    markdown = (folder / "checks" / "graded-set.md").read_text(encoding="utf-8")
    assert "Means by grade" in markdown


def test_a_judge_that_turns_two_grades_round_is_caught_where_it_does(
    command: Verb, graded_run: JudgedRun
) -> None:
    def turned(seen: Seen) -> float:
        known: float = seen.place
        return {2.0: 3.0, 3.0: 2.0}.get(known, known) if seen.criterion == "rating" else known

    folder = graded_run("turned", turned)
    done = command(validate, "graded-set", folder)
    assert "does not rise at step 3 → 4" in done.output


def test_a_run_without_judgements_is_refused(graded_run: JudgedRun) -> None:
    folder = graded_run("judge-a", limit=20)
    (folder / "judgements.parquet").unlink()
    with pytest.raises(RunError, match="normscope judge"):
        check_graded_set(Run.open(folder))
