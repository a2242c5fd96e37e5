"""The engines, one module each behind the `Engine` protocol of `judges.engine`."""

from typing import Any

from ...errors import ModelError
from ...extras import require
from ...records.model_spec import ADDRESSES, VLLM, ModelSpec, is_elsewhere, package_engine
from ..engine import Engine


def load(spec: ModelSpec) -> Engine:
    """The engine that answers for the model; loads its weights or greets its servers."""
    if (registered := package_engine(spec.model)) is not None:
        return checked(registered.load()(spec))
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


def checked(engine: Engine) -> Engine:
    """The engine; a `ModelError` names what the protocol asks for and another's class lacks."""
    lacks = [x for x in ("name", "identity", "labels", "texts") if not hasattr(engine, x)]
    if lacks:
        kind = type(engine).__name__
        raise ModelError(f"{kind} is no engine, it lacks {', '.join(lacks)}: see docs/engines.md")
    return engine


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
    if spec.model.startswith(VLLM) or is_elsewhere(spec.model):
        return None
    require("torch", extra="judge")
    require("transformers", extra="judge")
    from .local.loading import describe

    return describe(spec).identity
