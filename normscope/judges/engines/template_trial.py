"""A chat template tried where it can do no harm: it is somebody's program, and may never end.

The sandbox that transformers renders in keeps a template from files and from Python, not from
looping over billions or from making a text of ten gigabytes.
"""

import json
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from string import ascii_letters

from ..engine import Conversation
from . import template_program

SECONDS = 5
"""Of processor time that a template may take for two conversations; usual are milliseconds."""

MEBIBYTES = 1024
"""Of memory, the interpreter's own hundred included."""

_TOO_LONG = f"takes more than {SECONDS} s for a short conversation"
_PROBLEMS = {
    template_program.FULL: f"takes more than {MEBIBYTES} MiB for a short conversation",
    template_program.DRAWN: "draws lots (`random` or `lipsum`), so that nothing is the same twice",
}
_WORDS = (6, 800)
_LETTERS = ascii_letters + "的一是不了人我在有他这中大来上国"
_RANDOM = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Trial:
    """What a template did with conversations of random words, which it cannot tell from others.

    `digests` are the SHA-256 of what it made of each; none where there is a problem.
    """

    conversations: tuple[Conversation, ...]
    problem: str | None = None
    digests: tuple[str, ...] = ()


def try_template(template: str, roles: tuple[str, ...], variables: Mapping[str, object]) -> Trial:
    """The trial of the template with a short and a long conversation of these roles.

    >>> each = "{% for turn in messages %}{{ turn.content }}{% endfor %}"
    >>> try_template(each, ("user",), {}).problem is None
    True
    """
    return _try(template, roles, json.dumps(variables, sort_keys=True))


@lru_cache(maxsize=256)
def _try(template: str, roles: tuple[str, ...], variables: str) -> Trial:
    conversations = tuple(tuple((role, _random_text(n)) for role in roles) for n in _WORDS)
    given = {
        "template": template,
        "conversations": [messages_of(turns) for turns in conversations],
        "variables": json.loads(variables),
        "seconds": SECONDS,
        "mebibytes": MEBIBYTES,
    }
    command = [sys.executable, "-I", str(Path(template_program.__file__))]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and program
            command,
            input=json.dumps(given),
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


def messages_of(turns: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    """The turns as templates take them."""
    return [{"role": role, "content": content} for role, content in turns]


def _random_text(words: int) -> str:
    return " ".join(
        "".join(_RANDOM.choices(_LETTERS, k=_RANDOM.randint(2, 9)))
        for _ in range(_RANDOM.randint(words // 2, words))
    )
