"""Several judges of the same answers: how far they agree, and on what they differ."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from biased_judges import Opinion, Seen
from click.testing import Result
from judged_answers import judged_answer

from normscope.cli.check import check
from normscope.errors import UsageError
from normscope.judges.trust.answers import JudgedAnswers
from normscope.judges.trust.judges_agree import check_judges
from normscope.records.config import RunConfig
from normscope.records.provenance import JudgementsProvenance, Provenance, RubricVersion

Run = Callable[..., Result]
JudgedRun = Callable[..., Path]


def errs(own: int) -> Opinion:
    """A judge that is off by one now and then, by a coin of its own."""

    def opinion(seen: Seen) -> float:
        coin = random.Random(f"{seen.known} {seen.criterion} {own}")
        place: float = min(seen.labels - 1, max(0, seen.place + coin.choice((-1, 0, 0, 1))))
        return place

    return opinion


def judged(name: str, values: list[float | None]) -> JudgedAnswers:
    answers = tuple(judged_answer(f"i{at}", {"rating": value}) for at, value in enumerate(values))
    return JudgedAnswers(name, "model", name, answers)


def test_the_verb_shows_agreement_and_what_is_disputed_most(
    command: Run, graded_run: JudgedRun
) -> None:
    folders = [graded_run(f"own-{at}", errs(at)) for at in range(2)]
    done = command(check, "judges", *folders)
    assert done.exit_code == 0, done.output
    value = json.loads((folders[0] / "checks" / "judges.json").read_text(encoding="utf-8"))
    assert len(value["disagreements"]) == 50
    assert value["disagreements"][0]["item_id"] in done.output
    names = {row["name"] for row in value["agreement"]["rating"]}
    assert names == {"rater_agreement", "kappa", "kappa_quadratic", "alpha"}


def test_the_most_disputed_come_first_and_gaps_are_no_dispute() -> None:
    found = check_judges([judged("a", [1, 5, 3, None]), judged("b", [2, 1, 3, 4])])
    assert [(one.item_id, one.spread) for one in found.disagreements] == [("i1", 4), ("i0", 1)]


def test_other_answers_or_rubrics_are_refused() -> None:
    one = judged("a", [1, 2])
    other = JudgedAnswers("b", "another model", "b", one.answers)
    with pytest.raises(UsageError, match="same responses"):
        check_judges([one, other])
    rubrics = []
    for n in "xy":
        made = Provenance(judgements=JudgementsProvenance(rubrics={"b": RubricVersion(n)}))
        rubrics.append(JudgedAnswers(n, "m", n, one.answers, RunConfig(provenance=made)))
    with pytest.raises(UsageError, match="other rubrics"):
        check_judges(rubrics)
    with pytest.raises(UsageError, match="two judges"):
        check_judges([one])
    anew = tuple(replace(answer, text="other words") for answer in one.answers)
    with pytest.raises(UsageError, match="other words"):
        check_judges([one, replace(judged("b", [1, 2]), answers=anew)])


def two_benchmarks(name: str, off: int) -> JudgedAnswers:
    """Ten answers under `rating`, thirty of another benchmark under `refusal`, `off` one more."""
    rated = judged(name, [1 + at % 5 for at in range(10)]).answers
    refused = tuple(
        judged_answer(f"i{at}", {"refusal": float((at + (at < off)) % 4)}, benchmark="other")
        for at in range(30)
    )
    return JudgedAnswers(name, "model", name, (*rated, *refused))


def test_a_criterion_is_counted_over_the_answers_for_which_it_was_asked() -> None:
    # rating: 10 of 10 alike; refusal: 24 of 30; nobody has failed, and no interval allows for it
    found = check_judges([two_benchmarks("a", 0), two_benchmarks("b", 6)])
    agreement = {criterion: table[0].estimate for criterion, table in found.agreement.items()}
    assert (agreement["rating"].n, agreement["rating"].unscored) == (10, 0)
    assert (agreement["refusal"].n, agreement["refusal"].unscored) == (30, 0)
    assert agreement["refusal"].value == pytest.approx(0.8)
    # Wilson for 24 of 30: (0.8 + z²/60 ± z √(0.16/30 + z²/3600)) / (1 + z²/30), z = 1.96
    limits = agreement["refusal"].low, agreement["refusal"].high
    assert limits == pytest.approx((0.627, 0.905), abs=1e-3)
