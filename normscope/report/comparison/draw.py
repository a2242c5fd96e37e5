"""The figures of a comparison: what each benchmark's judgements allow, from the paired rows."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...compare.align import align
from ...compare.result import Compared
from ...compare.runs import Run
from ...extras import require
from ..charts import caution, save
from ..charts.fonts import fonts
from .panels import Panel, Panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Drawn:
    """The files that were written and what must be said about them."""

    paths: tuple[Path, ...]
    notes: tuple[str, ...]


def draw(
    runs: Sequence[Run],
    compared: Compared,
    out: Path,
    *,
    formats: Sequence[str] = ("svg", "png"),
    language: str = "en",
) -> Drawn:
    """Draws every figure that the comparison allows into the folder, named after its benchmark.

    What the runs were not measured alike in stands above each figure.
    """
    require("matplotlib", extra="figures")
    chosen = fonts(language)
    notes = [chosen.note] if chosen.note else []
    paths: list[Path] = []
    for panel in _panels(runs, compared, chosen.language, notes):
        figure = panel.figure()
        _warn(figure, compared, panel.benchmark)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            paths += save(figure, out / panel.name, formats)
        notes += [f"{panel.name}: {warning.message}" for warning in told]
    return Drawn(tuple(paths), tuple(dict.fromkeys(notes)))


def _panels(
    runs: Sequence[Run], compared: Compared, language: str, notes: list[str]
) -> Iterator[Panel]:
    for benchmark in compared.pairings:
        yield from Panels(tuple(runs), align(runs, benchmark), language).all(notes)


def _warn(figure: "Figure", compared: Compared, benchmark: str) -> None:
    fields = [m.field for m in compared.mismatches if m.benchmark == benchmark]
    if fields:
        caution(figure, f"not measured alike: the runs differ in {', '.join(fields)}")
