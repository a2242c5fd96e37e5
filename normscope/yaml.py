"""YAML files into typed, frozen values, with errors that name the line and the remedy."""

import re
from collections.abc import Iterable, Iterator
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

_EXPECTED = {
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
    problems = [_unknown_key(where, names) for where, names in unknown[:MOST]]
    number = len(unknown)
    try:
        converted = typed(kind, value)
    except ValidationError as error:
        # a key that is no text is unknown already
        details = [d for d in error.errors(include_url=False) if d["type"] != "invalid_key"]
        problems += [_explain(detail, lines or {}) for detail in details[:MOST]]
        number += len(details)
    except ConfigError as error:
        # raised by the `__post_init__` of a value: it knows what is wrong, not on which line
        problems.append(((), error.message))
        number += 1
    if not number:
        return converted
    first = sorted((line_of(where, lines or {}), text) for where, text in problems)[:MOST]
    if number > MOST:
        more = message("{n} more problems; mend these first", n=f"{number - MOST:,}")
        first.append((first[-1][0], more))
    raise refusal(name, first)


def _unknown_keys(value: Any, kind: Any, where: Location) -> Iterator[tuple[Location, list[str]]]:
    """Keys that no dataclass on the way has a field for, with its fields."""
    arguments = get_args(kind)
    children: Iterable[tuple[int | str, Any, Any]] = ()
    if is_dataclass(kind) and isinstance(kind, type):
        if isinstance(value, dict):
            hints, names = get_type_hints(kind), [field.name for field in fields(kind)]
            children = [(key, value[key], hints[key]) for key in value if key in names]
            yield from (((*where, key), names) for key in value if key not in names)
    elif get_origin(kind) in {Union, UnionType}:
        # an optional value: looked at as its one member that is not None
        members = [member for member in arguments if member is not type(None)]
        if len(members) == 1:
            yield from _unknown_keys(value, members[0], where)
    elif isinstance(value, dict) and arguments:
        children = [(key, child, arguments[-1]) for key, child in value.items()]
    elif isinstance(value, list) and arguments:
        children = [(index, child, arguments[0]) for index, child in enumerate(value)]
    for key, child, of in children:
        yield from _unknown_keys(child, of, (*where, key))


def _unknown_key(where: Location, names: list[str]) -> tuple[Location, str]:
    """Where the key stands, and what may have been meant."""
    text = str(where[-1])
    if text != text.lstrip():
        note: str = message("it begins with a space of another kind; type ordinary spaces")
    else:
        note = nearest(text.strip(CURLY), names)
    problem = message("unknown key {key}; {note}", key=repr(_path(where)), note=note)
    return (*where[:-1], text), problem


def _explain(detail: ErrorDetails, lines: Lines) -> tuple[Location, str]:
    """What pydantic finds wrong in our words: the place, what is expected, what stands there."""
    where, value = detail["loc"], detail["input"]
    if detail["type"] in {"missing", "missing_argument"}:
        return where[:-1], message("missing key {key}", key=repr(_path(where)))
    if where and where[-1] == "[key]":
        return _explain_key(where[:-2], value, lines)
    expected = _EXPECTED.get(detail["type"])
    if expected is None:
        problem: str = known(detail["msg"].removeprefix("Value error, "))
    else:
        problem = message(expected, **{name: detail["ctx"][name] for name in slots_of(expected)})
    if value is None:
        problem = message("{problem}, and nothing stands here", problem=problem)
    else:
        shown = _KINDS.get(type(value)) or repr(value)
        problem = message("{problem}, not {value}", problem=problem, value=shown)
    raw = lines[where].raw if where in lines else ""
    if (remedy := _remedy(detail["type"], value, raw)) is not None:
        problem = message("{problem}; {remedy}", problem=problem, remedy=remedy)
    if where:
        problem = message("{place}: {problem}", place=_path(where), problem=problem)
    return where, problem


def _explain_key(parent: Location, value: Any, lines: Lines) -> tuple[Location, str]:
    """A key that YAML reads as something else than text: `yes` as true."""
    raw = str(value)
    for *above, key in filter(None, lines):
        if tuple(above) == parent and isinstance(key, str) and len(key) <= MAX_DIGITS:
            # a neighbour that stands in quotes need not be what it would be without them
            with suppress(ValueError, yaml.YAMLError):
                read = yaml.safe_load(key)
                if type(read) is type(value) and read == value:
                    raw = key
                    break
    text = message(
        "{value} is read as {given}, which is no text; put it in quotes: {remedy}",
        value=raw,
        given=repr(value),
        remedy=f'"{raw}"',
    )
    return (*parent, raw), message("{place}: {problem}", place=_path(parent), problem=text)


_KINDS: dict[Any, str] = {dict: message("keys with values"), list: message("a list")}


def _remedy(expected: str, value: Any, raw: str) -> str | None:
    """What to type instead; none where that is plain."""
    if expected == "string_type":
        return _remedy_for_text(value, raw)
    keys = expected in {"dict_type", "dataclass_type"}
    entries = expected in {"tuple_type", "list_type"}
    text = value if isinstance(value, str) else ""
    remedy = None
    if keys and value is None:
        remedy = message("indent the lines that belong to it")
    elif keys and re.match(r"\w+[:：]", text):
        remedy = message("type : and a space after the key")
    elif entries and re.match(r"[*•·●–—]|\d+[.)]\s", text):
        remedy = message("begin each on a line of its own with `- ` (a hyphen and a space)")
    elif entries and text:
        listed = text.strip("[]【】").replace("，", ", ")
        remedy = message("write [{value}], or each on a line of its own after `- `", value=listed)
    elif expected == "float_parsing" and re.fullmatch(r"[-+]?\d+,\d+", text):
        remedy = message("a decimal has a point, as in {value}", value=text.replace(",", "."))
    return remedy


def _remedy_for_text(value: Any, raw: str) -> str | None:
    """The commonest slips: a colon in a text, and what YAML reads as a number or a boolean."""
    if isinstance(value, dict) and all(member is None for member in value.values()):
        return message("a text that begins with {sign} has to stand in double quotes", sign="{")
    if isinstance(value, dict) and len(value) == 1:
        raw = ": ".join(str(member) for pair in value.items() for member in pair)
    elif isinstance(value, dict | list | None):
        return None
    return message("put it in quotes: {value}", value=f'"{raw or value}"')


def _path(where: Location) -> str:
    return ".".join(map(str, where))
