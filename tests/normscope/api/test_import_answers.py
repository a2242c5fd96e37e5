"""`ns.import_answers`: a table of answers becomes a run, scored where nothing needs a judge."""

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from clinic_context import CLINIC, PROMPTS
from undrawn import undrawn

import normscope as ns
from normscope.datasets_builders.registry import benchmark
from normscope.errors import DataError, RunError, UsageError
from normscope.files import hash_file
from normscope.pipeline.score import read_scores
from normscope.records.folder import read_only
from normscope.records.integrity import RESPONSES, UNMATCHED
from normscope.rows import read_rows

__all__ = ["undrawn"]

FACTORS = ["who", "from", "about", "recipient"]
"""What the factors of the context are called in the table; three of them otherwise."""

OF_FACTORS = {"subject": "who", "sender": "from", "attribute": "about"}
CONTEXT = "public_records"


@pytest.fixture
def answers() -> pd.DataFrame:
    """Two prompts of every vignette: asking is acceptable, other sources are not answered."""
    frame = ns.Context(CONTEXT).prompts(variants=["0", "3"]).to_frame()
    names = {**OF_FACTORS, "variant_id": "template"}
    frame = frame.rename(columns=names)[["item_id", *FACTORS, "template", "prompt"]]
    frame["reply"] = [1 if each == "asking them" else None for each in frame["from"]]
    return frame.assign(question="what people may add")


def imported(answers: Any, **more: Any) -> ns.Run:
    options: dict[str, Any] = {
        "item": FACTORS,
        "wording": "template",
        "answer": "reply",
        "model": "theirs",
    }
    return ns.import_answers(answers, **{"context": CONTEXT, **options, **more})


def shares(run: ns.Run) -> dict[str, float | None]:
    scores = read_scores(read_only(run.path))[f"ci-vignettes:{CONTEXT}"]
    return {each.name: each.estimate.value for each in scores if not each.group}


def test_a_frame_becomes_a_run_with_its_norms(answers: pd.DataFrame, tmp_path: Path) -> None:
    run = imported(answers, out=tmp_path / "run")
    assert run.path == tmp_path / "run"
    assert len(run.responses) == 96
    assert run.items["messages"][0].as_py()[0]["content"] == answers["prompt"][0]
    assert (shares(run)["accept_share"], shares(run)["no_answer"]) == pytest.approx((1 / 3, 2 / 3))
    assert run.config.provenance.imported is not None
    assert run.whole
    hashed = hash_file(run.path / RESPONSES)
    again = imported(answers, out=tmp_path / "run")
    assert hash_file(again.path / RESPONSES) == hashed


@pytest.mark.parametrize(
    ("form", "options"),
    [
        (lambda frame: frame.to_dict("list"), {"item": "item_id"}),
        (pa.Table.from_pandas, {"item": None, "wording": None, "prompt": "prompt"}),
        (
            lambda frame: frame.rename(columns={"template": "variant_id"}).assign(rep=0),
            {"item": ["recipient"], "wording": None, "columns": {**OF_FACTORS, "sample": "rep"}},
        ),
    ],
)  # fmt: skip
def test_answers_may_come_in_any_table_and_name_prompts_in_any_way(
    form: Callable[[pd.DataFrame], Any],
    options: dict[str, Any],
    answers: pd.DataFrame,
) -> None:
    run = imported(form(answers), **options)
    assert shares(run)["accept_share"] == pytest.approx(1 / 3)


def test_a_wide_file_is_guessed_when_that_is_said(answers: pd.DataFrame, tmp_path: Path) -> None:
    wide = answers.pivot_table(index="item_id", columns="template", values="reply", dropna=False)
    wide.reset_index().to_csv(tmp_path / "wide.csv", index=False)
    with pytest.raises(UsageError, match=r"'3' for answer:3.*guess=True"):
        ns.import_answers(tmp_path / "wide.csv", context=CONTEXT, model="m")
    run = ns.import_answers(str(tmp_path / "wide.csv"), context=CONTEXT, model="m", guess=True)
    assert shares(run)["accept_share"] == pytest.approx(1 / 3)


