"""One writer for each medium: `html`, `markdown`, `terminal`. Each shows every block as text."""

from collections.abc import Callable
from pathlib import Path

from ...files import write_text
from ...messages import Language
from ..blocks import Page
from . import html, markdown

_WRITERS: dict[str, Callable[[Page, Language], str]] = {".html": html.page, ".md": markdown.page}


def write(page: Page, path: Path, language: Language = "en") -> Path:
    """Writes the page to the path, as HTML or as Markdown by its ending; returns the path."""
    write_text(path, _WRITERS[path.suffix](page, language))
    return path
