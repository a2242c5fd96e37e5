"""Loading a model and its tokenizer: safetensors only, no code of theirs, everything recorded."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers

from ...errors import ModelError
from ...files import hash_file, hash_value
from . import ModelSpec

# What decides a local model's answers; other files (cards, optimiser states) do not.
_TELLING = ("*.safetensors", "*.json", "*.jinja", "*.model", "*.txt")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model, its tokenizer, and what tells this pair from any other."""

    model: Any
    tokenizer: Any
    identity: dict[str, Any]


def load_model(spec: ModelSpec) -> Loaded:
    """The model in evaluation mode on its device, or a `ModelError` with the remedy."""
    local = _local_folder(spec.model)
    device = _device(spec.device)
    shared: dict[str, Any] = {"trust_remote_code": False}
    if not local:
        shared["revision"] = spec.revision
    try:
        config = transformers.AutoConfig.from_pretrained(spec.model, **shared)
        tokenizer = transformers.AutoTokenizer.from_pretrained(spec.model, **shared)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            spec.model,
            config=config,
            dtype=_dtype(spec, config, device),
            use_safetensors=True,
            attn_implementation=spec.attention,
            **shared,
        )
    except (OSError, ValueError, ImportError, KeyError, RuntimeError) as error:
        raise ModelError(_explain(spec, error, local=local is not None)) from error
    model = model.to(device).eval()
    return Loaded(model, tokenizer, _identity(spec, model, tokenizer, local))


def _local_folder(model: str) -> Path | None:
    path = Path(model).expanduser()
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise ModelError(
                f"{path} has no config.json: name a folder made with save_pretrained, "
                "with the tokenizer in it"
            )
        return path
    looks_local = model.startswith(("/", ".", "~")) or model.count("/") > 1
    if looks_local or path.exists():
        raise ModelError(
            f"there is no model folder {model!r}: name a folder made with save_pretrained, "
            "or a Hub id such as Qwen/Qwen3-0.6B"
        )
    return None


def _device(asked: str) -> torch.device:
    if asked == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(asked)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ModelError(f"device {asked!r} cannot be used here; try --device cpu") from error
    return device


def _dtype(spec: ModelSpec, config: Any, device: torch.device) -> torch.dtype:
    if spec.dtype != "auto":
        return torch.float32 if spec.dtype == "float32" else getattr(torch, spec.dtype)
    own = getattr(config, "dtype", None) or torch.float32
    # measured: float16 is four times slower than float32 on a CPU, bfloat16 twice as fast
    return torch.bfloat16 if device.type == "cpu" and own == torch.float16 else own


def _identity(spec: ModelSpec, model: Any, tokenizer: Any, local: Path | None) -> dict[str, Any]:
    config = model.config.get_text_config()
    template = tokenizer.chat_template
    return {
        "engine": "transformers",
        "model": spec.model,
        "revision": None if local else getattr(model.config, "_commit_hash", None),
        "content": _hash_folder(local) if local else None,
        "architecture": type(model).__name__,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "context": getattr(config, "max_position_embeddings", None),
        "chat_template": hash_value(template) if template else None,
        "dtype": str(model.dtype).removeprefix("torch."),
        "device": model.device.type,
        "attention": spec.attention,
        "pack_tokens": spec.pack_tokens,
        "threads": torch.get_num_threads(),
        "note": getattr(model.config, "normscope_note", None),
    }


def _hash_folder(folder: Path) -> str:
    files = sorted({path for pattern in _TELLING for path in folder.glob(pattern)})
    return hash_value({path.name: hash_file(path) for path in files})


def _explain(spec: ModelSpec, error: Exception, *, local: bool) -> str:
    told = " ".join(str(error).split())[:300]
    if "safetensors" in told:
        remedy = "only safetensors weights are loaded: convert them (save_pretrained does)"
    elif "trust_remote_code" in told or "custom code" in told:
        remedy = "models that bring their own code are not run"
    elif local:
        remedy = "the folder needs config.json, *.safetensors and the tokenizer's files"
    else:
        remedy = "check the id and the network, log in for gated models, or name a local folder"
    return f"the model {spec.model!r} cannot be loaded: {remedy} ({told})"
