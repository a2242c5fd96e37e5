"""Templates into which untrusted text can be put: every page of ours is made by one of these."""

import base64
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ..messages import Language, message
from ..untrusted import visible
from .blocks import in_language


def templates(folder: Path, finalize: Callable[[Any], Any] | None = None) -> Environment:
    """The templates of the folder: what is put in is escaped, and what is missing is an error.

    The head of a page, `document_head.html`, is in every folder.
    """
    return Environment(
        loader=FileSystemLoader([folder, Path(__file__).parent]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=finalize,
    )


def translated(folder: Path, language: Language) -> Environment:
    """The same in a language: a text that is put in is translated and made visible, markup is ours.

    `_` makes a message of a template's own text.
    """

    def shown(value: Any) -> Any:
        if isinstance(value, str) and not isinstance(value, Markup):
            return visible(in_language(value, language))
        return value

    environment = templates(folder, shown)
    environment.globals |= {"_": message, "language": language}
    return environment


def hash_source(text: str) -> str:
    """The hash by which a content security policy allows a script or a style of ours.

    >>> hash_source("")
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def policy(style: str, script: str) -> str:
    """A page's content security policy: nothing but its own style and its own script."""
    return (
        f"default-src 'none'; style-src '{hash_source(style)}'; "
        f"script-src '{hash_source(script)}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def embedded(value: Any) -> Markup:
    r"""JSON that can stand in a script element: no bracket or ampersand that HTML could read.

    >>> embedded({"a": "</script>"})
    Markup('{"a":"\\u003c/script\\u003e"}')
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # the two separators end a line in scripts of older browsers; half a character has no UTF-8
    text = re.sub("[<>&\u2028\u2029\ud800-\udfff]", lambda sign: f"\\u{ord(sign[0]):04x}", text)
    return Markup(text)  # noqa: S704 - escaped above
