"""Which figures a benchmark's paired judgements allow, and the arrays for each."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...compare.align import Aligned, Column, dimensions
from ...compare.outcomes import Outcome, outcomes
from ...compare.runs import Run
from ...compare.vignettes import Vignettes, vignettes
from ...datasets_builders.taxonomy import LIKERT
from ...messages import Language, joined, known, message
from ...metrics.inputs import Floats, absent
from ...metrics.majority import LIKERT as LIKERT_VALUES
from ...metrics.rates import mean, rate
from ...metrics.refusal import CLASSES
from ..charts import Bars, Heatmap, Plot, PromptSpread, Radar, Ridges, Trend
from ..charts.canvas import DEGREES, LETTERS, PALETTE
from ..charts.canvas import LIKERT as LIKERT_COLOURS
from ..charts.norms import MOST as MOST_IN_CELL
from ..charts.radar import FEWEST, MOST
from ..charts.words import say
from ..norm_maps import norm_maps, varying

REFUSAL = ("risky", "harmless", "refusal", "responsible refusal")

_MAPPED = ("score", "agreement", "silver_agreement", "rr1", "rr2", "hr")
_GROUPS = ("category", "area")
_TOLD_APART = len(PALETTE)
_MOST_MAPS = 12


@dataclass(frozen=True, slots=True)
class Panel:
    """A figure that can be drawn: its file's name, its benchmark, and the chart."""

    name: str
    benchmark: str
    chart: Plot


