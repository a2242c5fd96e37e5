"""Runs as logs of Inspect: their samples, scores and results, and what comes back by import."""

import json
import math
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner
from finished_runs import CONFIG, VIGNETTES, answer
from hypothesis import given
from hypothesis import strategies as st

from normscope.api.run import Run
from normscope.cli import cli
from normscope.errors import NormscopeError
from normscope.exchange.inspect.log import export_run
from normscope.exchange.inspect.sample import sample_id, sample_of
from normscope.judges.engine import TextRequest, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.pipeline.judge import judge
from normscope.pipeline.respond import respond
from normscope.pipeline.score import score
from normscope.pipeline.workers.here import Here
from normscope.reasons import Reason
from normscope.records.config import Decoding, RunConfig
from normscope.records.folder import opened
from normscope.records.item import Item, ItemKey, Option, Turn
from normscope.records.response import Response, ResponseKey
from normscope.records.tables import KEYS

KEPT = [*KEYS, "text", "reason"]


def reply(request: TextRequest) -> TextResult:
    """By its length a prompt brings a label, nothing, or a call that fails."""
    kind = len(request.conversation[-1][1]) % 7
    if kind == 0:
        return TextResult(None, reason=Reason.CALL_FAILED)
    return TextResult("" if kind == 1 else f"neutral {request.seed}")


def scored(folder: Path, config: RunConfig) -> Path:
    """A run that was scored, and not reported."""
    with opened(folder, create=True) as run:
        for stage in (respond, judge):
            stage(run, config, Here(lambda spec: FakeEngine(answer, reply, name=spec.model)))
        score(run)
    return folder


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of vignettes that were answered in text, at two temperatures."""
    decoding = Decoding(temperature=(0.0, 0.7), samples=2)
    config = replace(
        CONFIG, benchmark=(VIGNETTES,), channels=("text",), decoding=decoding, limit={"all": 4}
    )
    return scored(tmp_path_factory.mktemp("runs") / "written", config)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of vignettes that were read off the labels, and of graded answers that were judged."""
    return scored(tmp_path_factory.mktemp("runs") / "whole", CONFIG)


