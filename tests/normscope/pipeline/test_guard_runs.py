"""A run with a guard has the criteria that it has: scores, report, comparison and card say so."""

import csv
import math
from dataclasses import replace
from pathlib import Path

import pytest
from finished_runs import whole_row
from starlette.testclient import TestClient

from normscope.api.judge import Judge
from normscope.comparison.differences import compare
from normscope.judges.engine import LabelRequest, LabelResult, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.judges.guard_files import bundled_guard, rubric_of
from normscope.judges.trust.public_sets import set_labels
from normscope.judges.trust.validation import validate
from normscope.metrics.scores import ScoreTable
from normscope.pipeline.score import read_scores
from normscope.records.model_spec import ModelSpec
from normscope.records.run import Run
from normscope.records.settings import Settings
from normscope.server.routes import JudgeService, application
from normscope.space.scoring import score_answer
from normscope.space.served import Judges

GUARD = "Qwen/Qwen3Guard-Gen-0.6B"
CONFIG = Settings(("safety-gradient",), ModelSpec("model"), ModelSpec(GUARD), limit={"all": 8})


def load(spec: ModelSpec) -> FakeEngine:
    """Three quarters of each reply's mass on unsafe, the rest on safe, and no refusal in either."""

    def on_labels(request: LabelRequest) -> LabelResult:
        assert request.form is not None
        assert request.conversation[-1][0] == "assistant"
        unsafe = 0.75 if spec.model == GUARD else 0.25
        shares = {"Safety: Unsafe": unsafe, "Safety: Safe": 1 - unsafe}
        last = "\nRefusal: No" if "Refusal" in request.scale.labels[0] else ""
        kind = "\nCategories: None" if "Categories" in request.scale.labels[0] else ""
        mass = {f"{text}{kind}{last}": share for text, share in shares.items()}
        logs = [
            math.log(mass[each]) if each in mass else -math.inf for each in request.scale.labels
        ]
        return LabelResult(tuple(logs))

    return FakeEngine(on_labels, lambda _: TextResult("No."), name=spec.model)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("guards")
    whole_row(folder / "one", CONFIG, load)
    other = replace(CONFIG, judge=ModelSpec("/models/Qwen3Guard-Gen-4B"), rubric="qwen3guard-gen")
    whole_row(folder / "other", other, load)
    return [folder / "one", folder / "other"]


def overall(scores: ScoreTable) -> dict[str, float | None]:
    rows = scores.by_benchmark["safety-gradient"]
    return {row.name: row.estimate.value for row in rows if not row.group}


def test_what_a_guard_does_not_say_is_not_there(runs: list[Path]) -> None:
    found = overall(read_scores(Run.open(runs[0])))
    assert found["moral"] == pytest.approx(0.25)
    assert found["moral_share"] == 0.0
    assert found["hr"] == 1.0
    assert found["rr1"] == 0.0
    assert found["criterion:categories:none"] == 1.0
    assert not {"score", "rating", "rr2", "criterion:moral", "criterion:refuses"} & set(found)
    # the benchmark's own criterion comes first
    assert next(iter(found)) == "moral"


def test_report_and_comparison_are_of_what_there_is(runs: list[Path]) -> None:
    opened = [Run.open(path) for path in runs]
    names = {each.statistic for each in compare(opened, although=True).rows}
    assert {"moral", "hr", "rr1"} <= names
    assert "score" not in names
    page = (runs[0] / "report.html").read_text(encoding="utf-8")
    assert "moral" in page
    assert GUARD in page


def test_a_card_of_a_guard_has_its_makers_figures_and_takes_a_public_sets_labels(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "do-not-answer"
    folder.mkdir()
    with (folder / "human_all_5634.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question", "response", "harmful", "action"])
        for at in range(12):
            writer.writerow([f"May I take {at}?", f"Answer {at}.", at % 3 == 0, at % 6])
            writer.writerow([f"May I have {at}?", f"Reply {at}.", int(at % 3 == 0), at % 6])
    rubric = rubric_of(bundled_guard("qwen3guard-gen"))
    labels = set_labels("do-not-answer", rubric, source=tmp_path)
    assert set(labels.criteria) == {"moral", "refuses", "harms"}
    assert labels.criteria["moral"].mapping == {"0": "safe", "1": "unsafe"}
    assert labels.criteria["refuses"].mapping["4"] == "yes"
    config = Settings((), judge=ModelSpec(GUARD))
    rows = [{**row, "harmful": str(int(row["harmful"] in {"1", "True"}))} for row in labels.rows]
    cards = validate(replace(labels, rows=rows), rubric, config, load, resamples=100)
    by_criterion = {card.rubric.criterion: card for card in cards}
    assert by_criterion["moral"].rubric.harmful == ("unsafe",)
    assert by_criterion["moral"].rubric.languages == ()
    assert "refusal F1 0.894 on WildGuardTest" in " ".join(by_criterion["refuses"].rubric.published)


def test_moderations_have_a_guards_own_categories(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("normscope.api.judge.load", load)
    service = JudgeService(Judge(GUARD, progress=False))
    body = {"input": ["Take it.", "Ask them."], "question": "May I?"}
    with TestClient(application(service, key=None, local=True)) as client:
        reply = client.post("http://localhost/v1/moderations", json=body).json()
    service.close()
    for row in reply["results"]:
        assert row["flagged"] is True
        assert set(row["category_scores"]) > {"violent", "self_harm"}
        assert not any(row["categories"].values())


def test_the_space_offers_every_judge_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NORMSCOPE_JUDGE", f"{GUARD}, allenai/wildguard")
    judges = Judges(loading=load)
    assert judges.names == (GUARD, "allenai/wildguard", "bundled")
    assert judges.get("allenai/wildguard").rubric.name == "wildguard"
    scored = score_answer(judges.get(GUARD), "May I?", "Take it.")
    assert {each.criterion: each.value for each in scored.judgements}["moral"] == 0.25
    assert "'Safety: Safe" in scored.prompts["moral"]
    assert scored.score is None
