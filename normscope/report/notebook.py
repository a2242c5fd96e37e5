"""How results show themselves: the blocks of a report in a notebook's cell, or as lines of text.

In a notebook they have a style of their own, which changes nothing around them; text has the colour
of the notebook, whatever its theme, and no script is needed.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console

from .. import palette
from ..errors import UsageError, nearest
from .blocks import Block
from .charts import Plot
from .writers.html import fragment
from .writers.terminal import show_blocks

_STYLE = Path(__file__).with_name("notebook.css")
_CLASS = ".normscope"

_WIDTH = 100
"""Letters in a line of text."""

_DARK = (
    "body[data-jp-theme-light='false']",  # JupyterLab and Notebook
    ".vscode-dark",
    "html[theme='dark']",  # Colab
    "[data-md-color-scheme='slate']",  # mkdocs-material
)
"""How notebooks say that they are dark; the reader's system says nothing of a notebook's theme."""


def cell(markup: str) -> str:
    """The markup of a writer, or of a chart, as the output of a cell."""
    return f"<style>{_style()}</style>\n<div class='{_CLASS[1:]}'>{markup}</div>"


@cache
def _style() -> str:
    dark = ", ".join(f"{theme} {_CLASS}" for theme in _DARK)
    tones = palette.properties(_CLASS, dark)
    return f"{tones}{palette.rules(_CLASS)}{_STYLE.read_text(encoding='utf-8')}"


class Shown(ABC):
    """A result that shows its blocks: drawn in a notebook, and its brief tables anywhere else."""

    __slots__ = ()

    @abstractmethod
    def _shown(self) -> Sequence[Block]:
        """What a reader is to see first, the most important on top."""

    def _brief(self) -> Sequence[Block]:
        """The same for lines of text, where there is less room."""
        return self._shown()

    def _repr_html_(self) -> str:
        """The blocks as the output of a cell."""
        return cell(fragment(tuple(self._shown())))

    def __repr__(self) -> str:
        """The blocks as lines of text, without what is drawn or folded away."""
        lines = StringIO()
        # in a notebook's kernel a console would show what it prints as outputs of its own
        console = Console(file=lines, width=_WIDTH, color_system=None, force_jupyter=False)
        show_blocks(self._brief(), console)
        return "\n".join(line.rstrip() for line in lines.getvalue().strip("\n").splitlines())


class Figures(dict[str, Plot]):
    """Charts by the names of the files that `save` writes: `figures["score-by-category-ridge"]`.

    Where there are several benchmarks, each name begins with its benchmark. What there is not is
    refused with the nearest name.
    """

    @classmethod
    def of(cls, plots: Mapping[tuple[str, str], Plot]) -> "Figures":
        """Those of charts by benchmark and kind, as `report.comparison.figures` makes them."""
        several = len({benchmark for benchmark, _ in plots}) > 1
        return cls(
            (f"{benchmark.replace(':', '-')}-{kind}" if several else kind, plot)
            for (benchmark, kind), plot in plots.items()
        )

    def __missing__(self, name: str) -> NoReturn:
        """Raises a `UsageError` that names the nearest."""
        raise UsageError(f"no figure {name!r}; {nearest(name, [*self])}")

    def __repr__(self) -> str:
        """A name per line."""
        return "\n".join(self)

    def save(
        self, folder: str | Path, formats: str | tuple[str, ...] = (), **how: Any
    ) -> tuple[Path, ...]:
        """Draws all charts into the folder, each as `Plot.save` does; returns the files."""
        return tuple(
            path
            for name, plot in self.items()
            for path in plot.save(Path(folder) / name, formats, **how)
        )
