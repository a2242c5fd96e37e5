"""Finished runs against one another, item by item: what differs, by how much, how surely."""

from .differences import compare
from .result import Compared, Difference
from .runs import Run, read_run, read_runs

__all__ = ["Compared", "Difference", "Run", "compare", "read_run", "read_runs"]
