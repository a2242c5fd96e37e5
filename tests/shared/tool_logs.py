"""Runs lm-evaluation-harness on vignettes of ours, and keeps what it writes.

`python tool_logs.py PYTHON` writes the small files of the tests anew, with the Python of an
environment that has lm-eval 0.4.13. Its model is a script that answers by the length of the prompt,
so that the same files come out.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from normscope.builders.registry import benchmark

BENCHMARK = "ci-vignettes:coppa_null"
MODEL = "none/scripted"
LABELS = (
    "strongly unacceptable",
    "somewhat unacceptable",
    "neutral",
    "somewhat acceptable",
    "strongly acceptable",
)
FILES = Path(__file__).parents[1] / "normscope" / "pipeline" / "importing" / "files"

_DATE = "2026-11-22T12-00-00.000000"
_ITEMS, _VARIANTS = 2, ("0", "3")

_TASK = """
task: {name}
dataset_path: json
dataset_kwargs: {{data_files: {{test: flows.jsonl}}}}
test_split: test
doc_to_text: "{{{{prompt}}}}"
{rest}
"""
_TASKS = {
    "flows": """output_type: generate_until
doc_to_target: ""
generation_kwargs: {until: ["\\n"], do_sample: true, temperature: 0.5}
metric_list: [{metric: bypass}]
filter_list:
  - name: first_word
    filter: [{function: regex, regex_pattern: "(\\\\w+)"}, {function: take_first}]
  - {name: none, filter: [{function: take_first}]}
""",
    "choices": f"""output_type: multiple_choice
doc_to_choice: {json.dumps(LABELS)}
doc_to_target: 2
metric_list: [{{metric: acc}}]
""",
}

_LM_EVAL = """
import json, sys
from lm_eval.__main__ import cli_evaluate
from lm_eval.api.registry import register_model
from lm_eval.models.dummy import DummyLM
LABELS = json.load(open("labels.json"))

@register_model("scripted")
class Scripted(DummyLM):
    def generate_until(self, requests, disable_tqdm=False):
        return [f"{LABELS[len(r.args[0]) % 5]}. As was asked." for r in requests]

    def loglikelihood(self, requests, disable_tqdm=False):
        return [(-float(r.args[1].strip() != LABELS[len(r.args[0]) % 5]), True) for r in requests]

sys.argv = ["lm_eval", "run", "--model", "scripted", "--model_args", "pretrained=MODEL",
            "--tasks", "flows,choices", "--include_path", "tasks", "--output_path", "out",
            "--log_samples"]
cli_evaluate()
"""


def prompts() -> list[Mapping[str, str]]:
    """The first vignettes of the benchmark in two prompt variants, a row each."""
    builder, bench = benchmark(BENCHMARK)
    columns = ("item_id", "variant_id", "scale_order", "prompt")
    rows = builder.tables(None)[bench.config].select(columns).to_pylist()
    ids = list(dict.fromkeys(row["item_id"] for row in rows))[:_ITEMS]
    return [row for row in rows if row["item_id"] in ids and row["variant_id"] in _VARIANTS]


def label(prompt: str) -> str:
    """What the scripted models answer."""
    return LABELS[len(prompt) % len(LABELS)]


def lm_eval_samples(python: Path, folder: Path) -> Path:
    """The folder with what the harness wrote: results, and the samples of both tasks."""
    _write_prompts(folder)
    (folder / "tasks").mkdir()
    for name, rest in _TASKS.items():
        text = _TASK.format(name=name, rest=rest)
        (folder / "tasks" / f"{name}.yaml").write_text(text, encoding="utf-8")
    _run(python, _LM_EVAL.replace("MODEL", MODEL), folder)
    [written] = (folder / "out").iterdir()
    return written


def _write_prompts(folder: Path) -> None:
    rows = prompts()
    lines = [json.dumps(row) for row in rows]
    (folder / "flows.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "labels.json").write_text(json.dumps(LABELS), encoding="utf-8")


def _run(python: Path, script: str, folder: Path) -> None:
    (folder / "script.py").write_text(script, encoding="utf-8")
    environment = {"HF_HOME": str(folder / "hf"), "HOME": str(folder), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [str(python), "script.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]


def keep_samples(written: Path) -> None:
    for path in sorted(written.iterdir()):
        name = re.sub(r"\d{4}-\d\d-\d\dT[\d.-]+(?=\.json)", _DATE, path.name)
        text = path.read_text(encoding="utf-8")
        if name.startswith("results"):
            results = json.loads(text)
            kept = {n: results[n] for n in ("results", "n-samples", "model_name", "model_source")}
            text = json.dumps(kept, indent=2, ensure_ascii=False) + "\n"
        (FILES / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    FILES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        keep_samples(lm_eval_samples(Path(sys.argv[1]), Path(made)))
