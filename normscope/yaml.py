"""YAML files into typed, frozen values, with errors that name the line and the remedy.

Only text, numbers, booleans, null, lists and mappings are built, whatever a tag asks for. A file is
bounded in size, and in depth, aliases and number of nodes while it is parsed, before anything is
built from it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from .errors import ConfigError, DataError, nearest
from .files import check_regular, typed
from .messages import joined, known, marked, message, slots_of

T = TypeVar("T")

MAX_BYTES = 2_000_000
MAX_DEPTH = 24
MAX_NODES = 50_000

Location = tuple[int | str, ...]
Lines = Mapping[Location, int]
"""The line on which each part of a file stands."""

_WRONG = {
    "string_type": marked("Input should be a valid string"),
    "int_type": marked("Input should be a valid integer"),
    "int_parsing": marked("Input should be a valid integer"),
    "float_type": marked("Input should be a valid number"),
    "float_parsing": marked("Input should be a valid number"),
    "bool_type": marked("Input should be a valid boolean"),
    "bool_parsing": marked("Input should be a valid boolean"),
    "tuple_type": marked("Input should be a valid tuple"),
    "dict_type": marked("Input should be a valid dictionary"),
    "dataclass_type": marked("Input should be a dictionary or an instance of {class_name}"),
    "literal_error": marked("Input should be {expected}"),
}
"""What pydantic finds wrong, by the name of its kind; anything else stands in its own words."""

_NOT_YAML = (
    marked("mapping values are not allowed here"),
    marked("found unexpected end of stream"),
    marked("found character {sign} that cannot start any token"),
    marked("could not find expected {sign}"),
    marked("expected the node content, but found {token}"),
    marked("expected {wanted}, but found {token}"),
)
"""What PyYAML finds wrong most; it gives no more than the sentence."""


def load_yaml(path: Path, kind: type[T]) -> T:
    """The file's value as a `kind` (a dataclass), every problem of the file in one error."""
    return parse(read_text(path), kind, name=str(path))


def read_text(path: Path) -> str:
    """The file's text, or a `ConfigError` when it is missing, too large or not UTF-8."""
    try:
        size = check_regular(path)
        if size > MAX_BYTES:
            raise ConfigError(f"{path} has {size:,} bytes; at most {MAX_BYTES:,} are read")
        return path.read_text(encoding="utf-8")
    except DataError as error:
        raise ConfigError(error.message) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text (byte {error.start})") from error


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


def plain(text: str, *, name: str = "YAML") -> tuple[Any, dict[Location, int]]:
    """The plain value of the text and the line on which each part of it stands."""
    if len(text.encode()) > MAX_BYTES:
        raise ConfigError(f"{name} has more than {MAX_BYTES:,} bytes")
    try:
        root = _Loader(text, name).get_single_node()
        if root is None:
            return None, {}
        lines = _lines(root, name)
        return _Plain().construct_document(root), lines
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        clause = message("not valid YAML: {problem}", problem=_not_yaml(error.problem or ""))
        raise _refusal(name, [(mark.line + 1 if mark else 0, clause)]) from error
    except (yaml.YAMLError, ValueError) as error:
        clause = message("not valid YAML: {problem}", problem=error)
        raise _refusal(name, [(0, clause)]) from error


def convert(value: Any, kind: type[T], *, name: str, lines: Lines | None = None) -> T:
    """The plain value as a `kind`; unknown keys are refused, the nearest known one named."""
    # pydantic's `extra="forbid"` would have to stand on every class: keys are checked here
    problems = _unknown_keys(value, kind, ())
    try:
        converted = typed(kind, value)
    except ValidationError as error:
        problems += [_explain(detail) for detail in error.errors(include_url=False)]
    except ConfigError as error:
        # raised by the `__post_init__` of a part: it knows what is wrong, not on which line
        problems.append(((), error.message))
    if not problems:
        return converted
    raise _refusal(name, sorted((line_of(where, lines or {}), text) for where, text in problems))


class _Plain(yaml.constructor.SafeConstructor):
    """Builds plain values only; a tag that asks for anything else is refused."""

    yaml_constructors = {
        f"tag:yaml.org,2002:{tag}": getattr(
            yaml.constructor.SafeConstructor, f"construct_yaml_{to}"
        )
        for tag, to in {
            **{tag: tag for tag in ("null", "bool", "int", "float", "str", "seq", "map")},
            # a date is text: what is made of it is for the field to say
            "timestamp": "str",
        }.items()
    } | {None: yaml.constructor.SafeConstructor.construct_undefined}


