"""How results show themselves: the blocks of a report, in a notebook's cell or as lines of text."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING

from ..messages import message

if TYPE_CHECKING:
    from ..report.blocks import Block
    from ..report.data import ReportData

_WIDTH = 100
"""Letters in a line of text."""


class Shown(ABC):
    """A result that shows its blocks: drawn in a notebook, and its brief tables anywhere else."""

    __slots__ = ()

    @abstractmethod
    def _shown(self) -> "Sequence[Block]":
        """What a reader is to see first, the most important on top."""

    def _brief(self) -> "Sequence[Block]":
        """The same for lines of text, where there is less room."""
        return self._shown()

    def _repr_html_(self) -> str:
        """The blocks as the output of a cell."""
        from ..report.notebook import cell
        from ..report.writers.html import fragment

        return cell(fragment(tuple(self._shown())))

    def __repr__(self) -> str:
        """The blocks as lines of text, without what is drawn or folded away."""
        from rich.console import Console

        from ..report.writers.terminal import show_blocks

        lines = StringIO()
        # in a notebook's kernel a console would show what it prints as outputs of its own
        console = Console(file=lines, width=_WIDTH, color_system=None, force_jupyter=False)
        show_blocks(self._brief(), console)
        return "\n".join(line.rstrip() for line in lines.getvalue().strip("\n").splitlines())


def folded(block: "Block") -> "Block":
    """The section with all that it folds away under one summary: a cell has less room than a page.

    Other blocks are as they were.
    """
    from ..report.blocks import Details, Section

    if not isinstance(block, Section):
        return block
    open_ones = [each for each in block.blocks if not isinstance(each, Details)]
    away = [each for each in block.blocks if isinstance(each, Details)]
    if len(away) > 1:
        away = [Details(message("Details"), tuple(away))]
    return replace(block, blocks=(*open_ones, *away))


def run_blocks(data: "ReportData") -> "Sequence[Block]":
    """The first screen of a run's report, and folded away what else limits it."""
    from ..report.blocks import Details, Section
    from ..report.caveats import caveats, no_caveat
    from ..report.page import first_screen

    limits = tuple(caveats(data)) or (no_caveat(),)
    first = [
        # its heading says nothing where the answer is all that is shown
        block
        for each in first_screen(data)
        for block in (each.blocks if isinstance(each, Section) else (each,))
    ]
    return (*first, Details(message("What limits it"), limits))
