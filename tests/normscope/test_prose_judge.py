"""A judge that always answers prose: everything unscored, the widest bounds, and no number."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from normscope.files import read_json, read_parquet
from normscope.judges.engine import LabelRequest, LabelResult, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.pipeline.judge import judge
from normscope.pipeline.respond import respond
from normscope.pipeline.score import score
from normscope.pipeline.workers.here import Here
from normscope.records.absent import unscored
from normscope.records.config import RunConfig
from normscope.records.folder import opened
from normscope.records.judgement import RawToken
from normscope.records.model_spec import ModelSpec

ON_SCALE = 1e-6


def prose(request: LabelRequest) -> LabelResult:
    """As a judge that begins with "The answer …": next to nothing lies on the scale."""
    each = math.log(ON_SCALE / len(request.scale.labels))
    return LabelResult((each,) * len(request.scale.labels), raw_top=(RawToken("The", 0.98),))


def load(spec: ModelSpec) -> FakeEngine:
    return FakeEngine(prose, lambda _: TextResult("That depends."), name=spec.model)


@pytest.fixture(scope="module")
def config() -> RunConfig:
    return RunConfig(
        benchmark=("cfsafety", "safety-gradient"),
        model=ModelSpec("model"),
        judge=ModelSpec("judge"),
        limit={"cfsafety": 20, "safety-gradient": 20},
        unpinned=True,
    )


@pytest.mark.parametrize("label_orders", ["given", "both"])
def test_nothing_is_scored_and_the_bounds_are_the_ends_of_the_scales(
    tmp_path: Path, small_source: Path, config: RunConfig, label_orders: Any
) -> None:
    asked = replace(config, source=str(small_source), label_orders=label_orders)
    with opened(tmp_path / "run", create=True) as run:
        respond(run, asked, Here(load))
        judge(run, asked, Here(load))
        score(run)
        counts = unscored(run.table("judgements.parquet", stage="judge"))
    assert [(one.benchmark, one.share) for one in counts] == [
        ("cfsafety", 1.0),
        ("safety-gradient", 1.0),
    ]
    rows = read_parquet(tmp_path / "run" / "judgements.parquet").to_pylist()
    assert {(row["reason"], row["value"]) for row in rows} == {("low_coverage", None)}
    assert all(row["coverage"] == pytest.approx(ON_SCALE) for row in rows)
    scores = read_json(tmp_path / "run" / "scores.json")
    ends = {"score": [0, 5], "moral": [0, 1], "rating": [1, 5]}
    for statistics in scores.values():
        seen = set()
        for statistic in statistics:
            if statistic["name"] in ends:
                estimate = statistic["estimate"]
                seen.add(statistic["name"])
                assert estimate["value"] is None
                assert estimate["n"] == 0
                assert estimate["unscored"] > 0
                assert [estimate["lowest"], estimate["highest"]] == ends[statistic["name"]]
        assert seen == set(ends)
