"""How answers are distributed: bars of shares, and ridges of a score over the categories."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DataError
from ...format import count
from ...messages import Language, message, translate
from ...palette import DIVERGING, on_colour
from ..names import name_of
from .axes import (
    ABSENCES,
    FAINT,
    INK,
    PAPER,
    QUIET,
    Floats,
    Size,
    looks,
    name_rows,
    panels,
    size_of,
    table_of,
    tidy,
)
from .canvas import Plot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_ROOM = 0.07
"""The least share that has room for its number."""

_FEW = 8
"""Fewer values than this have no shape: each is drawn as a mark."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Bars(Plot):
    """The counts (rows × classes) as bars of shares, one bar per row.

    The last classes may be `absent` ones (`no answer`, `unscored`), which are no answers: they are
    hatched and keep their look in every chart. A share is written where there is room for it.
    """

    counts: ArrayLike
    rows: Sequence[str]
    classes: Sequence[str]
    absent: Sequence[str] = ()
    palette: Sequence[str] = DIVERGING
    xlabel: str = message("share of answers")

    def __post_init__(self) -> None:
        """Refuses counts of another shape, and more classes than colours."""
        table_of(self.counts, self.rows, (*self.classes, *self.absent), "counts")
        if len(self.classes) > len(self.palette):
            n = len(self.classes)
            raise DataError(f"{n} classes need as many colours, not {len(self.palette)}")

    def to_frame(self) -> "pd.DataFrame":
        """A row per bar and class: `row`, `class`, `count` and its `share` of the bar.

        >>> Bars(counts=[[1, 3]], rows=["a"], classes=["no", "yes"]).to_frame()
          row class  count  share
        0   a    no    1.0   0.25
        1   a   yes    3.0   0.75
        """
        counts, shares = self._shares()
        classes = [*self.classes, *map(name_of, self.absent)]
        return tidy({"row": self.rows, "class": classes}, count=counts, share=shares)

    def _shares(self) -> tuple[Floats, Floats]:
        """The counts, and their shares of their row."""
        counts = table_of(self.counts, self.rows, (*self.classes, *self.absent), "counts")
        return counts, counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)

    @property
    def _size(self) -> Size:
        return 5.4, 0.05 + 0.3 * len(self.rows)

    def _drawn(self, axes: "Axes", language: Language) -> "Sequence[Artist]":
        """The bars under one another, the first row on top."""
        counts, shares = self._shares()
        places = name_rows(axes, self.rows, 40)
        starts = np.cumsum(shares, axis=1) - shares
        names = [*self.classes, *(translate(name_of(name), language) for name in self.absent)]
        for at, name in enumerate(names):
            # a legend of what never happened would take the room of what did
            if at < len(self.classes) or counts[:, at].any():
                self._class(axes, at, name, starts[:, at], shares[:, at])
        for row, total in enumerate(counts.sum(axis=1).tolist()):
            n = f"n = {count(int(total))}"
            axes.text(1.01, places[row], n, va="center", fontsize="small", color=QUIET)
        axes.set_xlim(0, 1)
        axes.set_xticks(np.linspace(0, 1, 5), [f"{tick} %" for tick in range(0, 101, 25)])
        return ()

    def _class(self, axes: "Axes", at: int, name: str, starts: Floats, shares: Floats) -> None:
        """The stretch of each bar that is the class's."""
        style: dict[str, Any]
        if at < len(self.classes):
            style = {"facecolor": self.palette[at], "edgecolor": QUIET}
            label: dict[str, Any] = {"color": on_colour(self.palette[at])}
        else:
            style = ABSENCES[self.absent[at - len(self.classes)]]
            label = {"color": INK, "bbox": {"facecolor": PAPER, "edgecolor": "none", "pad": 0.8}}
        bars = axes.barh(
            np.arange(len(self.rows))[::-1],
            # a bar without a width would be a stroke
            np.where(shares > 0, shares, np.nan),
            left=starts,
            height=0.74,
            linewidth=0.6,
            label=name,
            **style,
        )
        texts = [f"{share * 100:.0f} %" if share >= _ROOM else "" for share in shares]
        axes.bar_label(bars, texts, label_type="center", fontsize="small", **label)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Ridges(Plot):
    """The densities of `samples[series][category]` on the scale `limits`, a panel for each series.

    Every ridge is as high as the others, so that one heap of equal values does not flatten the
    rest: compare shapes and places, not areas. A stroke is the median. The number of values is on
    the right, of the series in their order if they differ. Fewer than 8 values are drawn one by
    one; NaN is left out.
    """

    samples: Sequence[Sequence[ArrayLike]]
    series: Sequence[str]
    categories: Sequence[str]
    limits: tuple[float, float]

    reading: ClassVar[str] = message(
        "Densities, all of one height: compare shapes and places, not areas. A stroke is the "
        "median; fewer than 8 values are drawn one by one; n stands on the right."
    )

    def __post_init__(self) -> None:
        """Refuses samples of another shape, and values that leave the scale."""
        if [len(row) for row in self.samples] != [len(self.categories)] * len(self.series):
            expected = f"{len(self.series)} rows of {len(self.categories)}"
            raise DataError(f"samples must be {expected}, as there are series and categories")
        for row in self.samples:
            for cell in row:
                _known(cell, self.limits)

    def to_frame(self) -> "pd.DataFrame":
        """A row per value: its `series` and `category`, and the `value`."""
        import pandas as pd

        rows = [
            (str(series), str(category), value)
            for series, cells in zip(self.series, self.samples, strict=True)
            for category, cell in zip(self.categories, cells, strict=True)
            for value in _known(cell, self.limits).tolist()
        ]
        return pd.DataFrame(rows, columns=["series", "category", "value"])

    @property
    def _panel(self) -> Size:
        return 5.0 if len(self.series) == 1 else 1.9, 0.25 + 0.42 * len(self.categories)

    @property
    def _size(self) -> Size:
        return size_of(len(self.series), self._panel)

    def _drawn(self, axes: "Axes", _language: Language) -> "Sequence[Artist]":
        """The ridges over one another, the first category on top."""
        values = [[_known(cell, self.limits) for cell in row] for row in self.samples]
        held = panels(axes, self.series, self._panel)
        for panel, (colour, marker), cells in zip(held, looks(self.series), values, strict=True):
            places = name_rows(panel, self.categories, 30, within=axes)
            panel.tick_params(axis="y", labelleft=panel is held[0])
            panel.grid(visible=True, axis="y", color=FAINT)
            for cell, at in zip(cells, places, strict=True):
                _ridge(panel, cell, float(at), colour, marker)
            panel.set_ylim(-0.1, len(places))
            panel.set_xlim(*self.limits)
        for row, base in enumerate(places.tolist()):
            held[-1].text(
                1.01,
                base,
                "n = " + _counts([len(cells[row]) for cells in values]),
                transform=held[-1].get_yaxis_transform(),
                fontsize="small",
                color=QUIET,
                va="bottom",
            )
        return ()


def _ridge(axes: "Axes", cell: Floats, base: float, colour: str, marker: str) -> None:
    """The density of the values over their base line with their median, or marks of a few."""
    if len(cell) < _FEW:
        axes.plot(cell, np.full(len(cell), base + 0.12), marker, markersize=3.5, color=colour)
        return
    axes.violinplot(
        [cell],
        [base],
        orientation="horizontal",
        side="high",
        widths=1.8,
        showextrema=False,
        showmedians=True,
        facecolor=(colour, 0.35),
        linecolor=colour,
    )


def _known(cell: ArrayLike, limits: tuple[float, float]) -> Floats:
    values: Floats = np.asarray(cell, dtype=float).ravel()
    values = values[~np.isnan(values)]
    if len(values) and not (limits[0] <= values.min() and values.max() <= limits[1]):
        between = f"{values.min():g} … {values.max():g}"
        raise DataError(f"values {between} leave the scale {limits[0]:g} … {limits[1]:g}")
    return values


def _counts(numbers: list[int]) -> str:
    same = len(set(numbers)) == 1
    return count(numbers[0]) if same else ", ".join(count(number) for number in numbers)
