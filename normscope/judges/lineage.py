"""Of which lineage a model is, and what must be said when a judge is of the same as its subject."""

import re
from collections.abc import Mapping
from typing import Any

from ..messages import message
from ..records.model_spec import ModelSpec

# names of published lineages; one that is also a word stands only where a version follows it
_NAMES = re.compile(
    r"(?<![a-z])(?:qwen|qwq|llama|vicuna|gemma|gemini|mistral|mixtral|ministral|deepseek|baichuan"
    r"|internlm|chatglm|glm|falcon|olmo|smollm|granite|minicpm|pythia|bloomz?|claude|gpt|hunyuan"
    r"|ernie|aquila|tulu|zephyr|phi(?=-?\d)|yi(?=-?\d))(?:(?![a-z])|(?=v\d))"
)
_LINEAGE_OF = {"qwq": "qwen", "chatglm": "glm", "mixtral": "mistral", "ministral": "mistral"}
_LINEAGE_OF |= {"bloomz": "bloom"}

# many unrelated models are built as one of these, so that the class says nothing of the lineage
_SHARED = frozenset({"llama", "mistral", "gpt", "bloom"})


def lineages(spec: ModelSpec | None, identity: Mapping[str, Any] | None) -> frozenset[str]:
    """The lineages that the model is of, as far as its settings, name or architecture tell.

    The given lineage alone where there is one; else those that its name names (a distillation may
    name two); else that of its architecture, unless others are built like it.

    >>> sorted(lineages(ModelSpec("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B"), None))
    ['deepseek', 'qwen']
    >>> lineages(ModelSpec("./checkpoint"), {"architecture": "LlamaForCausalLM"})
    frozenset()
    """
    if spec is None:
        return frozenset()
    if spec.lineage is not None:
        return _lineages_in(spec.lineage) | {spec.lineage.casefold()}
    # a folder's name is its last part: what lies above it is where somebody keeps models
    name = re.split(r"[/\\#]", spec.model.rstrip("/\\"))[-1]
    if in_name := _lineages_in(name):
        return in_name
    # `Qwen3ForCausalLM` is built as Qwen3
    built = str((identity or {}).get("architecture") or "").partition("For")[0]
    return _lineages_in(built) - _SHARED


def relation(
    model: ModelSpec | None,
    judge: ModelSpec | None,
    identities: tuple[Mapping[str, Any] | None, Mapping[str, Any] | None],
) -> str | None:
    """What a reader must know if the judge is of the model's lineage; null if that is not known.

    Two lineages that the user gave are compared as they are: who says qwen2 and qwen3 means two.
    """
    if model is None or judge is None:
        return None
    model_identity, judge_identity = identities
    content = (model_identity or {}).get("content")
    if model.model == judge.model or (content and content == (judge_identity or {}).get("content")):
        return message(
            "The judge ({model}) is the model under test itself: it judges its own words.",
            model=judge.model,
        )
    if model.lineage is not None and judge.lineage is not None:
        alike = {model.lineage.casefold()} & {judge.lineage.casefold()}
    else:
        alike = set(lineages(model, model_identity) & lineages(judge, judge_identity))
    if not alike:
        return None
    return message(
        "The judge ({model}) is of the lineage of the model under test ({lineages}): it may "
        "favour its own kind.",
        model=judge.model,
        lineages=", ".join(sorted(alike)),
    )


def _lineages_in(text: str) -> frozenset[str]:
    return frozenset(_LINEAGE_OF.get(name, name) for name in _NAMES.findall(text.casefold()))
