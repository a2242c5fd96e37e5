"""lm-evaluation-harness itself: our tasks run in it, and its samples come back as a run."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from peers import python_of
from tiny_model import make_tiny_model
from undrawn import undrawn

from normscope.cli import cli
from normscope.exchange.lm_eval.tasks import write_tasks
from normscope.files import read_json, read_parquet
from normscope.judges.engine import LabelRequest
from normscope.judges.engines import load
from normscope.judges.scale import Scale
from normscope.records.config import Decoding, RunConfig
from normscope.records.integrity import JUDGEMENTS
from normscope.records.model_spec import ModelSpec

__all__ = ["undrawn"]

pytestmark = [pytest.mark.interop, pytest.mark.timeout(900)]

BENCHMARK = "ci-vignettes:coppa_null"
TASK = "normscope_ci_vignettes_coppa_null"
CONFIG = RunConfig(
    benchmark=(BENCHMARK,),
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
    templated: bool
    folder: Path

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
    tasks = write_tasks(CONFIG, folder / "made")
    # somewhere else than where they were written
    shutil.move(folder / "made", folder / "tasks")
    prompts = (folder / "tasks" / TASK / "prompts.jsonl").read_text(encoding="utf-8")
    model = make_tiny_model(folder / "model", prompts.splitlines())
    if not request.param:
        (model / "chat_template.jinja").unlink()
    command = [python, "-m", "lm_eval", "run", "--model", "hf", "--device", "cpu"]
    command += ["--model_args", f"pretrained={model},dtype=float32", "--include_path", "tasks"]
    command += ["--tasks", ",".join(task.name for task in tasks)]
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
    yield Evaluated(model, request.param, written)


def test_its_log_likelihoods_are_those_of_our_engine_up_to_what_stands_before_a_label(
    evaluated: Evaluated,
) -> None:
    engine = load(ModelSpec(str(evaluated.model), dtype="float32", device="cpu"))
    for row in evaluated.rows(TASK):
        labels = tuple(row["doc"]["choices"])
        # one spelling, which is all that the harness reads
        one = Scale(labels, tuple(row["doc"]["values"]), {label: (label,) for label in labels})
        conversation = (("user", row["doc"]["prompt"]),)
        [ours] = engine.labels([LabelRequest(conversation=conversation, scale=one)])
        theirs = [float(log) for log, _ in row["filtered_resps"]]
        assert ours.logprobs is not None
        apart = [mine - other for mine, other in zip(ours.logprobs, theirs, strict=True)]
        # the line break at the prompt's end is a part of every choice there
        assert max(apart) - min(apart) < TOLERANCE
        assert min(apart) > -TOLERANCE


@pytest.mark.parametrize("task", [TASK, f"{TASK}_text"])
def test_its_samples_are_imported_by_themselves_and_scored(
    evaluated: Evaluated, task: str, tmp_path: Path
) -> None:
    out = str(tmp_path / "run")
    for verb in (
        ["import", str(evaluated.samples(task)), "-b", BENCHMARK, "--out", out],
        ["judge", out],
    ):
        result = CliRunner().invoke(cli, verb)
        assert result.exit_code == 0, (result.output, result.exception)
        # the model's own chat template changes no word of the prompt
        assert "other words" not in result.output
    assert CliRunner().invoke(cli, ["score", out]).exit_code in {0, 3}
    judgements = read_parquet(tmp_path / "run" / JUDGEMENTS)
    rows = evaluated.rows(task)
    assert len(judgements) == len(rows) == 8
    keys = ("item_id", "variant_id", "scale_order")
    assert judgements.select(keys).to_pylist() == [
        {key: row["doc"][key] for key in keys} for row in rows
    ]
    if task == TASK:
        values = judgements["value"].to_pylist()
        assert values == [row.get("acceptability") for row in rows]
        scored = [value for value in values if value is not None]
        mean = evaluated.results(task)["acceptability,none"]
        assert mean == pytest.approx(sum(scored) / len(scored))
        assert evaluated.results(task)["unscored,none"] == 1 - len(scored) / len(values)
