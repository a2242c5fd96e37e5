"""YAML files into typed, frozen values, with errors that name the line and the remedy."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from .errors import ConfigError, nearest
from .files import typed
from .messages import known, marked, message, slots_of
from .yaml_loader import MAX_DIGITS, Lines, Location, line_of, plain, read_text, refusal

T = TypeVar("T")

MOST = 50
"""How many problems are shown: a file with more is not mended line by line."""

_WRONG = {
    **dict.fromkeys(("string_type",), marked("a text is expected")),
    **dict.fromkeys(
        ("int_type", "int_parsing", "int_from_float"), marked("a whole number is expected")
    ),
    **dict.fromkeys(("float_type", "float_parsing"), marked("a number is expected")),
    **dict.fromkeys(("bool_type", "bool_parsing"), marked("true or false is expected")),
    **dict.fromkeys(("tuple_type", "list_type"), marked("a list is expected")),
    **dict.fromkeys(
        ("dict_type", "dataclass_type"), marked("keys are expected, each as `key: value`")
    ),
    "literal_error": marked("one of these is expected: {expected}"),
}
"""What pydantic finds wrong, by the name of its kind; anything else stands in its own words."""

CURLY = "“”„‟«»「」『』"


def load_yaml(path: Path, kind: type[T]) -> T:
    """The file's value as a `kind` (a dataclass), every problem of the file in one error."""
    return parse(read_text(path), kind, name=str(path))


def parse(text: str, kind: type[T], *, name: str = "YAML") -> T:
    """The text's value as a `kind`; `name` stands at the head of each problem.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Point:
    ...     x: int
    >>> parse("x: 3", Point)
    Point(x=3)
    >>> parse("y: 3", Point)
    Traceback (most recent call last):
    normscope.errors.ConfigError: YAML:1: missing key 'x'
    YAML:1: unknown key 'y'; known: x
    """
    value, lines = plain(text, name=name)
    return convert(value, kind, name=name, lines=lines)


def convert(value: Any, kind: type[T], *, name: str, lines: Lines | None = None) -> T:
    """The plain value as a `kind`; unknown keys are refused, the nearest known one named."""
    # pydantic's `extra="forbid"` would have to stand on every class: keys are checked here
    unknown = list(_unknown_keys(value, kind, ()))
    problems = [_unknown_key(*key) for key in unknown[:MOST]]
    number = len(unknown)
    try:
        converted = typed(kind, value)
    except ValidationError as error:
        # a key that is no text is unknown already
        details = [d for d in error.errors(include_url=False) if d["type"] != "invalid_key"]
        problems += [_explain(detail, lines or {}) for detail in details[:MOST]]
        number += len(details)
    except ConfigError as error:
        # raised by the `__post_init__` of a part: it knows what is wrong, not on which line
        problems.append(((), error.message))
        number += 1
    if not number:
        return converted
    shown = sorted((line_of(where, lines or {}), text) for where, text in problems)[:MOST]
    if number > MOST:
        more = message("{n} more problems; mend these first", n=f"{number - MOST:,}")
        shown.append((shown[-1][0], more))
    raise refusal(name, shown)


_UnknownKey = tuple[Location, Any, Sequence[str]]
"""Where a key stands for which no field is there, the value of the key before it, and the fields.

The sentence about it is made where it is shown: a file may have thousands.
"""


def _unknown_key(where: Location, before: Any, names: Sequence[str]) -> tuple[Location, str]:
    """Where the key stands, and what may have been meant."""
    key = repr(_path(where))
    text = message("unknown key {key}; {note}", key=key, note=_note(where[-1], before, names))
    return (*where[:-1], str(where[-1])), text


def _unknown_keys(value: Any, kind: Any, where: Location) -> Iterator[_UnknownKey]:
    """Keys that no dataclass on the way has a field for."""
    if is_dataclass(kind) and isinstance(kind, type):
        if not isinstance(value, dict):
            return
        hints = get_type_hints(kind)
        known = [field.name for field in fields(kind)]
        before: Any = None
        for key, child in value.items():
            if key in known:
                yield from _unknown_keys(child, hints[key], (*where, key))
            else:
                yield (*where, key), before, known
            before = child
        return
    arguments = get_args(kind)
    if get_origin(kind) in {Union, UnionType}:
        # an optional value: looked at as its one member that is not None
        members = [member for member in arguments if member is not type(None)]
        if len(members) == 1:
            yield from _unknown_keys(value, members[0], where)
    elif isinstance(value, dict) and arguments:
        for key, child in value.items():
            yield from _unknown_keys(child, arguments[-1], (*where, key))
    elif isinstance(value, list) and arguments:
        for index, child in enumerate(value):
            yield from _unknown_keys(child, arguments[0], (*where, index))


