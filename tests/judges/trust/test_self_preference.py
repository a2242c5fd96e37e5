"""Whether a judge favours its own lineage, told by a second judge of another."""

from dataclasses import replace

import pytest
from judged_answers import judged_answer

from normscope.judges.trust.answers import JudgedAnswers
from normscope.judges.trust.self_preference import self_preference
from normscope.judges.trust.shifts import adjusted
from normscope.records.config import RunConfig
from normscope.records.model_spec import ModelSpec

JUDGE, SECOND = ModelSpec("qwen3-judge"), ModelSpec("llama-judge")
OWN, OTHER = "qwen3-small", "mistral-small"


def judged(model: str, judge: ModelSpec, ratings: list[float]) -> JudgedAnswers:
    answers = tuple(judged_answer(f"i{at}", {"rating": each}) for at, each in enumerate(ratings))
    config = RunConfig(model=ModelSpec(model), judge=judge)
    return JudgedAnswers(f"{model}-{judge.model}", model, judge.model, answers, config)


def four(own_more: float, better: float = 0.0, n: int = 20) -> list[JudgedAnswers]:
    """Both models judged by both; `better` is how much better the own family's answers are."""
    base = [2.0 + at % 3 / 10 for at in range(n)]
    noise = [at % 5 / 50 for at in range(n)]
    return [
        judged(OTHER, SECOND, base),
        judged(OTHER, JUDGE, base),
        judged(OWN, SECOND, [x + better for x in base]),
        judged(OWN, JUDGE, [x + better + own_more + e for x, e in zip(base, noise, strict=True)]),
    ]


def test_by_hand() -> None:
    # (own by judge − own by second) − (other by judge − other by second) = 0.5 + mean noise 0.04
    shifts = self_preference(JUDGE, {}, four(0.5), "rating")
    assert not isinstance(shifts, str)
    (shift,) = shifts
    assert shift.estimate.value == pytest.approx(0.54)
    assert shift.variant == "qwen3-small less mistral-small"
    assert adjusted(shifts)[0].shown


def test_better_answers_are_no_self_preference() -> None:
    shifts = self_preference(JUDGE, {}, four(0.0, better=1.5), "rating")
    assert not isinstance(shifts, str)
    # what is left is the noise alone
    assert shifts[0].estimate.value == pytest.approx(0.04)


@pytest.mark.parametrize(
    ("keep", "told"),
    [
        ([], "no runs are named"),
        ([1, 3], "0 of them also by one judge of another lineage"),
        ([0, 1], "0 of these of its own lineage, 1 of others"),
        ([2, 3], "1 of these of its own lineage, 0 of others"),
    ],
)
def test_what_is_missing_is_said_with_how_to_get_it(keep: list[int], told: str) -> None:
    every = four(0.5)
    missing = self_preference(JUDGE, {}, [every[at] for at in keep], "rating")
    assert isinstance(missing, str)
    assert told in missing
    assert "--runs RUN" in missing


def test_a_judge_of_no_known_lineage_must_name_it() -> None:
    missing = self_preference(ModelSpec("checkpoint"), {}, four(0.5), "rating")
    assert "--judge-lineage" in str(missing)


def test_a_second_judge_of_the_same_lineage_will_not_do() -> None:
    near = replace(SECOND, model="qwen2-judge")
    every = four(0.5)
    again = [
        judged(OTHER, near, [2.0] * 20),
        every[1],
        judged(OWN, near, [2.0] * 20),
        every[3],
    ]
    assert "0 of them also" in str(self_preference(JUDGE, {}, again, "rating"))
