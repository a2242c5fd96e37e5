"""The report of a run: one HTML file that opens anywhere and asks nothing of any network."""

from .data import BenchmarkScores, ReportData
from .render import render

__all__ = ["BenchmarkScores", "ReportData", "render"]
