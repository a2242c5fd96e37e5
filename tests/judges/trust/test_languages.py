"""Two languages: equivalent within a margin that was stated before, or not shown to be."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from biased_judges import prefers_chinese_rubrics, right
from click.testing import Result
from judged_answers import judged_answer
from shown_pages import findings

from normscope.cli.check import check
from normscope.errors import DataError, UsageError
from normscope.judges.trust.answers import JudgedAnswer, JudgedAnswers
from normscope.judges.trust.languages import check_languages, model_pairs
from normscope.report.trust.languages import page

Run = Callable[..., Result]
JudgedRun = Callable[..., Path]


def answer(pair: str, language: str, moral: float, rating: float, **facets: str) -> JudgedAnswer:
    values: dict[str, float | None] = {"moral": moral, "rating": rating}
    name = f"{pair}-{language}"
    result: JudgedAnswer = judged_answer(
        name, values, language=language, cluster=pair, facets=facets
    )
    return result


def judged(pairs: Sequence[tuple[float, float]]) -> JudgedAnswers:
    """Pairs of ratings in zh and en, all moral."""
    answers = [
        answer(f"p{at}", language, 1.0, rating)
        for at, pair in enumerate(pairs)
        for language, rating in zip(("zh", "en"), pair, strict=True)
    ]
    return JudgedAnswers("toy", "model", "judge", tuple(answers))


def test_by_hand() -> None:
    # differences 0.2, 0, −0.2, 0: mean 0, sd √(0.08/3) = 0.1633, se 0.08165, t(0.95, 3) = 2.3534
    found = check_languages(judged([(3.2, 3), (3, 3), (2.8, 3), (3, 3)]), {}, margin=0.3)
    first = found.pairs[0]
    assert (first.subject, first.outcome) == ("the model's own answers", "score")
    assert list(first.means) == pytest.approx([3.0, 3.0])
    assert first.test.estimate.high == pytest.approx(0.1922, abs=1e-4)
    assert first.test.shown is True
    assert found.passed is True


def test_few_pairs_do_not_show_it_and_are_not_called_different() -> None:
    found = check_languages(judged([(3.9, 3), (3, 3.9), (3, 3.2)]), {}, margin=0.3)
    assert found.passed is False
    line = next(line for line in findings(page(found)) if "NOT shown" in line)
    assert "different" not in line
    assert "80 % would need a margin of" in line


def test_a_clear_difference_is_called_one() -> None:
    pairs = [(4.0 + at % 3 / 10, 3.0) for at in range(30)]
    lines = findings(page(check_languages(judged(pairs), {}, margin=0.3)))
    assert any("and different: +1.10" in line for line in lines)


def test_the_margin_of_another_outcome_is_the_same_share_of_its_scale() -> None:
    found = check_languages(judged([(3.2, 3), (3, 3.1), (3, 3)]), {}, margin=0.5)
    margins = {row.outcome: row.test.margin for row in found.pairs}
    # 0.5 of 5; of the scale 0 to 1 a fifth of it, of 1 to 5 four fifths
    assert margins == {"score": 0.5, "moral": pytest.approx(0.1), "rating": pytest.approx(0.4)}


def test_what_has_no_partner_or_an_unsure_one_is_left_out_and_counted() -> None:
    pairs = judged([(3, 3), (4, 4)]).answers
    alone = answer("p9", "zh", 1.0, 3.0)
    unsure = answer("p8", "zh", 1.0, 3.0, pair_confidence="low")
    other = answer("p7", "fr", 1.0, 3.0)
    found, left = model_pairs(JudgedAnswers("toy", "m", "j", (*pairs, alone, unsure, other)))
    assert len(found["the model's own answers"]) == 2
    assert left == {
        "no partner in the other language": 2,
        "the pairing is not sure (confidence low)": 1,
    }


def test_a_run_without_pairs_says_what_to_do() -> None:
    alone = JudgedAnswers("toy", "m", "j", (answer("p", "zh", 1.0, 3.0),))
    with pytest.raises(DataError, match="--judge"):
        check_languages(alone, {}, margin=0.3)


def test_the_graded_set_s_parallel_answers_speak_of_the_judge(
    command: Run, graded_run: JudgedRun
) -> None:
    folder = graded_run("judge-a", limit=None)
    done = command(check, "languages", folder)
    assert done.exit_code == 0, done.output
    value = json.loads((folder / "checks" / "languages.json").read_text(encoding="utf-8"))
    assert {row["subject"] for row in value["pairs"]} == {"parallel given answers"}
    first = value["pairs"][0]["test"]
    assert (first["clusters"], first["estimate"]["n"]) == (100, 500)
    assert first["shown"] is True


def test_another_margin_is_refused_and_stays_on_the_result(
    command: Run, graded_run: JudgedRun
) -> None:
    folder = graded_run("judge-a", limit=None)
    assert command(check, "languages", folder).exit_code == 0
    refused = command(check, "languages", folder, "--margin", 0.5)
    assert isinstance(refused.exception, UsageError)
    assert "0.300" in str(refused.exception)
    done = command(check, "languages", folder, "--margin", 0.5, "--although")
    assert "CHANGED: this was tested before with the margin 0.300" in done.output
    value = json.loads((folder / "checks" / "languages.json").read_text(encoding="utf-8"))
    assert (value["margin"], value["margins_before"]) == (0.5, [0.3])


@pytest.mark.parametrize(("opinion", "same"), [(right, True), (prefers_chinese_rubrics, False)])
def test_the_rubric_s_language_is_swapped_on_the_same_answers(
    command: Run, loaded: Any, tmp_path: Path, opinion: Any, same: bool
) -> None:
    loaded.opinion = opinion
    out = tmp_path / "checks"
    arguments = ("languages", "--judge", "toy", "--limit", 100, "--out", out, "--fail")
    done = command(check, *arguments)
    assert done.exit_code == (0 if same else 1), done.output
    first = json.loads((out / "languages.json").read_text(encoding="utf-8"))["pairs"][0]
    assert first["test"]["estimate"]["n"] == 100
    assert first["test"]["shown"] is same
    # every answer was asked about twice under three criteria, in prompts of two languages
    assert loaded.asked == 600
    prompts = [request.conversation[0][1] for request in loaded.engines[0].requests]
    assert sum("⟦回答⟧" in prompt for prompt in prompts) == 300


def test_neither_run_nor_judge_is_a_mistake(command: Run) -> None:
    assert isinstance(command(check, "languages").exception, UsageError)
