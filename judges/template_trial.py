"""A chat template tried where it can do no harm: it is somebody's program, and may never end.

The sandbox that transformers renders in keeps a template from files and from Python, not from
looping over billions or from making a text of ten gigabytes.
"""

import json
import subprocess
import sys
from functools import lru_cache

SECONDS = 5
"""Of processor time that a template may take for one short conversation; usual are milliseconds."""

MEBIBYTES = 1024
"""Of memory, the interpreter's own hundred included."""

# Plain jinja2 as transformers sets it up. Only its limits matter here: whatever else goes wrong,
# a tag of transformers' own included, is found out by rendering in this process afterwards.
_PROGRAM = """
import json, re, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20,) * 2)
except ImportError:
    pass
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment
template = re.sub(r"\\{%[-+]?\\s*(end)?generation\\s*[-+]?%\\}", "", json.load(sys.stdin))
turns = [{"role": role, "content": "what one says"} for role in ("user", "assistant", "user")]
values = {"add_generation_prompt": True, "bos_token": "", "eos_token": "", "tools": None}
try:
    made = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols]
    ).from_string(template)
    for messages in (turns[:1], turns):
        made.render(messages=messages, **values)
except MemoryError:
    sys.exit(9)
except Exception:
    pass
"""
_MEMORY = 9


@lru_cache(maxsize=64)
def excess(template: str) -> str | None:
    """What the template takes too much of for a conversation of three turns; null if nothing.

    >>> excess("{% for turn in messages %}{{ turn.content }}{% endfor %}") is None
    True
    """
    limits = f"seconds, mebibytes = {SECONDS}, {MEBIBYTES}\n"
    command = [sys.executable, "-I", "-c", limits + _PROGRAM]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and program
            command,
            input=json.dumps(template),
            capture_output=True,
            text=True,
            # waiting takes no processor time, and the limits do not see it
            timeout=30,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"takes more than {SECONDS} s for a short conversation"
    if done.returncode == _MEMORY:
        return f"takes more than {MEBIBYTES} MiB for a short conversation"
    return f"takes more than {SECONDS} s for a short conversation" if done.returncode < 0 else None
