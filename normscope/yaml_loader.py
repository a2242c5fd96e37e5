"""YAML's text to nodes and plain values, bounded; PyYAML's classes with what they lack.

Only text, numbers, booleans, null, lists and mappings are built, whatever a tag asks for.
"""

from collections.abc import Callable, Sequence
from typing import Any

import yaml

from .errors import ConfigError
from .messages import joined, message

MAX_DEPTH = 24
MAX_NODES = 50_000
MAX_DIGITS = 100
"""A longer number is none that anybody types; as 1:59:59:… it takes PyYAML minutes."""


def refusal(name: str, problems: Sequence[tuple[int, str]]) -> ConfigError:
    """The error that names each problem with the file and the line on which it stands."""
    lines = (
        message("{place}: {problem}", place=f"{name}:{line}" if line else name, problem=text)
        for line, text in problems
    )
    return ConfigError(joined(lines, "\n"), problems=problems)


def _read(construct: str) -> Callable[[Any, yaml.Node], Any]:
    """PyYAML's way to a value, and a refusal with the line where it raises some other error."""
    built = getattr(yaml.constructor.SafeConstructor, f"construct_yaml_{construct}")

    def read(constructor: Any, node: yaml.Node) -> Any:
        mark, raw = node.start_mark, node.value
        if construct in {"int", "float"} and len(raw) > MAX_DIGITS:
            text = message(
                "a number has at most {most} characters; put a text in quotes", most=MAX_DIGITS
            )
            raise yaml.constructor.ConstructorError(None, None, text, mark)
        try:
            value = built(constructor, node)
            if isinstance(value, str):
                value.encode()
        except UnicodeEncodeError as error:
            code = f"U+{ord(error.object[error.start]):04X}"
            text = message("the character {code} cannot stand in a file; take it out", code=code)
            raise yaml.constructor.ConstructorError(None, None, text, mark) from None
        except (ValueError, LookupError):
            text = message(
                "{value} is read as {kind} and is none; put a text in quotes, without a tag",
                value=repr(raw[:60]),
                kind=construct,
            )
            raise yaml.constructor.ConstructorError(None, None, text, mark) from None
        return value

    return read


class Plain(yaml.constructor.SafeConstructor):
    """Builds plain values only; a tag that asks for anything else is refused."""

    yaml_constructors = {
        f"tag:yaml.org,2002:{tag}": _read(to)
        for tag, to in {
            **{tag: tag for tag in ("null", "bool", "int", "float", "str", "seq", "map")},
            # a date is text: what is made of it is for the field to say
            "timestamp": "str",
        }.items()
    } | {None: yaml.constructor.SafeConstructor.construct_undefined}


class Loader(
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
            text = message(
                "aliases (*) are not allowed; write the value out, or put a text that begins with "
                "* in double quotes"
            )
            raise refusal(self._name, [(line, text)])
        self._nodes += 1
        self._depth += 1
        if self._depth > MAX_DEPTH or self._nodes > MAX_NODES:
            raise refusal(self._name, [(line, message("nested or repeated beyond reason"))])
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node
