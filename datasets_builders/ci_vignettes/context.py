"""Contexts without errors: from a file, from a draft, and those that come with Normscope."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...errors import ConfigError
from ...problems import tell
from ...yaml import convert, plain, read_text
from .check import find_problems
from .context_file import ContextFile

CONTEXTS = Path(__file__).parent / "contexts"


@dataclass(frozen=True, slots=True)
class Context(ContextFile):
    """A context without errors (`check.py` says what is one)."""

    def __post_init__(self) -> None:
        """Refuses a context that could not be generated as it is meant, all problems at once."""
        if told := tell(find_problems(self), f"context {self.name!r}"):
            raise ConfigError(told)


def load_context(path: Path) -> Context:
    """The context of a YAML file, whose name must be that of the file."""
    value, lines = plain(read_text(path), name=str(path))
    draft = convert(value, ContextFile, name=str(path), lines=lines)
    if told := tell(find_problems(draft), str(path), lines=lines):
        raise ConfigError(told)
    if draft.name != path.stem:
        raise ConfigError(f"{path}: the context calls itself {draft.name!r}; rename one of them")
    return checked(draft)


def checked(draft: ContextFile) -> Context:
    """The same, checked: a `ConfigError` if there is an error in it."""
    return Context(**{name: getattr(draft, name) for name in ContextFile.__slots__})


@cache
def bundled_contexts() -> Mapping[str, Context]:
    """The contexts that come with Normscope, by name."""
    return {path.stem: load_context(path) for path in sorted(CONTEXTS.glob("*.yaml"))}
