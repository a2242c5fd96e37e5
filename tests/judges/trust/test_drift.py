"""What the judge says of fixed answers, then and now."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from biased_judges import Opinion, judge, right
from click.testing import Result

from normscope.cli.validate import validate
from normscope.errors import DataError, NormscopeError
from normscope.judges.judge import LoadedJudge
from normscope.judges.rubric import Questions
from normscope.judges.rubric_files import rubric
from normscope.judges.trust.drift import (
    check_drift,
    fixed_answers,
    judged_fixed_answers,
    read_fixed_answers,
    set_hash,
)
from normscope.records.judging import FixedAnswersJudged

Run = Callable[..., Result]
JudgedRun = Callable[..., Path]
CRITERIA = ("moral", "rating")


def said(
    opinion: Opinion, dtype: str = "float32", **rubrics: str
) -> tuple[FixedAnswersJudged, ...]:
    engine = judge(opinion)
    asks = {
        name: Questions.of(rubric(used), CRITERIA if used == "cfsafety" else ("refusal",))
        for name, used in (rubrics or {"cfsafety": "cfsafety"}).items()
    }
    identity = engine.identity | {"dtype": dtype}
    return judged_fixed_answers(LoadedJudge(engine, asks, 0.5), identity)


def shifted(by: float) -> Opinion:
    return lambda seen: seen.place + (by if seen.place == 0 else -by)


def test_the_set_is_what_it_was() -> None:
    # a changed text begins a new set: then this line changes with it, and no old value compares
    assert set_hash().startswith("d1b1e067a07e3355")


def test_one_entry_per_rubric_however_many_benchmarks_ask_it() -> None:
    found = said(right, one="cfsafety", two="cfsafety", three="chisafetybench")
    assert [one.rubric for one in found] == ["cfsafety", "chisafetybench"]
    assert len(found[0].rows) == 2 * len(fixed_answers())


@pytest.mark.parametrize(
    ("dtype", "by", "same"),
    [
        ("float32", 0.0005, True),
        ("float32", 0.002, False),
        ("float16", 0.01, True),
        ("float16", 0.02, False),
        ("bfloat16", 0.1, True),
        ("bfloat16", 0.13, False),
    ],
)
def test_a_change_beyond_the_dtype_s_tolerance_is_drift(dtype: str, by: float, same: bool) -> None:
    found = check_drift(said(right, dtype), said(shifted(by), dtype), names=("a", "b"))
    assert found.same is same
    assert found.rubrics[0].largest == pytest.approx(by)
    assert len(found.rubrics[0].drifted) == (0 if same else 2 * len(fixed_answers()))


def test_what_can_be_read_only_once_has_drifted() -> None:
    (before,) = (after,) = said(right)
    first, *others = after.rows
    after = replace(after, rows=(replace(first, probs=None), *others))
    found = check_drift([before], [after], names=("a", "b"))
    assert [(one.id, one.change) for one in found.rubrics[0].drifted] == [("s01", None)]


def test_a_run_of_one_criterion_is_compared_in_that_criterion() -> None:
    (run,) = said(right)
    moral = tuple(row for row in run.rows if row.criterion == "moral")
    other = replace(run, criteria=("moral",), rows=moral)
    found = check_drift([other], [run], names=("a", "b"))
    assert (found.same, found.rubrics[0].compared) == (True, len(fixed_answers()))


def test_another_identity_is_named_and_another_rubric_not_compared() -> None:
    (before,) = said(right)
    after = replace(before, judge={**before.judge, "revision": "abc"})
    assert check_drift([before], [after], names=("a", "b")).rubrics[0].changed == {
        "revision": (None, "abc")
    }
    with pytest.raises(DataError, match="judged alike"):
        check_drift([before], [replace(after, rubric_hash="0")], names=("a", "b"))


def test_the_verb_compares_two_runs(command: Run, graded_run: JudgedRun) -> None:
    then = graded_run("judge-a", limit=20)
    now = graded_run("judge-b", shifted(0.2), limit=20)
    done = command(validate, "drift", then, now, "--fail")
    assert done.exit_code == 1
    assert "DRIFT, cfsafety: " in done.output
    same = command(validate, "drift", then, then, "--fail")
    assert same.exit_code == 0, same.output
    assert "No drift" in same.output
    (then / "judging.json").unlink()
    with pytest.raises(NormscopeError, match="normscope judge"):
        read_fixed_answers(then)
