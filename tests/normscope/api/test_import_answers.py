"""`ns.import_answers`: a table of answers becomes a run, scored where nothing needs a judge."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from clinic_context import CLINIC, PROMPTS
from undrawn import undrawn  # noqa: F401 - no charts in this module

import normscope as ns
from normscope.errors import DataError, RunError, UsageError
from normscope.files import hash_file
from normscope.pipeline.importing.match import Target
from normscope.pipeline.score import read_scores
from normscope.records.integrity import RESPONSES
from normscope.records.run import Run
from normscope.records.settings import Settings

COLUMNS = {
    "subject": "who",
    "sender": "from",
    "attribute": "about",
    "variant_id": "template",
    "answer": "reply",
}
"""What the columns are called in the table, by what they hold."""

CONTEXT = "public_records"


@pytest.fixture
def answers() -> pd.DataFrame:
    """Two prompts of every vignette: asking is acceptable, other sources are not answered."""
    frame = ns.Context(CONTEXT).prompts(variants=["0", "3"]).rename(columns=COLUMNS)
    frame["reply"] = [1 if each == "asking them" else None for each in frame["from"]]
    return frame[["who", "from", "about", "recipient", "template", "reply"]]


def imported(answers: Any, **more: Any) -> ns.Run:
    options: dict[str, Any] = {"columns": COLUMNS, "model": "theirs", "context": CONTEXT}
    return ns.import_answers(answers, **{**options, **more})


def shares(run: ns.Run) -> dict[str, float | None]:
    scores = read_scores(Run.open(run.path)).by_benchmark[f"ci-vignettes:{CONTEXT}"]
    return {each.name: each.estimate.value for each in scores if not each.group}


def test_a_frame_becomes_a_run_with_its_norms(answers: pd.DataFrame, tmp_path: Path) -> None:
    run = imported(answers, out=tmp_path / "run")
    assert run.path == tmp_path / "run"
    assert len(run.responses) == 96
    assert (shares(run)["accept_share"], shares(run)["no_answer"]) == pytest.approx((1 / 3, 2 / 3))
    assert run.config.provenance.imported is not None
    assert run.whole
    hashed = hash_file(run.path / RESPONSES)
    again = imported(answers, out=tmp_path / "run")
    assert hash_file(again.path / RESPONSES) == hashed


def test_a_context_of_ones_own_is_asked_in_its_prompts(tmp_path: Path) -> None:
    for name, text in {"clinic.yaml": CLINIC, "mine.yaml": PROMPTS}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    context = ns.Context(tmp_path / "clinic.yaml", prompts=tmp_path / "mine.yaml")
    answers = context.prompts().assign(answer="somewhat acceptable")
    run = ns.import_answers(answers, context=context, model="m")
    assert {*run.items["variant_id"].to_pylist()} == {"kindly", "frankly"}
    assert (run.path / "contexts" / "clinic.yaml").is_file()
    with pytest.raises(UsageError, match="one file of prompts for all"):
        ns.import_answers(answers, context=context, prompts="mine.yaml")


def test_what_a_judge_must_read_waits_for_it(small_source: Path) -> None:
    options: dict[str, Any] = {"source": small_source, "unpinned": True, "benchmark": "cfsafety"}
    answers = {"prompt": ["Question 0?"] * 2, "answer": ["No.", "Yes."], "sample": [0, 1]}
    with pytest.raises(DataError, match=r"row 1 \(Question 0.*several items have this prompt"):
        ns.import_answers(answers, **options, model="m")
    target = Target.of(Settings(("cfsafety",), source=str(small_source), unpinned=True))
    row = {"item_id": [target.items[0].item_id], "answer": ["No."]}
    run = ns.import_answers(row, **options, model="m")
    assert run.responses["text"].to_pylist() == ["No."]
    with pytest.raises(RunError, match="normscope judge"):
        _ = run.judgements


def test_what_does_not_fit_is_refused_and_leaves_no_folder(
    answers: pd.DataFrame, tmp_path: Path
) -> None:
    for wrong in ({"benchmark": "cfsafety"}, {"context": None}):
        with pytest.raises(UsageError, match="one of them"):
            imported(answers, **wrong)
    answers.index = pd.Index(range(100, 196))
    answers.loc[103, "recipient"] = "a baker"
    with pytest.raises(DataError, match=r"1 of 96 rows.*row 103 .*a baker.*no such item"):
        imported(answers, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
