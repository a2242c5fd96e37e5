"""Lines and marks: estimates with their intervals, and a judge's reliability curve."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DataError
from ...messages import Language, message
from .axes import FAINT, QUIET, Floats, Size, looks, name_rows, panels, size_of, tidy
from .canvas import Plot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_ROW = 0.29
"""Inches of a row."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Intervals(Plot):
    """A row per estimate: a mark and a line for its interval, in a panel for each series.

    `points` are series × rows × (value, low, high); NaN is none of it. The values of all rows go
    over `limits`, and an arrow shows where an interval is cut at them.
    """

    points: Sequence[Any]
    rows: Sequence[str]
    limits: tuple[float, float]
    series: Sequence[str]

    reading: ClassVar[str] = message(
        "A mark is an estimate, its line the 95 % interval, which goes on where there is an arrow."
    )
    _least: ClassVar[float] = 0.45

    def __post_init__(self) -> None:
        """Refuses points of another shape."""
        if self._table().shape != (len(self.series), len(self.rows), 3):
            shape, expected = np.shape(self.points), f"{len(self.series)} × {len(self.rows)} × 3"
            raise DataError(f"points must be {expected} (series × rows × ends), not {shape}")

    def to_frame(self) -> "pd.DataFrame":
        """A row per estimate: its `series` and `row`, the `value`, and `low` and `high` of it."""
        value, low, high = np.moveaxis(self._table(), -1, 0)
        return tidy({"series": self.series, "row": self.rows}, value=value, low=low, high=high)

    def _table(self) -> Floats:
        return np.asarray(self.points, dtype=float)

    @property
    def _panel(self) -> Size:
        return 3.4 if len(self.series) == 1 else 1.9, _ROW * len(self.rows) + 0.1

    @property
    def _size(self) -> Size:
        return size_of(len(self.series), self._panel)

    def _drawn(self, axes: "Axes", _language: Language) -> "Sequence[Artist]":
        """The panels beside one another, of which the first names the rows."""
        held = panels(axes, self.series, self._panel)
        for panel, table, look in zip(held, self._table(), looks(self.series), strict=True):
            colour, mark = look
            places = name_rows(panel, self.rows, 36, within=axes)
            panel.tick_params(axis="y", labelleft=panel is held[0], pad=7)
            value, low, high = table.T
            panel.grid(visible=True, axis="x", color=FAINT)
            ends = self.limits
            if ends[0] < 0 < ends[1]:
                panel.axvline(0, color=QUIET, linewidth=0.6)
            panel.hlines(places, *np.clip((low, high), *ends), color=colour, linewidth=1.5)
            marks = [
                (value, mark, 5),
                (np.where((low <= ends[0]) & (low < value), ends[0], np.nan), "<", 5),
                (np.where((high >= ends[1]) & (high > value), ends[1], np.nan), ">", 5),
            ]
            for x, marker, size in marks:
                # a mark at an end of the scale is drawn whole
                panel.plot(x, places, marker, color=colour, markersize=size, clip_on=False)
            panel.set_xlim(*ends)
        return ()


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

    def to_frame(self) -> "pd.DataFrame":
        """A row per mark: the `stated` probability, the `observed` share, its `low` and `high`."""
        import pandas as pd

        rows = np.asarray(self.points, dtype=float).reshape(-1, 4)
        return pd.DataFrame(rows, columns=["stated", "observed", "low", "high"])

    @property
    def _size(self) -> Size:
        return 3.6, 3.6

    def _drawn(self, axes: "Axes", _language: Language) -> "Sequence[Artist]":
        """The line beside the diagonal, on which a calibrated judge stands."""
        axes.plot([0, 1], [0, 1], color=QUIET, linewidth=0.8, linestyle=":")
        x, y, low, high = np.asarray(self.points, dtype=float).reshape(-1, 4).T
        error = np.clip(np.abs(np.stack([low, high]) - y), 0, None)
        ((colour, marker),) = looks([""])
        axes.errorbar(x, y, error, color=colour, marker=marker, linewidth=1.2)
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        return ()
