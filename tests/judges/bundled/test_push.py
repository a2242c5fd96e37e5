"""The bundled judge on the Hub double: pushed, and loaded from there by transformers."""

import json
import subprocess
import sys
from pathlib import Path

import hub_double as double
import pytest

from normscope.errors import DataError, UsageError
from normscope.judges import bundled
from normscope.judges.bundled.publish import check_name, model_files
from normscope.judges.rubric_files import load_rubric

LOGITS = """
import json, sys, torch, transformers
where = sys.argv[1]
tokenizer = transformers.AutoTokenizer.from_pretrained(where)
model = transformers.AutoModelForCausalLM.from_pretrained(where, dtype=torch.float32)
ids = tokenizer("⟦Q⟧\\nhello\\n⟦/Q⟧\\n⟦A⟧\\n你好\\n⟦/A⟧", return_tensors="pt")["input_ids"]
print(json.dumps(model(ids).logits[0, -1, :64].tolist()))
"""

# one process each for the Hub and for the tree: importing transformers takes seconds
HUB = f"""
from normscope.judges.rubric_choice import brought_rubric
from normscope.records.model_spec import ModelSpec
for name in ("lab/judge", "lab/no-such-judge"):
    rubric = brought_rubric(ModelSpec(name))
    print(rubric and rubric.hash)
{LOGITS}"""


def run(*command: str, environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, *command], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_the_pushed_judge_gives_the_same_logits_and_a_second_push_is_no_commit(
    tmp_path: Path,
) -> None:
    with double.Hub() as hub:
        online = hub.environment(tmp_path / "online")
        here = {**online, "HF_HUB_OFFLINE": "1"}
        command = (
            "import os, sys; os.chdir(sys.argv.pop(1)); from normscope.cli import main; main()"
        )
        push = ("-c", command, str(tmp_path), "push", "model:bundled", "--to", "lab/judge")
        assert "lab/judge at" in run(*push, environment=online)
        assert "holds all of it already" in run(*push, environment=online)
        local = run("-c", LOGITS, str(bundled.path()), environment=here)
        brought, nothing, loaded = run("-c", HUB, "lab/judge", environment=online).splitlines()[-3:]
        there = hub.files("models", "lab/judge")
    assert json.loads(loaded) == json.loads(local)
    assert brought == load_rubric(bundled.rubric_path()).hash
    assert nothing == "None"
    assert {"README.md", "model.safetensors", "rubric.yaml"} <= there.keys()
    assert not list(bundled.path().glob(".*"))


def test_there_is_one_model_to_push() -> None:
    with pytest.raises(UsageError, match="no model 'large' to push; known: bundled"):
        check_name("large")


def test_a_folder_without_a_model_is_told_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"has no README.md, config.json, model.safetensors"):
        model_files(tmp_path)
