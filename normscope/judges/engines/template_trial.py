"""A chat template tried where it can do no harm: it is somebody's program, and may never end.

The sandbox that transformers renders in keeps a template from files and from Python, not from
looping over billions or from making a text of ten gigabytes. So it is rendered in a process of its
own first, which runs this file: it reads what to render as JSON within limits, and writes the
digests of what came out, or why nothing did. The environment is that of transformers (5.23).
"""

import json
import random
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from string import ascii_letters
from typing import Any

from jinja2 import TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

SECONDS = 5
"""Of processor time that a template may take for two conversations; usual are milliseconds."""

MEBIBYTES = 1024
"""Of memory, the interpreter's own hundred included."""

_TOO_LONG = f"takes more than {SECONDS} s for a short conversation"
# the exit codes where the memory is full, and of a template that draws lots
_FULL, _DRAWN = 9, 10
_PROBLEMS = {
    _FULL: f"takes more than {MEBIBYTES} MiB for a short conversation",
    _DRAWN: "draws lots (`random` or `lipsum`), so that nothing is the same twice",
}
_WORDS = (6, 800)
_LETTERS = ascii_letters + "的一是不了人我在有他这中大来上国"
_RANDOM = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Trial:
    """What a template did with conversations of random words, which it cannot tell from others.

    `digests` are the SHA-256 of what it made of each; none where there is a problem.
    """

    conversations: tuple[tuple[tuple[str, str], ...], ...]
    problem: str | None = None
    digests: tuple[str, ...] = ()


def try_template(
    template: str, roles: tuple[str, ...], variables: Mapping[str, object], *, parts: bool = False
) -> Trial:
    """The trial of the template with a short and a long conversation of these roles.

    With `parts` each message is a list of one part.

    >>> each = "{% for turn in messages %}{{ turn.content }}{% endfor %}"
    >>> try_template(each, ("user",), {}).problem is None
    True
    """
    return _try(template, roles, json.dumps(variables, sort_keys=True), parts=parts)


@lru_cache(maxsize=256)
def _try(template: str, roles: tuple[str, ...], variables: str, *, parts: bool) -> Trial:
    conversations = tuple(tuple((role, _random_text(n)) for role in roles) for n in _WORDS)
    order = {
        "template": template,
        "conversations": [
            [
                {"role": role, "content": [{"type": "text", "text": text}] if parts else text}
                for role, text in turns
            ]
            for turns in conversations
        ],
        "variables": json.loads(variables),
        "seconds": SECONDS,
        "mebibytes": MEBIBYTES,
    }
    command = [sys.executable, "-I", __file__]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and program
            command,
            input=json.dumps(order),
            capture_output=True,
            text=True,
            # waiting takes no processor time, and the limits do not see it
            timeout=30,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Trial(conversations, _TOO_LONG)
    if done.returncode < 0:
        return Trial(conversations, _TOO_LONG)
    if done.returncode > 0:
        last = done.stderr.strip().rpartition("\n")[2]
        return Trial(conversations, _PROBLEMS.get(done.returncode, f"cannot be tried ({last})"))
    result = json.loads(done.stdout)
    if "error" in result:
        problem = f"fails on a conversation of {', '.join(roles)} ({result['error']})"
        return Trial(conversations, problem)
    return Trial(conversations, digests=tuple(result["digests"]))


def _random_text(words: int) -> str:
    return " ".join(
        "".join(_RANDOM.choices(_LETTERS, k=_RANDOM.randint(2, 9)))
        for _ in range(_RANDOM.randint(words // 2, words))
    )


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


def render(
    template: str, conversations: list[list[dict[str, Any]]], variables: dict[str, Any]
) -> list[str]:
    """The digest of what the template makes of each conversation."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    if draws_lots(environment.parse(template)):
        sys.exit(_DRAWN)
    compiled = environment.from_string(template)
    texts = (compiled.render(messages=each, **variables) for each in conversations)
    return [sha256(text.encode("utf-8", "replace")).hexdigest() for text in texts]


def main() -> None:
    """Renders what stands on the standard input."""
    order = json.load(sys.stdin)
    limit(order.pop("seconds"), order.pop("mebibytes"))
    result: dict[str, Any] = {}
    try:
        result["digests"] = render(**order)
    except MemoryError:
        sys.exit(_FULL)
    except Exception as error:  # noqa: BLE001 - a template may raise anything
        result["error"] = " ".join(str(error).split())[:200]
    sys.stdout.write(json.dumps(result))


if __name__ == "__main__":
    main()
