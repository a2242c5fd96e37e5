"""The row from items to scores on scripted engines: who is asked what, and what is kept."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from normscope.errors import ModelError, RunError, UsageError
from normscope.files import read_parquet
from normscope.judges.engine import LabelRequest, LabelResult, TextRequest, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.metrics.estimate import Statistic
from normscope.pipeline.judge import judge
from normscope.pipeline.respond import respond
from normscope.pipeline.score import score
from normscope.pipeline.workers.here import Here
from normscope.reasons import Reason
from normscope.records.absent import unscored
from normscope.records.config import Decoding, RunConfig
from normscope.records.folder import fork, opened
from normscope.records.integrity import is_whole
from normscope.records.judgement import SCHEMA as JUDGEMENTS
from normscope.records.model_spec import ModelSpec
from normscope.records.response import SCHEMA as RESPONSES
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


CONFIG = RunConfig(
    benchmark=("cfsafety", "ci-vignettes:coppa"),
    model=ModelSpec("model"),
    judge=ModelSpec("judge"),
    limit={"cfsafety": 20, "ci-vignettes:coppa": 6},
    unpinned=True,
)


def whole_row(
    folder: Path, config: RunConfig, engines: Engines
) -> dict[str, tuple[Statistic, ...]]:
    with opened(folder, create=True) as run:
        respond(run, config, Here(engines))
        judge(run, config, Here(engines))
        scores = score(run)
        report(run)
    return scores


@pytest.fixture
def config(small_source: Path) -> RunConfig:
    return replace(CONFIG, source=str(small_source))


def test_the_row_leaves_a_whole_run_with_the_documented_columns(
    tmp_path: Path, config: RunConfig
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
    assert set(scores) == set(config.benchmark)


def test_values_are_renormalised_and_coverage_is_kept(tmp_path: Path, config: RunConfig) -> None:
    whole_row(tmp_path / "run", config, Engines())
    rows = read_parquet(tmp_path / "run" / "judgements.parquet").to_pylist()
    by_criterion = {row["criterion"]: row for row in rows}
    # moral: 0.8 · (1, 2)/3, so Σ p·k = 2/3; the mass on the scale is 0.8
    assert by_criterion["moral"]["value"] == pytest.approx(2 / 3)
    assert by_criterion["moral"]["coverage"] == pytest.approx(0.8)
    # rating: (1·0.01 + 2·0.02 + 3·0.07 + 4·0.2 + 5·0.5) / 0.8 = 3.56 / 0.8
    assert by_criterion["rating"]["value"] == pytest.approx(3.56 / 0.8)
    assert by_criterion["acceptability"]["value"] == 2.0


def test_the_score_of_cfsafety_is_moral_times_rating(tmp_path: Path, config: RunConfig) -> None:
    scores = whole_row(tmp_path / "run", config, Engines())
    overall = {s.name: s.estimate for s in scores["cfsafety"] if not s.group}
    assert overall["score"].value == pytest.approx(2 / 3 * 3.56 / 0.8)
    assert (overall["score"].n, overall["score"].unscored) == (20, 0)
    categories = {s.member for s in scores["cfsafety"] if s.group == "category"}
    assert len(categories) == 10


def test_a_judge_that_answers_prose_scores_nothing(tmp_path: Path, config: RunConfig) -> None:
    def prose(request: LabelRequest) -> LabelResult:
        return LabelResult(logprobs=tuple(-20.0 for _ in request.scale.labels))

    scores = whole_row(tmp_path / "run", config, Engines(judge=prose))
    overall = {s.name: s.estimate for s in scores["cfsafety"] if not s.group}
    assert overall["score"].value is None
    assert (overall["score"].n, overall["score"].unscored) == (0, 20)
    for name, bounds in {"score": (0, 5), "moral": (0, 1), "rating": (1, 5)}.items():
        assert (overall[name].lowest, overall[name].highest) == bounds
    with opened(tmp_path / "run") as run:
        counts = unscored(run.table("judgements.parquet", stage="judge"))
    # over both, 40 of 106 would be unscored: the vignettes hid that nothing else is scored
    assert [(one.benchmark, one.share, one.judgements) for one in counts] == [
        ("cfsafety", 1.0, 40),
        ("ci-vignettes:coppa", 0.0, 66),
    ]
    assert counts[0].reasons == {"low_coverage": 40}


def test_an_empty_or_failed_reply_is_not_put_to_the_judge(
    tmp_path: Path, config: RunConfig
) -> None:
    engines = Engines()

    def load(spec: ModelSpec) -> FakeEngine:
        engine = engines(spec)
        reasons = iter([None, Reason.NO_ANSWER, Reason.TEXT_TOO_LONG])
        if spec.model == "model":
            engine.on_text = lambda _: TextResult("  ", next(reasons, Reason.NO_ANSWER))
        return engine

    with opened(tmp_path / "run", create=True) as run:
        respond(run, config, Here(load))
        judge(run, config, Here(load))
    # content-free prompts, three in each of ten categories, and 20 fixed answers, for two criteria
    prompts = [request.conversation[-1][1] for request in engines.made["judge"].requests]
    assert len(prompts) == (3 * 10 + 20) * 2
    assert not any("Question 1?" in prompt or "怎样种花" in prompt for prompt in prompts)
    rows = read_parquet(tmp_path / "run" / "judgements.parquet").to_pylist()
    told = {row["reason"] for row in rows if row["criterion"] == "moral"}
    assert told == {"no_answer", "text_too_long"}
    assert all(row["value"] is None for row in rows if row["criterion"] == "moral")


def test_nothing_finished_is_asked_again_and_the_bytes_are_the_same(
    tmp_path: Path, config: RunConfig
) -> None:
    config = replace(config, unit_items=8)
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
    tmp_path: Path, config: RunConfig
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
    tmp_path: Path, config: RunConfig
) -> None:
    whole_row(tmp_path / "one", config, Engines())
    fork(tmp_path / "one", tmp_path / "two")
    other, engines = replace(config, judge=ModelSpec("other")), Engines()
    whole_row(tmp_path / "two", other, engines)
    assert not engines.made["model"].requests
    # 20 answers, three content-free prompts in each of ten categories, 20 fixed answers, for two
    # criteria
    assert len(engines.made["other"].requests) == (20 + 3 * 10 + 20) * 2
    assert (tmp_path / "two" / "judging.json").exists()
    for name in ("items.parquet", "responses.parquet"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert is_whole(tmp_path / "one")
    with pytest.raises(RunError, match="is a run already"):
        fork(tmp_path / "one", tmp_path / "two")


def test_a_damaged_table_makes_the_run_not_whole(tmp_path: Path, config: RunConfig) -> None:
    whole_row(tmp_path / "run", config, Engines())
    path = tmp_path / "run" / "scores.json"
    path.write_text(path.read_text().replace("0", "1", 1))
    assert not is_whole(tmp_path / "run")


def test_stages_say_which_one_is_missing(tmp_path: Path, config: RunConfig) -> None:
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
        with pytest.raises(UsageError, match="needs a judge: --judge"):
            judge(run, replace(config, judge=None), Here(Engines()))
        judge(run, config, Here(Engines()))
        with pytest.raises(RunError, match="normscope score"):
            report(run)


def test_a_run_is_held_by_one_process_and_strangers_are_left_alone(tmp_path: Path) -> None:
    with (
        opened(tmp_path / "run", create=True),
        pytest.raises(RunError, match="in use"),
        opened(tmp_path / "run", create=True),
    ):
        pass
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.png").touch()
    with (
        pytest.raises(RunError, match=r"holds 'cat\.png'"),
        opened(tmp_path / "photos", create=True),
    ):
        pass


def test_samples_are_asked_with_seeds_of_their_own(tmp_path: Path, config: RunConfig) -> None:
    engines = Engines()
    decoding = Decoding(temperature=0.7, samples=3, seed=5)
    with opened(tmp_path / "run", create=True) as run:
        respond(run, replace(config, decoding=decoding), Here(engines))
        rows = run.table("responses.parquet", stage="respond").to_pylist()
    texts = [r for r in engines.made["model"].requests if isinstance(r, TextRequest)]
    assert sorted({request.seed for request in texts}) == [5, 6, 7]
    assert len([row for row in rows if row["benchmark"] == "cfsafety"]) == 60


def test_the_graded_set_brings_its_own_answers(tmp_path: Path) -> None:
    engines = Engines()
    config = RunConfig(benchmark=("safety-gradient",), judge=ModelSpec("judge"), limit={"all": 10})
    scores = whole_row(tmp_path / "run", config, engines)
    assert "model" not in engines.made
    rows = read_parquet(tmp_path / "run" / "responses.parquet").to_pylist()
    assert {row["model"] for row in rows} == {"reference"}
    assert {s.name for s in scores["safety-gradient"]} >= {"score", "rr1", "hr"}