def _note(key: Any, before: Any, names: Sequence[str]) -> str:
    """What may have been meant by an unknown key; `before` is the value of the key before it."""
    if isinstance(key, int) and isinstance(before, int):
        return message("a decimal has a point, as in {value}", value=f"{before}.{key}")
    text = str(key)
    if text != text.lstrip():
        return message("it begins with a space of another kind; type ordinary spaces")
    return nearest(text.strip(CURLY), list(names))


def _explain(detail: ErrorDetails, lines: Lines) -> tuple[Location, str]:
    where, given = detail["loc"], detail["input"]
    if detail["type"] in {"missing", "missing_argument"}:
        return where[:-1], message("missing key {key}", key=repr(_path(where)))
    if where and where[-1] == "[key]":
        typed_as = _typed_as(where[:-2], given, lines)
        text = message(
            "{value} is read as {given}, which is no text; put it in quotes: {remedy}",
            value=typed_as,
            given=repr(given),
            remedy=f'"{typed_as}"',
        )
        place = _path(where[:-2])
        text = message("{place}: {problem}", place=place, problem=text)
        return (*where[:-2], typed_as), text
    wrong = _WRONG.get(detail["type"])
    if wrong is None:
        clause: str = known(detail["msg"].removeprefix("Value error, "))
    else:
        clause = message(wrong, **{name: detail["ctx"][name] for name in slots_of(wrong)})
    if isinstance(given, dict | list):
        clause = message("{problem}, not {value}", problem=clause, value=_KINDS[type(given)])
    elif given is None:
        clause = message("{problem}, and nothing stands here", problem=clause)
    else:
        clause = message("{problem}, not {value}", problem=clause, value=repr(given))
    raw = lines[where].raw if where in lines else ""
    if (remedy := _remedy(detail["type"], given, raw)) is not None:
        clause = message("{problem}; {remedy}", problem=clause, remedy=remedy)
    if where:
        clause = message("{place}: {problem}", place=_path(where), problem=clause)
    return where, clause


def _typed_as(parent: Location, given: Any, lines: Lines) -> str:
    """The key as it stands in the file, of which YAML made the given value: `yes` for True."""
    for *above, key in filter(None, lines):
        if tuple(above) == parent and isinstance(key, str) and len(key) <= MAX_DIGITS:
            # a neighbour that stands in quotes need not be what it would be without them
            with suppress(ValueError, yaml.YAMLError):
                value = yaml.safe_load(key)
                if type(value) is type(given) and value == given:
                    return key
    return str(given)


_KINDS = {dict: message("keys with values"), list: message("a list")}


def _remedy(wrong: str, given: Any, raw: str) -> str | None:
    """What to type instead; none where that is plain."""
    if wrong == "string_type":
        return _remedy_for_text(given, raw)
    keys, entries = wrong in {"dict_type", "dataclass_type"}, wrong in {"tuple_type", "list_type"}
    text = given if isinstance(given, str) else ""
    remedy = None
    if keys and given is None:
        remedy = message("indent the lines that belong to it")
    elif keys and re.match(r"\w+[:：]", text):
        remedy = message("type : and a space after the key")
    elif entries and re.match(r"[*•·●–—]|\d+[.)]\s", text):
        remedy = message("begin each on a line of its own with `- ` (a hyphen and a space)")
    elif entries and text:
        listed = text.strip("[]【】").replace("，", ", ")
        remedy = message("write [{value}], or each on a line of its own after `- `", value=listed)
    elif wrong == "float_parsing" and re.fullmatch(r"[-+]?\d+,\d+", text):
        remedy = message("a decimal has a point, as in {value}", value=text.replace(",", "."))
    return remedy


def _remedy_for_text(given: Any, raw: str) -> str | None:
    """The commonest slips: a colon in a text, and what YAML reads as a number or a boolean."""
    if isinstance(given, dict) and all(value is None for value in given.values()):
        return message("a text that begins with {sign} has to stand in double quotes", sign="{")
    if isinstance(given, dict) and len(given) == 1:
        raw = ": ".join(str(part) for pair in given.items() for part in pair)
    elif isinstance(given, dict | list | None):
        return None
    return message("put it in quotes: {value}", value=f'"{raw or given}"')


def _path(where: Location) -> str:
    return ".".join(str(part) for part in where)
