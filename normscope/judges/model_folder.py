"""A model's folder: where it is, which of its files decide its answers, what else lies in it."""

from functools import cache
from pathlib import Path

from ..errors import ModelError
from ..files import check_regular, hash_file, hash_value
from ..records.model_spec import VLLM, ModelSpec, is_elsewhere
from . import bundled

RUBRIC = bundled.RUBRIC

# By name, not by suffix: logs, cards and figures beside a model are JSON too, and a key renamed in
# one of them is no other model.
DECIDING = (
    "*.safetensors",
    "*.safetensors.index.json",
    "config.json",
    "generation_config.json",
    "adapter_config.json",
    "quantize_config.json",
    "quant_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "vocab.txt",
    "merges.txt",
    "tekken.json",
    "*.model",
    "*.spm",
    "*.tiktoken",
    "chat_template.json",
    "*.jinja",
    "additional_chat_templates/*.jinja",
    RUBRIC,
)
"""The files that decide what a local model answers: weights, configuration, tokenizer, rubric."""


def local_folder(model: str) -> Path | None:
    """The folder that is meant, null for a model of the Hub; an error if it is no model's."""
    path = _path(model)
    if path is None:
        return None
    if not path.is_dir():
        raise ModelError(
            f"there is no model folder {model!r}: name a folder made with save_pretrained, "
            "or a Hub id such as Qwen/Qwen3-0.6B"
        )
    if not (path / "config.json").is_file():
        raise ModelError(
            f"{path} has no config.json: name a folder made with save_pretrained, "
            "with the tokenizer in it"
        )
    for file in _deciding(path):
        check_regular(file)
    return path


def content_hash(folder: Path) -> str:
    """The SHA-256 of the files that decide the model's answers, by their names."""
    files = _deciding(folder)
    return hash_value({path.relative_to(folder).as_posix(): hash_file(path) for path in files})


def _deciding(folder: Path) -> list[Path]:
    return sorted({path for pattern in DECIDING for path in folder.glob(pattern)})


def brought_file(judge: ModelSpec, name: str) -> Path | None:
    """The file of that name in a local judge's folder; null without it, or without the folder.

    A folder that is missing is told when the model is loaded.
    """
    folder = None if is_elsewhere(judge.model) else _path(judge.model.removeprefix(VLLM))
    path = None if folder is None else folder / name
    return path if path is not None and path.is_file() else None


def hub_file(judge: ModelSpec, *names: str) -> Path | None:
    """The first of these files in the judge's repository; null without any, or without the Hub."""
    model = judge.model.removeprefix(VLLM)
    if is_elsewhere(judge.model) or _path(model) is not None:
        return None
    return _downloaded(model, names, judge.revision)


def _path(model: str) -> Path | None:
    """Where the folder is or should be, null for an id of the Hub."""
    if model == bundled.NAME:
        return bundled.path()
    path = Path(model).expanduser()
    # an id of the Hub has one slash at most
    looks_local = model.startswith(("/", ".", "~")) or model.count("/") > 1
    return path if looks_local or path.exists() else None


# a run asks three times, and each takes 20 seconds where there is no network
@cache
def _downloaded(model: str, names: tuple[str, ...], revision: str | None) -> Path | None:
    import httpx2
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import (
        EntryNotFoundError,
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
    )

    # Nearly every model brings none, which the Hub tells by an error. Whatever else is wrong (no
    # such id, no network) is told with its remedy when the model is loaded.
    failures = (EntryNotFoundError, HfHubHTTPError, HFValidationError, OSError, httpx2.HTTPError)
    for name in names:
        try:
            return Path(hf_hub_download(model, name, revision=revision))
        except failures as error:
            away = isinstance(error, LocalEntryNotFoundError)
            # where the Hub was not reached the next name is not waited for, either
            if away or not isinstance(error, EntryNotFoundError):
                return None
    return None
