"""Inspect itself: it asks our benchmarks, has our judge score, and its logs become runs."""

import json
import math
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from peers import python_of

from normscope.files import read_parquet
from normscope.records.integrity import RESPONSES

pytestmark = [pytest.mark.interop, pytest.mark.timeout(900)]

VIGNETTES = "ci-vignettes:coppa"

READ = """
import json, sys
from inspect_ai.log import read_eval_log
log = read_eval_log(sys.argv[1])
print(json.dumps({
    "samples": [
        {"id": s.id, "answer": s.output.completion,
         "scores": {name: score.model_dump() for name, score in (s.scores or {}).items()}}
        for s in log.samples
    ],
    "results": [score.model_dump() for score in log.results.scores],
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
    # where Inspect is, since its own reader reads the log
    in_inspect(tmp_path, "-m", "normscope", "import", path, "-b", VIGNETTES, "--out", out)
    texts = read_parquet(out / RESPONSES)["text"].to_pylist()
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
            assert of["metadata"]["moral"]["unscored"] == "language_not_covered"
            continue
        assert list(values) == ["moral", "rating", "refusal", "score"]
        assert values["score"] == pytest.approx(values["moral"] * values["rating"])
        assert sum(of["metadata"]["rating"]["distribution"].values()) == pytest.approx(1)
    by_name = {each["name"]: each for each in known["results"]}
    assert (by_name["moral"]["scored_samples"], by_name["moral"]["unscored_samples"]) == (2, 1)
    assert "normscope/interval_low" in by_name["moral"]["metrics"]
