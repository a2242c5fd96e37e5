"""Judging a file: its rows and columns in their order, and what was taken for granted told."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from normscope.config import RunConfig
from normscope.errors import DataError, RunError, UsageError
from normscope.judges.engine import LabelRequest, LabelResult, TextResult
from normscope.judges.engines import ModelSpec
from normscope.judges.engines.fake import FakeEngine
from normscope.judges.rubric import rubric as named_rubric
from normscope.reasons import Reason
from normscope.stages.judge_file import Counts, Defaults, facts_path, judge_file

SHORT = """
name: kind
version: 1
license: CC0
fallback_language: en
heads:
  kind:
    scale: {labels: ["0", "1"], values: [0, 1]}
    read: mean
    instruction:
      en: {ask: "Kind?", meanings: {"0": "no", "1": "yes"}, reply: "One digit."}
languages:
  en:
    template: "{conversation}"
    turns: {system: S, user: Q, assistant: B, answer: A}
    lead: ""
"""


def even(request: LabelRequest) -> LabelResult:
    """The same for every label, all of the mass on the scale."""
    import math

    labels = request.scale.labels
    return LabelResult(tuple(math.log(1 / len(labels)) for _ in labels))


def judge(
    source: Path,
    out: Path,
    *,
    on_labels: Any = even,
    rubric: str = "cfsafety",
    heads: tuple[str, ...] = (),
    asked: RunConfig | None = None,
    defaults: Defaults | None = None,
) -> Counts:
    return judge_file(
        source,
        out,
        used=named_rubric(rubric),
        heads=heads,
        asked=asked or RunConfig(judge=ModelSpec("fake")),
        load=lambda _: FakeEngine(on_labels, lambda _: TextResult("")),
        defaults=defaults or Defaults(),
    )


def written(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


ROWS = [
    {"z": "9", "question": "Q1", "a": "x", "response": "R1"},
    {"z": "007", "question": "Q2", "a": "y", "response": ""},
    {"z": "1", "question": "Q3", "a": "", "response": "R3"},
]


def test_rows_and_columns_stay_in_their_order_with_the_readings_behind(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    counts = judge(written(tmp_path / "in.csv", ROWS), out, heads=("moral", "rating"))
    rows = read(out)
    assert [{name: row[name] for name in ROWS[0]} for row in rows] == ROWS
    ends = ("", "_probs", "_coverage", "_reason")
    added = [f"{head}{end}" for head in ("moral", "rating") for end in ends]
    assert list(rows[0]) == [*ROWS[0], *added, "score"]
    # the middle of both scales: 0.5 · 3
    assert [row["score"] for row in rows] == ["1.5", "", "1.5"]
    assert [row["moral_reason"] for row in rows] == ["", "no_answer", ""]
    assert (counts.rows, counts.unscored) == (3, 1)


def test_only_question_and_response_are_needed_and_the_rest_is_told(tmp_path: Path) -> None:
    counts = judge(written(tmp_path / "in.csv", ROWS), tmp_path / "out.csv")
    assert counts.notes == (
        "no row names a category: judged as 'general' by rubric 'cfsafety'",
        "no row names a language: judged as 'en' by rubric 'cfsafety'",
    )
    facts = json.loads(facts_path(tmp_path / "out.csv").read_text(encoding="utf-8"))
    assert facts["notes"] == list(counts.notes)
    assert (facts["category"], facts["language"]) == ("general", "en")
    assert facts["judge"]["model"] == "fake"
    assert {prior["head"] for prior in facts["priors"]} == {"moral", "rating", "refusal"}


def test_what_some_rows_say_holds_and_the_others_are_counted(tmp_path: Path) -> None:
    kinds = ("misleading", "", "")
    rows = [{**row, "category": kind} for row, kind in zip(ROWS, kinds, strict=True)]
    source = written(tmp_path / "in.csv", rows)
    counts = judge(source, tmp_path / "out.csv", defaults=Defaults(language="zh"))
    assert counts.notes == (
        "2 of 3 rows lack a category: judged as 'general' by rubric 'cfsafety'",
        "no row names a language: judged as 'zh' by rubric 'cfsafety'",
    )


def test_a_rubric_without_categories_needs_none(tmp_path: Path) -> None:
    mine = tmp_path / "kind.yaml"
    mine.write_text(SHORT, encoding="utf-8")
    counts = judge(written(tmp_path / "in.csv", ROWS), tmp_path / "out.csv", rubric=str(mine))
    assert counts.notes == ("no row names a language: judged as 'en' by rubric 'kind'",)
    assert "score" not in read(tmp_path / "out.csv")[0]


def test_windows_and_bounds_have_columns_only_where_they_say_something(tmp_path: Path) -> None:
    def limited(request: LabelRequest) -> LabelResult:
        if len(request.turns[0][1]) > 4000:
            return LabelResult(None, reason=Reason.TEXT_TOO_LONG)
        return LabelResult(even(request).logprobs, unseen=0.1)

    rows = [ROWS[0], {**ROWS[1], "response": "A fine sentence. " * 300}]
    source = written(tmp_path / "in.csv", rows)
    judge(source, tmp_path / "out.csv", on_labels=limited, heads=("moral",))
    first, second = read(tmp_path / "out.csv")
    assert first["windows"] == "1"
    assert int(second["windows"]) > 1
    assert second["moral_coverage_high"] == "1.0"


def test_both_orders_are_asked_on_request_and_the_bias_stands_beside(tmp_path: Path) -> None:
    asked = RunConfig(judge=ModelSpec("fake"), label_orders="both")
    judge(written(tmp_path / "in.csv", ROWS), tmp_path / "out.csv", asked=asked)
    facts = json.loads(facts_path(tmp_path / "out.csv").read_text(encoding="utf-8"))
    assert {bias["head"]: bias["shift"] for bias in facts["order_bias"]} == {
        "moral": 0, "rating": 0, "refusal": 0
    }  # fmt: skip


def test_a_killed_judging_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    source = written(tmp_path / "in.csv", ROWS)
    asked = RunConfig(judge=ModelSpec("fake"), unit_items=1)
    judge(source, tmp_path / "whole.csv", asked=asked)
    calls = 0

    def dying(request: LabelRequest) -> LabelResult:
        nonlocal calls
        calls += 1
        if calls > 3:
            raise RuntimeError("killed")
        return even(request)

    out = tmp_path / "out.csv"
    with pytest.raises(RuntimeError, match="killed"):
        judge(source, out, on_labels=dying, asked=asked)
    assert not out.exists()
    other = RunConfig(judge=ModelSpec("fake"), unit_items=2)
    with pytest.raises(RunError, match="begun with other settings"):
        judge(source, out, asked=other)
    judge(source, out, asked=asked)
    assert out.read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert facts_path(out).read_bytes() == facts_path(tmp_path / "whole.csv").read_bytes()


def test_types_of_a_parquet_file_stay(tmp_path: Path) -> None:
    source = tmp_path / "in.parquet"
    pq.write_table(pa.table({"id": [7], "question": ["问题"], "response": ["回答"]}), source)
    judge(source, tmp_path / "out.parquet", rubric="chisafetybench")
    (row,) = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert (row["id"], row["refusal"], len(row["refusal_probs"])) == (7, 0.0, 4)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"question": "q", "response": "r", "windows": "1"}], "a column 'windows' already"),
        ([{"question": "q", "response": "r", "category": "mislead"}], "did you mean 'misleading'"),
        ([{"question": "q", "answer": "r"}], "has no column 'response'"),
    ],
)
def test_files_that_cannot_be_judged_are_refused(
    rows: list[dict[str, str]], told: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=told):
        judge(written(tmp_path / "in.csv", rows), tmp_path / "out.csv")


def test_a_default_category_that_the_rubric_does_not_know_is_refused(tmp_path: Path) -> None:
    source = written(tmp_path / "in.csv", ROWS)
    with pytest.raises(UsageError, match="did you mean 'misleading'"):
        judge(source, tmp_path / "out.csv", defaults=Defaults(category="mislead"))
