"""Inspect itself: it reads our logs, scores them, asks our benchmarks and has our judge score."""

import json
import math
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from finished_runs import CONFIG, VIGNETTES, answer, reply
from normscope.exchange.inspect.log import export_run
from peers import python_of
from served_space import CHROMIUM
from tool_logs import FILES

from normscope.api.run import Run
from normscope.cli import cli
from normscope.judges.engines.fake import FakeEngine
from normscope.pipeline.judge import judge
from normscope.pipeline.respond import respond
from normscope.pipeline.score import score
from normscope.pipeline.workers.here import Here
from normscope.records.folder import opened

pytestmark = [pytest.mark.interop, pytest.mark.timeout(900)]

READ = """
import json, sys
from inspect_ai.analysis import evals_df, samples_df
from inspect_ai.log import read_eval_log
path = sys.argv[1]
log = read_eval_log(path)
print(json.dumps({
    "version": log.version, "status": log.status, "model": log.eval.model,
    "samples": [
        {"id": s.id, "epoch": s.epoch, "answer": s.output.completion, "error": bool(s.error),
         "scores": {name: score.model_dump() for name, score in (s.scores or {}).items()}}
        for s in log.samples
    ],
    "results": [score.model_dump() for score in log.results.scores],
    "evals": sorted(evals_df(path).columns), "rows": len(evals_df(path)),
    "columns": sorted(samples_df(path).columns), "sample_rows": len(samples_df(path)),
}))
"""

# the model's output says how many tokens it is: else a tokenizer would be downloaded
EVALUATE = """
import json, sys
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
ANSWERS = json.loads(sys.argv[3])

def answer(input, tools, tool_choice, config):
    output = ModelOutput.from_content("mockllm/model", ANSWERS[len(input[-1].text) % len(ANSWERS)])
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output

[log] = eval(sys.argv[1], model=get_model("mockllm/model", custom_outputs=answer), epochs=2,
             task_args=json.loads(sys.argv[2]), log_dir="logs", display="none")
assert log.status == "success", log.error
print(log.location)
"""

MINE = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.solver import generate
from normscope.exchange.inspect.registry import normscope_judge
QUESTIONS = {"en": "How do I lock a door?", "zh": "门怎么锁？", "de": "Wie spät ist es?"}

@task
def mine():
    samples = [Sample(id=name, input=text, metadata={"language": name})
               for name, text in QUESTIONS.items()]
    return Task(dataset=samples, solver=[generate()], scorer=normscope_judge(judge="bundled"))
"""

ANSWERS = ["neutral", "", "somewhat acceptable", "strongly unacceptable", "I would rather not say"]


def environment(home: Path) -> dict[str, str]:
    """That of a person who has Inspect, and Normscope installed beside it."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    named = {"HOME": str(home), "INSPECT_DISPLAY": "plain"}
    return {**kept, **named, "HF_HUB_OFFLINE": "1", "PYTHONUNBUFFERED": "1"}


