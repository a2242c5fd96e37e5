"""Where a server is, which model is meant, and the key: what is secret is refused or hidden."""

import os
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from ....errors import ModelError, UsageError

_CREDENTIALS = re.compile(r"(?<=//).*@", re.DOTALL)
_SCHEMES = ("Bearer ", "Basic ")


@dataclass(frozen=True, slots=True)
class Address:
    """The root of an OpenAI-compatible API, and the model's name if the user gave one."""

    base: str
    model: str | None

    @property
    def is_local(self) -> bool:
        """Whether the server runs on this machine, where a proxy has no business."""
        return urlsplit(self.base).hostname in {"localhost", "127.0.0.1", "::1"}


def parse(text: str) -> Address:
    """The parts of `http://host:8000/v1#model`; the model is null without a fragment.

    A user name, password or query is refused, since the address is written into run folders, and
    so are several addresses.

    >>> parse("http://localhost:8000/v1#qwen")
    Address(base='http://localhost:8000/v1', model='qwen')
    """
    shown = hide(text)
    if re.search(r",\s*https?://", text):
        raise UsageError(
            f"{shown} are several servers: put a router in front of them (vLLM's, LiteLLM, nginx) "
            "and give its address"
        )
    try:
        split = urlsplit(text.strip())
        # a port that is no number is an error only when it is read
        host, _ = split.hostname, split.port
    except ValueError:
        host, split = None, urlsplit("")
    if host is None or split.scheme not in {"http", "https"}:
        raise UsageError(f"{shown} is no address of a server: write http://host:8000/v1#model")
    if "@" in split.netloc or split.query:
        what = "a query" if split.query else "a user name or password"
        raise UsageError(
            f"{shown} carries {what}, which would be written into the run folder: take it out; "
            "a key goes into the environment variable api_key_env (default NORMSCOPE_API_KEY), "
            "'Basic …' for a user name and password"
        )
    base = f"{split.scheme}://{split.netloc}{split.path.rstrip('/')}"
    return Address(base, split.fragment or None)


def hide(text: str) -> str:
    """The address without what may be secret in it.

    >>> hide("https://me:secret@host/v1?key=1#m")
    'https://…@host/v1?…#m'
    """
    return re.sub(r"\?[^#]*", "?…", _CREDENTIALS.sub("…@", text))


def authorization(variable: str) -> str | None:
    """The Authorization header from the environment variable, null if that is unset or empty.

    A value that begins with `Bearer ` or `Basic ` is the whole header; any other is a bearer key.
    """
    value = os.environ.get(variable, "").strip()
    if not value:
        return None
    if not (value.isascii() and value.isprintable()):
        raise ModelError(
            f"the key in the environment variable {variable} has a line break or another "
            "character that no key has: set it again"
        )
    return value if value.startswith(_SCHEMES) else f"Bearer {value}"


def key_in(header: str | None) -> str | None:
    """What must never be shown: the header without its scheme."""
    return None if header is None else header.partition(" ")[2] or header
