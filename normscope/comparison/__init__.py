"""Finished runs against one another, item by item: what differs, by how much, how surely."""

from .differences import compare, read_runs
from .result import Compared, Difference

__all__ = ["Compared", "Difference", "compare", "read_runs"]
