"""Examples in docstrings as blocks of code, for mkdocstrings (`extensions` in mkdocs.yml).

In Markdown, `>>>` would be a quotation in a quotation in a quotation.
"""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*(?:\n\n>>> .*(?:\n(?!\s*$).*)*)*", re.MULTILINE)
"""From the first prompt on, until an empty line is followed by something else than a prompt."""


class Doctests(griffe.Extension):
    """Fences the examples of every docstring."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called with each object that was read."""
        if obj.docstring is not None:
            obj.docstring.value = EXAMPLE.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
