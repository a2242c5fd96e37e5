"""YAML files into typed, frozen values, with errors that name the line and the remedy.

Only text, numbers, booleans, null, lists and mappings are built, whatever a tag asks for; a key
without quotes is text. A file is bounded in size, and in depth, aliases and number of nodes while
it is parsed, before anything is built from it: what PyYAML's safe loader lacks.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from .errors import ConfigError, DataError, nearest
from .files import check_regular, encoding_problem, typed
from .messages import joined, known, marked, message, slots_of
from .yaml_hints import syntax_problem

T = TypeVar("T")

MAX_BYTES = 2_000_000
MAX_DEPTH = 24
MAX_NODES = 50_000
MAX_DIGITS = 100
"""A longer number is none that anybody types; as 1:59:59:… it takes PyYAML minutes."""
MOST = 50
"""How many problems are shown: a file with more is not mended line by line."""
_SPARE = 80
"""Characters behind a text that may show how it was meant."""

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


def read_text(path: Path) -> str:
    """The file's text, or a `ConfigError` when it is missing, too large or not UTF-8."""
    return decoded(read_bytes(path), name=str(path))


def read_bytes(path: Path) -> bytes:
    """What is in the file, or a `ConfigError` when it is missing or too large."""
    try:
        size = check_regular(path)
    except DataError as error:
        raise ConfigError(error.message) from None
    if size > MAX_BYTES:
        raise ConfigError(f"{path} has {size:,} bytes; at most {MAX_BYTES:,} are read")
    return path.read_bytes()


def decoded(data: bytes, *, name: str) -> str:
    """The bytes as UTF-8 text, or a `ConfigError` that says what they are instead."""
    if (wrong := encoding_problem(data)) is not None:
        raise refusal(name, [wrong])
    return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def plain(text: str, *, name: str = "YAML") -> tuple[Any, Lines]:
    """The plain value of the text and where each part of it stands."""
    if len(text.encode(errors="surrogatepass")) > MAX_BYTES:
        raise ConfigError(f"{name} has more than {MAX_BYTES:,} bytes")
    loader: _Loader | None = None
    try:
        loader = _Loader(text)
        loader.name = name
        root = loader.get_single_node()
        if root is None:
            return None, {}
        lines = dict(_marks(root, (), text, name))
        return loader.construct_document(root), lines
    except yaml.YAMLError as error:
        line, problem = syntax_problem(error, text)
    except (ValueError, OverflowError):
        # the scanner turns two numbers into Python's without looking at them
        line = loader.line + 1 if loader else 0
        problem = message("no character and no version of YAML has so large a number")
    raise refusal(name, [(line, message("not valid YAML: {problem}", problem=problem))])


def front_matter(path: Path) -> tuple[dict[str, Any], str]:
    """The YAML between two lines of three hyphens at the head of a Markdown file, and the rest."""
    text = read_text(path)
    head = re.match(r"---\s*\n(.*?)\n---\s*(\n|\Z)", text, re.DOTALL)
    if head is None:
        return {}, text
    value, _ = plain(head[1], name=str(path))
    return value if isinstance(value, dict) else {}, text[head.end() :]


def refusal(name: str, problems: Sequence[tuple[int, str]]) -> ConfigError:
    """The error that names the problems, the first 50 of them, with the file and their lines."""
    if (more := len(problems) - MOST) > 0:
        rest = message("{n} more problems; mend these first", n=f"{more:,}")
        problems = [*problems[:MOST], (problems[MOST - 1][0], rest)]
    lines = (
        message("{place}: {problem}", place=f"{name}:{line}" if line else name, problem=text)
        for line, text in problems
    )
    return ConfigError(joined(lines, "\n"), problems=problems)


def line_of(where: Location, lines: Lines) -> int:
    """The line of the place, or of the nearest part of the file around it; 0 if there is none."""
    while where and where not in lines:
        where = where[:-1]
    return lines[where].line if where in lines else 0


