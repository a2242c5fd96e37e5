"""Plans of scripted models whose pace is known: what is told is what the run then takes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from finished_runs import CONFIG, judged_row, scripted

import normscope as ns
from normscope.cli import cli
from normscope.judges.engine import LabelRequest, LabelResult, TextRequest, TextResult
from normscope.metrics.refusal import refusal_rates
from normscope.pipeline import plan as planning
from normscope.pipeline.plan import plan, precision, tokens_of
from normscope.pipeline.requested import choose, requested_benchmarks
from normscope.records.folder import opened
from normscope.records.item import Item, Turn
from normscope.records.model_spec import ModelSpec
from normscope.records.provenance import BenchmarkItems
from normscope.records.settings import Settings

PACE, PER_REPLY, LOADING = 0.00003, 0.3, 7.0
SERVERS = ("http://host/v1#m", "http://host/v1#j")
WHOLE = replace(
    CONFIG,
    limit={"all": 150},
    variants=("0",),
    model=ModelSpec(SERVERS[0]),
    judge=ModelSpec(SERVERS[1]),
)
REFUSALS = BenchmarkItems(criteria=("refusal",), metrics=("refusal_rates",), items_in_dataset=100)


@dataclass
class Timed:
    """An engine that takes a known time for each question and each reply, and the clock."""

    name: str = ""
    now: float = 0.0
    loaded: int = 0
    identity: Any = None

    def __call__(self) -> float:
        return self.now

    def load(self, spec: ModelSpec) -> "Timed":
        self.now, self.loaded = self.now + LOADING, self.loaded + 1
        self.name, self.identity = spec.model, {"model": spec.model}
        return self

    def labels(self, requests: Sequence[LabelRequest]) -> list[LabelResult]:
        prompts = [(each.conversation, each.lead) for each in requests]
        self.now += PACE * tokens_of(ModelSpec(SERVERS[0]), prompts)
        k = len(requests[0].scale.labels)
        return [LabelResult((-math.log(k),) * len(r.scale.labels)) for r in requests]

    def texts(self, requests: Sequence[TextRequest]) -> list[TextResult]:
        self.now += PER_REPLY * len(requests)
        return [TextResult("Ask somebody whom you trust.") for _ in requests]


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> Timed:
    engine = Timed()
    monkeypatch.setattr(planning, "time", SimpleNamespace(perf_counter=engine))
    return engine


def test_the_time_is_that_of_the_run_and_the_loading_is_apart(timed: Timed, tmp_path: Path) -> None:
    told = plan(WHOLE, timed.load)
    assert timed.loaded == 2
    assert told.loading == 2 * LOADING
    assert timed.now - told.loading < 20
    begun = timed.now
    with opened(tmp_path / "run", create=True) as run:
        judged_row(run, WHOLE, timed.load)
    taken = timed.now - begun - 2 * LOADING
    assert told.stages["seconds"].sum() == pytest.approx(taken, rel=0.05)
    assert dict(zip(told.stages["stage"], told.stages["prompts"], strict=True)) == {
        "respond:labels": 150,
        "judge": 150,
        "judge:facts": 1,
    }
    texts = replace(WHOLE, benchmark=WHOLE.benchmark[:1], channels=("text",))
    assert plan(texts, timed.load).stages["seconds"][0] == pytest.approx(150 * PER_REPLY)


def test_without_a_calibration_nothing_is_loaded_and_no_time_is_told() -> None:
    told = ns.plan(SERVERS[0], WHOLE.benchmark, judge=SERVERS[1], limit=20, calibrate=0)
    assert told.stages["seconds"].isna().all()
    assert told.loading is told.memory is None
    assert list(told.precision["items"]) == [20, 20]
    assert (told.stages["tokens"] > 20 * told.stages["prompts"]).all()


def test_the_bundled_judge_s_tokens_are_its_tokenizer_s() -> None:
    question = (("user", "Is water wet?"),)
    assert 3 < tokens_of(ModelSpec("bundled"), [(question, "")]) < 12
    assert tokens_of(ModelSpec(SERVERS[0]), [(question, "No.")]) == 4


def test_answers_that_nobody_has_given_are_stood_in_for(timed: Timed, small_source: Path) -> None:
    source = {"source": str(small_source), "unpinned": True}
    config = replace(WHOLE, benchmark=("cfsafety",), variants=(), limit={}, **source)
    told = plan(config, timed.load).stages
    assert dict(zip(told["stage"], told["prompts"], strict=True)) == {
        "respond:texts": 30,
        "judge": 30,
        "judge:facts": 1,
    }


def test_it_is_told_on_the_command_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    # the package's `plan` is the verb, as which it takes its module's name
    monkeypatch.setitem(cli.commands["plan"].callback.__globals__, "load", scripted)  # type: ignore[union-attr]
    asked = ("plan", "-b", "safety-gradient", "--judge", SERVERS[1], "--limit", "20")
    shown = CliRunner().invoke(cli, asked, catch_exceptions=False).stdout
    assert "half_width" in shown
    assert "s to load" in shown
    assert not list(tmp_path.iterdir())
    for address in ("http://a:hunter2@b/v1",):
        refused = CliRunner().invoke(cli, (*asked[:4], address)).exception
        assert "http://…@b/v1 carries" in str(refused)


def item(number: int, *, cluster: str = "") -> Item:
    return Item("qa", str(number), (Turn("user", "?"),), "en", category="a", cluster=cluster)


def test_how_precise_a_rate_is_by_hand_and_by_the_metric() -> None:
    # Wilson at 50 of 100: z √(0.25/100 + z²/(4·100²))/(1 + z²/100) = 0.09617
    count, headline, half = precision([item(n) for n in range(100)], REFUSALS)
    assert (count, headline) == (100, "hr")
    assert half == pytest.approx(0.0962, abs=1e-4)
    # 100 answers, every fifth of one cluster and alike: as many as 20 of their own
    items = [item(n, cluster=f"c{n // 5}") for n in range(100)]
    classes = np.repeat(np.arange(20) % 2 * 3, 5)
    rates = refusal_rates(classes, clusters=[each.cluster for each in items])
    estimate = next(rate.estimate for rate in rates if rate.name == "hr")
    assert estimate.low is not None
    assert estimate.high is not None
    # of t with 19 degrees of freedom in place of the normal
    half = precision(items, REFUSALS)[2]
    assert (estimate.high - estimate.low) / 2 == pytest.approx(half, rel=0.08)


def test_all_vignettes_are_no_sample_and_a_slice_of_them_is() -> None:
    for limit, is_sample in (({}, False), ({"all": 200}, True)):
        config = Settings(benchmark=("ci-vignettes:coppa",), limit=limit)
        chosen = choose(config, requested_benchmarks(config))
        half = precision(chosen.items, chosen.benchmarks["ci-vignettes:coppa"])[2]
        assert (half > 0) is is_sample
