"""Several runs in one report: their numbers side by side, and what differs in pairs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..compare.result import Compared
from .biases import drift_limits
from .blocks import Caveat
from .compared import ComparedSection, compared_limits, compared_sections
from .data import ReportData
from .front import Front, front_of
from .scores import Line
from .words import Words


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the comparison: its title, and the image as a `data:` address."""

    title: str
    source: str


@dataclass(frozen=True, slots=True)
class SeveralData:
    """Runs and their comparison, in one order; the first is the baseline.

    `names` tell the runs apart. `notes` say which figures there are not; `command` repeats the
    report.
    """

    names: tuple[str, ...]
    runs: tuple[ReportData, ...]
    compared: Compared
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    command: str = ""


@dataclass(frozen=True, slots=True)
class Beside:
    """One statistic in every run; null where a run does not have it."""

    label: str
    scale: str
    lines: tuple[Line | None, ...]


@dataclass(frozen=True, slots=True)
class BesideTable:
    """The overall statistics of a benchmark, a column per run."""

    benchmark: str
    rows: tuple[Beside, ...]


@dataclass(frozen=True, slots=True)
class SeveralView:
    """Everything that the page of several runs shows; `meaning` says what a difference is.

    `warnings` stand at the head of the page, `caveats` under the scores.
    """

    data: SeveralData
    fronts: tuple[Front, ...]
    tables: tuple[BesideTable, ...]
    limits: tuple[str, ...]
    warnings: tuple[Caveat, ...]
    caveats: tuple[Caveat, ...]
    meaning: str
    sections: tuple[ComparedSection, ...]
    notes: tuple[str, ...]

    @property
    def runs(self) -> tuple[tuple[str, Front], ...]:
        """Each run with its name."""
        return tuple(zip(self.data.names, self.fronts, strict=True))


def several_view(data: SeveralData, words: Words) -> SeveralView:
    """The runs as they are shown together in the language of `words`."""
    fronts = tuple(front_of(run, words) for run in data.runs)
    return SeveralView(
        data=data,
        fronts=fronts,
        tables=tuple(_tables(fronts)),
        limits=compared_limits(data.compared, words),
        warnings=tuple(_of_runs(data.names, [_warnings(front, words) for front in fronts])),
        caveats=(
            *drift_limits(data.names, [run.judging for run in data.runs], words),
            *_of_runs(data.names, [_caveats(front, words) for front in fronts]),
        ),
        meaning=words(
            "A difference is the later run less the earlier one; it, its interval and p are over "
            "the items that both have scored. Unscored are those that lack a score in either run, "
            "in brackets in both for the same reason; worst – best is what they could make of the "
            "difference, and the limits are those of the intervals of these two. Bold is the first "
            "statistic of a metric, corrected by Holm over the pairs of runs; the others are "
            "corrected over pairs and statistics."
        ),
        sections=tuple(compared_sections(data.compared, words)),
        notes=tuple(map(words.told, data.notes)),
    )


def _tables(fronts: Sequence[Front]) -> Iterator[BesideTable]:
    scores = [{section.benchmark: section for section in front.scores} for front in fronts]
    for benchmark in dict.fromkeys(name for one in scores for name in one):
        held = [one[benchmark].headlines if benchmark in one else () for one in scores]
        lines = [{line.label: line for line in mine} for mine in held]
        labels = dict.fromkeys(label for mine in lines for label in mine)
        rows = []
        for label in labels:
            mine = tuple(one.get(label) for one in lines)
            scale = next(line.scale for line in mine if line is not None)
            rows.append(Beside(label, scale, mine))
        if rows:
            yield BesideTable(benchmark, tuple(rows))


def _warnings(front: Front, words: Words) -> Iterator[Caveat]:
    for text in front.warnings:
        yield Caveat(text, about=words("Warning"), warns=True)


def _caveats(front: Front, words: Words) -> Iterator[Caveat]:
    for card in front.cards:
        yield Caveat(card.text, about=words("Judge"), warns=card.warns)
    yield from front.limits


def _of_runs(names: Sequence[str], caveats: Sequence[Iterable[Caveat]]) -> Iterator[Caveat]:
    """Each caveat once, with the runs that it holds for if not for all; warnings first."""
    runs: dict[Caveat, list[str]] = {}
    for name, of in zip(names, caveats, strict=True):
        for caveat in of:
            runs.setdefault(caveat, []).append(name)
    for caveat, of_runs in sorted(runs.items(), key=lambda pair: not pair[0].warns):
        yield replace(caveat, runs=() if len(of_runs) == len(names) else tuple(of_runs))
