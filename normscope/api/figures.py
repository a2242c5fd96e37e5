"""The figures of a run or of a comparison by their names, each a chart that shows itself."""

from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from ..errors import UsageError, nearest
from ..report.charts import Plot


class Figures(dict[str, Plot]):
    """Charts by the names of the files that `save` writes: `figures["score-by-category-radar"]`.

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

    def save(self, folder: str | Path, formats: str | tuple[str, ...] = ()) -> tuple[Path, ...]:
        """Draws all charts into the folder; returns the files."""
        return tuple(
            path for name, plot in self.items() for path in plot.save(Path(folder) / name, formats)
        )