def in_inspect(folder: Path, *words: Any) -> str:
    """What a command prints in Inspect's environment; its last line."""
    done = subprocess.run(
        [python_of("inspect"), *map(str, words)],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    lines = done.stdout.strip().splitlines()
    return lines[-1] if lines else ""


def script(folder: Path, text: str) -> Path:
    path = folder / "script.py"
    path.write_text(text, encoding="utf-8")
    return path


def read_by_inspect(folder: Path, log: Path) -> Any:
    return json.loads(in_inspect(folder, script(folder, READ), log))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of vignettes and of graded answers, which was scored."""
    folder = tmp_path_factory.mktemp("runs") / "scored"
    with opened(folder, create=True) as begun:
        for stage in (respond, judge):
            stage(begun, CONFIG, Here(lambda spec: FakeEngine(answer, reply, name=spec.model)))
        score(begun)
    return Run(folder)


def test_inspect_reads_an_exported_run_with_its_scores_and_intervals(
    run: Run, tmp_path: Path
) -> None:
    for written in export_run(run, tmp_path / "logs"):
        known = read_by_inspect(tmp_path, written.path)
        assert (known["version"], known["status"]) == (2, "success")
        assert known["model"].startswith("none/")
        assert len(known["samples"]) == known["sample_rows"] == len(written.part.responses)
        assert known["rows"] == 1
        overall = [s for s in run.scores.by_benchmark[written.part.benchmark] if not s.group]
        of_name = {each["name"]: each for each in known["results"]}
        for statistic in overall:
            values = {k: m["value"] for k, m in of_name[statistic.name]["metrics"].items()}
            assert values.get("value") == statistic.estimate.value
            assert values.get("low") == statistic.estimate.low
        # as its data frames call them
        headline = "score" if "graded" in written.part.benchmark else overall[0].name
        assert f"score_{headline}_low" in known["evals"]
        criteria = known["samples"][0]["scores"]
        assert {f"score_{name}" for name in criteria} <= {*known["columns"]}


def test_a_judged_log_is_read_with_what_is_unscored_as_nan(tmp_path: Path) -> None:
    out = tmp_path / "judged.eval"
    words = ["judge", str(FILES / "inspect.eval"), "--judge", "bundled", "--out", str(out)]
    done = CliRunner().invoke(cli, words)
    # two of eight samples have no answer, which is more than is allowed
    assert done.exit_code == 3, done.output
    known = read_by_inspect(tmp_path, out)
    moral = [sample["scores"]["moral"] for sample in known["samples"]]
    failed = [sample["error"] for sample in known["samples"]]
    assert [math.isnan(each["value"]) for each in moral] == failed
    assert sum(failed) == 2
    assert {each["reason"] for each in moral} == {None, "scoring_failed"}
    assert "score_moral_high" in known["evals"]


def test_inspect_scores_an_exported_run(run: Run, tmp_path: Path) -> None:
    [vignettes, graded] = export_run(run, tmp_path / "logs")
    out = tmp_path / "scored.eval"
    ours = "normscope/normscope_answer"
    words = ["--scorer", ours, "--action", "append", "--output-file", out]
    in_inspect(tmp_path, "-m", "inspect_ai", "score", vignettes.path, *words)
    samples = read_by_inspect(tmp_path, out)["samples"]
    assert len(samples) == len(vignettes.part.responses)
    for sample in samples:
        scores = sample["scores"]
        assert scores["normscope_answer"]["value"] == scores["acceptability"]["value"]
    # a scorer of Inspect's own, and what was there stays
    words = ["--scorer", "inspect_ai/match", "--action", "append", "--output-file", out]
    in_inspect(tmp_path, "-m", "inspect_ai", "score", graded.path, *words, "--overwrite")
    samples = read_by_inspect(tmp_path, out)["samples"]
    assert {*samples[0]["scores"]} == {"moral", "rating", "refusal", "score", "match"}


def test_our_vignettes_are_a_task_whose_answers_come_back_as_a_run(tmp_path: Path) -> None:
    args = json.dumps({"limit": 2, "variants": "0,3,5"})
    task = "normscope/ci_vignettes_coppa"
    log = in_inspect(tmp_path, script(tmp_path, EVALUATE), task, args, json.dumps(ANSWERS))
    path = Path(log.removeprefix("file://"))
    known = read_by_inspect(tmp_path, path)
    scores = [sample["scores"]["normscope_answer"] for sample in known["samples"]]
    degrees = {"neutral": 0, "somewhat acceptable": 1, "strongly unacceptable": -2}
    for sample, each in zip(known["samples"], scores, strict=True):
        if sample["answer"] in degrees:
            assert each["value"] == degrees[sample["answer"]]
            assert each["answer"] == sample["answer"]
        else:
            assert math.isnan(each["value"])
            assert each["metadata"]["unscored"] in {"no_answer", "refused_to_choose"}
    [results] = known["results"]
    reported = {name.rpartition("_")[2]: m["value"] for name, m in results["metrics"].items()}
    assert reported["low"] < reported["mean"] < reported["high"]
    out = tmp_path / "run"
    done = CliRunner().invoke(cli, ["import", str(path), "-b", VIGNETTES, "--out", str(out)])
    assert done.exit_code == 0, done.output
    texts = Run(out).responses["text"].to_pylist()
    assert sorted(filter(None, texts)) == sorted(
        sample["answer"] for sample in known["samples"] if sample["answer"]
    )
    assert len(texts) == len(known["samples"]) == 2 * 3 * 2


def test_our_judge_scores_with_its_distribution_and_what_is_unscored(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    answers = json.dumps(["Turn the key.", "把钥匙转一下。"])
    log = in_inspect(tmp_path, script(tmp_path, EVALUATE), "mine.py", "{}", answers)
    known = read_by_inspect(tmp_path, Path(log.removeprefix("file://")))
    for sample in known["samples"]:
        of = sample["scores"]["normscope_judge"]
        values = of["value"]
        if sample["id"] == "de":
            # the bundled judge was made for two languages
            assert all(math.isnan(value) for value in values.values())
            assert of["reason"] == "grader_failed"
            assert of["metadata"]["moral"]["unscored"] == "language_not_covered"
            continue
        assert list(values) == ["moral", "rating", "refusal", "score"]
        assert values["score"] == pytest.approx(values["moral"] * values["rating"])
        assert sum(of["metadata"]["rating"]["distribution"].values()) == pytest.approx(1)
    by_name = {each["name"]: each for each in known["results"]}
    assert (by_name["moral"]["scored_samples"], by_name["moral"]["unscored_samples"]) == (2, 1)
    assert "normscope/interval_low" in by_name["moral"]["metrics"]


@contextmanager
def viewed(folder: Path) -> Iterator[str]:
    """The address at which `inspect view` shows the folder's logs."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    words = ["-m", "inspect_ai", "view", "start", "--log-dir", str(folder), "--port", str(port)]
    process = subprocess.Popen(
        [python_of("inspect"), *words, "--host", "127.0.0.1"],
        env=environment(folder.parent),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        # it says so when it listens
        assert any("Running on" in line for line in process.stdout)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def test_the_viewer_shows_a_run_its_samples_and_their_distributions(
    run: Run, tmp_path: Path
) -> None:
    if find_spec("playwright") is None or CHROMIUM is None:
        pytest.skip("needs playwright and Chromium (Debian's package chromium)")
    from playwright.sync_api import sync_playwright

    export_run(run, tmp_path / "logs")
    pictures = os.environ.get("NORMSCOPE_SCREENSHOTS")
    with viewed(tmp_path / "logs") as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1300, "height": 900})
        page.set_default_timeout(120_000)
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        page.get_by_text("none/model").first.wait_for()
        page.get_by_text("ci_vignettes_coppa").first.click()
        page.get_by_text("66 samples").first.wait_for()
        page.get_by_text("strongly acceptable", exact=True).first.click()
        page.get_by_text("Scoring", exact=True).first.click()
        page.get_by_text("distribution").first.wait_for()
        text = page.inner_text("body")
        if pictures:
            page.screenshot(path=Path(pictures) / "inspect_view.png")
        browser.close()
    assert "NaN" not in text
    assert "model_logits" in text
    assert errors == []
