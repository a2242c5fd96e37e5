"""The engines, one module each behind the `Engine` protocol of `judges.engine`."""

from typing import Any

from ...extras import require
from ...records.model_spec import ADDRESSES, VLLM, ModelSpec
from ..engine import Engine


def load(spec: ModelSpec) -> Engine:
    """The engine that answers for the model; loads its weights or greets its servers."""
    if spec.model.startswith(ADDRESSES):
        from .endpoint import EndpointEngine

        return EndpointEngine(spec)
    if spec.model.startswith(VLLM):
        require("vllm", extra="vllm")
        from .vllm import VllmEngine

        return VllmEngine(spec)
    require("torch", extra="judge")
    require("transformers", extra="judge")
    from .local.loading import describe

    described = describe(spec)
    if described.is_classifier:
        from .local.classifier import ClassifierEngine

        return ClassifierEngine(spec, described)
    from .local.transformers import TransformersEngine

    return TransformersEngine(spec, described)


def refuse_secrets(spec: ModelSpec) -> None:
    """Refuses a server's address with a user name, a password or a query, and what is none.

    Loading does so too; this is for what names a model to somebody before it is loaded.
    """
    if spec.model.startswith(ADDRESSES):
        from .endpoint.server import parse

        parse(spec.model)


def described(spec: ModelSpec) -> dict[str, Any] | None:
    """The part of the engine's identity that is known before its weights are loaded.

    Null where only the engine itself can tell.
    """
    if spec.model.startswith((*ADDRESSES, VLLM)):
        return None
    require("torch", extra="judge")
    require("transformers", extra="judge")
    from .local.loading import describe

    return describe(spec).identity
