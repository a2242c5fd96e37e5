"""The report of runs: one HTML file that opens anywhere and asks nothing of any network."""

from typing import Literal

from ..messages import LANGUAGES, Language
from .data import ReportData
from .exports import scores_csv, scores_tex
from .page import page_of
from .runs import SeveralData, page_of_several
from .writers import html, markdown

__all__ = [
    "LANGUAGES",
    "Form",
    "Language",
    "ReportData",
    "SeveralData",
    "render",
]

Form = Literal["html", "md", "csv", "tex"]


def render(
    data: ReportData | SeveralData, language: Language = "en", *, form: Form = "html"
) -> str:
    """The report of one run or of several as one document; the same data give the same bytes.

    As CSV it is every statistic, as LaTeX a table of the headlines per benchmark.
    """
    if form in ("csv", "tex"):
        if isinstance(data, SeveralData):
            names, runs = data.names, data.runs
        else:
            names, runs = (data.name,), (data,)
        return scores_csv(names, runs) if form == "csv" else scores_tex(names, runs, language)
    page = page_of_several(data) if isinstance(data, SeveralData) else page_of(data)
    return html.page(page, language) if form == "html" else markdown.page(page, language)
