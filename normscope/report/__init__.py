"""The report of a run: one HTML file that opens anywhere and asks nothing of any network."""

from .data import BenchmarkScores, ReportData
from .markdown import render_markdown
from .render import render
from .words import LANGUAGES, Language

__all__ = ["LANGUAGES", "BenchmarkScores", "Language", "ReportData", "render", "render_markdown"]
