"""How a judge agrees with people: its reliability curve."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...messages import Language, message
from .canvas import QUIET, Plot, looks, new_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Reliability(Plot):
    """Stated probabilities against the share that people see.

    `points` has rows of stated probability, observed share, low, high.
    """

    points: ArrayLike

    reading: ClassVar[str] = message(
        "On the dotted line stated probabilities are as frequent as people say; the lines at the "
        "marks are intervals."
    )

    def _drawn(self, _language: Language) -> "Figure":
        """The line beside the diagonal, on which a calibrated judge stands."""
        axes = new_axes(3.6, 3.6)
        axes.plot([0, 1], [0, 1], color=QUIET, linewidth=0.8, linestyle=":")
        x, y, low, high = np.asarray(self.points, dtype=float).reshape(-1, 4).T
        error = np.clip(np.abs(np.stack([low, high]) - y), 0, None)
        (look,) = looks([""])
        axes.errorbar(x, y, error, color=look.colour, marker=look.marker, linewidth=1.2)
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        return self._finished(axes)
