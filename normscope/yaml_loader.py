"""YAML's text to plain values with the line of each, bounded; what PyYAML's safe loader lacks.

Only text, numbers, booleans, null, lists and mappings are built, whatever a tag asks for. A file is
bounded in size, and in depth, aliases and number of nodes while it is parsed, before anything is
built from it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .errors import ConfigError, DataError
from .files import check_regular
from .messages import joined, message
from .yaml_syntax import encoding_problem, syntax_problem

MAX_BYTES = 2_000_000
MAX_DEPTH = 24
MAX_NODES = 50_000
MAX_DIGITS = 100
"""A longer number is none that anybody types; as 1:59:59:… it takes PyYAML minutes."""
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


def plain(text: str, *, name: str = "YAML") -> tuple[Any, dict[Location, Mark]]:
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
        lines = _lines(root, text, name)
        return loader.construct_document(root), lines
    except yaml.YAMLError as error:
        line, problem = syntax_problem(error, text)
    except (ValueError, OverflowError):
        # the scanner turns two numbers into Python's without looking at them
        line = loader.line + 1 if loader else 0
        problem = message("no character and no version of YAML has so large a number")
    raise refusal(name, [(line, message("not valid YAML: {problem}", problem=problem))])


def refusal(name: str, problems: Sequence[tuple[int, str]]) -> ConfigError:
    """The error that names each problem with the file and the line on which it stands."""
    lines = (
        message("{place}: {problem}", place=f"{name}:{line}" if line else name, problem=text)
        for line, text in problems
    )
    return ConfigError(joined(lines, "\n"), problems=problems)


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
        kind = node.tag.removeprefix("tag:yaml.org,2002:")
        if kind == "timestamp":
            node.tag, kind = "tag:yaml.org,2002:str", "str"
        text = None
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
        except UnicodeEncodeError as error:
            code = f"U+{ord(error.object[error.start]):04X}"
            text = message("the character {code} cannot stand in a file; take it out", code=code)
        except (ValueError, LookupError):
            text = message(
                "{value} is read as {kind} and is none; put a text in quotes, without a tag",
                value=repr(node.value[:60]),
                kind=kind,
            )
        if text is not None:
            raise yaml.constructor.ConstructorError(None, None, text, node.start_mark)
        return value


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
