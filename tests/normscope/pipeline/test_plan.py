"""Plans: what is told is what the run then asks."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from finished_runs import CONFIG, judged_row, scripted

import normscope as ns
from normscope.cli import cli
from normscope.metrics.refusal import refusal_rates
from normscope.pipeline.plan import plan, precision, tokens_of
from normscope.pipeline.requested import choose, requested_benchmarks
from normscope.records.folder import opened
from normscope.records.item import Item, Turn
from normscope.records.model_spec import ModelSpec
from normscope.records.provenance import BenchmarkItems
from normscope.records.settings import Settings

SERVERS = ("http://host/v1#m", "http://host/v1#j")
WHOLE = replace(
    CONFIG,
    limit={"all": 150},
    variants=("0",),
    model=ModelSpec(SERVERS[0]),
    judge=ModelSpec(SERVERS[1]),
)
REFUSALS = BenchmarkItems(criteria=("refusal",), metrics=("refusal_rates",), items_in_dataset=100)


def test_the_prompts_of_each_stage_are_those_of_the_run(tmp_path: Path) -> None:
    told = plan(WHOLE).stages
    with opened(tmp_path / "run", create=True) as run:
        judged_row(run, WHOLE, scripted)
        counts = [run.journal.counts(stage).rows for stage in told["stage"]]
    assert dict(zip(told["stage"], told["prompts"], strict=True)) == {
        "respond:labels": 150,
        "judge": 150,
        "judge:facts": 1,
    }
    assert counts == told["prompts"].to_list()


def test_items_and_tokens_are_told() -> None:
    told = ns.plan(SERVERS[0], WHOLE.benchmark, judge=SERVERS[1], limit=20)
    assert list(told.precision["items"]) == [20, 20]
    assert (told.stages["tokens"] > 20 * told.stages["prompts"]).all()


def test_the_bundled_judge_s_tokens_are_its_tokenizer_s() -> None:
    question = (("user", "Is water wet?"),)
    assert 3 < tokens_of(ModelSpec("bundled"), [(question, "")]) < 12
    assert tokens_of(ModelSpec(SERVERS[0]), [(question, "No.")]) == 4


def test_answers_that_nobody_has_given_are_stood_in_for(small_source: Path) -> None:
    source = {"source": str(small_source), "unpinned": True}
    config = replace(WHOLE, benchmark=("cfsafety",), variants=(), limit={}, **source)
    told = plan(config).stages
    assert dict(zip(told["stage"], told["prompts"], strict=True)) == {
        "respond:texts": 30,
        "judge": 30,
        "judge:facts": 1,
    }


def test_it_is_told_on_the_command_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ("plan", "-b", "safety-gradient", "--judge", SERVERS[1], "--limit", "20")
    shown = CliRunner().invoke(cli, asked, catch_exceptions=False).stdout
    assert "half_width" in shown
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
