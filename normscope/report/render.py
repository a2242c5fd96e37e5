"""A run, or several, as a page in HTML or Markdown."""

from ..messages import Language
from .data import ReportData
from .page import page_of
from .several import SeveralData, page_of_several
from .view import view_of
from .words import Words
from .writers import html, markdown


def render(data: ReportData, language: Language = "en") -> str:
    """The report as one HTML document; the same data give the same bytes."""
    return html.page(page_of(view_of(data, Words(language))), language)


def render_markdown(data: ReportData, language: Language = "en") -> str:
    """The report as Markdown, with the numbers of the page."""
    return markdown.page(page_of(view_of(data, Words(language))), language)


def render_several(data: SeveralData, language: Language = "en") -> str:
    """The runs and their comparison as one HTML document."""
    return html.page(page_of_several(data, Words(language)), language)


def render_several_markdown(data: SeveralData, language: Language = "en") -> str:
    """The runs and their comparison as Markdown, with the numbers of the page."""
    return markdown.page(page_of_several(data, Words(language)), language)
