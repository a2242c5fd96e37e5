"""The report of runs: one HTML file that opens anywhere and asks nothing of any network."""

from typing import Literal

from ..messages import LANGUAGES, Language
from .data import Report, ReportData
from .exports import scores_csv, scores_tex
from .page import page_of
from .writers import html, markdown

__all__ = [
    "LANGUAGES",
    "Form",
    "Language",
    "Report",
    "ReportData",
    "render",
]

Form = Literal["html", "md", "csv", "tex"]


def render(data: ReportData | Report, language: Language = "en", *, form: Form = "html") -> str:
    """The report of one run or of several as one document; the same data give the same bytes.

    As CSV it is every statistic, as LaTeX a table of the headlines per benchmark.
    """
    report = data if isinstance(data, Report) else Report((data,))
    if form == "csv":
        return scores_csv(report)
    if form == "tex":
        return scores_tex(report, language)
    page = page_of(report)
    return html.page(page, language) if form == "html" else markdown.page(page, language)
