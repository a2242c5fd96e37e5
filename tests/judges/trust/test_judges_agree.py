"""Several judges of the same answers: do they agree, and do they err together?"""

import json
import random
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from biased_judges import Opinion, Seen
from click.testing import Result
from judged_answers import judged_answer
from shown_pages import findings

from normscope.cli.check import check
from normscope.errors import DataError, UsageError
from normscope.judges.trust.answers import JudgedAnswers, read_judged
from normscope.judges.trust.judges_agree import RESIDUALS, VERDICTS, check_judges, read_labels
from normscope.records.config import RunConfig
from normscope.records.provenance import JudgementsProvenance, Provenance, RubricVersion
from normscope.report.trust.judges_agree import page
from normscope.rows import write_rows

Run = Callable[..., Result]
JudgedRun = Callable[..., Path]


def errs(own: int, *, shared: bool) -> Opinion:
    """A judge that is off by one now and then, by a coin of its own or of all such judges."""

    def opinion(seen: Seen) -> float:
        coin = random.Random(f"{seen.known} {seen.criterion} {0 if shared else own}")
        place: float = min(seen.labels - 1, max(0, seen.place + coin.choice((-1, 0, 0, 1))))
        return place

    return opinion


def judged(name: str, values: list[float | None], *, graded: bool = False) -> JudgedAnswers:
    answers = tuple(
        judged_answer(
            f"i{at}", {"rating": value}, facets={"grade": str(1 + at % 5)} if graded else {}
        )
        for at, value in enumerate(values)
    )
    return JudgedAnswers(name, "model", name, answers)


def statistic(errors: Any, name: str, member: str = "all") -> Any:
    """One of the statistics, of the result or of its JSON."""
    rows = [asdict(row) for row in getattr(errors, "statistics", ())] or errors["statistics"]
    return next(r["estimate"] for r in rows if (r["name"], r["member"]) == (name, member))


def test_judges_who_share_their_errors_are_worth_one(command: Run, graded_run: JudgedRun) -> None:
    folders = [graded_run(f"shared-{at}", errs(at, shared=True)) for at in range(3)]
    done = command(check, "judges", *folders)
    assert done.exit_code == 0, done.output
    value = json.loads((folders[0] / "checks" / "judges.json").read_text(encoding="utf-8"))
    assert value["reference"] == "intended grades"
    rating = next(one for one in value["errors"] if one["outcome"] == "rating")
    assert statistic(rating, "effective_number")["value"] == pytest.approx(1.0)
    assert value["disagreements"] == []


def test_judges_who_err_on_their_own_are_worth_as_many_as_they_are(
    command: Run, graded_run: JudgedRun
) -> None:
    folders = [graded_run(f"own-{at}", errs(at, shared=False), limit=600) for at in range(3)]
    done = command(check, "judges", *folders)
    value = json.loads((folders[0] / "checks" / "judges.json").read_text(encoding="utf-8"))
    rating = next(one for one in value["errors"] if one["outcome"] == "rating")
    effective = statistic(rating, "effective_number")
    assert effective["low"] <= 3 <= effective["high"] or effective["value"] > 2.5
    assert len(value["disagreements"]) == 50
    assert value["disagreements"][0]["item_id"] in done.output
    names = {row["name"] for row in value["agreement"]["rating"]}
    assert names == {"rater_agreement", "kappa", "kappa_quadratic", "alpha"}


def test_people_s_labels_are_the_reference_where_they_are_given(
    command: Run, graded_run: JudgedRun, tmp_path: Path
) -> None:
    folders = [graded_run(f"j{at}", errs(at, shared=False), limit=60) for at in range(2)]
    items = [one.item.item_id for one in read_judged(folders[0]).answers]
    labels = tmp_path / "people.csv"
    write_rows(labels, [{"item_id": item, "rating": 1 + at % 5} for at, item in enumerate(items)])
    command(check, "judges", *folders, "--labels", labels)
    value = json.loads((folders[0] / "checks" / "judges.json").read_text(encoding="utf-8"))
    assert value["reference"] == "people's labels"
    known = [one for one in value["errors"] if one["reference"] == "people's labels"]
    assert [one["outcome"] for one in known] == ["rating"]


def test_without_a_reference_it_is_a_lower_bound_and_says_so() -> None:
    first = judged("a", [1, 2, 3, 4, 5, 1, 2])
    second = judged("b", [1, 2, 3, 5, 5, 2, 2])
    found = check_judges([first, second])
    assert found.reference == "none"
    assert [one.reference for one in found.errors] == [VERDICTS, RESIDUALS]
    said = " ".join(findings(page(found)))
    assert "at least" in said
    assert "No reference" in said
    assert statistic(found.errors[1], "error_correlation")["value"] == pytest.approx(-1.0)


def test_the_bias_is_the_verdict_less_the_grade() -> None:
    # grades 1 2 3 4 5; the second judge is one too high on the first four: 4/5
    first = judged("a", [1, 2, 3, 4, 4], graded=True)
    second = judged("b", [2, 3, 4, 5, 5], graded=True)
    found = check_judges([first, second]).errors[0]
    assert statistic(found, "bias", "a")["value"] == pytest.approx(-0.2)
    assert statistic(found, "bias", "b")["value"] == pytest.approx(0.8)


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


def test_a_file_of_labels_needs_a_criterion_and_numbers(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    write_rows(path, [{"item_id": "a", "mood": "1"}])
    with pytest.raises(DataError, match="no column"):
        read_labels(path)
    write_rows(path, [{"item_id": "a", "rating": "good"}])
    with pytest.raises(DataError, match="row 1"):
        read_labels(path)
    write_rows(path, [{"item_id": "a", "rating": "3"}, {"item_id": "b", "rating": ""}])
    assert read_labels(path) == {"rating": {"a": 3.0}}


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
    shared = {one.outcome: statistic(one, "error_correlation") for one in found.errors}
    assert {name: one["unscored"] for name, one in shared.items()} == {"rating": 0, "refusal": 0}


def test_residuals_have_no_number_of_judges() -> None:
    found = check_judges([judged("a", [1, 2, 3, 4, 5, 1]), judged("b", [1, 2, 3, 5, 4, 2])])
    names = {row.name for one in found.errors[1:] for row in one.statistics}
    assert names == {"error_correlation"}
