"""Everything that can be said of a contributed file before anybody builds it."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...errors import ConfigError
from ...messages import Message, marked, message
from ...problems import Problem, Review, findings_of, located, problem, review_file
from ...yaml import MOST, Lines, Location, convert
from .check import NAME, find_problems
from .context_file import ContextFile
from .prompts import (
    CONTEXTS,
    PROMPTS,
    Prompts,
    bundled_prompts,
    find_prompt_problems,
)
from .ratings import with_ratings
from .vignettes import corrected_table, rating_table, vignette_table

BLANK = "___"
"""What a starter has where something is to be filled in."""

_E_MAIL = re.compile(r"[\w.+-]+@(?!example\.)[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}", re.I)
_NO_SPACES = ("zh", "ja", "th", "lo", "km", "my")
_PUNCTUATION = (
    message("punctuation twice"),
    re.compile(r"(?<!\.)([.,;:!?。，；：！？、])\s*\1(?!\.)"),
)
_SPACED = (
    (message("two spaces"), re.compile(r" {2,}")),
    (message("a space before punctuation"), re.compile(r"\w +[,;:!?.](?![\w.])")),
    (message("a word twice"), re.compile(r"\b(?!(?:that|had) )(\w+)\s+\1\b", re.IGNORECASE)),
)


def review(path: Path) -> Review[ContextFile | Prompts]:
    """Every problem of a context or prompts file, by line; the first 50 of each kind.

    A file that cannot be read at all is a `ConfigError`.
    """
    empty = message("no keys are in it; `normscope context new` writes a file to begin with")
    return review_file(path, lambda value, lines: _look(value, lines, path), empty=empty)


def _look(value: Mapping[Any, Any], lines: Lines, path: Path) -> Review[ContextFile | Prompts]:
    blanks = (spot for spot, text in _texts(value, ()) if BLANK in text)
    still = marked("this is still a blank; fill it in or take it out")
    if unfilled := [problem(spot, still) for spot in blanks]:
        return Review(located(unfilled, lines))
    problems = [*islice(_personal_problems(value), MOST)]
    kind: type[ContextFile | Prompts] = Prompts if "variants" in value else ContextFile
    try:
        result = convert(value, kind, name=str(path), lines=lines)
    except ConfigError as error:
        return Review((*findings_of(error), *located(problems, lines)))
    if isinstance(result, Prompts):
        problems += islice(find_prompt_problems(result), MOST)
        wording = _prompt_wording(result, path)
    else:
        result, of_ratings = with_ratings(result, path.parent)
        problems += [*islice(find_problems(result), MOST), *of_ratings]
        problems += file_problems(result, path)
        wording = _context_wording(result, path)
    # wording is looked at last: of a file with errors no vignette can be made
    if all(each.warning for each in problems):
        problems += islice(wording, MOST)
    good = all(each.warning for each in problems)
    return Review(located(problems, lines), result if good else None)


def file_problems(context: ContextFile, path: Path) -> Iterator[Problem]:
    """A file that is not called as its context is."""
    if NAME.fullmatch(context.name) and context.name != path.stem:
        yield problem(
            ("name",),
            "the file is called {path}; rename it to {name}.yaml, or change the name in it",
            path=path.name,
            name=context.name,
        )


def _personal_problems(value: Mapping[Any, Any]) -> Iterator[Problem]:
    for spot, text in _texts(value, ()):
        # who wrote a context and where it was published may be given as an address
        if spot and spot[0] not in {"contributors", "source", "instrument"}:
            for match in _E_MAIL.finditer(text):
                yield problem(
                    spot,
                    "an e-mail address in {text}: no personal data; make it up in words, or use "
                    "example.org",
                    text=repr(match[0]),
                )


def _texts(value: Any, where: Location) -> Iterator[tuple[Location, str]]:
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, dict):
        for key, child in value.items():
            yield from _texts(str(key), (*where, key))
            yield from _texts(child, (*where, key))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from _texts(child, (*where, index))


def _context_wording(context: ContextFile, path: Path) -> Iterator[Problem]:
    """Texts that stand twice, and joins, of a context that is sound otherwise."""
    key = "practices"
    try:
        tables = {"template": vignette_table(context)}
        if context.has_null_control:
            tables["null_control"] = vignette_table(context, null_control=True)
        key = "corrections"
        if context.corrections:
            corrected_table(context)
        key = "ratings"
        if context.ratings is not None:
            rating_table(context)
    except ConfigError as error:
        # without the context's name, which the file has
        text = error.message
        problem_text = text.slots.get("problem", text) if isinstance(text, Message) else text
        yield Problem((key,), problem_text if isinstance(problem_text, str) else text)
        return
    bundled = CONTEXTS / f"{context.name}.yaml"
    if bundled.is_file() and path.resolve().parent != CONTEXTS.resolve():
        yield problem(("name",), "a bundled context has this name; choose another")
    if context.prompts is not None:
        yield from _beside_problems(path.with_name(context.prompts))
    elif context.language.partition("-")[0] != "en":
        yield problem(
            ("language",),
            "the published prompts are English; name a file of your own beside this one, as in "
            "prompts: my-prompts.yaml",
            warning=True,
        )
    yield from _oddities(context, tables)


def _oddities(context: ContextFile, tables: Mapping[str, pa.Table]) -> Iterator[Problem]:
    """The first of each kind of oddity in what is made of a template, and those in the anchors."""
    texts: list[tuple[Location, str]] = [
        (("practices", practice, key), text)
        for key, table in tables.items()
        for practice, text in zip(
            table["practice"].to_pylist(), table["vignette"].to_pylist(), strict=True
        )
    ]
    texts += [(("anchors", at), anchor.text) for at, anchor in enumerate(context.anchors)]
    seen: set[tuple[Location, str]] = set()
    for where, text in texts:
        for kind, oddity in find_oddities(text, language=context.language):
            if (where, kind) not in seen:
                seen.add((where, kind))
                yield problem(
                    where,
                    "{oddity}, as in {vignette}",
                    warning=True,
                    oddity=oddity,
                    vignette=repr(text),
                )


def find_oddities(text: str, *, language: str = "en") -> Iterator[tuple[str, Message]]:
    """What joins leave behind, by its kind: spaces, punctuation and words that are doubled.

    Spaces and words are looked at in languages that put spaces between words.

    >>> [str(told) for _, told in find_oddities("A site collects your your data. . It ends")]
    ["punctuation twice in '. .'", "a word twice in 'your your'"]
    """
    spaced = language.partition("-")[0] not in _NO_SPACES
    for kind, rule in (_PUNCTUATION, *(_SPACED if spaced else ())):
        for match in rule.finditer(text):
            start, end = match.span()
            around = text[max(0, start - 12) : end + 12] if not match[0].strip() else match[0]
            yield kind, message("{kind} in {text}", kind=kind, text=repr(around.strip()))


def _beside_problems(path: Path) -> Iterator[Problem]:
    """What is wrong with the prompts that the context names."""
    where, name = ("prompts",), path.name
    if not path.is_file():
        yield problem(
            where, "there is no {file} beside this file; write it, or take this out", file=name
        )
        return
    reviewed = review(path)
    for finding in (each for each in reviewed.findings if not each.warning):
        place = f"{name}:{finding.line}"
        yield problem(where, "{place}: {problem}", place=place, problem=finding.text)
    if isinstance(reviewed.result, ContextFile):
        yield problem(where, "{file} is a context, not prompts", file=name)


def _prompt_wording(prompts: Prompts, path: Path) -> Iterator[Problem]:
    """Oddities of a variant's wording, and names that are taken."""
    if "forward" not in prompts.scale_orders:
        yield problem(
            ("scale_orders",),
            "the order in which the answers are listed by default is missing; add {line}",
            line="`forward: [0, 1, 2, 3, 4]`",
        )
    is_own = path.resolve() != PROMPTS.resolve()
    for name, template in prompts.variants.items():
        where = ("variants", name)
        if is_own and name in bundled_prompts().variants:
            yield problem(where, "a bundled variant has this name; choose another")
        for _, oddity in find_oddities(template, language=prompts.language):
            yield Problem(where, oddity, warning=True)
