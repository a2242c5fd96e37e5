"""matplotlib's figure as our charts draw it: its labels lie outside of its axes, and are shown."""

from io import BytesIO
from typing import Any

from matplotlib.figure import Figure


class ChartFigure(Figure):
    """A figure that is cut to what is drawn wherever it goes: into a file, or into a notebook."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Saves the figure as matplotlib does, all of its labels in it."""
        super().savefig(fname, **{"bbox_inches": "tight", **options})

    def _repr_png_(self) -> bytes:
        """The figure in a notebook, whatever its backend."""
        drawn = BytesIO()
        self.savefig(drawn, format="png")
        return drawn.getvalue()
