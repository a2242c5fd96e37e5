"""Everything that can be said of a contributed file before anybody builds it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from ...categorical import group_by
from ...errors import ConfigError, DataError
from ...messages import Message, marked, message
from ...problems import Problem, Review, checked, findings_of, located, problem, review_file
from ...rows import read_rows
from ...yaml import MOST, Lines, Location, convert
from ..near_duplicates import Pair, near_duplicates
from .check import NAME, find_problems
from .context import CONTEXTS, CheckedContext, bundled_contexts, wrong_ending
from .context_file import ContextFile
from .derived import corrected_table, rating_table
from .joins import Filled, covering, find_oddities, join_problems, level_lists
from .prompts import OURS, PROMPTS, Prompts, PromptsFile, bundled_prompts, our_prompts
from .prompts import find_problems as find_prompt_problems
from .ratings import with_ratings
from .vignettes import MAX_VIGNETTES, count_vignettes, vignette_table

BLANK = "___"
"""What a starter has where something is to be filled in."""

TEXTS = ("vignette", "prompt", "question", "text")
"""The columns in which a file that a context is held against may have its texts."""

_E_MAIL = re.compile(r"[\w.+-]+@(?!example\.)[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}", re.I)
# a full stop at its end that is not of an abbreviation
_FULL_STOP = re.compile(r"(?<!\betc)(?<!\bInc)(?<!\bLtd)(?<!\b[Cc]o)(?<!\b\w)(?<!\.)[.。．]$")
_MOST_TEXTS = 20_000
_MOST_LEVELS = 2_000
_MOST_ALIKE = 5
_COMPARED = 100
_ALIKE, _ALIKE_PROMPTS = 0.8, 0.9


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
    elif path.suffix == ".yml":
        yield Problem(("name",), wrong_ending(path), warning=True)


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
    """Size, joins and likenesses of a context that is sound otherwise."""
    for null_control in (False, True):
        size = count_vignettes(context, null_control=null_control)
        if size > MAX_VIGNETTES:
            yield problem(
                ("factors",),
                "the product makes {size} vignettes; at most {most} are made: use fewer "
                "levels, tie factors, or split it into several contexts",
                size=_shown(size),
                most=f"{MAX_VIGNETTES:,}",
            )
            return
    yield from _making_problems(checked(context, CheckedContext))
    if context.name in bundled_contexts() and path.resolve().parent != CONTEXTS.resolve():
        yield problem(("name",), "a bundled context has this name; choose another")
    if context.prompts is not None:
        yield from _beside_problems(context, path.with_name(context.prompts))
    elif context.language.partition("-")[0] != "en":
        yield problem(
            ("language",),
            "the published prompts are English; name a file of your own beside this one, as in "
            "prompts: my-prompts.yaml",
            warning=True,
        )
    filled = list(islice(covering(context), _MOST_TEXTS))
    yield from join_problems(context, filled)
    yield from _level_wording(context)
    yield from _likenesses(context, filled)
    if against is not None:
        yield from _likenesses_to(context, against)


def _beside_problems(context: ContextFile, path: Path) -> Iterator[Problem]:
    """What is wrong with the prompts that the context names."""
    where, name = ("prompts",), path.name
    if not path.is_file():
        yield problem(
            where, "there is no {file} beside this file; write it, or take this out", file=name
        )
        return
    reviewed = review(path)
    for finding in (each for each in reviewed.findings if not each.warning):
        yield problem(
            where, "{place}: {problem}", place=f"{name}:{finding.line}", problem=finding.text
        )
    if isinstance(reviewed.result, CheckedContext):
        yield problem(where, "{file} is a context, not prompts", file=name)
    spoken = getattr(reviewed.result, "language", context.language)
    if spoken.partition("-")[0] != context.language.partition("-")[0]:
        yield problem(
            where,
            "the prompts are in {language}, the vignettes in {other}",
            warning=True,
            language=repr(spoken),
            other=repr(context.language),
        )


def _level_wording(context: ContextFile) -> Iterator[Problem]:
    """Levels that end a sentence too early, and levels that are nearly the same."""
    left = _MOST_LEVELS
    for name, factor in context.factors.items():
        for spot, levels in level_lists(name, factor):
            for index, level in enumerate(levels):
                if _FULL_STOP.search(level):
                    yield problem(
                        (*spot, index),
                        "{level} ends with a full stop; leave it out, since the text goes on",
                        warning=True,
                        level=repr(level),
                    )
            compared, left = levels[:left], max(0, left - len(levels))
            for pair in islice(near_duplicates(compared, threshold=_ALIKE), _MOST_ALIKE):
                yield problem(
                    (*spot, pair.right),
                    "{level} is nearly {other}",
                    warning=True,
                    level=repr(levels[pair.right]),
                    other=repr(levels[pair.left]),
                )


def _making_problems(context: CheckedContext) -> Iterator[Problem]:
    """What comes out only when the tables are made: texts that stand twice, idle corrections."""
    makers: list[tuple[str, Callable[[], object]]] = [
        ("practices", lambda: vignette_table(context))
    ]
    if context.has_null_control:
        makers.append(("practices", lambda: vignette_table(context, null_control=True)))
    if context.corrections:
        makers.append(("corrections", lambda: corrected_table(context)))
    if context.ratings is not None:
        makers.append(("ratings", lambda: rating_table(context)))
    for key, make in makers:
        try:
            make()
        except ConfigError as error:
            yield Problem((key,), _problem(error))
            return


def _problem(error: ConfigError) -> str:
    """What is wrong with a context, without its name."""
    text = error.message
    problem = text.slots.get("problem") if isinstance(text, Message) else None
    return problem if isinstance(problem, str) else text


def _likenesses(context: ContextFile, filled: list[Filled]) -> Iterator[Problem]:
    """Bundled contexts with a vignette that is nearly one of this context."""
    texts = [vignette.text for vignette in filled[:_COMPARED]]
    others = [(name, text) for name, text in _bundled_texts() if name != context.name]
    theirs = [text for _, text in others]
    pairs = list(near_duplicates(texts, threshold=_ALIKE, others=theirs))
    for name, alike in group_by(pairs, lambda pair: others[pair.right][0]).items():
        yield _alike(texts, theirs, alike, message("the context {name}", name=name))


@cache
def _bundled_texts() -> tuple[tuple[str, str], ...]:
    """Vignettes of each bundled context with its name."""
    return tuple(
        (context.name, vignette.text)
        for context in bundled_contexts().values()
        for vignette in islice(covering(context), _COMPARED)
    )


def _likenesses_to(context: ContextFile, against: Path) -> Iterator[Problem]:
    """Whether a vignette is nearly a text of the file."""
    rows = read_rows(against)
    columns = [name for name in TEXTS if rows and name in rows[0]]
    if not columns:
        raise DataError(
            f"{against} has no column of texts: call it {', '.join(TEXTS[:-1])} or {TEXTS[-1]}"
        )
    theirs = [str(row[columns[0]]) for row in rows]
    texts = vignette_table(context)["vignette"].to_pylist()
    pairs = list(islice(near_duplicates(texts, threshold=_ALIKE, others=theirs), _MOST_TEXTS))
    if pairs:
        yield _alike(texts, theirs, pairs, str(against))


def _alike(
    texts: Sequence[str], theirs: Sequence[str], pairs: Sequence[Pair], name: str
) -> Problem:
    closest = max(pairs, key=lambda pair: pair.similarity)
    return problem(
        ("practices",),
        "{n} of its vignettes are nearly those of {other}, as {mine} is to {theirs}",
        warning=True,
        n=len({pair.left for pair in pairs}),
        other=name,
        mine=repr(texts[closest.left]),
        theirs=repr(theirs[closest.right]),
    )


def _prompt_wording(prompts: PromptsFile, path: Path) -> Iterator[Problem]:
    """Oddities of a variant's wording, and published variants that it nearly repeats."""
    if "forward" not in prompts.scale_orders:
        yield problem(
            ("scale_orders",),
            "the order in which the answers are listed by default is missing; add {line}",
            line="`forward: [0, 1, 2, 3, 4]`",
        )
    known = {**bundled_prompts().variants, **our_prompts().variants}
    own = path.resolve() not in {PROMPTS.resolve(), OURS.resolve()}
    for name, template in prompts.variants.items():
        where = ("variants", name)
        if own and name in known:
            yield problem(where, "a bundled variant has this name; choose another")
        others = [*known.values()] if own else []
        for pair in near_duplicates([template], threshold=_ALIKE_PROMPTS, others=others):
            yield problem(
                where,
                "it is nearly the bundled variant {name}",
                warning=True,
                name=repr([*known][pair.right]),
            )
        for oddity in find_oddities(template, language=prompts.language):
            yield Problem(where, oddity.message, warning=True)


def _shown(size: int) -> str:
    """A count in full, or its magnitude.

    >>> _shown(12_345), _shown(2 * 10**15)
    ('12,345', 'more than 10^15')
    """
    if size < 10**12:
        return f"{size:,}"
    return message("more than {number}", number=f"10^{len(str(size)) - 1}")
