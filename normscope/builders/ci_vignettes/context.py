"""Contexts and prompts that are asked: those that come with Normscope, and one's own files."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypeVar

from ...errors import ConfigError, ReviewError, UsageError
from ...messages import joined, message
from ...problems import refuse
from ...records.integrity import SOURCES
from ...yaml import convert, plain, read_bytes, read_text
from ..builder import OwnFile
from .check import find_problems
from .context_file import ContextFile
from .prompts import CONTEXTS, PROMPTS, Prompts, bundled_prompts, is_prompts, load_prompts
from .ratings import ratings_copy, with_ratings
from .review import file_problems, review

T = TypeVar("T", ContextFile, Prompts)

EVERY = ""
"""Under which stands in a `Wording` what holds for every context."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What the tables are made of: contexts, and by context what they bring along.

    `prompts` take the place of the published ones; `sources` are the files of one's own.
    """

    contexts: tuple[ContextFile, ...]
    prompts: Mapping[str, Prompts] = field(default_factory=dict)
    sources: Mapping[str, tuple[OwnFile, ...]] = field(default_factory=dict)

    def prompts_of(self, context: str) -> Prompts | None:
        """What the context is asked in; null: the published prompts."""
        return self.prompts.get(EVERY) or self.prompts.get(context)

    def sources_of(self, context: str) -> tuple[OwnFile, ...]:
        """The files of one's own behind the context, or behind all where none is named so."""
        files = (*self.sources.get(context, ()), *self.sources.get(EVERY, ()))
        return tuple(dict.fromkeys(files))


def load_context(path: Path) -> ContextFile:
    """The context of a YAML file with its ratings; a `ConfigError` tells every error, by line.

    How its vignettes read and what it names beside the ratings is left to `review`.
    """
    value, lines = plain(read_text(path), name=str(path))
    draft = convert(value, ContextFile, name=str(path), lines=lines)
    context, of_ratings = with_ratings(draft, path.parent)
    problems = (*of_ratings, *find_problems(context), *file_problems(context, path))
    refuse(problems, str(path), lines=lines)
    return context


def contexts_in(folder: Path) -> list[Path]:
    """The files of contexts in a folder; files of prompts may lie among them."""
    return [path for path in sorted(folder.glob("*.y*ml")) if not is_prompts(path)]


@cache
def bundled_contexts() -> Mapping[str, ContextFile]:
    """The contexts that come with Normscope, by name: dropping a file in adds one."""
    return {path.stem: load_context(path) for path in contexts_in(CONTEXTS)}


def bundled_wording() -> Wording:
    """The contexts that come with Normscope, in the published prompts or those that they name."""
    contexts = bundled_contexts()
    prompts = {n: load_prompts(CONTEXTS / c.prompts) for n, c in contexts.items() if c.prompts}
    return Wording(tuple(contexts.values()), prompts)


def read_wording(contexts: Iterable[Path], prompts: Path | None) -> Wording:
    """The bundled contexts and those of these files, in the prompts of a file if there is one.

    A folder stands for the contexts in its folder `contexts`, as a run and `build` leave it. A file
    with an error in it is a `ReviewError` with everything that `context check` says of it, such as
    a name that a bundled context has.
    """
    bundled = bundled_wording()
    by_name: dict[str, ContextFile] = {}
    named = dict(bundled.prompts)
    sources: dict[str, tuple[OwnFile, ...]] = {}
    for path in _files(contexts):
        context = _sound(path, ContextFile)
        name = context.name
        if name in by_name:
            raise UsageError(
                message(
                    "two contexts are called {name}: {first} and {second}; name one of them",
                    name=repr(name),
                    first=sources[name][0].path,
                    second=path,
                )
            )
        files = [OwnFile(path, read_bytes(path))]
        if context.prompts is not None:
            beside = path.with_name(context.prompts)
            named[name] = read_prompts(beside)
            files.append(OwnFile(beside, read_bytes(beside)))
        if context.ratings_file is not None:
            files.append(OwnFile(path.with_name(context.ratings_file), ratings_copy(context)))
        by_name[name], sources[name] = context, tuple(files)
    if prompts is not None:
        named[EVERY] = read_prompts(prompts)
        sources[EVERY] = (OwnFile(prompts, read_bytes(prompts)),)
    return Wording(tuple({**bundled_contexts(), **by_name}.values()), named, sources)


def read_prompts(path: Path) -> Prompts:
    """The prompts of a file without an error in it, else a `ReviewError` that tells every one."""
    if path.is_file() and path.read_bytes() == PROMPTS.read_bytes():
        return bundled_prompts()
    return _sound(path, Prompts)


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        contexts = contexts_in(path / SOURCES) if path.is_dir() else [path]
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


def _sound(path: Path, kind: type[T]) -> T:
    """What the file makes, or a `ReviewError` with the line of every error in it."""
    reviewed = review(path)
    if reviewed.result is None:
        errors = (found.of(path) for found in reviewed.findings if not found.warning)
        raise ReviewError(joined(errors, "\n"))
    if not isinstance(reviewed.result, kind):
        remedy = (
            message("{path} holds prompts, not a context: --prompts {path}", path=path)
            if kind is ContextFile
            else message("{path} is a context, not prompts: --context {path}", path=path)
        )
        raise ConfigError(remedy)
    return reviewed.result
