"""The figures of a comparison: what each benchmark's judgements allow, from the paired rows."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...compare.align import align
from ...compare.result import Compared
from ...compare.runs import Run
from ...messages import Language
from ..charts import note_above, save
from ..charts.fonts import fonts
from .panels import Panel, Panels


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
    language: Language = "en",
) -> Drawn:
    """Draws every figure that the comparison allows into the folder, named after its benchmark.

    What the runs were not measured alike in stands above each figure.
    """
    chosen = fonts(language)
    notes = [chosen.note] if chosen.note else []
    paths: list[Path] = []
    for panel in _panels(runs, compared, chosen.language, notes):
        fields = [m.field for m in compared.mismatches if m.benchmark == panel.benchmark]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            figure = panel.chart.draw()
            if fields:
                text = f"not measured alike: the runs differ in {', '.join(fields)}"
                note_above(figure, text)
            paths += save(figure, out / panel.name, formats)
        notes += [f"{panel.name}: {warning.message}" for warning in caught]
    return Drawn(tuple(paths), tuple(dict.fromkeys(notes)))


def _panels(
    runs: Sequence[Run], compared: Compared, language: Language, notes: list[str]
) -> Iterator[Panel]:
    for benchmark in compared.pairings:
        yield from Panels(tuple(runs), align(runs, benchmark), language).all(notes)
