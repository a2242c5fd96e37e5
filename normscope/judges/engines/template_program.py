"""The program that renders a chat template within limits, alone in a process of its own.

It reads what it is given as JSON, and writes the digests of what came out, or why nothing did. The
environment is that of transformers (5.23).
"""

import json
import sys
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from jinja2 import TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

FULL, DRAWN = 9, 10
"""The exit codes where the memory is full, and of a template that draws lots."""


class Generation(Extension):
    """The tag that marks what an assistant wrote."""

    tags = {"generation"}  # noqa: RUF012 - as jinja has it

    def parse(self, parser: Parser) -> nodes.Node:
        """The block, to be rendered as it is."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("render"), [], [], body).set_lineno(line)

    def render(self, caller: Callable[[], str]) -> str:
        """What stands in the block."""
        return caller()


def raise_exception(message: str) -> None:
    """As templates refuse a conversation."""
    raise TemplateError(message)


def tojson(value: Any, ensure_ascii: bool = False, **layout: Any) -> str:
    """The value as JSON, not escaped for HTML as by jinja's own filter."""
    return json.dumps(value, ensure_ascii=ensure_ascii, **layout)


def draws_lots(template: nodes.Template) -> bool:
    """Whether the template uses the filter `random` or the function `lipsum`, whatever the turns.

    `map` takes a filter by its name, which may be put together: then it counts as that one.
    """
    for use in template.find_all(nodes.Filter):
        if use.name == "random":
            return True
        if use.name == "map" and (use.args or use.dyn_args):
            name = use.args[0] if use.args else use.dyn_args
            if getattr(name, "value", "random") == "random":
                return True
    return any(use.name == "lipsum" for use in template.find_all(nodes.Name))


def limit(seconds: int, mebibytes: int) -> None:
    """Sets the limits of this process, where the system has any."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20,) * 2)


def render(template: str, conversations: list[Any], variables: dict[str, Any]) -> list[str]:
    """The digest of what the template makes of each conversation."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    if draws_lots(environment.parse(template)):
        sys.exit(DRAWN)
    made = environment.from_string(template)
    texts = (made.render(messages=messages, **variables) for messages in conversations)
    return [sha256(text.encode("utf-8", "replace")).hexdigest() for text in texts]


def main() -> None:
    """Renders what stands on the standard input."""
    given = json.load(sys.stdin)
    limit(given.pop("seconds"), given.pop("mebibytes"))
    result: dict[str, Any] = {}
    try:
        result["digests"] = render(**given)
    except MemoryError:
        sys.exit(FULL)
    except Exception as error:  # noqa: BLE001 - a template may raise anything
        result["error"] = " ".join(str(error).split())[:200]
    sys.stdout.write(json.dumps(result))


if __name__ == "__main__":
    main()
