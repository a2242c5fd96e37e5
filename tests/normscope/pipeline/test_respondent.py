"""The model under test from end to end: channels, orders of the options, replies, resumed runs."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from finished_runs import whole_row

from normscope.errors import ModelError
from normscope.files import read_parquet
from normscope.judges.engine import LabelRequest, LabelResult, TextRequest, TextResult
from normscope.metrics.estimate import Estimate
from normscope.metrics.scores import ScoreTable
from normscope.records.folder import fork, opened
from normscope.records.integrity import is_whole
from normscope.records.model_spec import Decoding, ModelSpec
from normscope.records.provenance import Reply
from normscope.records.settings import Settings, read
from normscope.report.caveats import model_caveats

MCQ, VIGNETTES = "chisafetybench:mcq", "ci-vignettes:coppa"
Engines = Any


def overall(scores: ScoreTable, benchmark: str) -> dict[str, Estimate]:
    return {s.name: s.estimate for s in scores.by_benchmark[benchmark] if not s.group}


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read_parquet(folder / f"{name}.parquet").to_pylist()
    return found


def says(text: str | Callable[[TextRequest], str]) -> Callable[[TextRequest], TextResult]:
    return lambda request: TextResult(text if isinstance(text, str) else text(request))


def no_labels(request: LabelRequest) -> LabelResult:
    raise ModelError("this server returns no logprobs")


@pytest.fixture
def mcq(mcq_source: Path) -> Settings:
    return Settings(
        benchmark=(MCQ,),
        model=ModelSpec("model"),
        source=str(mcq_source),
        key=str(mcq_source / "answer_key.csv"),
        unpinned=True,
    )


def test_a_respondent_that_always_refuses_has_accuracy_0_and_no_answer_throughout(
    tmp_path: Path, mcq: Settings, engines: Engines
) -> None:
    load = engines(model=(no_labels, says("抱歉，我无法回答这个问题。")))
    scores = whole_row(tmp_path / "run", replace(mcq, channels=("text",)), load)
    found = overall(scores, MCQ)
    assert (found["agreement"].value, found["agreement"].n) == (0.0, 4)
    assert (found["agreement"].unscored, found["agreement"].highest) == (0, 0.0)
    assert found["answered"].value == 0.0
    unread = {s.member: s.estimate.value for s in scores.by_benchmark[MCQ] if s.group == "reason"}
    assert sum(share or 0 for share in unread.values()) == 1.0
    assert [*unread] == ["refused_to_choose"]
    assert is_whole(tmp_path / "run")


def test_both_channels_are_kept_and_their_disagreement_is_a_result(
    tmp_path: Path, mcq: Settings, engines: Engines
) -> None:
    load = engines(model=(None, says(lambda r: "B" if "面包" in r.conversation[-1][1] else "A")))
    config = replace(mcq, channels=("labels", "text"))
    scores = whole_row(tmp_path / "run", config, load)
    found = overall(scores, MCQ)
    # the labels say A four times, the text says B once: one of four differs
    assert found["channel_disagreement"].value == 0.25
    assert found["channel_disagreement"].n == 4
    assert found["answered_in_labels_only"].value == 0.0
    # the labels count: A, A, A and B are the keys
    assert found["agreement"].value == 0.75
    agreement = [
        s for s in scores.by_benchmark[MCQ] if s.name == "agreement" and s.group == "channel"
    ]
    assert {s.member: s.estimate.value for s in agreement} == {"labels": 0.75, "text": 0.5}
    responses = rows(tmp_path / "run", "responses")
    assert [(r["item_id"][-1], r["temperature"]) for r in responses[:2]] == [("1", None), ("1", 0)]
    assert len(rows(tmp_path / "run", "judgements")) == 8


def test_options_are_turned_round_and_a_liking_for_a_letter_is_seen(
    tmp_path: Path, mcq: Settings, engines: Engines
) -> None:
    scores = whole_row(tmp_path / "run", replace(mcq, option_orders="cyclic"), engines())
    responses = rows(tmp_path / "run", "responses")
    # 2 + 2 + 4 orders; the question with "all of the above" is asked as it is
    assert len(responses) == 9
    orders = [r["scale_order"] for r in responses if r["item_id"].endswith("3")]
    assert orders == ["", "rotation-1", "rotation-2", "rotation-3"]
    found = overall(scores, MCQ)
    # always the first letter: right in 1/2, 1/2 and 1/4 of the orders, and once out of one
    assert found["agreement"].value == pytest.approx((1 / 2 + 1 / 2 + 1 / 4 + 1) / 4)
    assert (found["agreement_all_orders"].value, found["order_flips"].value) == (0.0, 1.0)
    with opened(tmp_path / "run") as run:
        taken = run.config.provenance.benchmarks[MCQ]
        assert (taken.items, taken.prompts) == (4, 9)
        items = {item.scale_order: item for item in run.read().items if item.item_id.endswith("3")}
    shown = {option.letter: option.text for option in items["rotation-1"].options}
    assert (shown["A"], shown["D"]) == ("藏起来", "交给失主")
    assert items["rotation-1"].answer == "D"


def test_several_temperatures_are_asked_with_seeds_of_their_own_and_told_apart(
    tmp_path: Path, mcq: Settings, engines: Engines
) -> None:
    load = engines(model=(no_labels, says(lambda r: "A" if r.temperature else "B")))
    config = replace(
        mcq, channels=("text",), decoding=Decoding(temperature=(0.0, 0.7), samples=2, seed=5)
    )
    scores = whole_row(tmp_path / "run", config, load)
    asked = {(r.temperature, r.seed) for r in load.made["model"].requests}
    assert asked == {(0.0, 5), (0.7, 6), (0.7, 7)}
    by = {
        s.member: s.estimate.value
        for s in scores.by_benchmark[MCQ]
        if s.group == "temperature" and s.name == "agreement"
    }
    # cold it says B (right once in four), warm it says A (right three times in four)
    assert by == {"0": 0.25, "0.7": 0.75}
    assert overall(scores, MCQ)["agreement"].value == pytest.approx((0.25 + 2 * 0.75) / 3)
    kept = read(tmp_path / "run" / "config.yaml")
    assert kept.decoding == config.decoding
    assert kept.provenance.responses is not None
    assert kept.provenance.responses.replies[2] == Reply(sample=2, temperature=0.7, seed=7)


CFSAFETY = Settings(
    benchmark=("cfsafety",),
    model=ModelSpec("Qwen/Qwen3-0.6B"),
    judge=ModelSpec("Qwen/Qwen3-32B"),
    limit={"all": 10},
    unpinned=True,
)


def test_a_judge_of_the_model_s_family_is_told_and_stays_told(
    tmp_path: Path, small_source: Path, engines: Engines, capsys: pytest.CaptureFixture[str]
) -> None:
    config = replace(CFSAFETY, source=str(small_source))
    told = "is of the lineage of the model under test (qwen)"
    whole_row(tmp_path / "kin", config, engines())
    assert told in capsys.readouterr().err
    kept = read(tmp_path / "kin" / "config.yaml")
    assert kept.provenance.judgements is not None
    assert told in kept.provenance.judgements.caveats[0]
    assert any(told in warning for warning in model_caveats(kept))
    assert told in (tmp_path / "kin" / "report.html").read_text(encoding="utf-8")
    # the same answers judged by a stranger
    fork(tmp_path / "kin", tmp_path / "stranger")
    whole_row(tmp_path / "stranger", replace(config, judge=ModelSpec("other")), engines())
    assert not any(told in w for w in model_caveats(read(tmp_path / "stranger" / "config.yaml")))
