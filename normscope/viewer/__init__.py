"""Every answer of a run, or of two side by side: chosen by an SQL condition, shown on one page."""

from .answers import Answers, opened
from .page import MOST_ANSWERS, answers_page

__all__ = ["MOST_ANSWERS", "Answers", "answers_page", "opened"]