_TAG = "tag:yaml.org,2002:"
_PLAIN = {"null", "bool", "int", "float", "str", "seq", "map"}


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader of plain values only, bounded; what it raises names the line."""

    depth = nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """The next node with all below it; aliases and unreasonable sizes are refused before."""
        mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        if self.check_event(yaml.AliasEvent):
            text = message(
                "aliases (*) are not allowed; write the value out, or put a text that begins with "
                "* in double quotes"
            )
            raise refusal(self.name, [(mark.line + 1, text)])
        self.nodes += 1
        self.depth += 1
        if self.depth > MAX_DEPTH or self.nodes > MAX_NODES:
            text = message("nested or repeated beyond reason")
            raise refusal(self.name, [(mark.line + 1, text)])
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """The plain value of the node, a date as its text."""
        if node.tag == f"{_TAG}timestamp":
            node.tag = f"{_TAG}str"
        kind = node.tag.removeprefix(_TAG)
        if kind not in _PLAIN:
            self.construct_undefined(node)
        if kind in {"int", "float"} and len(node.value) > MAX_DIGITS:
            text = message(
                "a number has at most {most} characters; put a text in quotes", most=MAX_DIGITS
            )
            raise yaml.constructor.ConstructorError(None, None, text, node.start_mark)
        try:
            value = super().construct_object(node, deep)
            if isinstance(value, str):
                value.encode()
            return value
        except UnicodeEncodeError as error:
            code = f"U+{ord(error.object[error.start]):04X}"
            text = message("the character {code} cannot stand in a file; take it out", code=code)
        except (ValueError, LookupError):
            text = message(
                "{value} is read as {kind} and is none; put a text in quotes, without a tag",
                value=repr(node.value[:60]),
                kind=kind,
            )
        raise yaml.constructor.ConstructorError(None, None, text, node.start_mark)


def _marks(
    node: yaml.Node, where: Location, text: str, name: str
) -> Iterator[tuple[Location, Mark]]:
    """The mark of every value in the file's order; a key that is no word or twice is refused."""
    raw = after = ""
    if isinstance(node, yaml.ScalarNode) and node.style is None:
        start, end = node.start_mark.index, node.end_mark.index
        # of a line with thousands of texts each keeps only what can be of use
        raw, after = text[start:end], text[end : end + _SPARE].partition("\n")[0]
    yield where, Mark(node.start_mark.line + 1, raw, after)
    if isinstance(node, yaml.SequenceNode):
        for index, child in enumerate(node.value):
            yield from _marks(child, (*where, index), text, name)
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, child in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                problem = message("a key is a word, not a list or a mapping")
                raise refusal(name, [(line, problem)])
            if key.value in seen:
                problem = message("key {key} stands twice", key=repr(key.value))
                raise refusal(name, [(line, problem)])
            seen.add(key.value)
            if key.style is None:
                key.tag = f"{_TAG}str"
            yield from _marks(child, (*where, key.value), text, name)


_EXPECTED = {
    "string_type": marked("a text is expected"),
    **dict.fromkeys(
        ("int_type", "int_parsing", "int_from_float"), marked("a whole number is expected")
    ),
    **dict.fromkeys(
        ("float_type", "float_parsing"), marked("a number is expected, with a point as in 0.5")
    ),
    **dict.fromkeys(("bool_type", "bool_parsing"), marked("true or false is expected")),
    **dict.fromkeys(
        ("tuple_type", "list_type"),
        marked("a list is expected, as [a, b] or each on a line of its own after `- `"),
    ),
    **dict.fromkeys(
        ("dict_type", "dataclass_type"),
        marked("keys are expected, each as `key: value` on an indented line of its own"),
    ),
    "literal_error": marked("one of these is expected: {expected}"),
}
"""What pydantic finds wrong, by the name of its kind; anything else stands in its own words."""

_KINDS: dict[Any, str] = {dict: message("keys with values"), list: message("a list")}


def convert(value: Any, kind: type[T], *, name: str, lines: Lines | None = None) -> T:
    """The plain value as a `kind`; unknown keys are refused, the nearest known one named."""
    # pydantic's `extra="forbid"` would have to stand on every class: keys are checked here
    problems = [_unknown_key(*each) for each in _unknown_keys(value, kind, ())]
    try:
        converted = typed(kind, value)
    except ValidationError as error:
        problems += [_explain(of, lines or {}) for of in error.errors(include_url=False)]
    except ConfigError as error:
        # raised by the `__post_init__` of a value: it knows what is wrong, not on which line
        problems.append(((), error.message))
    if not problems:
        return converted
    raise refusal(name, sorted((line_of(where, lines or {}), text) for where, text in problems))


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
    return where, message("unknown key {key}; {note}", key=repr(_path(where)), note=note)


def _explain(detail: ErrorDetails, lines: Lines) -> tuple[Location, str]:
    """What pydantic finds wrong in our words: the place, what is expected, what stands there."""
    where, value = detail["loc"], detail["input"]
    if detail["type"] in {"missing", "missing_argument"}:
        return where[:-1], message("missing key {key}", key=repr(_path(where)))
    expected = _EXPECTED.get(detail["type"])
    if expected is None:
        problem: str = known(detail["msg"].removeprefix("Value error, "))
    else:
        problem = message(expected, **{name: detail["ctx"][name] for name in slots_of(expected)})
    if value is None:
        problem = message("{problem}, and nothing stands here", problem=problem)
    else:
        kind = _KINDS.get(type(value)) or repr(value)
        problem = message("{problem}, not {value}", problem=problem, value=kind)
    raw = lines[where].raw if where in lines else ""
    if detail["type"] == "string_type" and (remedy := _quoted(value, raw)):
        problem = message("{problem}; put it in quotes: {value}", problem=problem, value=remedy)
    if where:
        problem = message("{place}: {problem}", place=_path(where), problem=problem)
    return where, problem


def _quoted(value: Any, raw: str) -> str:
    """The text that YAML reads as something else, in quotes; empty where none was meant.

    >>> _quoted(750, "12:30"), _quoted({"a car": "rented"}, ""), _quoted({"sender": None}, "")
    ('"12:30"', '"a car: rented"', '"{sender}"')
    """
    if isinstance(value, dict) and len(value) == 1:
        ((key, member),) = value.items()
        raw = f"{{{key}}}" if member is None else f"{key}: {member}"
    elif value is None or isinstance(value, dict | list):
        return ""
    return f'"{raw or value}"'


def _path(where: Location) -> str:
    return ".".join(map(str, where))
