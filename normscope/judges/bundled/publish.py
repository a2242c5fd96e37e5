"""What of the bundled judge goes to the Hub. No network here: the front door makes the commit."""

from pathlib import Path

from ...errors import DataError, UsageError
from . import RUBRIC, path

NAME = "bundled"
SLUG = "normscope-bundled-judge"
NEEDED = (
    "README.md",
    "config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
    RUBRIC,
)


def check_name(name: str) -> None:
    """Refuses a model that does not come with Normscope."""
    if name != NAME:
        raise UsageError(f"there is no model {name!r} to push; known: {NAME}")


def model_files(folder: Path | None = None) -> dict[str, Path]:
    """The files by their path in the repository: model, tokenizer, card and rubric.

    `folder` is another model saved in the same way, for instance one that was trained anew.
    """
    folder = folder or path()
    if missing := [name for name in NEEDED if not (folder / name).is_file()]:
        raise DataError(
            f"{folder} has no {', '.join(missing)}: a judge to be pushed is a folder with a model "
            "in safetensors, its tokenizer, its rubric and its card"
        )
    return {file.name: file for file in sorted(folder.iterdir()) if _belongs(file)}


def _belongs(file: Path) -> bool:
    kinds = {".json", ".safetensors", ".md", ".csv", ".yaml"}
    return file.is_file() and not file.name.startswith(".") and file.suffix in kinds
