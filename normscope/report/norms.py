"""The norms of a vignette benchmark: what most prompt variants say, by the flow's factors."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..format import count, number
from ..messages import joined, message
from ..metrics.majority import LIKERT, enough
from ..metrics.norms import NormState, norm_states
from ..reasons import Origin
from ..records.item import Item
from ..records.judgements import Judgements
from .blocks import Block, Cell, Chart, Details, Paragraph, Section, Table, columns
from .charts import Heatmap, NormsMap
from .norm_maps import norm_maps
from .verdicts import absent, asked, group_by
from .words import EN, Words

Flow = dict[str, str]

_PARAMETERS = ("sender", "recipient", "subject", "attribute", "transmission_principle")
_RULE = (
    "the most frequent answer of a vignette stands if it is given by at least half of the valid "
    "answers and by more than any other, and at least {needed} of {variants} answers are valid"
)
_MOST_PRINTED = 12
"""Maps: more of them would be a stack of paper."""


@dataclass(frozen=True, slots=True)
class VignetteNorm:
    """A vignette's flow, and its norm or why it has none."""

    flow: Flow
    state: NormState

    @property
    def value(self) -> float | None:
        """The norm, −2 to +2."""
        return LIKERT[self.state] if self.state < len(LIKERT) else None


@dataclass(frozen=True, slots=True)
class Overview:
    """Mean norms over two factors: `cells` has the mean and how many vignettes of how many."""

    row_name: str
    column_name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[tuple[float, int, int], ...], ...]


@dataclass(frozen=True, slots=True)
class Map:
    """The map of the vignettes that share the levels in `held`, and their norms in words."""

    held: tuple[tuple[str, str], ...]
    chart: NormsMap
    summary: str


@dataclass(frozen=True, slots=True)
class NormSection:
    """The norms of one benchmark: the means over two factors, and maps of all vignettes."""

    benchmark: str
    source: str
    rule: str
    vignettes: int
    states: Mapping[NormState, int]
    constants: tuple[tuple[str, str], ...]
    overview: Overview | None
    summary: str
    maps: tuple[Map, ...]


def norm_sections(
    items: list[Item], verdicts: Judgements, words: Words = EN
) -> tuple[NormSection, ...]:
    """A section for each benchmark about whose items the acceptability was asked.

    Where both the model's logits and its text were read, the logits are shown.
    """
    sections = []
    for (benchmark,), rows in verdicts.of_criterion("acceptability").by("benchmark"):
        flows = {item.item_id: item.facets for item in items if item.benchmark == benchmark}
        source = min(rows.source.seen().names)
        shown = rows[rows.source.equals(source) & rows.item_id.isin(flows)]
        if len(shown):
            sections.append(_section(benchmark, source, flows, shown, words))
    return tuple(sections)


def norms_of(flows: dict[str, Flow], verdicts: Judgements) -> list[VignetteNorm]:
    """What became of every vignette over its prompt variants, in the order of the vignettes."""
    vignettes, variants = verdicts.item_id.seen(), asked(verdicts)
    shape = (len(vignettes.names), variants.max(initial=-1) + 1)
    matrix, excused = np.full(shape, np.nan), np.zeros(shape, dtype=np.bool_)
    cells = vignettes.codes, variants
    matrix[cells] = verdicts.value
    # what the respondent did not answer is its behaviour; every other gap is a failure of ours
    excused[cells] = absent(verdicts, Origin.RESPONDENT, Origin.SOURCE)
    states = norm_states(matrix, np.isnan(matrix) & ~excused, asked=True)
    of = dict(zip(vignettes.names, map(NormState, states.tolist()), strict=True))
    return [VignetteNorm(flow, of[item_id]) for item_id, flow in flows.items() if item_id in of]


def _section(
    benchmark: str,
    source: str,
    flows: dict[str, Flow],
    verdicts: Judgements,
    words: Words,
) -> NormSection:
    norms = norms_of(flows, verdicts)
    variants = int(asked(verdicts).max(initial=-1)) + 1
    levels = _levels(norm.flow for norm in norms)
    states = np.array([[norm.state for norm in norms]])
    return NormSection(
        benchmark=benchmark,
        source=source,
        rule=words(_RULE, needed=enough(variants), variants=variants),
        vignettes=len(norms),
        states=Counter(norm.state for norm in norms),
        constants=tuple(
            (name, level) for name, level in norms[0].flow.items() if name not in levels
        ),
        overview=_overview(norms, levels),
        summary=_summary(norms),
        maps=tuple(
            Map(of.held, of.chart, _summary([norms[at] for at in of.places]))
            for of in norm_maps([norm.flow for norm in norms], states, [""])
        ),
    )


