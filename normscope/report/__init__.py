"""The report of runs: one HTML file that opens anywhere and asks nothing of any network."""

from .data import BenchmarkScores, ReportData
from .render import render, render_markdown, render_several, render_several_markdown
from .several import Figure, SeveralData
from .words import LANGUAGES, Language

__all__ = [
    "LANGUAGES",
    "BenchmarkScores",
    "Figure",
    "Language",
    "ReportData",
    "SeveralData",
    "render",
    "render_markdown",
    "render_several",
    "render_several_markdown",
]
