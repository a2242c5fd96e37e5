"""Everything that can be said of a contributed file before anybody builds it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...categorical import group_by
from ...errors import ConfigError, DataError
from ...messages import Message, marked, message
from ...problems import Problem, Review, checked, findings_of, located, problem, review_file
from ...tables import read_table
from ...yaml import MOST, convert
from ...yaml_loader import Lines, Location
from ..near_duplicates import near_duplicates
from .check import NAME, find_problems
from .context import CONTEXTS, CheckedContext, bundled_contexts
from .context_file import ContextFile
from .derived import corrected_table, rating_table
from .prompts import OURS, PROMPTS, Prompts, PromptsFile, bundled_prompts, our_prompts
from .prompts import find_problems as find_prompt_problems
from .ratings import with_ratings
from .vignettes import vignette_table

BLANK = "___"
"""What a starter has where something is to be filled in."""

TEXTS = ("vignette", "prompt", "question", "text")
"""The columns in which a file that a context is held against may have its texts."""

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
_TOLD = ("practice", "vignette")
_MOST_PAIRS = 20_000
_COMPARED = 100
_ALIKE = 0.8


def review(path: Path, *, against: Path | None = None) -> Review[CheckedContext | Prompts]:
    """Every problem of a context or prompts file, by line; the first 50 of each kind.

    The texts of the file `against` are held beside the vignettes of a context. A file that cannot
    be read at all is a `ConfigError`.
    """
    empty = message("no keys are in it; `normscope context new` writes a file to begin with")
    return review_file(path, lambda value, lines: _look(value, lines, path, against), empty=empty)


def _look(
    value: Mapping[Any, Any], lines: Lines, path: Path, against: Path | None
) -> Review[CheckedContext | Prompts]:
    blanks = (spot for spot, text in _texts(value, ()) if BLANK in text)
    still = marked("this is still a blank; fill it in or take it out")
    if unfilled := [problem(spot, still) for spot in blanks]:
        return Review(located(unfilled, lines))
    problems = [*islice(_personal_problems(value), MOST)]
    kind: type[ContextFile | PromptsFile] = PromptsFile if "variants" in value else ContextFile
    try:
        draft = convert(value, kind, name=str(path), lines=lines)
    except ConfigError as error:
        return Review((*findings_of(error), *located(problems, lines)))
    if isinstance(draft, PromptsFile):
        problems += islice(find_prompt_problems(draft), MOST)
        wording = _prompt_wording(draft, path)
    else:
        draft, of_ratings = with_ratings(draft, path.parent)
        problems += [*islice(find_problems(draft), MOST), *of_ratings, *_file_problems(draft, path)]
        wording = _context_wording(draft, path, against)
    # wording is looked at last: of a file with errors no vignette can be made
    if all(each.warning for each in problems):
        problems += islice(wording, MOST)
    findings = located(problems, lines)
    sound: type[CheckedContext | Prompts] = (
        CheckedContext if isinstance(draft, ContextFile) else Prompts
    )
    good = all(finding.warning for finding in findings)
    return Review(findings, checked(draft, sound) if good else None)


def _file_problems(context: ContextFile, path: Path) -> Iterator[Problem]:
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


def _context_wording(context: ContextFile, path: Path, against: Path | None) -> Iterator[Problem]:
    """Texts that stand twice, joins, and likenesses of a context that is sound otherwise."""
    sound, key = checked(context, CheckedContext), "practices"
    try:
        tables = {"template": vignette_table(sound)}
        if sound.has_null_control:
            tables["null_control"] = vignette_table(sound, null_control=True)
        key = "corrections"
        if sound.corrections:
            corrected_table(sound)
        key = "ratings"
        if sound.ratings is not None:
            rating_table(sound)
    except ConfigError as error:
        # without the context's name, which the file has
        text = error.message
        told = text.slots.get("problem", text) if isinstance(text, Message) else text
        yield Problem((key,), told if isinstance(told, str) else text)
        return
    if context.name in bundled_contexts() and path.resolve().parent != CONTEXTS.resolve():
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
    texts = tables["template"]["vignette"].to_pylist()
    others = [(name, text) for name, text in _bundled_texts() if name != context.name]
    named = [(message("the context {name}", name=name), text) for name, text in others]
    yield from _likenesses(texts[:: _step(texts)], named)
    if against is not None:
        yield from _likenesses(texts, [(str(against), text) for text in _read_texts(against)])


def _oddities(context: ContextFile, tables: Mapping[str, pa.Table]) -> Iterator[Problem]:
    """The first of each kind of oddity in what is made of a template, and those in the anchors."""
    texts: list[tuple[Location, str]] = [
        (("practices", practice, key), text)
        for key, table in tables.items()
        for practice, text in zip(*(table[name].to_pylist() for name in _TOLD), strict=True)
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
    if isinstance(reviewed.result, CheckedContext):
        yield problem(where, "{file} is a context, not prompts", file=name)


def _likenesses(texts: Sequence[str], others: Sequence[tuple[str, str]]) -> Iterator[Problem]:
    """Of the others, each text with its source, the sources that have nearly one of the texts."""
    theirs = [text for _, text in others]
    pairs = list(islice(near_duplicates(texts, threshold=_ALIKE, others=theirs), _MOST_PAIRS))
    for name, alike in group_by(pairs, lambda pair: others[pair.right][0]).items():
        closest = max(alike, key=lambda pair: pair.similarity)
        yield problem(
            ("practices",),
            "{n} of its vignettes are nearly those of {other}, as {mine} is to {theirs}",
            warning=True,
            n=len({pair.left for pair in alike}),
            other=name,
            mine=repr(texts[closest.left]),
            theirs=repr(theirs[closest.right]),
        )


@cache
def _bundled_texts() -> tuple[tuple[str, str], ...]:
    """Vignettes of each bundled context with its name."""
    tables = ((name, vignette_table(context)) for name, context in bundled_contexts().items())
    columns = ((name, table["vignette"].to_pylist()) for name, table in tables)
    return tuple((name, text) for name, texts in columns for text in texts[:: _step(texts)])


def _step(texts: list[str]) -> int:
    """Every how many of the texts is compared, so that about a hundred are."""
    return -(-len(texts) // _COMPARED)


def _read_texts(path: Path) -> list[str]:
    """The texts of a file that a context is held against."""
    table = read_table(path)
    columns = [name for name in TEXTS if name in table.rows.column_names]
    if not columns:
        raise DataError(
            f"{path} has no column of texts: call it {', '.join(TEXTS[:-1])} or {TEXTS[-1]}"
        )
    return [text or "" for text in table.texts(columns[0]).to_pylist()]


def _prompt_wording(prompts: PromptsFile, path: Path) -> Iterator[Problem]:
    """Oddities of a variant's wording, and names that are taken."""
    if "forward" not in prompts.scale_orders:
        yield problem(
            ("scale_orders",),
            "the order in which the answers are listed by default is missing; add {line}",
            line="`forward: [0, 1, 2, 3, 4]`",
        )
    own = path.resolve() not in {PROMPTS.resolve(), OURS.resolve()}
    for name, template in prompts.variants.items():
        where = ("variants", name)
        if own and name in {**bundled_prompts().variants, **our_prompts().variants}:
            yield problem(where, "a bundled variant has this name; choose another")
        for _, oddity in find_oddities(template, language=prompts.language):
            yield Problem(where, oddity, warning=True)
