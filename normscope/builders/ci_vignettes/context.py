"""Contexts without errors: from a file, from a draft, and those that come with Normscope."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...errors import ConfigError
from ...problems import checked, refuse
from ...yaml import convert
from ...yaml_loader import plain, read_text
from .check import find_problems
from .context_file import ContextFile
from .prompts import FOLDER, Prompts, is_prompts, load_prompts
from .ratings import with_ratings

CONTEXTS = FOLDER / "contexts"


@dataclass(frozen=True, slots=True)
class CheckedContext(ContextFile):
    """A context without errors (`check.py` says what is one)."""

    def __post_init__(self) -> None:
        """Refuses a context that could not be generated as it is meant, all problems at once."""
        refuse(find_problems(self), f"context {self.name!r}")


def load_context(path: Path) -> CheckedContext:
    """The context of a YAML file, whose name must be that of the file, with its ratings."""
    value, lines = plain(read_text(path), name=str(path))
    draft = convert(value, ContextFile, name=str(path), lines=lines)
    draft, problems = with_ratings(draft, path.parent)
    refuse((*problems, *find_problems(draft)), str(path), lines=lines)
    context = checked(draft, CheckedContext)
    if context.name != path.stem:
        raise ConfigError(f"{path}: the context calls itself {context.name!r}; rename one of them")
    return context


def contexts_in(folder: Path) -> Mapping[str, CheckedContext]:
    """The contexts of a folder's YAML files, by name; files of prompts may lie among them."""
    paths = [path for path in sorted(folder.glob("*.y*ml")) if not is_prompts(path)]
    return {path.stem: load_context(path) for path in paths}


def named_prompts(contexts: Mapping[str, CheckedContext], folder: Path) -> dict[str, Prompts]:
    """The prompts of each context of the folder that names some, by the context."""
    return {
        name: load_prompts(folder / context.prompts)
        for name, context in contexts.items()
        if context.prompts is not None
    }


@cache
def bundled_contexts() -> Mapping[str, CheckedContext]:
    """The contexts that come with Normscope, by name: dropping a file in adds one."""
    return contexts_in(CONTEXTS)
