"""Contexts and prompts of one's own: from their files to a dataset that a run can ask."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from ...errors import ConfigError, ReviewError, UsageError
from ...messages import joined, message
from ...problems import Review
from ...records.integrity import SOURCES
from ...yaml_loader import read_bytes
from ..builder import OwnFile
from .builder import Wording, bundled_wording
from .context import CheckedContext, bundled_contexts
from .prompts import PROMPTS, Prompts, bundled_prompts, is_prompts
from .ratings import rated_in, ratings_copy
from .review import review

T = TypeVar("T", CheckedContext, Prompts)


def read_wording(contexts: Iterable[Path], prompts: Path | None) -> Wording:
    """The bundled contexts and those of these files, in the prompts of a file if there is one.

    A folder stands for the contexts in its folder `contexts`, as a run and `context build` leave
    it. A file with an error in it is a `ReviewError` with everything that `context check` says of
    it, such as a name that a bundled context has.
    """
    own: dict[str, CheckedContext] = {}
    named = dict(bundled_wording().named)
    sources: dict[str, tuple[OwnFile, ...]] = {}
    for path in _files(contexts):
        context = _sound(path, review(path), CheckedContext)
        name = context.name
        if name in own:
            raise UsageError(
                message(
                    "two contexts are called {name}: {first} and {second}; name one of them",
                    name=repr(name),
                    first=sources[name][0].path,
                    second=path,
                )
            )
        own[name], sources[name] = context, tuple(_own_files(path, context))
        if context.prompts is not None:
            named[name] = read_prompts(path.with_name(context.prompts))
    every = tuple({**bundled_contexts(), **own}.values())
    if prompts is not None:
        sources[""] = (OwnFile(prompts, read_bytes(prompts)),)
    return Wording(every, None if prompts is None else read_prompts(prompts), named, sources)


def _own_files(path: Path, context: CheckedContext) -> Iterator[OwnFile]:
    """The context's file, its prompts, and its ratings as counts."""
    yield OwnFile(path, read_bytes(path))
    if context.prompts is not None:
        prompts = path.with_name(context.prompts)
        yield OwnFile(prompts, read_bytes(prompts))
    if (file := rated_in(context)) is not None:
        yield OwnFile(path.with_name(file), ratings_copy(context))


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        contexts = [p for p in sorted((path / SOURCES).glob("*.y*ml")) if not is_prompts(p)]
        if not contexts:
            raise UsageError(
                message(
                    "{path} holds no context of one's own (no {folder}/*.yaml): name the context's "
                    "YAML file; those that come with Normscope are asked without --context",
                    path=path,
                    folder=SOURCES,
                )
            )
        yield from contexts


def read_prompts(path: Path) -> Prompts:
    """The prompts of a file without an error in it, else a `ReviewError` that tells every one."""
    if path.is_file() and path.read_bytes() == PROMPTS.read_bytes():
        return bundled_prompts()
    return _sound(path, review(path), Prompts)


def _sound(path: Path, reviewed: Review[CheckedContext | Prompts], kind: type[T]) -> T:
    """What the file makes, or a `ReviewError` with the line of every error in it."""
    if reviewed.result is None:
        errors = (found.of(path) for found in reviewed.findings if not found.warning)
        raise ReviewError(joined(errors, "\n"))
    if not isinstance(reviewed.result, kind):
        remedy = (
            message("{path} holds prompts, not a context: --prompts {path}", path=path)
            if kind is CheckedContext
            else message("{path} is a context, not prompts: --context {path}", path=path)
        )
        raise ConfigError(remedy)
    return reviewed.result
