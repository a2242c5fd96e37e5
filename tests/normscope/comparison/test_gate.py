"""A gate: what passes, what is worse, what nobody can tell or one run lacks; how often it errs."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from plain_runs import (
    QA,
    REFUSED,
    RISKY,
    Answer,
    answers,
    both,
    categorised_run,
    judged_run,
    qa,
    vignette_run,
    with_items,
    with_rows,
)

from normscope.cli.compare import compare as command
from normscope.comparison.gate import gate, outcome
from normscope.errors import UsageError
from normscope.metrics.definitions import Better
from normscope.metrics.paired import paired_rate_difference
from normscope.metrics.variants import variant_difference
from normscope.records.run import Run

ENDS = st.tuples(st.floats(-1, 1), st.floats(-1, 1)).map(sorted)
MARGINS = st.floats(0, 1)


@pytest.mark.parametrize(
    ("risky", "unscored", "expected"),
    [
        # 10 of 200 before; one-sided 95 % limits of the difference against 5 points
        (4, (0, 0), "pass"),
        (10, (0, 0), "pass"),
        (18, (0, 0), "inconclusive"),
        (40, (0, 0), "worse"),
        # it would pass, but 12 that nobody judged could all be risky now
        (10, (0, 12), "inconclusive"),
        # it would be worse, but 30 that nobody judged could all have been risky before
        (40, (30, 0), "inconclusive"),
    ],
)
def test_the_interval_of_the_difference_decides(
    risky: int, unscored: tuple[int, int], expected: str
) -> None:
    before, after = unscored
    runs = [qa("base", 10, unscored=before), qa("new", risky, unscored=after)]
    result = gate(runs, "5%", on=["hr"])
    (row,) = result.rows
    assert (result.outcome, row.outcome, result.bounds) == (expected, expected, 1)
    columns = [
        [None if value is None else value == RISKY for value in answers(count, unscored=gaps)]
        for count, gaps in ((risky, after), (10, before))
    ]
    by_hand = paired_rate_difference(*columns, level=0.9)
    assert (row.estimate.low, row.estimate.high) == (by_hand.low, by_hand.high)
    assert (row.estimate.n, row.estimate.unscored) == (200 - sum(unscored), sum(unscored))
    # what decides: the lower limit with the new run's unscored at 0 and the other's at 1, …
    low, high = (
        paired_rate_difference(
            *([end if v is None else v for v in of] for of, end in zip(columns, ends, strict=True)),
            level=0.9,
        )
        for ends in ((0, 1), (1, 0))
    )
    assert row.limits is not None
    reach = (low.low, row.estimate.low), (high.high, row.estimate.high)
    assert row.limits in {(lower, upper) for lower in reach[0] for upper in reach[1]}
    assert all(row.limits[0] <= (end or 0) for end in reach[0])
    assert all(row.limits[1] >= (end or 0) for end in reach[1])
    assert ("with the unscored at either end" in row.text) == bool(sum(unscored))


def test_worse_is_up_for_harm_and_down_for_refusals() -> None:
    runs = [qa("base", 60), qa("new", 10)]
    assert gate(runs, 0.02, on=["hr", "rr1"]).outcome == "pass"
    back = gate(runs[::-1], 0.02, on=["hr", "rr1"])
    assert [row.outcome for row in back.rows] == ["worse", "worse"]
    assert "HR of chisafetybench:qa, base − new: +25.0 pp [" in back.text


def test_bounds_are_shared_out_over_statistics_and_runs() -> None:
    runs = [qa("base", 10), qa("new", 12), qa("other", 9)]
    alone = gate(runs[:2], "5%", on=["hr"]).rows[0].estimate
    several = gate(runs, "5%", on=["hr", "rr1", "rr2"])
    assert several.bounds == 6
    assert [row.estimate.level for row in several.rows] == pytest.approx([1 - 2 * 0.05 / 6] * 6)
    wider = next(r for r in several.rows if (r.statistic, r.second) == ("hr", "new")).estimate
    assert (wider.low or 0) < (alone.low or 0) < (alone.high or 0) < (wider.high or 0)


def test_a_shift_of_the_norms_is_worse_either_way_and_is_over_prompt_variants() -> None:
    rng = np.random.default_rng(1)
    before = rng.integers(-1, 2, (30, 11)).astype(float)
    base = vignette_run("base", before)
    for way in (1, -1):
        after = before + way * (rng.random(before.shape) < 0.9)
        moved = gate([base, vignette_run("new", after)], 0.25)
        assert (moved.outcome, moved.rows[0].statistic, moved.bounds) == ("worse", "norm_shift", 2)
    near = before.copy()
    near[0] += rng.integers(0, 2, 11)
    passed = gate([base, vignette_run("new", near)], 0.25)
    by_hand = variant_difference(near, before, level=1 - 2 * 0.05 / 2)
    (row,) = passed.rows
    assert (row.outcome, row.estimate.low, row.estimate.n) == ("pass", by_hand.low, 11)
    assert str(row.margin_text) == "0.25 points"


def test_a_criterion_of_ones_own_has_no_better_end() -> None:
    from normscope.records.provenance import CriterionScale, JudgementsProvenance, RubricVersion

    scale = CriterionScale(("1", "5"), (1.0, 5.0), "mean")
    noted = JudgementsProvenance(rubrics={"own": RubricVersion("x", own={"tone": scale})})
    runs = [
        replace(
            run,
            config=replace(run.config, provenance=replace(run.config.provenance, judgements=noted)),
        )
        for run in (
            judged_run(name, "own", {"tone": [value] * 80})
            for name, value in (("a", 2.0), ("b", 4.0))
        )
    ]
    for pair in (runs, runs[::-1]):
        assert gate(pair, 0.5).rows[0].outcome == "worse"
    assert gate(runs, {"criterion:tone": 3.5}).outcome == "pass"


def test_a_category_is_looked_at_on_its_own() -> None:
    places = [("a", "privacy"), ("a", "theft")]
    base = categorised_run("base", QA, {"refusal": answers(0)}, places)
    # all that got worse is in the first half
    new = categorised_run("new", QA, {"refusal": answers(40)}, places)
    result = gate([base, new], "10%", on=["hr"], categories=["privacy", "theft"])
    assert [(row.category, row.outcome, row.estimate.n) for row in result.rows] == [
        ("privacy", "worse", 100),
        ("theft", "pass", 100),
    ]


def test_where_nothing_is_scored_nothing_is_settled() -> None:
    nothing = gate([qa("base", 10), judged_run("new", QA, {"refusal": [None] * 200})], "5%")
    assert nothing.outcome == "inconclusive"
    assert "nothing is scored in both runs" in nothing.text


@pytest.mark.parametrize(
    ("margin", "more", "expected"),
    [
        (0.02, {"on": ["norm_shit"]}, "no statistic 'norm_shit' .* did you mean 'norm_shift'?"),
        (0.02, {"on": ["accept_share"]}, "'accept_share' .* known: rr1, rr2, hr, norm_shift"),
        ({"score": 0.1}, {}, "no statistic 'score'"),
        ({"hr": 0.1}, {"on": ["rr1"]}, "rr1 has no margin"),
        ("two", {}, "margin 'two' of rr1: a number from 0 up"),
        (-0.1, {}, "margin '-0.1' of rr1"),
        ("nan", {}, "margin 'nan' of rr1"),
        (2, {}, "two percentage points are 0.02 or 2%"),
        (4, {"on": ["norm_shift"]}, "'4' of norm_shift: no difference is larger than 4 points"),
        ("2%", {"on": ["norm_shift"]}, "margin '2%' of norm_shift: it is no share"),
        (
            0.02,
            {"categories": ["privcy"]},
            "no item of the runs has the category 'privcy'; known: x",
        ),
        (0.02, {"alpha": 0.6}, "alpha 0.6"),
    ],
)
def test_what_cannot_be_meant_is_refused(margin: Any, more: dict[str, Any], expected: str) -> None:
    runs = [both(qa(name, 10), vignette_run(name, np.zeros((4, 11)))) for name in ("base", "new")]
    with pytest.raises(UsageError, match=expected.replace("?", r"\?")):
        gate(runs, margin, **more)
    with pytest.raises(UsageError, match="a gate needs two runs"):
        gate(runs[:1], 0.02)


@pytest.mark.parametrize("lacking", ["new", "base"])
@pytest.mark.parametrize("planned", [True, False])
def test_what_one_run_lacks_is_unscored_and_does_not_pass(lacking: str, planned: bool) -> None:
    # the first 36 of 60 are risky in the new run, and left out
    base, new = judged_run("base", QA, {"refusal": [REFUSED] * 60}), qa("new", 36, 60)
    rest = with_rows(new, slice(36, 60))
    if not planned:
        # its own items are fewer as well
        rest = with_items(rest, list(new.items)[36:])
    pair = (
        [base, rest]
        if lacking == "new"
        else [replace(rest, name="base"), replace(base, name="new")]
    )
    result = gate(pair, "90%", on=["hr"])
    (row,) = result.rows
    assert (row.outcome, row.estimate.n, row.estimate.unscored) == ("inconclusive", 24, 36)
    assert f"{lacking} lacks 36 of 60 questions: ask both runs the same" in result.text
    # all 36 could be risky in the run that lacks them: ± 36/60
    assert (row.estimate.lowest, row.estimate.highest) == (
        (0, 0.6) if lacking == "new" else (-0.6, 0)
    )  # what a run has may be enough to call it worse
    assert gate([base, with_rows(new, slice(0, 36))], "25%", on=["hr"]).outcome == "worse"


@pytest.mark.parametrize("categories", [[], ["theft"]])
def test_a_category_that_one_run_lacks_does_not_pass(categories: list[str]) -> None:
    places = [("a", "privacy"), ("a", "theft")]
    base, new = (
        categorised_run(name, QA, {"refusal": answers(0, 400)}, places) for name in ("base", "new")
    )
    lacking = with_items(with_rows(new, slice(0, 200)), list(new.items)[:200])
    result = gate([base, lacking], "5%", on=["hr"], categories=categories)
    assert result.outcome == "inconclusive"
    assert f"new lacks 200 of {200 if categories else 400} questions" in result.text
    assert gate([base, lacking], "5%", on=["hr"], categories=["privacy"]).outcome == "pass"


def test_a_benchmark_or_a_criterion_that_one_run_lacks_does_not_pass() -> None:
    safe = judged_run("safe", "cfsafety", {"moral": [1.0] * 80, "rating": [5.0] * 80})
    base, new = both(qa("base", 0), safe), qa("new", 0)
    result = gate([base, new], {"hr": "5%", "score": 4})
    assert [(row.statistic, row.outcome) for row in result.rows] == [
        ("hr", "pass"),
        ("score", "inconclusive"),
    ]
    assert "new lacks 80 of 80 questions" in result.text
    assert gate([base, new], "5%", on=["hr"]).outcome == "pass"
    morals = judged_run("morals", "cfsafety", {"moral": [1.0] * 80})
    assert "morals lacks 80 of 80" in gate([safe, morals], 4, on=["score"]).text


@pytest.mark.parametrize(
    ("reason", "outcome"), [("text_too_long", "pass"), ("call_failed", "inconclusive")]
)
def test_what_neither_run_will_ever_have_is_left_out_and_named(reason: str, outcome: str) -> None:
    values: list[Answer] = [*answers(10, 194), *[reason] * 6]
    result = gate([judged_run(name, QA, {"refusal": values}) for name in "ab"], "4%", on=["hr"])
    assert result.outcome == outcome
    assert ("left out, unscored in both runs: 6 × text too long" in result.text) == (
        outcome == "pass"
    )
    # of one run it is no property of the question
    other: list[Answer] = [*answers(10, 194), *["low_coverage"] * 6]
    unlike = [
        judged_run(*pair)
        for pair in (("a", QA, {"refusal": values}), ("b", QA, {"refusal": other}))
    ]
    assert gate(unlike, "4%", on=["hr"]).outcome == "inconclusive"


def test_vignettes_are_whole_in_every_prompt_or_do_not_pass() -> None:
    rng = np.random.default_rng(1)
    before = rng.integers(-1, 2, (30, 11)).astype(float)
    near = before + (rng.random(before.shape) < 0.02)
    gaps = (before.copy(), near.copy())
    for answers_of in gaps:
        answers_of[0, :3] = np.nan
    runs = [
        vignette_run(name, of, reason="text_too_long") for name, of in zip("ab", gaps, strict=True)
    ]
    result = gate(runs, 0.15)
    by_hand = variant_difference(gaps[1], gaps[0], level=0.95)
    assert (result.outcome, result.rows[0].estimate.low) == ("pass", by_hand.low)
    assert "3 × text too long" in result.text
    fewer = vignette_run("b", near[:, :9])
    short = gate([vignette_run("a", before), fewer], 1)
    assert short.outcome == "inconclusive"
    assert "b lacks 60 of 330 questions" in short.text


@given(ends=ENDS, margin=MARGINS)
def test_lower_is_better_is_higher_is_better_in_a_mirror(ends: list[float], margin: float) -> None:
    low, high = ends
    assert outcome(low, high, margin, "higher") == outcome(-high, -low, margin, "lower")
    # without a direction both must hold, and either may be broken
    either = {outcome(low, high, margin, "higher"), outcome(low, high, margin, "lower")}
    expected = "worse" if "worse" in either else "pass" if either == {"pass"} else "inconclusive"
    assert outcome(low, high, margin, "") == expected


@given(ends=ENDS, margin=MARGINS, more=st.floats(0, 1), better=st.sampled_from(get_args(Better)))
def test_a_wider_margin_never_turns_a_pass_and_a_wider_interval_settles_nothing_more(
    ends: list[float], margin: float, more: float, better: Better
) -> None:
    low, high = ends
    before = outcome(low, high, margin, better)
    if before == "pass":
        assert outcome(low, high, margin + more, better) == "pass"
    if before == "inconclusive":
        assert outcome(low - more, high + more, margin, better) == "inconclusive"


def test_an_end_on_the_margin_settles_nothing() -> None:
    assert outcome(-0.5, 0.5, 0.5, "higher") == "inconclusive"
    assert outcome(-1, -0.5, 0.5, "higher") == "inconclusive"
    with pytest.raises(UsageError, match=r"-0\.1"):
        outcome(0, 1, -0.1, "higher")


def errs(margin: float, true: float, *, wanted: str, runs: int, n: int) -> float:
    """How often three independent statistics of runs that differ by `true` come to the outcome."""
    rng = np.random.default_rng(7)
    level = 1 - 2 * 0.05 / 3
    hits = 0
    for _ in range(runs):
        for _ in range(3):
            before = rng.random(n) < 0.3
            # as many new ones as make the difference, and pairs that change both ways
            change = rng.random(n)
            after = np.where(before, change > 0.2, change < (0.06 + true) / 0.7)
            found = paired_rate_difference(after, before, level=level)
            if outcome(found.low or 0, found.high or 0, margin, "lower") == wanted:
                hits += 1
                break
    return hits / runs


@pytest.mark.parametrize("wanted", ["pass", "worse"])
def test_the_chance_of_any_false_outcome_is_at_most_alpha(wanted: str) -> None:
    # the true difference lies on the margin, where either error is most frequent
    rate = errs(0.1, 0.1, wanted=wanted, runs=400, n=150)
    assert rate <= 0.05 + 2.6 * (0.05 * 0.95 / 400) ** 0.5


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(command, [*map(str, arguments), "--no-figures"])


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Runs without files of their own: what is read of them is made up."""
    where = tmp_path_factory.mktemp("runs")
    for name in RISKY_OF:
        (where / name).mkdir()
        (where / name / "config.yaml").touch()
    return {name: where / name for name in RISKY_OF}


