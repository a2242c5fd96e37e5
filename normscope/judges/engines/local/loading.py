"""Loading a model and its tokenizer: safetensors only, no code of theirs, everything recorded."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import huggingface_hub.errors
import safetensors
import torch
import transformers

from ....errors import ConfigError, ModelError
from ....files import hash_value
from ....progress import has_bars
from ....records.model_spec import ModelSpec
from ...model_folder import content_hash, local_folder
from ..chat import at_date, find_problem
from .devices import device_of, is_out_of_memory, load_placed, main_device

TEMPLATE_BYTES = 1 << 18
"""The largest chat template that is read."""

# What transformers raises at a checkpoint that it cannot load; the last at a config of wrong types.
_FAILURES = (
    OSError,
    ValueError,
    ImportError,
    KeyError,
    RuntimeError,
    safetensors.SafetensorError,
    getattr(huggingface_hub.errors, "StrictDataclassError", ValueError),
)


@dataclass(frozen=True, slots=True)
class Described:
    """A checkpoint's config and tokenizer, and what tells the two from any others.

    `folder` is null for a model of the Hub.
    """

    config: Any
    tokenizer: Any
    folder: Path | None
    identity: dict[str, Any]

    @property
    def is_classifier(self) -> bool:
        """Whether the checkpoint has a classification head."""
        names = getattr(self.config, "architectures", None) or ()
        return any(name.endswith("ForSequenceClassification") for name in names)


def describe(spec: ModelSpec) -> Described:
    """The config and the tokenizer, with the chat template that was asked for."""
    if spec.pack_tokens < 1:
        raise ConfigError(f"pack_tokens is at least 1, not {spec.pack_tokens}")
    folder = local_folder(spec.model)
    shared = _shared(spec, folder)
    try:
        config = transformers.AutoConfig.from_pretrained(folder or spec.model, **shared)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder or spec.model, **shared)
    except _FAILURES as error:
        raise ModelError(explain(spec, error)) from error
    if spec.chat_template is not None:
        tokenizer.chat_template = _read_template(spec.chat_template)
    written = tokenizer.chat_template
    tokenizer.chat_template = at_date(written, spec.date)
    _check_template(tokenizer, spec)
    template = tokenizer.chat_template
    identity = {
        "model": spec.model,
        "revision": None if folder else getattr(config, "_commit_hash", None),
        "content": content_hash(folder) if folder else None,
        "context": getattr(config.get_text_config(), "max_position_embeddings", None),
        "chat_template": hash_value(template) if template else None,
        "date": spec.date if template != written else None,
        "checkpoint_dtype": _dtype_name(_checkpoint_dtype(config)),
        "quantisation": quantisation(config),
        "note": getattr(config, "normscope_note", None),
        "languages": getattr(config, "normscope_languages", None),
        "trained_on": getattr(config, "normscope_trained_on", None),
    }
    return Described(config, tokenizer, folder, identity)


@contextmanager
def _bars_as_ours() -> Iterator[None]:
    """Where no bar of ours is to be shown, the library's are not, either."""
    bars = transformers.utils.logging
    if has_bars() or not bars.is_progress_bar_enabled():
        yield
        return
    bars.disable_progress_bar()
    try:
        yield
    finally:
        bars.enable_progress_bar()


def load_model(spec: ModelSpec, described: Described) -> tuple[Any, Any, dict[str, Any]]:
    """The model in evaluation mode on its device, its tokenizer, and what tells them from others.

    A `ModelError` with the remedy where it cannot be loaded.
    """
    auto = transformers.AutoModelForCausalLM
    if described.is_classifier:
        auto = transformers.AutoModelForSequenceClassification
    load = partial(
        auto.from_pretrained,
        described.folder or spec.model,
        config=described.config,
        dtype=_dtype(spec, described.config, device_of(spec.device)),
        use_safetensors=True,
        attn_implementation=None if spec.attention == "auto" else spec.attention,
        **_shared(spec, described.folder),
    )
    try:
        with _bars_as_ours():
            quantised = described.identity["quantisation"] is not None
            model = load_placed(load, spec.device, quantised=quantised).eval()
    except _FAILURES as error:
        raise ModelError(explain(spec, error, described.config)) from error
    # what the loaded model adds to what was known without its weights
    identity = {
        "engine": "transformers",
        **described.identity,
        "architecture": type(model).__name__,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "dtype": _dtype_name(model.dtype),
        "device": main_device(model).type,
        "attention": model.config._attn_implementation,
        "threads": torch.get_num_threads(),
    }
    return model, described.tokenizer, identity


