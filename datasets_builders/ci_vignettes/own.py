"""Contexts and prompts of one's own: from their files to a dataset that a run can ask."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from ...errors import ReviewError, UsageError
from ...messages import joined, message
from ...problems import Review
from ...yaml import plain, read_text
from .builder import Wording
from .context import CONTEXTS, Context, bundled_contexts, load_context
from .prompts import PROMPTS, Prompts, bundled_prompts
from .review import review

T = TypeVar("T", Context, Prompts)

FOLDER = CONTEXTS.name
"""Where a run keeps its copies of the files, and where a folder is looked through for them."""


def read_wording(contexts: Iterable[Path], prompts: Path | None) -> Wording:
    """The bundled contexts and those of these files, in the prompts of a file if there is one.

    A folder stands for the contexts in its folder `contexts`. A file with an error in it is a
    `ReviewError` with everything that `context check` says of it. A name that a bundled context
    has is refused, unless the file says exactly what that one does: a context that was asked from a
    file and later came with Normscope is the same context.
    """
    own: dict[str, Context] = {}
    sources: dict[str, tuple[Path, ...]] = {}
    for path in _files(contexts):
        context = _context(path)
        if context.name in own:
            raise UsageError(
                message(
                    "two contexts are called {name}: {first} and {second}; name one of them",
                    name=repr(context.name),
                    first=sources[context.name][0],
                    second=path,
                )
            )
        own[context.name], sources[context.name] = context, (path,)
    every = {**bundled_contexts(), **own}
    if prompts is None:
        return Wording(tuple(every.values()), sources=sources)
    return Wording(tuple(every.values()), _prompts(prompts), {**sources, "": (prompts,)})


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        files = sorted((path / FOLDER).glob("*.yaml"))
        contexts = [file for file in files if not _holds_prompts(file)]
        if not contexts:
            raise UsageError(
                message(
                    "{path} holds no context (no {folder}/*.yaml); name the context's YAML file",
                    path=path,
                    folder=FOLDER,
                )
            )
        yield from contexts


def _holds_prompts(path: Path) -> bool:
    value, _ = plain(read_text(path), name=str(path))
    return isinstance(value, dict) and "variants" in value


def _context(path: Path) -> Context:
    bundled = CONTEXTS / path.name
    if bundled.is_file() and path.is_file() and path.read_bytes() == bundled.read_bytes():
        return load_context(bundled)
    if path.stem in bundled_contexts():
        raise UsageError(
            message(
                "{path}: a bundled context is called {name} and says something else; give yours "
                "another name, in the file and of the file",
                path=path,
                name=repr(path.stem),
            )
        )
    return _sound(path, review(path), Context)


def _prompts(path: Path) -> Prompts:
    if path.is_file() and path.read_bytes() == PROMPTS.read_bytes():
        return bundled_prompts()
    return _sound(path, review(path), Prompts)


def _sound(path: Path, reviewed: Review[Context | Prompts], kind: type[T]) -> T:
    """What the file makes, or a `ReviewError` with the line of every error in it."""
    if reviewed.result is None:
        errors = (finding for finding in reviewed.findings if not finding.warning)
        lines = (
            message(
                "{place}: {problem}",
                place=f"{path}:{each.line}" if each.line else str(path),
                problem=each.text,
            )
            for each in errors
        )
        raise ReviewError(joined(lines, "\n"))
    if not isinstance(reviewed.result, kind):
        remedy = (
            message("{path} holds prompts, not a context: --prompts {path}", path=path)
            if kind is Context
            else message("{path} is a context, not prompts: --context {path}", path=path)
        )
        raise UsageError(remedy)
    return reviewed.result