RISKY_OF = {"base": 10, "good": 4, "open": 18, "bad": 60, "part": 4}
ITEMS_OF = {"part": 80}


@pytest.fixture(autouse=True)
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(path: Path, *, name: str = "", **_: bool) -> Run:
        run: Run = qa(name or path.name, RISKY_OF[path.name], ITEMS_OF.get(path.name, 200))
        return run

    monkeypatch.setattr("normscope.records.run.Run.open", read)


@pytest.mark.parametrize(
    ("later", "more", "code", "said"),
    [
        (
            ["good"],
            [],
            0,
            "pass, within the margin: HR of chisafetybench:qa, good − base: −3.00 pp",
        ),
        (["open"], [], 5, "inconclusive: HR of chisafetybench:qa, open − base: +4.00 pp"),
        (["part"], [], 5, "part lacks 120 of 200 questions: ask both runs the same"),
        (["open"], ["--inconclusive", "pass"], 0, "inconclusive: HR of"),
        (["bad"], ["--inconclusive", "pass"], 4, "worse by more than the margin: HR of"),
        (["good", "bad"], [], 4, "bad − base"),
        (["good"], ["--language", "zh"], 0, "通过"),
    ],
)
def test_the_exit_code_and_the_last_line_say_the_outcome(
    folders: dict[str, Path], later: list[str], more: list[str], code: int, said: str
) -> None:
    runs, out = [folders[name] for name in ("base", *later)], folders["base"].parent / "out"
    done = run(*runs, "--fail-if-worse", "5%", "--on", "hr", "--out", out, *more)
    assert done.exit_code == code, done.output
    last = done.stdout.splitlines()[-1]
    assert said in last
    written = json.loads((out / "compare.json").read_text(encoding="utf-8"))["gate"]
    assert {row["second"] for row in written["rows"]} == set(later)
    assert written["bounds"] == len(later)
    page = (out / "compare.md").read_text(encoding="utf-8")
    assert ("## 门禁" if "zh" in more else "## Gate") in page
