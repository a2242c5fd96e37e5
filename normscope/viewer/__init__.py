"""Every answer of a run, or of two side by side: chosen by an SQL condition, shown on one page."""

from .answers import Answers, RunTables, read_run, read_runs
from .page import answers_page

__all__ = ["Answers", "RunTables", "answers_page", "read_run", "read_runs"]
