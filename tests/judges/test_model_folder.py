"""A model's folder: what of it decides the answers, and in which dtype it is loaded."""

import json
import shutil
from pathlib import Path

import pytest

from normscope.errors import ModelError
from normscope.judges.engines import load
from normscope.judges.model_folder import content_hash, local_folder
from normscope.judges.rubric_choice import brought_rubric
from normscope.records.model_spec import ModelSpec


@pytest.fixture
def folder(tiny_model: Path, tmp_path: Path) -> Path:
    """A copy of the tiny model, to be changed."""
    return Path(shutil.copytree(tiny_model, tmp_path / "model"))


@pytest.mark.parametrize(
    "name", ["evaluation.json", "trainer_state.json", "README.md", "notes.txt", "optimizer.pt"]
)
def test_what_lies_beside_the_model_is_not_hashed(folder: Path, name: str) -> None:
    before = content_hash(folder)
    (folder / name).write_text("{}", encoding="utf-8")
    assert content_hash(folder) == before


@pytest.mark.parametrize(
    "name",
    [
        *("model.safetensors.index.json", "generation_config.json", "merges.txt", "vocab.json"),
        *("tokenizer.model", "chat_template.jinja", "additional_chat_templates/tool.jinja"),
        *("special_tokens_map.json", "rubric.yaml", "adapter_config.json"),
    ],
)
def test_what_decides_its_answers_is(folder: Path, name: str) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("{}", encoding="utf-8")
    before = content_hash(folder)
    path.write_text("{ }", encoding="utf-8")
    assert content_hash(folder) != before


def test_a_missing_folder_is_told_when_it_is_loaded_not_before() -> None:
    missing = ModelSpec("./no/such/judge")
    assert brought_rubric(missing) is None
    with pytest.raises(ModelError, match="there is no model folder"):
        local_folder(missing.model)


@pytest.mark.parametrize(
    ("named", "used"), [("float32", "float32"), ("bfloat16", "bfloat16"), ("float16", "bfloat16")]
)
def test_the_dtype_is_what_the_config_names_but_no_float16_on_a_cpu(
    folder: Path, named: str, used: str
) -> None:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"dtype": named}), encoding="utf-8")
    identity = load(ModelSpec(str(folder), device="cpu")).identity
    assert (identity["dtype"], identity["checkpoint_dtype"]) == (used, named)
