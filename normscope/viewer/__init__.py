"""Every answer of a run, or of two side by side: chosen by an SQL condition, shown on one page."""

from .answers import Answers
from .page import answers_page

__all__ = ["Answers", "answers_page"]
