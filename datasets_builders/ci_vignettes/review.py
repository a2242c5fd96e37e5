"""Everything that can be said of a contributed file before anybody builds it."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import Any

from ...errors import ConfigError
from ...messages import Message, marked, message
from ...problems import (
    Finding,
    Problem,
    Review,
    checked,
    findings_of,
    located,
    problem,
    review_file,
)
from ...yaml import MOST, Lines, Location, convert
from ..near_duplicates import find_near_duplicates, pairs_by_characters
from .check import NAME, find_problems
from .context import CONTEXTS, CheckedContext, bundled_contexts, wrong_ending
from .context_file import ContextFile
from .derived import corrected_table, rating_table
from .joins import Filled, covering, join_problems, level_lists
from .prompts import OURS, PROMPTS, Prompts, PromptsFile, bundled_prompts, our_prompts
from .prompts import find_problems as find_prompt_problems
from .ratings_file import with_ratings
from .vignettes import MAX_VIGNETTES, count_vignettes, vignette_table
from .wording import ends_a_sentence, find_oddities, find_personal_data, lacks_article

BLANK = "___"
"""What a starter has where something is to be filled in."""

_SMALLEST: Mapping[type[ContextFile | PromptsFile], Mapping[str, Any]] = {
    ContextFile: {
        **dict.fromkeys(("title", "population", "instrument", "source"), "-"),
        "name": "stand_in",
        "language": "en",
        "year": 2000,
        "contributors": ["-"],
        "factors": {},
        "practices": {},
    },
    PromptsFile: {"source": "-", "variants": {}},
}
"""The least that a file of either kind says."""

_APART = {
    *("name", "title", "language", "population", "instrument", "year", "source", "contributors"),
    *("license", "anchors", "corrections", "ratings", "only_rated", "prompts"),
}
"""The keys on which what is said of the others does not depend."""

_MOST_TEXTS = 20_000
_MOST_LEVELS = 2_000
_MOST_ALIKE = 5
_COMPARED = 300
_ALIKE = 0.8


def review(path: Path) -> Review[CheckedContext | Prompts]:
    """Every problem of a context or prompts file, by line; the first 50 of each kind.

    A file that cannot be read at all is a `ConfigError`.
    """
    empty = message("no keys are in it; `normscope context new` writes a file to begin with")
    return review_file(path, lambda value, lines: _look(value, lines, path), empty=empty)


def _look(value: Mapping[Any, Any], lines: Lines, path: Path) -> Review[CheckedContext | Prompts]:
    blanks = (spot for spot, text in _texts(value, ()) if BLANK in text)
    still = marked("this is still a blank; fill it in or take it out")
    if unfilled := [problem(spot, still) for spot in blanks]:
        return Review(located(unfilled, lines))
    others = list(_personal_problems(value))
    draft, malformed, replaced = _drafted(value, lines, path)
    if draft is None:
        return Review((*malformed, *located(others, lines)))
    if isinstance(draft, PromptsFile):
        problems = [*islice(find_prompt_problems(draft), MOST)]
        more = _prompt_wording(draft, path)
    else:
        draft, of_ratings = with_ratings(draft, path.parent)
        problems = [*islice(find_problems(draft), MOST), *of_ratings]
        if NAME.fullmatch(draft.name) and draft.name != path.stem:
            clause = message(
                "the file is called {path}; rename it to {name}.yaml, or change the name in it",
                path=path.name,
                name=draft.name,
            )
            others.append(Problem(("name",), clause))
        elif path.suffix == ".yml":
            others.append(Problem(("name",), wrong_ending(path), warning=True))
        more = _context_wording(draft, path)
    problems = [each for each in problems if not replaced.intersection(each.where[:1])]
    # wording is looked at last: of a file with errors no vignette can be made
    if all(each.warning for each in problems) and "language" not in replaced:
        wording = (each for each in more if not replaced.intersection(each.where[:1]))
        problems += islice(wording, MOST)
    findings = (*malformed, *located([*problems, *others], lines))
    good = all(finding.warning for finding in findings)
    sound: type[CheckedContext | Prompts] = (
        CheckedContext if isinstance(draft, ContextFile) else Prompts
    )
    return Review(findings, checked(draft, sound) if good else None)


def _drafted(
    value: Mapping[Any, Any], lines: Lines, path: Path
) -> tuple[ContextFile | PromptsFile | None, tuple[Finding, ...], frozenset[str]]:
    """The file as a draft, what is wrong with its form, and the keys that others stand in for.

    A key that is missing or malformed hides nothing of the others, where they do not depend on it:
    the draft has a stand-in for it. There is no draft where they do, as templates on factors.
    """
    kind: type[ContextFile | PromptsFile] = PromptsFile if "variants" in value else ContextFile
    try:
        return convert(value, kind, name=str(path), lines=lines), (), frozenset()
    except ConfigError as error:
        malformed = findings_of(error)
    smallest = _SMALLEST[kind]
    known = {field.name for field in fields(kind)}
    sound = {key for key in known & value.keys() if _fits(kind, {**smallest, key: value[key]})}
    replaced = (smallest.keys() | (known & value.keys())) - sound
    if "ratings" in replaced:
        replaced.add("only_rated")
    if not replaced <= _APART:
        return None, malformed, frozenset()
    kept = {key: value[key] for key in sound - replaced}
    return convert({**smallest, **kept}, kind, name=str(path)), malformed, frozenset(replaced)


def _fits(kind: type[object], value: Mapping[str, Any]) -> bool:
    try:
        convert(value, kind, name="")
    except ConfigError:
        return False
    return True


def _personal_problems(value: Mapping[Any, Any]) -> Iterator[Problem]:
    for spot, text in _texts(value, ()):
        # who wrote a context and where it was published may be given as an address
        if spot and spot[0] not in {"contributors", "source", "instrument"}:
            for oddity in islice(find_personal_data(text), 3):
                yield problem(
                    spot,
                    "{kind}: no personal data; make it up in words, or use example.org",
                    kind=oddity,
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
    """Size, joins, articles and likenesses of a context that is sound otherwise."""
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
    """Levels without an article where others have one, and levels that are nearly the same."""
    lists = [pair for name, factor in context.factors.items() for pair in level_lists(name, factor)]
    left = _MOST_LEVELS
    for spot, levels in lists:
        if context.language.partition("-")[0] == "en":
            for index in lacks_article(levels):
                yield problem(
                    (*spot, index),
                    "{level} begins without an article, as others do not",
                    warning=True,
                    level=repr(levels[index]),
                )
        for index, level in enumerate(levels):
            if ends_a_sentence(level):
                yield problem(
                    (*spot, index),
                    "{level} ends with a full stop; leave it out, since the text goes on",
                    warning=True,
                    level=repr(level),
                )
        looked_at, left = levels[:left], max(0, left - len(levels))
        for pair in islice(pairs_by_characters(looked_at, threshold=_ALIKE), _MOST_ALIKE):
            yield problem(
                (*spot, pair.right),
                "{level} is nearly {other}",
                warning=True,
                level=repr(levels[pair.right]),
                other=repr(levels[pair.left]),
            )


def _making_problems(context: CheckedContext) -> Iterator[Problem]:
    """What comes out only when the tables are made: texts that stand twice, idle corrections."""
    try:
        vignette_table(context)
        if context.has_null_control:
            vignette_table(context, null_control=True)
    except ConfigError as error:
        yield Problem(("practices",), _problem(error))
        return
    if context.corrections:
        try:
            corrected_table(context)
        except ConfigError as error:
            yield Problem(("corrections",), _problem(error))
    if context.ratings is not None:
        try:
            rating_table(context)
        except ConfigError as error:
            yield Problem(("ratings",), _problem(error))


def _problem(error: ConfigError) -> str:
    """What is wrong with a context, without its name."""
    text = error.message
    problem = text.slots.get("problem") if isinstance(text, Message) else None
    return problem if isinstance(problem, str) else text


def _likenesses(context: ContextFile, filled: list[Filled]) -> Iterator[Problem]:
    """Bundled contexts with a vignette that is nearly one of this context."""
    compared = filled[:_COMPARED]
    for other in bundled_contexts().values():
        if other.name == context.name:
            continue
        theirs = [vignette.text for vignette in islice(covering(other), _COMPARED)]
        pairs = find_near_duplicates([m.text for m in compared], threshold=_ALIKE, others=theirs)
        if pairs:
            closest = max(pairs, key=lambda pair: pair.similarity)
            yield problem(
                compared[closest.left].where,
                "{n} of its vignettes are nearly those of the context {other}, as {mine} is "
                "to {theirs}",
                warning=True,
                n=len(pairs),
                other=other.name,
                mine=repr(compared[closest.left].text),
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
    for name, template in prompts.variants.items():
        where = ("variants", name)
        if path.resolve() not in {PROMPTS.resolve(), OURS.resolve()}:
            if name in known:
                yield problem(where, "a bundled variant has this name; choose another")
            for pair in find_near_duplicates([template], threshold=0.9, others=[*known.values()]):
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