def log_of(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The head and the samples of a log."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("samples/")]
        head = json.loads(archive.read("header.json"))
        assert json.loads(archive.read("_journal/start.json"))["eval"] == head["eval"]
        assert len(json.loads(archive.read("summaries.json"))) == len(names)
        return head, [json.loads(archive.read(name)) for name in names]


def test_the_answers_of_a_run_come_back_as_they_were(written: Path, tmp_path: Path) -> None:
    made = export_run(Run(written), tmp_path / "logs")
    assert [each.path.name for each in made] == [
        "ci-vignettes-coppa-t0.eval",
        "ci-vignettes-coppa-t0.7.eval",
    ]
    tables = []
    for each in made:
        out = tmp_path / each.path.stem
        flags = ["-b", VIGNETTES, "--out", str(out)]
        done = CliRunner().invoke(cli, ["import", str(each.path), *flags])
        assert done.exit_code == 0, done.output
        tables.append(Run(out).responses.select(KEPT))
    ours = Run(written).responses.select(KEPT)
    order = [(name, "ascending") for name in KEYS]
    rows = ours.sort_by(order).to_pylist()
    # of an answer that is empty, the import says at once what the run's judging says
    silent = {"text": None, "reason": "no_answer"}
    rows = [row | silent if row["text"] == "" else row for row in rows]
    assert pa.concat_tables(tables).sort_by(order).to_pylist() == rows
    assert len({row["reason"] for row in rows}) == 3


def test_a_sample_is_known_by_its_prompt_and_its_epoch(written: Path, tmp_path: Path) -> None:
    [_, warm] = export_run(Run(written), tmp_path)
    head, samples = log_of(warm.path)
    ids = [(sample["id"], sample["epoch"]) for sample in samples]
    assert len(set(ids)) == len(ids) == 2 * 4 * 11
    # the samples of a run are numbered through over the temperatures
    assert {epoch for _, epoch in ids} == {2, 3}
    assert head["plan"]["config"] == {"temperature": 0.7}
    assert head["eval"]["model"] == "none/model"
    assert head["eval"]["dataset"]["sample_ids"] == list(dict.fromkeys(name for name, _ in ids))
    for sample in samples:
        meta = sample["metadata"]
        assert sample["id"] == f"{meta['item_id']}:{meta['variant_id']}:{meta['scale_order']}"
        assert sample["messages"][0]["content"] == sample["input"]
    failed = [sample for sample in samples if "error" in sample]
    assert {sample["error"]["message"] for sample in failed} == {"call_failed"}
    assert all(math.isnan(s["scores"]["acceptability"]["value"]) for s in failed)
    assert head["results"]["completed_samples"] == len(samples) - len(failed) > 0


def test_labels_that_were_read_are_the_output_with_their_probabilities(
    whole: Path, tmp_path: Path
) -> None:
    [vignettes, graded] = export_run(Run(whole), tmp_path)
    assert vignettes.path.name == "ci-vignettes-coppa-labels.eval"
    _, samples = log_of(vignettes.path)
    first = samples[0]
    assert first["output"]["completion"] == "strongly acceptable"
    [token] = first["output"]["choices"][0]["logprobs"]["content"]
    # the mass of 0.8 on the scale is shared out as 1 to 5 of 15
    assert math.exp(token["logprob"]) == pytest.approx(0.8 * 5 / 15)
    assert [round(15 * math.exp(each["logprob"]) / 0.8) for each in token["top_logprobs"]] == [
        *range(5, 0, -1)
    ]
    known = first["scores"]["acceptability"]
    assert known["value"] == 2
    assert known["metadata"]["distribution"]["neutral"] == pytest.approx(3 / 15)
    assert known["metadata"]["coverage"] == pytest.approx(0.8)
    _, judged = log_of(graded.path)
    assert list(judged[0]["scores"]) == ["moral", "rating", "refusal", "score"]


def test_the_results_are_those_of_the_run(whole: Path, tmp_path: Path) -> None:
    run = Run(whole)
    for each in export_run(run, tmp_path):
        head, _ = log_of(each.path)
        overall = [s for s in run.scores.by_benchmark[each.part.benchmark] if not s.group]
        results = head["results"]["scores"]
        assert [row["name"] for row in results] == [s.name for s in overall]
        for row, statistic in zip(results, overall, strict=True):
            e = statistic.estimate
            assert (row["scored_samples"], row["unscored_samples"]) == (e.n, e.unscored)
            values = {name: metric["value"] for name, metric in row["metrics"].items()}
            ends = {"value": e.value, "low": e.low, "high": e.high}
            assert values == {name: end for name, end in ends.items() if end is not None}
            assert all(m["metadata"]["method"] == e.method for m in row["metrics"].values())
        assert head["eval"]["metadata"]["min_coverage"] == 0.5


def test_each_log_of_a_benchmark_has_its_own_results(written: Path, tmp_path: Path) -> None:
    run = Run(written)
    for each in export_run(run, tmp_path):
        head, _ = log_of(each.path)
        own = [
            s
            for s in run.scores.by_benchmark[VIGNETTES]
            if s.member == f"{each.part.temperature:g}"
        ]
        assert own
        values = [row["metrics"].get("value", {}).get("value") for row in head["results"]["scores"]]
        assert values == [s.estimate.value for s in own if s.group == "temperature"]


def test_the_same_run_gives_the_same_bytes(whole: Path, tmp_path: Path) -> None:
    one, two = (export_run(Run(whole), tmp_path / name) for name in ("one", "two"))
    assert [a.path.read_bytes() for a in one] == [b.path.read_bytes() for b in two]


def test_a_run_that_was_not_judged_is_written_as_far_as_it_came(tmp_path: Path) -> None:
    config = replace(CONFIG, benchmark=(VIGNETTES,), limit={"all": 1})
    with opened(tmp_path / "run", create=True) as run:
        respond(run, config, Here(lambda spec: FakeEngine(answer, reply, name=spec.model)))
    [made] = export_run(Run(tmp_path / "run"), tmp_path / "log.json")
    log = json.loads(made.path.read_text(encoding="utf-8"))
    assert log["results"]["scores"] == []
    assert len(log["samples"]) == 11
    assert {len(sample["scores"]) for sample in log["samples"]} == {0}


def test_the_verb_names_every_log(whole: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["export", "inspect", str(whole), "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert f"{tmp_path / 'ci-vignettes-coppa-labels.eval'}  66 samples" in done.output
    assert f"{tmp_path / 'safety-gradient.eval'}  6 samples" in done.output


def test_several_logs_need_a_folder(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(NormscopeError, match=r"makes 2 logs, .*safety-gradient.*name a folder"):
        export_run(Run(whole), tmp_path / "log.eval")
    with pytest.raises(NormscopeError, match=r"log.csv ends in .csv: a log of Inspect ends in"):
        export_run(Run(whole), tmp_path / "log.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_choice_has_its_options_and_a_conversation_its_turns() -> None:
    item = Item(
        "b",
        "q",
        (Turn("user", "A?"), Turn("assistant", "B."), Turn("user", "C?")),
        "en",
        options=(Option("A", "yes"), Option("B", "no")),
        answer="B",
        facets={"item_id": "mine", "turns": "multi"},
    )
    response = Response(ResponseKey("b", "q", model="m"), "B")
    sample = sample_of(item, response, ())
    assert sample["choices"] == ["yes", "no"]
    assert sample["target"] == "B"
    assert [(turn["role"], turn["content"]) for turn in sample["messages"]] == [
        ("user", "A?"),
        ("assistant", "B."),
        ("user", "C?"),
        ("assistant", "B"),
    ]
    assert len({turn["id"] for turn in sample["messages"]}) == 4
    # the key of the item goes before a facet that is called so
    assert sample["metadata"]["item_id"] == "q"


names = st.text("ab%:/\\-", max_size=4)
keys = st.tuples(names.filter(bool), names, names)


@given(keys, keys)
def test_no_two_prompts_have_one_id(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    ids = [sample_id(ItemKey("b", *each)) for each in (one, other)]
    assert (ids[0] == ids[1]) == (one == other)
    assert not {"/", "\\"} & {*ids[0]}
