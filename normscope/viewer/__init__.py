"""Every answer of a run, or of two side by side: read, filtered by one line of text, opened."""

from .brought import answered_of
from .collection import Collection
from .query import Query, Sort, Term
from .runs import Answered, read_answered, read_beside

__all__ = [
    "Answered",
    "Collection",
    "Query",
    "Sort",
    "Term",
    "answered_of",
    "read_answered",
    "read_beside",
]
