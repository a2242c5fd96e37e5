"""The row from items to scores on scripted engines: who is asked what, and what is kept."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from finished_runs import judged_row, whole_row

from normscope.errors import ModelError, RunError, UsageError
from normscope.files import read_parquet
from normscope.judges.engine import LabelRequest, LabelResult, TextRequest, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.pipeline.judge import judge
from normscope.pipeline.respond import respond
from normscope.pipeline.score import score
from normscope.pipeline.workers.here import Here
from normscope.reasons import Reason
from normscope.records.folder import fork, opened
from normscope.records.integrity import is_whole
from normscope.records.judgement import SCHEMA as JUDGEMENTS
from normscope.records.model_spec import Decoding, ModelSpec
from normscope.records.response import SCHEMA as RESPONSES
from normscope.records.settings import Settings
from normscope.report.write import report

LIKERT_UP = (0.01, 0.02, 0.07, 0.2, 0.5)


def peaked(request: LabelRequest) -> LabelResult:
    """Most of the mass on the last label but one, 0.8 of it on the scale."""
    k = len(request.scale.labels)
    shares = LIKERT_UP if k == 5 else tuple(0.8 * (i + 1) / (k * (k + 1) / 2) for i in range(k))
    return LabelResult(logprobs=tuple(math.log(p) for p in shares))


def replies(request: TextRequest) -> TextResult:
    """The number of turns, as a reply."""
    return TextResult(text=f"{len(request.conversation)} turns")


class Engines:
    """Loads one scripted engine per model name and remembers them."""

    def __init__(self, **labels: Any) -> None:
        self.made: dict[str, FakeEngine] = {}
        self.labels = labels

    def __call__(self, spec: ModelSpec) -> FakeEngine:
        answer = self.labels.get(spec.model, peaked)
        self.made[spec.model] = FakeEngine(answer, replies, name=spec.model)
        return self.made[spec.model]


CONFIG = Settings(
    benchmark=("cfsafety", "ci-vignettes:coppa"),
    model=ModelSpec("model"),
    judge=ModelSpec("judge"),
    limit={"cfsafety": 20, "ci-vignettes:coppa": 6},
    unpinned=True,
)


@pytest.fixture
def config(small_source: Path) -> Settings:
    return replace(CONFIG, source=str(small_source))


def test_the_row_leaves_a_whole_run_with_the_documented_columns(
    tmp_path: Path, config: Settings
) -> None:
    run = tmp_path / "run"
    scores = whole_row(run, config, Engines())
    assert is_whole(run)
    responses = read_parquet(run / "responses.parquet")
    judgements = read_parquet(run / "judgements.parquet")
    assert responses.schema.equals(RESPONSES)
    assert judgements.schema.equals(JUDGEMENTS)
    # 20 prompts of CFSafety in text; 6 vignettes in 11 variants as labels
    assert responses.num_rows == 20 + 66
    # each text is judged twice (moral, rating), each vignette speaks for itself
    assert judgements.num_rows == 40 + 66
    assert set(judgements["source"].to_pylist()) == {"judge_logits", "model_logits"}
    assert set(scores.by_benchmark) == set(config.benchmark)


def test_an_empty_or_failed_reply_is_not_put_to_the_judge(tmp_path: Path, config: Settings) -> None:
    engines = Engines()

    def load(spec: ModelSpec) -> FakeEngine:
        engine = engines(spec)
        reasons = iter([None, Reason.NO_ANSWER, Reason.TEXT_TOO_LONG])
        if spec.model == "model":
            engine.on_text = lambda _: TextResult("  ", next(reasons, Reason.NO_ANSWER))
        return engine

    with opened(tmp_path / "run", create=True) as run:
        judged_row(run, config, load)
    # the 20 fixed answers alone, for two criteria
    prompts = [request.conversation[-1][1] for request in engines.made["judge"].requests]
    assert len(prompts) == 20 * 2
    assert not any("Question 1?" in prompt or "怎样种花" in prompt for prompt in prompts)
    rows = read_parquet(tmp_path / "run" / "judgements.parquet").to_pylist()
    told = {row["reason"] for row in rows if row["criterion"] == "moral"}
    assert told == {"no_answer", "text_too_long"}
    assert all(row["value"] is None for row in rows if row["criterion"] == "moral")


def test_nothing_finished_is_asked_again_and_the_bytes_are_the_same(
    tmp_path: Path, config: Settings
) -> None:
    config = replace(config, unit_items=8, channels=("labels", "text"))
    whole_row(tmp_path / "one", config, Engines())
    calls = 0

    def failing(request: LabelRequest) -> LabelResult:
        nonlocal calls
        calls += 1
        if calls > 25:
            raise ModelError("the machine went away")
        return peaked(request)

    broken = tmp_path / "two"
    with pytest.raises(ModelError, match="went away"):
        whole_row(broken, config, Engines(model=failing))
    assert not is_whole(broken)
    second = Engines()
    whole_row(broken, config, second)
    # 66 label prompts in units of 8: three units (24 prompts) were finished before the failure
    labels = [r for r in second.made["model"].requests if isinstance(r, LabelRequest)]
    assert len(labels) == 66 - 24
    for name in ("items", "responses", "judgements"):
        one, two = ((tmp_path / n / f"{name}.parquet").read_bytes() for n in ("one", "two"))
        assert one == two
    assert (tmp_path / "one/scores.json").read_bytes() == (broken / "scores.json").read_bytes()


def test_a_changed_configuration_is_refused_with_the_field(
    tmp_path: Path, config: Settings
) -> None:
    whole_row(tmp_path / "run", config, Engines())
    changed = {
        "limit.cfsafety: was 20, now 30": replace(config, limit={"cfsafety": 30}),
        "decoding.seed: was 0, now 7": replace(config, decoding=Decoding(seed=7)),
        "judge.model: was 'judge', now 'other'": replace(config, judge=ModelSpec("other")),
        "min_coverage: was 0.5, now 0.6": replace(config, min_coverage=0.6),
    }
    for told, other in changed.items():
        with pytest.raises(RunError, match=told):
            whole_row(tmp_path / "run", other, Engines())
    assert is_whole(tmp_path / "run")


def test_another_judge_takes_the_same_responses_into_a_run_of_its_own(
    tmp_path: Path, config: Settings
) -> None:
    whole_row(tmp_path / "one", config, Engines())
    fork(tmp_path / "one", tmp_path / "two")
    other, engines = replace(config, judge=ModelSpec("other")), Engines()
    whole_row(tmp_path / "two", other, engines)
    assert not engines.made["model"].requests
    # 20 answers and 20 fixed answers, for two criteria
    assert len(engines.made["other"].requests) == (20 + 20) * 2
    assert (tmp_path / "two" / "judging.json").exists()
    for name in ("items.parquet", "responses.parquet"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert is_whole(tmp_path / "one")
    with pytest.raises(RunError, match="is a run already"):
        fork(tmp_path / "one", tmp_path / "two")


def test_stages_say_which_one_is_missing(tmp_path: Path, config: Settings) -> None:
    with pytest.raises(RunError, match="is not a run"), opened(tmp_path / "run"):
        pass
    with opened(tmp_path / "run", create=True) as run:
        with pytest.raises(RunError, match="normscope respond"):
            judge(run, config, Here(Engines()))
        respond(run, config, Here(Engines()))
        with pytest.raises(RunError, match="normscope judge"):
            score(run)
        with pytest.raises(RunError, match="normscope judge"):
            report(run)
        with pytest.raises(UsageError, match="needs a judge: judge="):
            judge(run, replace(config, judge=None), Here(Engines()))
        judge(run, config, Here(Engines()))
        with pytest.raises(RunError, match="normscope score"):
            report(run)


def test_a_run_is_held_by_one_process(tmp_path: Path) -> None:
    with (
        opened(tmp_path / "run", create=True),
        pytest.raises(RunError, match="in use"),
        opened(tmp_path / "run", create=True),
    ):
        pass
