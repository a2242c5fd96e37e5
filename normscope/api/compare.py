"""`ns.compare`: finished runs against one another, item by item."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pandas as pd

from ..comparison import Compared, read_runs
from ..comparison import compare as compare_runs
from ..comparison.bar import Bar
from ..comparison.gate import ALPHA, Margin, gate
from ..comparison.published import Published, published_beside
from ..comparison.result import Gate, NormsCompared
from ..errors import UsageError
from ..files import named
from ..messages import Language, message, translate
from ..progress import to_stderr
from ..records.run import Run as ReadRun
from ..report.blocks import Block, Details, Section
from ..report.comparison.figures import draw, figures
from ..report.comparison.page import comparison_page, first_screen
from ..report.comparison.write import flat_rows, tidy, write
from ..report.notebook import Figures, Shown
from ..report.published import section_of
from .request import PathLike
from .run import Run
from .settings import Names, listed_names


def compare(*runs: Run | PathLike, although: bool = False, published: bool = False) -> "Comparison":
    """Compares two runs or more on the items that all of them have; the first is the baseline.

    Runs are `Run`s or their folders. Those that were not measured alike are refused with the field
    and both values, unless `although`: then the result says so. With `published` the numbers that
    papers printed of the benchmarks stand beside those of the runs, for which one run is enough.
    """
    opened = _read(runs, fewest=1 if published else 2)
    compared = compare_runs(opened, although=although)
    beside = published_beside(opened, compared.norms) if published else ()
    return Comparison(compared, opened, beside)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Shown):
    """Runs against one another: every pair overall, each against the first by group.

    A difference is the later run less the earlier one, over the items that both have scored.
    `beside` has the published results, and in what they were measured otherwise.
    """

    compared: Compared
    runs: tuple[ReadRun, ...]
    beside: tuple[Published, ...] = ()

    @cached_property
    def differences(self) -> pd.DataFrame:
        """A row per difference, with its interval, test and what is unscored (`compare.csv`)."""
        return pd.DataFrame(flat_rows(self.compared))

    @property
    def norms(self) -> Mapping[str, NormsCompared]:
        """By benchmark of vignettes: the norms side by side, on how many runs agree, tests."""
        return self.compared.norms

    @cached_property
    def figures(self) -> Figures:
        """Its charts by their names."""
        return Figures.of(figures(self.runs, self.compared))

    def to_frame(self) -> pd.DataFrame:
        """The differences as a tidy data frame: `value` is that of `run` less that of `baseline`.

        The interval is of the items that both have scored; `lowest` and `highest` are over all.
        """
        return tidy(self.compared)

    def gate(
        self,
        margin: Margin | Bar,
        *,
        on: Names = (),
        categories: Names = (),
        alpha: float = ALPHA,
    ) -> Gate:
        """Whether a later run is worse than the first by more than a margin (docs/gate.md).

        `margin` is 0.02 or "2%" for all, one for each statistic: {"hr": "2%", "score": 0.1}, or the
        `comparison.bar.Bar` of a file, which says all else, too.
        """
        selection = {"on": listed_names(on), "categories": listed_names(categories)}
        return gate(self.runs, margin, **selection, alpha=alpha)

    def write(
        self,
        folder: PathLike,
        *,
        figures: bool = True,
        formats: Names = ("svg", "png"),
        language: Language = "en",
    ) -> tuple[Path, ...]:
        """Writes what `normscope compare` writes; returns the files."""
        out = Path(folder)
        paths = write(self.compared, out, language)
        if not figures:
            return paths
        drawn = draw(
            self.runs,
            self.compared,
            out / "figures",
            formats=listed_names(formats),
            language=language,
        )
        for note in drawn.notes:
            to_stderr(translate(message("note: {note}", note=note), language))
        return *paths, *drawn.paths

    def _shown(self) -> Sequence[Block]:
        page = comparison_page(self.compared)
        blocks = page.blocks if len(self.runs) > 1 else ()
        return (Section(page.title, blocks), section_of(self.beside))

    def _brief(self) -> Sequence[Block]:
        section = section_of(self.beside)
        papers = [each for each in section.blocks if isinstance(each, Details)]
        tables = tuple(Section(each.summary, each.blocks) for each in papers)
        beside = replace(section, blocks=tables, folded=False)
        return *(first_screen(self.compared) if len(self.runs) > 1 else ()), beside


def _read(runs: Sequence[Run | PathLike], *, fewest: int) -> tuple[ReadRun, ...]:
    """Two or more different finished runs, by names that tell them apart."""
    if any(isinstance(each, list | tuple) for each in runs):
        raise UsageError("runs are given one by one: compare(*runs) where they are a list")
    read = read_runs([named(Path(each)) for each in runs], fewest=fewest)
    names = [
        run.name if isinstance(run, Run) else each.name
        for run, each in zip(runs, read, strict=True)
    ]
    # names of their own, unless two runs share one
    if len({*names}) < len(names):
        return read
    return tuple(replace(each, name=name) for each, name in zip(read, names, strict=True))
