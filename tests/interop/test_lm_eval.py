"""lm-evaluation-harness itself: our tasks run in it, and its samples come back as a run."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from mild_questions import write_questions
from peers import python_of
from tiny_model import make_tiny_model
from tool_logs import FILES, lm_eval_samples
from undrawn import undrawn

from normscope.cli import cli
from normscope.exchange.lm_eval.tasks import write_tasks
from normscope.files import read_json, read_parquet
from normscope.judges.engine import LabelRequest
from normscope.judges.engines import load
from normscope.judges.scale import Scale
from normscope.pipeline.importing import read_answers
from normscope.records.integrity import JUDGEMENTS
from normscope.records.model_spec import Decoding, ModelSpec
from normscope.records.settings import Settings

__all__ = ["undrawn"]

pytestmark = [pytest.mark.interop, pytest.mark.timeout(900)]

VIGNETTES, OPTIONS, QUESTIONS = "ci-vignettes:coppa_null", "chisafetybench:mcq", "chisafetybench:qa"
TASKS = {
    "normscope_ci_vignettes_coppa_null": VIGNETTES,
    "normscope_ci_vignettes_coppa_null_text": VIGNETTES,
    "normscope_chisafetybench_mcq": OPTIONS,
    "normscope_chisafetybench_qa": QUESTIONS,
}
CHOICES = [name for name in TASKS if not name.endswith(("_text", "_qa"))]
CONFIG = Settings(
    benchmark=(VIGNETTES,),
    variants=("0", "3"),
    limit={"all": 4},
    channels=("labels", "text"),
    decoding=Decoding(max_new_tokens=8),
)
TOLERANCE = 1e-4


@dataclass(frozen=True)
class Evaluated:
    """What the harness wrote of a model: its samples by task, its results."""

    model: Path
    folder: Path
    source: Path

    def samples(self, task: str) -> Path:
        [path] = self.folder.glob(f"samples_{task}_2*.jsonl")
        return path

    def rows(self, task: str) -> list[dict[str, Any]]:
        text = self.samples(task).read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def results(self, task: str) -> dict[str, Any]:
        [path] = self.folder.glob("results_*.json")
        results: dict[str, Any] = read_json(path)["results"][task]
        return results


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "templated"])
def evaluated(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evaluated]:
    """A tiny model in the harness, without and with a chat template."""
    python, folder = python_of("lm-eval"), tmp_path_factory.mktemp("lm-eval")
    source = write_questions(folder / "source")
    asked = Settings(benchmark=(OPTIONS, QUESTIONS), source=str(source), unpinned=True)
    asked = replace(asked, decoding=CONFIG.decoding, key=str(source / "answer_key.csv"))
    tasks = [*write_tasks(CONFIG, folder / "made"), *write_tasks(asked, folder / "made")]
    assert [task.name for task in tasks] == [*TASKS]
    # somewhere else than where they were written
    shutil.move(folder / "made", folder / "tasks")
    prompts = [path.read_text(encoding="utf-8") for path in folder.glob("tasks/*/prompts.jsonl")]
    model = make_tiny_model(folder / "model", "".join(prompts).splitlines())
    if not request.param:
        (model / "chat_template.jinja").unlink()
    command = [python, "-m", "lm_eval", "run", "--model", "hf", "--device", "cpu"]
    command += ["--model_args", f"pretrained={model},dtype=float32", "--include_path", "tasks"]
    command += ["--tasks", "normscope"]
    command += ["--output_path", "out", "--log_samples"]
    done = subprocess.run(
        command + ["--apply_chat_template"] * request.param,
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    [written] = (folder / "out").iterdir()
    yield Evaluated(model, written, source)


@pytest.mark.parametrize("task", CHOICES)
def test_its_log_likelihoods_are_those_of_our_engine_up_to_what_stands_before_a_label(
    evaluated: Evaluated, task: str
) -> None:
    engine = load(ModelSpec(str(evaluated.model), dtype="float32", device="cpu"))
    for row in evaluated.rows(task):
        labels = tuple(row["doc"]["choices"])
        # one spelling, which is all that the harness reads
        forms = {label: (label,) for label in labels}
        one = Scale(labels, tuple(float(at) for at in range(len(labels))), forms)
        conversation = (("user", row["doc"]["prompt"]),)
        [ours] = engine.labels([LabelRequest(conversation=conversation, scale=one)])
        theirs = [float(log) for log, _ in row["filtered_resps"]]
        assert ours.logprobs is not None
        apart = [mine - other for mine, other in zip(ours.logprobs, theirs, strict=True)]
        # the line break at the prompt's end is a part of every choice there
        assert max(apart) - min(apart) < TOLERANCE
        assert min(apart) > -TOLERANCE


@pytest.mark.parametrize("task", TASKS)
def test_its_samples_are_imported_by_themselves_and_scored(
    evaluated: Evaluated, task: str, tmp_path: Path
) -> None:
    out = str(tmp_path / "run")
    source = ["--source", str(evaluated.source), "--unpinned"]
    verbs = [
        ["import", str(evaluated.samples(task)), "-b", TASKS[task], "--out", out, *source],
        ["judge", out, *(["--judge", "bundled"] if TASKS[task] == QUESTIONS else [])],
    ]
    for verb in verbs:
        result = CliRunner().invoke(cli, verb)
        assert result.exit_code == 0, (result.output, result.exception)
        # the model's own chat template changes no word of the prompt
        assert "other words" not in result.output
    assert CliRunner().invoke(cli, ["score", out]).exit_code in {0, 3}
    judgements = read_parquet(tmp_path / "run" / JUDGEMENTS)
    rows = evaluated.rows(task)
    keys = ("item_id", "variant_id", "scale_order")
    assert judgements.select(keys).to_pylist() == [
        {key: row["doc"][key] for key in keys} for row in rows
    ]


def test_what_the_harness_shows_is_what_comes_back(evaluated: Evaluated, tmp_path: Path) -> None:
    [task] = [name for name in CHOICES if TASKS[name] == VIGNETTES]
    rows, results = evaluated.rows(task), evaluated.results(task)
    out, samples = str(tmp_path / "run"), str(evaluated.samples(task))
    first = ["import", samples, "-b", VIGNETTES, "--out", out]
    for verb in (first, ["judge", out]):
        assert CliRunner().invoke(cli, verb).exit_code == 0
    values = read_parquet(tmp_path / "run" / JUDGEMENTS)["value"].to_pylist()
    assert values == [row.get("acceptability") for row in rows]
    scored = [value for value in values if value is not None]
    assert results["acceptability,none"] == pytest.approx(sum(scored) / len(scored))
    assert results["unscored,none"] == 1 - len(scored) / len(values)
    [options] = [name for name in CHOICES if TASKS[name] == OPTIONS]
    right = [row["accuracy"] for row in evaluated.rows(options) if "accuracy" in row]
    assert evaluated.results(options)["accuracy,none"] == pytest.approx(sum(right) / len(right))


def test_the_small_files_of_the_tests_are_what_the_harness_writes(tmp_path: Path) -> None:
    samples = lm_eval_samples(Path(python_of("lm-eval")), tmp_path)
    for name in ("flows", "choices"):
        [fresh], [kept] = (folder.glob(f"samples_{name}_*") for folder in (samples, FILES))
        assert read_answers(fresh).rows.equals(read_answers(kept).rows)