class _Loader(
    yaml.reader.Reader,
    yaml.scanner.Scanner,
    yaml.parser.Parser,
    yaml.composer.Composer,
    yaml.resolver.Resolver,
):
    """Text to nodes; aliases and unreasonable sizes are refused before the next node is made."""

    def __init__(self, text: str, name: str) -> None:
        """`name` stands at the head of a refusal."""
        yaml.reader.Reader.__init__(self, text)
        yaml.scanner.Scanner.__init__(self)
        yaml.parser.Parser.__init__(self)
        yaml.composer.Composer.__init__(self)
        yaml.resolver.Resolver.__init__(self)
        self._name = name
        self._depth = self._nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """The next node with all below it."""
        line = self.peek_event().start_mark.line + 1  # type: ignore[no-untyped-call]
        if self.check_event(yaml.AliasEvent):
            text = message("aliases (*) are not allowed; write the value out")
            raise _refusal(self._name, [(line, text)])
        self._nodes += 1
        self._depth += 1
        if self._depth > MAX_DEPTH or self._nodes > MAX_NODES:
            raise _refusal(self._name, [(line, message("nested or repeated beyond reason"))])
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def _lines(root: yaml.Node, name: str) -> dict[Location, int]:
    """The line of every value; a key that is no word or stands twice is refused."""
    lines: dict[Location, int] = {}
    stack: list[tuple[Location, yaml.Node]] = [((), root)]
    while stack:
        where, node = stack.pop()
        lines[where] = node.start_mark.line + 1
        if isinstance(node, yaml.SequenceNode):
            stack += [((*where, index), child) for index, child in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            stack += [((*where, key), child) for key, child in _entries(node, name)]
    return lines


def _entries(node: yaml.MappingNode, name: str) -> Iterator[tuple[str, yaml.Node]]:
    seen: set[str] = set()
    for key, child in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise _refusal(name, [(line, message("a key is a word, not a list or a mapping"))])
        if key.value in seen:
            text = message("key {key} stands twice", key=repr(key.value))
            raise _refusal(name, [(line, text)])
        seen.add(key.value)
        yield key.value, child


def line_of(where: Location, lines: Lines) -> int:
    """The line of the place, or of the nearest part of the file around it; 0 if there is none."""
    while where and where not in lines:
        where = where[:-1]
    return lines.get(where, 0)


def _unknown_keys(value: Any, kind: Any, where: Location) -> list[tuple[Location, str]]:
    """Keys that no dataclass on the way has a field for."""
    if is_dataclass(kind) and isinstance(kind, type):
        if not isinstance(value, dict):
            return []
        hints = get_type_hints(kind)
        known = [field.name for field in fields(kind)]
        problems: list[tuple[Location, str]] = []
        for key, child in value.items():
            if key in known:
                problems += _unknown_keys(child, hints[key], (*where, key))
            else:
                text = message(
                    "unknown key {key}; {note}",
                    key=repr(_path((*where, key))),
                    note=nearest(str(key), known),
                )
                problems.append(((*where, key), text))
        return problems
    arguments = get_args(kind)
    if get_origin(kind) in {Union, UnionType}:
        # an optional value: looked at as its one member that is not None
        members = [member for member in arguments if member is not type(None)]
        return _unknown_keys(value, members[0], where) if len(members) == 1 else []
    if isinstance(value, dict) and arguments:
        pairs = value.items()
        return [p for k, v in pairs for p in _unknown_keys(v, arguments[-1], (*where, k))]
    if isinstance(value, list) and arguments:
        inner = arguments[0]
        return [p for i, v in enumerate(value) for p in _unknown_keys(v, inner, (*where, i))]
    return []


def _explain(detail: ErrorDetails) -> tuple[Location, str]:
    where = detail["loc"]
    if detail["type"] in {"missing", "missing_argument"}:
        return where[:-1], message("missing key {key}", key=repr(_path(where)))
    text = _WRONG.get(detail["type"])
    if text is None:
        clause: str = known(detail["msg"].removeprefix("Value error, "))
    else:
        clause = message(text, **{name: detail["ctx"][name] for name in slots_of(text)})
    given = detail["input"]
    if not isinstance(given, dict | list):
        clause = message("{problem}, not {value}", problem=clause, value=repr(given))
    if detail["type"] == "string_type" and isinstance(given, int | float):
        # the commonest slip: YAML reads 1 as a number
        quoted = f'"{given!r}"'
        clause = message("{problem}; put it in quotes: {value}", problem=clause, value=quoted)
    if where:
        clause = message("{place}: {problem}", place=_path(where), problem=clause)
    return where, clause


def _not_yaml(text: str) -> str:
    """PyYAML's sentence as a message, so that it can be translated.

    >>> _not_yaml("could not find expected ':'").slots
    {'sign': "':'"}
    """
    for known_text in _NOT_YAML:
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(known_text))
        if result := re.fullmatch(pattern, text):
            return message(known_text, **result.groupdict())
    return known(text)


def _refusal(name: str, problems: Sequence[tuple[int, str]]) -> ConfigError:
    """The error that names each problem with the file and the line on which it stands."""
    lines = (
        message("{place}: {problem}", place=f"{name}:{line}" if line else name, problem=text)
        for line, text in problems
    )
    return ConfigError(joined(lines, "\n"), problems=problems)


def _path(where: Location) -> str:
    return ".".join(str(part) for part in where)
