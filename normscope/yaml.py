"""YAML files into typed, frozen values, with errors that name the line and the remedy.

Only text, numbers, booleans, null, lists and mappings are built, whatever a tag asks for. A file is
bounded in size, and in depth, aliases and number of nodes while it is parsed, before anything is
built from it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from .errors import ConfigError, DataError, nearest
from .files import check_regular, typed
from .messages import known, marked, message, slots_of
from .yaml_loader import Loader, Plain, refusal
from .yaml_syntax import encoding_problem, syntax_problem

T = TypeVar("T")

MAX_BYTES = 2_000_000

MOST = 50
"""How many problems are shown: a file with more is not mended line by line."""

Location = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a part of a file stands, and of a text without quotes how it was typed.

    YAML reads such a text its own way: `no` as false, `12:30` as 750, and from ` #` on not at all.
    """

    line: int
    raw: str = ""
    after: str = ""
    """What follows on the text's last line."""


Lines = Mapping[Location, Mark]
"""Each part of a file, by the keys that lead to it."""

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
_SPARE = 80


def load_yaml(path: Path, kind: type[T]) -> T:
    """The file's value as a `kind` (a dataclass), every problem of the file in one error."""
    return parse(read_text(path), kind, name=str(path))


def read_text(path: Path) -> str:
    """The file's text, or a `ConfigError` when it is missing, too large or not UTF-8."""
    return decoded(read_bytes(path), name=str(path))


def read_bytes(path: Path) -> bytes:
    """What is in the file, or a `ConfigError` when it is missing or too large."""
    try:
        size = check_regular(path)
        if size > MAX_BYTES:
            raise ConfigError(f"{path} has {size:,} bytes; at most {MAX_BYTES:,} are read")
        return path.read_bytes()
    except DataError as error:
        raise ConfigError(error.message) from None


def decoded(data: bytes, *, name: str) -> str:
    """The bytes as UTF-8 text, or a `ConfigError` that says what they are instead."""
    if (wrong := encoding_problem(data)) is not None:
        raise refusal(name, [wrong])
    return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


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


def plain(text: str, *, name: str = "YAML") -> tuple[Any, dict[Location, Mark]]:
    """The plain value of the text and where each part of it stands."""
    if len(text.encode(errors="surrogatepass")) > MAX_BYTES:
        raise ConfigError(f"{name} has more than {MAX_BYTES:,} bytes")
    loader: Loader | None = None
    try:
        loader = Loader(text, name)
        root = loader.get_single_node()
        if root is None:
            return None, {}
        lines = _lines(root, text, name)
        return Plain().construct_document(root), lines
    except yaml.YAMLError as error:
        line, problem = syntax_problem(error, text)
    except (ValueError, OverflowError):
        # the scanner turns two numbers into Python's without looking at them
        line = loader.line + 1 if loader else 0
        problem = message("no character and no version of YAML has so large a number")
    raise refusal(name, [(line, message("not valid YAML: {problem}", problem=problem))])


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


def _lines(root: yaml.Node, text: str, name: str) -> dict[Location, Mark]:
    """The mark of every value; a key that is no word or stands twice is refused."""
    lines: dict[Location, Mark] = {}
    stack: list[tuple[Location, yaml.Node]] = [((), root)]
    children: list[tuple[Location, yaml.Node]]
    while stack:
        where, node = stack.pop()
        lines[where] = _mark(node, text)
        if isinstance(node, yaml.SequenceNode):
            children = [((*where, index), child) for index, child in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            children = [((*where, key), child) for key, child in _entries(node, name)]
        else:
            continue
        # the first is looked at next: the marks stand in the order of the file
        stack += reversed(children)
    return lines


def _mark(node: yaml.Node, text: str) -> Mark:
    start, end = node.start_mark.index, node.end_mark.index
    if not isinstance(node, yaml.ScalarNode) or node.style is not None:
        return Mark(node.start_mark.line + 1)
    # of a line with thousands of texts each keeps only what can be of use
    after = text[end : end + _SPARE].partition("\n")[0]
    return Mark(node.start_mark.line + 1, text[start:end], after)


def _entries(node: yaml.MappingNode, name: str) -> Iterator[tuple[str, yaml.Node]]:
    seen: set[str] = set()
    for key, child in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise refusal(name, [(line, message("a key is a word, not a list or a mapping"))])
        if key.value in seen:
            text = message("key {key} stands twice", key=repr(key.value))
            raise refusal(name, [(line, text)])
        seen.add(key.value)
        yield key.value, child


def line_of(where: Location, lines: Lines) -> int:
    """The line of the place, or of the nearest part of the file around it; 0 if there is none."""
    while where and where not in lines:
        where = where[:-1]
    return lines[where].line if where in lines else 0


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
    resolver = yaml.resolver.Resolver()
    for *above, key in filter(None, lines):
        if tuple(above) == parent and isinstance(key, str):
            tag = resolver.resolve(yaml.ScalarNode, key, (True, False))  # type: ignore[no-untyped-call]
            # a neighbour that stands in quotes need not be what it would be without them
            with suppress(ValueError, yaml.YAMLError):
                value = Plain().construct_object(yaml.ScalarNode(tag, key))
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