def quantisation(config: Any) -> str | None:
    """How the checkpoint's weights are quantised (awq, gptq …), null if they are not."""
    settings = getattr(config, "quantization_config", None)
    if settings is None:
        return None
    method = settings.get("quant_method") if isinstance(settings, dict) else settings.quant_method
    return str(getattr(method, "value", method))


def explain(spec: ModelSpec, error: Exception, config: Any = None) -> str:
    """Why the model cannot be loaded, with the remedy."""
    detail = " ".join(str(error).split())[:300]
    method = quantisation(config)
    if is_out_of_memory(error):
        remedy = "its weights do not fit: use a smaller or a quantised model, or another device"
    elif "No space left" in detail:
        remedy = "the disk is full: make room, or name another place (HF_HOME)"
    elif "trust_remote_code" in detail or "custom code" in detail:
        remedy = "models that bring their own code are not run"
    elif "attention implementation" in detail or "attn_implementation" in detail:
        remedy = f"it has no {spec.attention} attention here: set attention to auto"
    elif method is not None and isinstance(error, ImportError):
        remedy = f"its weights are quantised ({method}): install the package that reads them"
    elif method is not None:
        remedy = f"its weights are quantised ({method}), which cannot be used here as asked"
    elif isinstance(error, safetensors.SafetensorError):
        remedy = "its weights are damaged or cut off: download or save them again"
    elif "safetensors" in detail:
        remedy = "only safetensors weights are loaded: convert them (save_pretrained does)"
    elif Path(spec.model).expanduser().is_dir():
        remedy = "the folder needs config.json, *.safetensors and the tokenizer's files"
    else:
        remedy = (
            "there is no such folder here, so that it was looked for on the Hub: check the name; "
            "for a model of the Hub the network, and log in for gated ones"
        )
    return f"the model {spec.model!r} cannot be loaded: {remedy} ({detail})"


def _shared(spec: ModelSpec, folder: Path | None) -> dict[str, Any]:
    shared: dict[str, Any] = {"trust_remote_code": False}
    if folder is None:
        shared["revision"] = spec.revision
    return shared


def _read_template(path: str) -> str:
    try:
        with Path(path).expanduser().open("rb") as file:
            text = file.read(TEMPLATE_BYTES + 1).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        detail = getattr(error, "strerror", None) or error
        raise ConfigError(f"the chat template {path!r} cannot be read: {detail}") from error
    if not text.strip() or len(text.encode()) > TEMPLATE_BYTES:
        raise ConfigError(
            f"the chat template {path!r} is empty, or larger than {TEMPLATE_BYTES} bytes"
        )
    return text


def _check_template(tokenizer: Any, spec: ModelSpec) -> None:
    """Refuses a user's template that loses a question.

    The model's own is tried when it is first asked: a guard's may need what its file tells it.
    """
    if spec.chat_template is not None and (problem := find_problem(tokenizer, ["user"])):
        raise ConfigError(f"the chat template {spec.chat_template!r} {problem}")


def _dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _checkpoint_dtype(config: Any) -> torch.dtype:
    """The dtype that the checkpoint's config names, whatever its weights are stored in."""
    dtype: torch.dtype = getattr(config, "dtype", None) or torch.float32
    return dtype


def _dtype(spec: ModelSpec, config: Any, device: torch.device) -> torch.dtype:
    if spec.dtype != "auto":
        return torch.float32 if spec.dtype == "float32" else getattr(torch, spec.dtype)
    stored = _checkpoint_dtype(config)
    # measured: float16 is four times slower than float32 on a CPU, bfloat16 twice as fast
    return torch.bfloat16 if device.type == "cpu" and stored == torch.float16 else stored
