"""Which models are of one lineage: by what was said, by their names, by how they are built."""

import re
from typing import Any

import pytest

from normscope.judges.lineage import lineages, relation
from normscope.records.model_spec import ModelSpec


@pytest.mark.parametrize(
    ("model", "found"),
    [
        ("Qwen/Qwen3-0.6B", {"qwen"}),
        ("Qwen/QwQ-32B", {"qwen"}),
        ("meta-llama/Llama-3.1-8B-Instruct", {"llama"}),
        ("mistralai/Mixtral-8x7B-v0.1", {"mistral"}),
        ("THUDM/chatglm3-6b", {"glm"}),
        ("microsoft/Phi-3-mini", {"phi"}),
        ("01-ai/Yi-34B", {"yi"}),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-8B", {"deepseek", "llama"}),
        ("http://localhost:8000/v1#gemma-3-4b", {"gemma"}),
        ("vllm:Qwen/Qwen3-4B-AWQ", {"qwen"}),
        # words, and folders that lie in a folder named after a lineage
        ("models/philosopher", set()),
        ("models/yin", set()),
        ("qwen/checkpoint-100", set()),
        ("./checkpoint", set()),
    ],
)
def test_a_name_tells_the_lineage_or_nothing(model: str, found: set[str]) -> None:
    assert lineages(ModelSpec(model), None) == found


@pytest.mark.parametrize(
    ("architecture", "found"),
    [
        ("Qwen3ForCausalLM", {"qwen"}),
        ("Qwen3MoeForCausalLM", {"qwen"}),
        ("Gemma3ForConditionalGeneration", {"gemma"}),
        ("DeepseekV3ForCausalLM", {"deepseek"}),
        ("FalconForCausalLM", {"falcon"}),
        # unrelated models are built like these
        ("LlamaForCausalLM", set()),
        ("MistralForCausalLM", set()),
        ("GPT2LMHeadModel", set()),
        (None, set()),
    ],
)
def test_where_the_name_says_nothing_the_architecture_does_unless_others_share_it(
    architecture: str | None, found: set[str]
) -> None:
    assert lineages(ModelSpec("./checkpoint"), {"architecture": architecture}) == found


def test_a_given_lineage_stands_before_the_name() -> None:
    assert lineages(ModelSpec("Qwen/Qwen3-4B", lineage="Ours"), None) == {"ours"}
    assert lineages(None, None) == frozenset()


@pytest.mark.parametrize(
    ("model", "judge", "told"),
    [
        (ModelSpec("Qwen/Qwen3-0.6B"), ModelSpec("Qwen/Qwen2.5-72B"), r"lineage .* \(qwen\)"),
        (ModelSpec("./x", lineage="qwen3"), ModelSpec("Qwen/Qwen2.5-7B"), r"lineage .* \(qwen\)"),
        (ModelSpec("./x", lineage="ours"), ModelSpec("./y", lineage="Ours"), r"lineage.*\(ours\)"),
        (ModelSpec("a/DeepSeek-R1-Distill-Qwen-7B"), ModelSpec("Qwen/Qwen3-4B"), r"\(qwen\)"),
        (ModelSpec("./same"), ModelSpec("./same"), "is the model under test itself"),
        # who names two lineages means two
        (ModelSpec("Qwen/Qwen3", lineage="qwen3"), ModelSpec("Qwen/Qwen2", lineage="qwen2"), None),
        (ModelSpec("Qwen/Qwen3-0.6B"), ModelSpec("google/gemma-3-4b-it"), None),
        (ModelSpec("./x"), ModelSpec("./y"), None),
        (None, ModelSpec("./y"), None),
    ],
)
def test_kin_are_told_with_what_they_share(model: Any, judge: ModelSpec, told: str | None) -> None:
    found = relation(model, judge, (None, None))
    assert found is None if told is None else re.search(told, found or "")


def test_the_same_weights_under_two_names_are_one_model() -> None:
    same, other = {"content": "abc"}, {"content": "abd"}
    pair = (ModelSpec("./x"), ModelSpec("./y"))
    assert "itself" in (relation(*pair, (same, same)) or "")
    assert relation(*pair, (same, other)) is None
    assert relation(*pair, ({"content": None}, {"content": None})) is None