def _levels(flows: Iterable[Flow]) -> dict[str, list[str]]:
    """The levels of each factor that varies: the five first, then others as they come."""
    flows = list(flows)
    names = list(dict.fromkeys(name for flow in flows for name in flow))
    names.sort(key=lambda n: _PARAMETERS.index(n) if n in _PARAMETERS else len(_PARAMETERS))
    levels = {name: list(dict.fromkeys(flow.get(name, "") for flow in flows)) for name in names}
    return {name: of for name, of in levels.items() if len(of) > 1}


def _overview(norms: list[VignetteNorm], levels: dict[str, list[str]]) -> Overview | None:
    """The means by transmission principle and recipient, or by what has most levels."""
    ranked = sorted(levels, key=lambda name: -len(levels[name]))
    preferred = [name for name in ("transmission_principle", "recipient") if name in levels]
    names = list(dict.fromkeys((*preferred, *ranked)))[:2]
    if len(levels) <= len(names):
        # a map shows these two as they are
        return None
    row, column = names
    places = group_by(norms, lambda n: (n.flow.get(row, ""), n.flow.get(column, "")))
    cells = tuple(
        tuple(_mean(places.get((at, across), [])) for across in levels[column])
        for at in levels[row]
    )
    return Overview(row, column, tuple(levels[row]), tuple(levels[column]), cells)


def _mean(norms: Sequence[VignetteNorm]) -> tuple[float, int, int]:
    """The mean of the norms (NaN for none), how many there are, and of how many vignettes."""
    values = [norm.value for norm in norms if norm.value is not None]
    mean = math.fsum(values) / len(values) if values else math.nan
    return mean, len(values), len(norms)


def _summary(norms: Sequence[VignetteNorm]) -> str:
    mean, n, of = _mean(norms)
    return message(
        "mean norm {mean}, {n} of {m} with a majority", mean=number(mean), n=count(n), m=count(of)
    )


def norm_blocks(sections: Sequence[NormSection], words: Words) -> Iterator[Block]:
    """The norms of each benchmark: their means, then every vignette."""
    if sections:
        yield Paragraph(
            message("A vignette's norm is what the majority of its prompt variants say."), note=True
        )
    for section in sections:
        yield Section(section.benchmark, tuple(_blocks(section, words)))


def _blocks(section: NormSection, words: Words) -> Iterator[Block]:
    states = section.states
    about = [
        message(
            "{n} vignettes, read from {source}: {split} without a majority, {silent} without an "
            "answer, {unscored} unscored. Majority: {rule}.",
            n=count(section.vignettes),
            source=words.name(section.source),
            split=count(states.get(NormState.NO_MAJORITY, 0)),
            silent=count(states.get(NormState.NO_ANSWER, 0)),
            unscored=count(states.get(NormState.UNSCORED, 0)),
            rule=section.rule,
        ),
        *(
            message("{name} in all of them: {level}.", name=words.name(factor), level=level)
            for factor, level in section.constants
        ),
    ]
    yield Paragraph(joined(about, " "))
    if section.overview:
        yield _overview_section(section.overview, section, words)
    yield Section(
        message("Every vignette"),
        tuple(
            _details(of, words, first=not at, printed=len(section.maps) <= _MOST_PRINTED)
            for at, of in enumerate(section.maps)
        ),
        note=message("{n} panels", n=len(section.maps)) if len(section.maps) > 1 else "",
    )


def _overview_section(overview: Overview, section: NormSection, words: Words) -> Section:
    row, column = words.name(overview.row_name), words.name(overview.column_name)
    missing = words("not given")
    rows = [level or missing for level in overview.rows]
    across = [level or missing for level in overview.columns]
    chart = Heatmap(
        values=[[mean for mean, _, _ in cells] for cells in overview.cells],
        rows=rows,
        columns=across,
        limits=(LIKERT[0], LIKERT[-1]),
        palette="norms",
    )
    table = Table(
        columns(row, *across),
        tuple(
            (
                level,
                *(
                    Cell(number(mean), note=message("n {n} of {m}", n=count(n), m=count(of)))
                    for mean, n, of in cells
                ),
            )
            for level, cells in zip(rows, overview.cells, strict=True)
        ),
    )
    return Section(
        message("Mean norm"),
        (
            Chart(chart, alt=message("Mean norms of {benchmark}", benchmark=section.benchmark)),
            Details(message("Numbers"), (table,)),
        ),
        note=joined(
            (
                message("by {row} and {column}, averaged over the rest", row=row, column=column),
                section.summary,
            ),
            "; ",
        ),
    )


def _details(of: Map, words: Words, *, first: bool, printed: bool) -> Details:
    held = joined(
        [
            message("{name}: {level}", name=words.name(name), level=level or "–")
            for name, level in of.held
        ]
    )
    return Details(
        held or message("All vignettes"),
        (Chart(of.chart, alt=message("Norms: {held}", held=held)),),
        note=of.summary,
        open=first,
        printed=printed,
    )
