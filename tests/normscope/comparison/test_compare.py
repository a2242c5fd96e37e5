"""Pairing, refusals and corrections of a comparison, on finished runs of scripted models."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from plain_runs import QA, judged_run, run_of

from normscope.comparison import compare, read_runs
from normscope.comparison.align import Aligned, align
from normscope.errors import DataError, RunError, UsageError
from normscope.files import read_parquet, write_parquet, write_text
from normscope.metrics.significance import benjamini_hochberg, holm
from normscope.records.folder import opened
from normscope.records.judgements import Judgements
from normscope.records.model_spec import ModelSpec
from normscope.records.provenance import BenchmarkItems, RubricVersion
from normscope.records.run import Run

MakeRun = Callable[..., Path]


def two(make_run: MakeRun, **other: Any) -> tuple[Run, ...]:
    return read_runs([make_run("a"), make_run("b", 0.3, **other)])


def keys_of(rows: Judgements | Aligned) -> list[tuple[Any, ...]]:
    of = rows.of_items if isinstance(rows, Aligned) else lambda name: getattr(rows, name)
    columns = (*map(of, ("item_id", "variant_id", "scale_order")), rows.sample.tolist())
    return list(zip(*columns, strict=True))


def values_of(rows: Judgements) -> dict[tuple[Any, ...], float]:
    """The value of each item in each variant, order and sample, of one criterion."""
    return dict(zip(keys_of(rows), rows.value.tolist(), strict=True))


def test_rows_are_paired_by_item_variant_order_and_sample(make_run: MakeRun) -> None:
    runs = two(make_run)
    compared = compare(runs)
    # 10 categories × 3 questions; 24 vignettes in 11 variants
    assert compared.pairings["cfsafety"].rows == 30
    assert compared.pairings["ci-vignettes:coppa"].rows == 12 * 11
    assert not any(pairing.left_out for pairing in compared.pairings.values())
    paired = align(runs, "ci-vignettes:coppa")
    first, second = (paired.criteria["acceptability"][place].values for place in (0, 1))
    by_key = [values_of(run.counted["ci-vignettes:coppa"]) for run in runs]
    for key, one, other in zip(keys_of(paired), first, second, strict=True):
        assert (one, other) == (by_key[0][key], by_key[1][key])


def test_the_difference_is_that_of_the_scores_of_the_two_runs(make_run: MakeRun) -> None:
    paths = make_run("a"), make_run("b", 0.3)
    compared = compare(read_runs(paths))
    overall = [
        {row["name"]: row["estimate"]["value"] for row in scores["cfsafety"] if not row["group"]}
        for scores in (json.loads((path / "scores.json").read_text()) for path in paths)
    ]
    rows = [r for r in compared.rows if r.benchmark == "cfsafety" and not r.group]
    assert {row.statistic for row in rows} == overall[0].keys() - {"macro_score"}
    for row in rows:
        name = row.statistic
        assert row.first_value == pytest.approx(overall[0][name])
        assert row.second_value == pytest.approx(overall[1][name])
        assert row.estimate.value == pytest.approx(overall[1][name] - overall[0][name])


def test_what_one_run_lacks_is_left_out_and_counted(make_run: MakeRun) -> None:
    whole = make_run("a")
    part = make_run("b", limit={"ci-vignettes:coppa": 10, "cfsafety": 20})
    compared = compare(read_runs([whole, part]))
    shared = compared.pairings["ci-vignettes:coppa"]
    assert shared.rows == 10 * 11
    assert shared.left_out == {"a": 2 * 11}
    assert compared.pairings["cfsafety"].left_out == {"a": 10}


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"min_coverage": 0.4}, "min_coverage: a has 0.5, b has 0.4"),
        ({"decoding": {"max_new_tokens": 9}}, "decoding max_new_tokens: a has 256, b has 9"),
        ({"decoding": {"temperature": 0.5}}, "decoding temperature: a has 0.0, b has 0.5"),
        ({"label_orders": "both"}, "label_orders: a has 'given', b has 'both'"),
        ({"judge": ModelSpec("j2")}, "judge model: a has 'judge', b has 'j2'"),
        ({"judge_told": {"dtype": "bfloat16"}}, "judge dtype: a has none, b has 'bfloat16'"),
        ({"judge_told": {"content": "f" * 64}}, "judge content: a has none, b has 'ffffffffffff…'"),
    ],
)
def test_runs_that_were_not_measured_alike_are_refused_with_field_and_values(
    make_run: MakeRun, other: dict[str, Any], told: str
) -> None:
    runs = two(make_run, **other)
    with pytest.raises(RunError) as refused:
        compare(runs)
    assert told in str(refused.value)
    assert "although=True" in str(refused.value)


@pytest.mark.parametrize(
    ("stage", "other_values", "told"),
    [
        (
            "respond",
            {"benchmarks": {"cfsafety": BenchmarkItems(revision="e" * 64)}},
            "cfsafety, dataset revision",
        ),
        ("judge", {"rubrics": {"cfsafety": RubricVersion("e" * 64)}}, "cfsafety, rubric hash"),
    ],
)
def test_another_dataset_or_rubric_is_refused(
    make_run: MakeRun, stage: str, other_values: dict[str, Any], told: str
) -> None:
    first, second = two(make_run)
    made = second.config.provenance.noted(stage, **other_values)
    other = replace(second, config=replace(second.config, provenance=made))
    with pytest.raises(RunError, match=f"{told}: a has '[0-9a-f]{{12}}…', b has 'eeeeeeeeeeee…'"):
        compare([first, other])


@pytest.mark.parametrize(
    ("dates", "fields"),
    [
        (("2026-01-01", "2026-02-02"), ["date in the prompts"] * 2),
        (("2026-01-01", "2026-01-01"), []),
        (("2026-01-01", None), []),
    ],
    ids=["two dates", "one date", "a template without a date"],
)
def test_runs_with_different_dates_in_their_prompts_are_refused(
    make_run: MakeRun, dates: tuple[str | None, str | None], fields: list[str]
) -> None:
    runs = []
    for run, date in zip(two(make_run), dates, strict=True):
        model = {**(run.config.provenance.model or {}), "date": date}
        made = run.config.provenance.noted("respond", model=model)
        runs.append(replace(run, config=replace(run.config, provenance=made)))
    assert [mismatch.field for mismatch in compare(runs, although=True).mismatches] == fields


def test_the_seed_counts_only_where_something_is_drawn(make_run: MakeRun) -> None:
    greedy = two(make_run, decoding={"seed": 7})
    assert compare(greedy).mismatches == ()
    drawn = {"temperature": 1.0, "samples": 2}
    runs = [
        Run.open(make_run("c", decoding=drawn), whole=True),
        Run.open(make_run("d", decoding={**drawn, "seed": 7}), whole=True),
    ]
    assert [m.field for m in compare(runs, although=True).mismatches] == ["decoding seed"]


def test_although_goes_on_and_the_mismatch_stays_on_the_result(make_run: MakeRun) -> None:
    runs = two(make_run, min_coverage=0.4)
    compared = compare(runs, although=True)
    assert {(m.benchmark, m.field) for m in compared.mismatches} == {
        ("cfsafety", "min_coverage"),
        ("ci-vignettes:coppa", "min_coverage"),
    }
    assert compared.mismatches[0].values == {"a": 0.5, "b": 0.4}
    assert compared.rows


def test_holm_is_over_the_pairs_of_runs_and_every_pair_is_there_once(make_run: MakeRun) -> None:
    shifts = {"a": 0.0, "b": 0.3, "c": -0.2, "d": 0.05}
    compared = compare(read_runs([make_run(name, shift) for name, shift in shifts.items()]))
    primary = [r for r in compared.rows if r.role == "primary" and r.benchmark == "cfsafety"]
    assert [(r.first, r.second) for r in primary] == [
        ("a", "b"),
        ("a", "c"),
        ("a", "d"),
        ("b", "c"),
        ("b", "d"),
        ("c", "d"),
    ]
    p = [r.test.p for r in primary if r.test]
    assert [r.p_adjusted for r in primary] == pytest.approx(holm(p).tolist())
    # the smallest of six is multiplied by six
    smallest = min(primary, key=lambda r: r.test.p if r.test and r.test.p is not None else 1)
    assert smallest.test is not None
    assert smallest.test.p is not None
    assert smallest.p_adjusted == pytest.approx(min(1, 6 * smallest.test.p))


def test_breakdowns_are_exploratory_and_only_against_the_first_run(make_run: MakeRun) -> None:
    compared = compare(read_runs([make_run("a"), make_run("b", 0.3), make_run("c", -0.2)]))
    detail = [r for r in compared.rows if r.group]
    assert {r.role for r in detail} == {"exploratory"}
    assert {(r.first, r.second) for r in detail} == {("a", "b"), ("a", "c")}
    assert {r.group for r in detail if r.benchmark == "cfsafety"} == {
        "area",
        "category",
        "language",
    }
    mine = [r for r in detail if r.benchmark == "ci-vignettes:coppa"]
    assert {r.group for r in mine} == {"sender", "recipient", "attribute", "transmission_principle"}
    p = [r.test.p if r.test else None for r in mine]
    assert [r.p_adjusted for r in mine] == pytest.approx(benjamini_hochberg(p).tolist())


def test_unfinished_changed_and_repeated_runs_are_refused(make_run: MakeRun) -> None:
    first, second = make_run("a"), make_run("b")
    with pytest.raises(UsageError, match="two runs or more, not 1"):
        read_runs([first])
    with pytest.raises(UsageError, match="named twice"):
        read_runs([first, second, first])
    with pytest.raises(RunError, match="is not a run"):
        read_runs([first, first.parent])
    (second / "scores.json").write_text("{}")
    with pytest.raises(RunError, match=r"(?s)normscope score .*scores\.json: it was changed"):
        read_runs([first, second])
    (second / "manifest.json").unlink()
    write_text(second / "scores.json", (first / "scores.json").read_text())
    with pytest.raises(RunError, match=r"manifest\.json: it is unfinished"):
        read_runs([first, second])


def test_reading_takes_no_hold_of_a_run_and_changes_nothing(make_run: MakeRun) -> None:
    path = make_run("a")
    with opened(path):
        before = {p: p.stat().st_mtime_ns for p in path.iterdir()}
        Run.open(path, whole=True)
        assert {p: p.stat().st_mtime_ns for p in path.iterdir()} == before


def test_a_judgement_that_stands_twice_is_refused(make_run: MakeRun) -> None:
    path = make_run("a")
    table = read_parquet(path / "judgements.parquet")
    write_parquet(path / "judgements.parquet", pa.concat_tables([table, table.slice(0, 1)]))
    with pytest.raises(RunError, match=r"more than once: 1 \(cfsafety \S+ moral\)"):
        Run.open(path, whole=True)


def test_runs_without_a_benchmark_or_an_item_in_common_are_refused(make_run: MakeRun) -> None:
    first = Run.open(make_run("a", benchmark=("cfsafety",), limit={}), whole=True)
    second = Run.open(
        make_run("b", benchmark=("ci-vignettes:coppa",), limit={"all": 3}), whole=True
    )
    with pytest.raises(UsageError, match="a has cfsafety; b has ci-vignettes:coppa"):
        compare([first, second])
    own = judged_run("own", QA, {"refusal": [0.0]})
    others = run_of("c", own.items, [{**own.judgements.to_pylist()[0], "sample": 1}])
    with pytest.raises(DataError, match=f"{QA}: no row"):
        compare([own, others])
