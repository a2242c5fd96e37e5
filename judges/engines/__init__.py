"""The engines, one module each behind the `Engine` protocol of `judges.engine`."""

from dataclasses import dataclass
from typing import Literal

from ...extras import require
from ..engine import Engine

Dtype = Literal["auto", "float32", "bfloat16", "float16"]


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """Which model to load and how.

    `model` is a folder saved with `save_pretrained` or a Hub id, `revision` a branch, tag or
    commit of the latter. `dtype` auto is the checkpoint's own, but never float16 on a CPU.
    `pack_tokens` bounds one forward pass: more is faster on a GPU and takes more memory.
    """

    model: str
    revision: str | None = None
    dtype: Dtype = "auto"
    device: str = "auto"
    attention: Literal["sdpa", "eager"] = "sdpa"
    pack_tokens: int = 1024


def load(spec: ModelSpec) -> Engine:
    """The engine that answers for the model; loads its weights."""
    require("torch", extra="judge")
    require("transformers", extra="judge")
    from .transformers import TransformersEngine

    return TransformersEngine(spec)