@dataclass(frozen=True, slots=True)
class Panels:
    """The figures of one benchmark over the rows that all runs have."""

    runs: tuple[Run, ...]
    aligned: Aligned
    language: Language

    def all(self, notes: list[str]) -> Iterator[Panel]:
        """Every figure that the criteria allow; what cannot be drawn is added to the notes."""
        measured = [outcome for outcome in outcomes(self.aligned) if not outcome.beside]
        for outcome in measured:
            yield from self._by_group(outcome)
        if measured and self._n > _TOLD_APART:
            notes.append(
                message(
                    "lines of more than {most} models cannot be told apart: radars, ridges and "
                    "temperatures show the first {n} of {m} runs, heatmaps all",
                    most=_TOLD_APART,
                    n=_TOLD_APART,
                    m=self._n,
                )
            )
        criteria = self.aligned.criteria
        if "refusal" in criteria:
            yield self._classes("refusal", CLASSES, REFUSAL, DEGREES)
        if "option" in criteria:
            yield from self._options(criteria["option"])
        if "acceptability" in criteria:
            asked = vignettes(self.aligned)
            yield self._classes("acceptability", LIKERT_VALUES, LIKERT, LIKERT_COLOURS)
            yield self._spread(asked)
            yield from self._norms(asked, notes)
        single = [run for run in self.runs if len(run.config.decoding.temperatures) == 1]
        if len({run.config.decoding.temperature for run in single}) > 1:
            for outcome in measured:
                if outcome.primary:
                    yield self._temperature(outcome)

    @property
    def _models(self) -> list[str]:
        return [run.name for run in self.runs]

    def _said(self, key: str) -> str:
        return say(key, self.language)

    def _title(self, *parts: str) -> str:
        return " · ".join((self.aligned.benchmark, *(part for part in parts if part)))

    def _panel(self, kind: str, chart: Plot) -> Panel:
        stem = f"{self.aligned.benchmark.replace(':', '-')}-{kind}"
        return Panel(stem, self.aligned.benchmark, chart)

    def _by_group(self, outcome: Outcome) -> Iterator[Panel]:
        """Heatmaps of what the papers map, a radar of the primary statistic, ridges of a score."""
        groups = dimensions(self.aligned.subjects)
        for group in (name for name in _GROUPS if name in groups):
            levels = [level for level in dict.fromkeys(groups[group]) if level]
            column = np.array(groups[group], dtype=object)
            cells = [[_of(outcome, run, column == v) for v in levels] for run in range(self._n)]
            known = np.array([[_mean(cell) for cell in row] for row in cells])
            names = [self._said(level) for level in levels]
            common: dict[str, Any] = {"limits": outcome.bounds, "language": self.language}
            rates: dict[str, Any] = {
                "percent": outcome.unit == "rate",
                "title": self._title(self._said(outcome.name), self._said(outcome.member)),
            }
            kind, few = f"{outcome.name}-by-{group}", self._models[:_TOLD_APART]
            if outcome.name in _MAPPED:
                chart = Heatmap(values=known.T, rows=names, columns=self._models, **common, **rates)
                yield self._panel(f"{kind}-heatmap", chart)
            if outcome.primary and FEWEST <= len(levels) <= MOST:
                lines = known[:_TOLD_APART]
                round_ = Radar(values=lines, series=few, categories=names, **common, **rates)
                yield self._panel(f"{kind}-radar", round_)
            if outcome.name == "score":
                shapes = Ridges(
                    samples=cells[:_TOLD_APART],
                    series=few,
                    categories=names,
                    xlabel=self._said("score"),
                    title=self._title(self._said("distribution")),
                    **common,
                )
                yield self._panel(f"{kind}-ridge", shapes)

    def _classes(
        self, criterion: str, values: Sequence[float], names: Sequence[str], palette: Sequence[str]
    ) -> Panel:
        counts = [_counts(column, values) for column in self.aligned.criteria[criterion]]
        absences = ("no answer", "unscored")
        used = [at for at in range(2) if any(row[len(names) + at] for row in counts)]
        chart = Bars(
            counts=[[*row[: len(names)], *(row[len(names) + at] for at in used)] for row in counts],
            rows=self._models,
            classes=[self._said(name) for name in names],
            absent=[absences[at] for at in used],
            palette=palette,
            title=self._title(self._said("answers")),
            language=self.language,
        )
        return self._panel(f"{criterion}-answers", chart)

    def _options(self, columns: Sequence[Column]) -> Iterator[Panel]:
        """How often each letter is chosen: a model that prefers a place shows here."""
        chosen = [Counter(filter(None, column.favourites)) for column in columns]
        letters = sorted({letter for of in chosen for letter in of})
        if 0 < len(letters) <= len(LETTERS):
            chart = Bars(
                counts=[[of[letter] for letter in letters] for of in chosen],
                rows=self._models,
                classes=letters,
                palette=LETTERS,
                title=self._title(self._said("options")),
                language=self.language,
            )
            yield self._panel("option-answers", chart)

    def _norms(self, asked: Vignettes, notes: list[str]) -> Iterator[Panel]:
        """Maps of the norms of the first runs, as many as a cell has parts."""
        facets = [subject.facets for subject in asked.subjects]
        if not varying(facets):
            notes.append(message("the vignettes do not vary in any factor: no norms heatmap"))
            return
        models = self._models[:MOST_IN_CELL]
        if self._n > len(models):
            notes.append(
                message(
                    "the norms heatmap shows the first {n} of {m} runs", n=len(models), m=self._n
                )
            )
        states = np.stack([asked.states(run) for run in range(len(models))])
        maps = list(norm_maps(facets, states, models))
        if len(maps) > _MOST_MAPS:
            notes.append(
                message(
                    "norms heatmaps of {n} of {m} levels of {factors}",
                    n=_MOST_MAPS,
                    m=len(maps),
                    factors=joined(known(say(name, "en")) for name, _ in maps[0].held),
                )
            )
        for number, of in enumerate(maps[:_MOST_MAPS], start=1):
            held = ", ".join(level or "–" for _, level in of.held) or self._said("norms")
            chart = replace(of.chart, title=self._title(held), language=self.language)
            yield self._panel(f"norms-{number:02}" if len(maps) > 1 else "norms", chart)

    def _spread(self, asked: Vignettes) -> Panel:
        means = [asked.means(run) for run in range(self._n)]
        names = list(means[0])
        chart = PromptSpread(
            means=[[of[name] for name in names] for of in means],
            models=self._models,
            variants=names,
            title=self._title(self._said("prompt variants")),
            xlabel=self._said("mean_acceptability"),
            language=self.language,
        )
        return self._panel("prompts", chart)

    def _temperature(self, outcome: Outcome) -> Panel:
        points = []
        named = list(dict.fromkeys(run.model for run in self.runs))[:_TOLD_APART]
        # a run of several temperatures stands at none of them
        shown = [
            (run, column)
            for run, column in zip(self.runs, outcome.columns, strict=True)
            if run.model in named and len(run.config.decoding.temperatures) == 1
        ]
        for run, column in shown:
            kept = column[outcome.kept]
            names = np.array(self.aligned.clusters, dtype=object)[outcome.kept].tolist()
            found = (
                rate(kept, clusters=names)
                if outcome.unit == "rate"
                else mean(kept, bounds=outcome.bounds, clusters=names)
            )
            numbers = [
                np.nan if number is None else number
                for number in (found.value, found.low, found.high)
            ]
            points.append([run.config.decoding.temperatures[0], *numbers])
        chart = Trend(
            points=points,
            series=[run.model for run, _ in shown],
            percent=outcome.unit == "rate",
            xlabel=self._said("temperature"),
            ylabel=self._said(outcome.name),
            title=self._title(),
            language=self.language,
        )
        return self._panel(f"{outcome.name}-temperature", chart)

    @property
    def _n(self) -> int:
        return len(self.runs)


def _of(outcome: Outcome, run: int, rows: np.ndarray) -> Floats:
    return outcome.columns[run][rows & outcome.kept]


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _counts(column: Column, values: Sequence[float]) -> list[int]:
    """How often each value was given, then how often none by the respondent's or our doing."""
    missing = np.isnan(column.values)
    silent, excluded = absent(column.reasons, missing)
    ours = missing & ~silent & ~excluded
    given = [int((column.values == value).sum()) for value in values]
    return [*given, int(silent.sum()), int(ours.sum())]
