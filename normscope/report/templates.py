"""Templates into which untrusted text can be put: every page of ours is made by one of these."""

import base64
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ..untrusted import visible


def templates(folder: Path, **other: Any) -> Environment:
    """The templates of the folder: what is put in is escaped, and what is missing is an error."""
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        **other,
    )


def seen(value: Any) -> Any:
    """What is printed of a value: our own markup as it is, other text made visible."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def hash_source(text: str) -> str:
    """The hash by which a content security policy allows a script or a style of ours.

    >>> hash_source("")
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
