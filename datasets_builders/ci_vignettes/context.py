"""Contexts without errors: from a file, from a draft, and those that come with Normscope."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...errors import ConfigError
from ...problems import load_checked, refuse
from .check import find_problems
from .context_file import ContextFile

CONTEXTS = Path(__file__).parent / "contexts"


@dataclass(frozen=True, slots=True)
class Context(ContextFile):
    """A context without errors (`check.py` says what is one)."""

    def __post_init__(self) -> None:
        """Refuses a context that could not be generated as it is meant, all problems at once."""
        refuse(find_problems(self), f"context {self.name!r}")


def load_context(path: Path) -> Context:
    """The context of a YAML file, whose name must be that of the file."""
    context = load_checked(path, ContextFile, Context, find_problems)
    if context.name != path.stem:
        raise ConfigError(f"{path}: the context calls itself {context.name!r}; rename one of them")
    return context


def contexts_in(folder: Path) -> Mapping[str, Context]:
    """The contexts of a folder's YAML files, by name."""
    return {path.stem: load_context(path) for path in sorted(folder.glob("*.yaml"))}


@cache
def bundled_contexts() -> Mapping[str, Context]:
    """The contexts that come with Normscope, by name: dropping a file in adds one."""
    return contexts_in(CONTEXTS)