def test_without_a_folder_it_goes_with_the_run(answers: pd.DataFrame) -> None:
    run = imported(answers)
    path = run.path
    assert path.is_dir()
    assert run.name == "theirs"
    del run
    gc.collect()
    assert not path.exists()


def test_rows_that_match_nothing_are_named_or_kept_apart(
    answers: pd.DataFrame, tmp_path: Path
) -> None:
    answers.index = pd.Index(range(100, 196))
    answers.loc[103, "recipient"] = "a baker"
    with pytest.raises(DataError, match=r"1 of 96 rows.*row 103: no such item.*a baker.*allow_unm"):
        imported(answers, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    run = imported(answers, allow_unmatched=True)
    assert [row["place"] for row in read_rows(run.path / UNMATCHED)] == ["row 103"]
    assert len(run.responses) == 95


def test_the_rule_is_that_of_the_call(answers: pd.DataFrame) -> None:
    """Of one valid answer of two the published rule makes a norm, ours none."""
    answers.loc[answers["template"] == "0", "reply"] = None
    assert shares(imported(answers))["simple_majority"] == 0
    assert shares(imported(answers, rule="published"))["simple_majority"] == pytest.approx(1 / 3)


def test_a_context_of_ones_own_is_asked_in_its_prompts(tmp_path: Path) -> None:
    for name, text in {"clinic.yaml": CLINIC, "mine.yaml": PROMPTS}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    context = ns.Context(tmp_path / "clinic.yaml", prompts=tmp_path / "mine.yaml")
    answers = context.prompts().to_frame().assign(answer="somewhat acceptable")
    run = ns.import_answers(
        answers, context=context, item="item_id", wording="variant_id", answer="answer", model="m"
    )
    assert {*run.items["variant_id"].to_pylist()} == {"kindly", "frankly"}
    assert (run.path / "contexts" / "clinic.yaml").is_file()
    with pytest.raises(UsageError, match="a Context has its prompts"):
        ns.import_answers(answers, context=context, prompts="mine.yaml", answer="answer")


def test_what_a_judge_must_read_waits_for_it(small_source: Path) -> None:
    source: dict[str, Any] = {"source": small_source, "unpinned": True, "benchmark": "cfsafety"}
    answers = {"prompt": ["Question 0?"] * 2, "answer": ["No.", "Yes."], "nth": [0, 1]}
    options: dict[str, Any] = {
        "prompt": "prompt",
        "answer": "answer",
        "columns": {"sample": "nth"},
        "model": "m",
    }
    with pytest.raises(DataError, match="several prompts: Question 0"):
        ns.import_answers(answers, **source, **options)
    table = benchmark("cfsafety")
    ids = table[0].tables(small_source, unpinned=True)[table[1].config]["item_id"][:1].to_pylist()
    run = ns.import_answers(
        {"id": ids, "answer": ["No."]}, **source, item="id", answer="answer", model="m"
    )
    assert run.responses["text"].to_pylist() == ["No."]
    with pytest.raises(RunError, match="normscope judge"):
        _ = run.judgements


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"wording": "templat"}, "did you mean 'template'"),
        ({"item": [*FACTORS, "reply2"]}, "'reply2' holds the levels of no factor"),
        ({"item": "prompt"}, "96 of 96 rows match no prompt"),
        ({"benchmark": "cfsafety"}, "one of them"),
        ({"prompts": "mine.yaml"}, "no file of prompts mine.yaml"),
        ({"model": ""}, "whose answers"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    wrong: dict[str, Any], told: str, answers: pd.DataFrame
) -> None:
    with pytest.raises((UsageError, DataError), match=told):
        imported(answers.assign(reply2=["x"] * 96), **wrong)


def test_a_list_is_no_table() -> None:
    with pytest.raises(UsageError, match="not a list"):
        ns.import_answers([["neutral"]], context="coppa")
