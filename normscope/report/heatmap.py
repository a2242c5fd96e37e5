"""The norms of a vignette benchmark: what most wordings say, laid out by the flow's parameters."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..format import count, number
from ..messages import joined, message
from ..metrics.majority import enough, majority
from ..records.item import Item
from ..records.judgements import Judgements
from .blocks import Block, Chart, Details, Paragraph, Section
from .criteria import NORMS
from .drawn import drawn
from .verdicts import asked, group_by
from .words import EN, Words

Flow = dict[str, str]
Held = tuple[tuple[str, str], ...]
"""Parameters and the level at which each is held."""

_PARAMETERS = ("sender", "recipient", "subject", "attribute", "transmission_principle")
_ROWS = ("transmission_principle", "recipient", "sender", "subject")
_COLUMNS = ("attribute", "recipient", "sender", "subject")
_RULE = (
    "the most frequent answer of a vignette stands if it is given by at least half of the valid "
    "answers and by more than any other, and at least {needed} of {wordings} answers are valid"
)
_MOST_PRINTED = 12
"""Panels: more of them would be a stack of paper."""

_SIGNED = {value: f"{value:+d}" if value else "0" for value in NORMS}


@dataclass(frozen=True, slots=True)
class Norm:
    """The majority of one vignette's answers: −2 to +2, or null where there is no majority."""

    flow: Flow
    value: float | None
    valid: int
    asked: int


@dataclass(frozen=True, slots=True)
class Cell:
    """One place of a panel. `shade` is −4 to 4 in half steps, `none` or `off` (never asked).

    `n` says how many vignettes were averaged; it is empty where there is one.
    """

    text: str
    n: str
    shade: str
    told: str


@dataclass(frozen=True, slots=True)
class Panel:
    """A table of norms over two parameters, the others held or averaged."""

    held: Held
    row_name: str
    column_name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    summary: str


@dataclass(frozen=True, slots=True)
class NormSection:
    """The norms of one benchmark: all of it in panels, and the means over several of them."""

    benchmark: str
    source: str
    rule: str
    vignettes: str
    undecided: str
    blank: str
    constants: Held
    overview: Panel | None
    panels: tuple[Panel, ...]


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


def norms_of(flows: dict[str, Flow], verdicts: Judgements) -> list[Norm]:
    """The majority norm of every vignette over its wordings, in the order of the vignettes."""
    vignettes, wordings = verdicts.item_id.seen(), asked(verdicts)
    matrix = np.full((len(vignettes.names), wordings.max(initial=-1) + 1), np.nan)
    valued = ~np.isnan(verdicts.value)
    matrix[vignettes.codes[valued], wordings[valued]] = verdicts.value[valued]
    answers = np.bincount(vignettes.codes).tolist()
    norms = majority(matrix, asked=True)
    valid = np.isfinite(matrix).sum(axis=1)
    of = {
        item_id: Norm(flows[item_id], _finite(norm), int(held), n)
        for item_id, norm, held, n in zip(
            vignettes.names, norms.tolist(), valid, answers, strict=True
        )
    }
    return [of[item_id] for item_id in flows if item_id in of]


def _section(
    benchmark: str,
    source: str,
    flows: dict[str, Flow],
    verdicts: Judgements,
    words: Words,
) -> NormSection:
    norms = norms_of(flows, verdicts)
    wordings = int(asked(verdicts).max(initial=-1)) + 1
    levels = _levels(norm.flow for norm in norms)
    rows = _choose(levels, _ROWS, set())
    columns = _choose(levels, _COLUMNS, {rows})
    held = [name for name in levels if name not in {rows, columns}]
    across = "recipient" if "recipient" in held else next(iter(held), "")
    groups = group_by(norms, lambda norm: tuple(norm.flow.get(name, "") for name in held))
    panels = tuple(
        _panel(part, levels, (rows, columns), tuple(zip(held, place, strict=True)), words)
        for place, part in groups.items()
    )
    blank = sum(cell.shade == "off" for panel in panels for _, row in panel.rows for cell in row)
    return NormSection(
        benchmark=benchmark,
        source=source,
        rule=words(_RULE, needed=enough(wordings), wordings=wordings),
        vignettes=count(len(norms)),
        undecided=count(sum(norm.value is None for norm in norms)),
        blank=count(blank),
        constants=tuple(
            (name, level) for name, level in norms[0].flow.items() if name not in levels
        ),
        overview=_panel(norms, levels, (rows, across), (), words) if held else None,
        panels=panels,
    )


def _levels(flows: Iterable[Flow]) -> dict[str, list[str]]:
    """The levels of each parameter that varies: the five first, then others as they come."""
    seen: dict[str, dict[str, None]] = {}
    flows = list(flows)
    names = list(dict.fromkeys(name for flow in flows for name in flow))
    for name in sorted(names, key=lambda n: _PARAMETERS.index(n) if n in _PARAMETERS else 9):
        seen[name] = dict.fromkeys(flow.get(name, "") for flow in flows)
    return {name: list(found) for name, found in seen.items() if len(found) > 1}


def _choose(levels: dict[str, list[str]], wished: Sequence[str], taken: set[str]) -> str:
    """The first wished parameter that varies, else the one of most levels; empty if none."""
    left = [name for name in levels if name not in taken]
    first = [name for name in wished if name in left]
    return next(iter(first or sorted(left, key=lambda name: -len(levels[name]))), "")


def _panel(
    norms: list[Norm],
    levels: dict[str, list[str]],
    shape: tuple[str, str],
    held: Held,
    words: Words,
) -> Panel:
    rows, columns = shape
    places = group_by(norms, lambda n: (n.flow.get(rows, ""), n.flow.get(columns, "")))
    across = levels.get(columns, [""])
    return Panel(
        held=held,
        row_name=rows,
        column_name=columns,
        columns=tuple(across),
        rows=tuple(
            (level, tuple(_cell(places.get((level, column), []), words) for column in across))
            for level in levels.get(rows, [""])
        ),
        summary=_summary(norms, words),
    )


def _cell(norms: list[Norm], words: Words) -> Cell:
    """The mean of the norms in this place, or why there is none."""
    if not norms:
        return Cell("", "", "off", words("not in this run"))
    decided = [norm.value for norm in norms if norm.value is not None]
    if len(norms) == 1:
        told = words("{n} of {m} answers valid", n=norms[0].valid, m=norms[0].asked)
    else:
        told = words(
            "{n} of {m} vignettes have a majority", n=count(len(decided)), m=count(len(norms))
        )
    n = count(len(decided)) if len(norms) > 1 else ""
    if not decided:
        return Cell("×", n, "none", f"{words('no majority')}; {told}")
    mean = math.fsum(decided) / len(decided)
    shade = str(round(mean * 2))
    if len(norms) == 1:
        return Cell(_SIGNED[round(mean)], n, shade, f"{words.name(NORMS[round(mean)])}; {told}")
    return Cell(number(mean), n, shade, told)


def _summary(norms: list[Norm], words: Words) -> str:
    decided = [norm.value for norm in norms if norm.value is not None]
    mean = number(math.fsum(decided) / len(decided) if decided else None)
    return words(
        "mean norm {mean}, {n} of {m} with a majority",
        mean=mean,
        n=count(len(decided)),
        m=count(len(norms)),
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def norm_blocks(sections: Sequence[NormSection], words: Words) -> Iterator[Block]:
    """The norms of each benchmark: their means, then every vignette."""
    if sections:
        yield Paragraph(
            message("A vignette's norm is what the majority of its wordings say."), note=True
        )
        yield Chart(drawn("legend"), alt=message("norm"))
    for section in sections:
        yield Section(section.benchmark, tuple(_maps(section, words)))


def _maps(section: NormSection, words: Words) -> Iterator[Block]:
    name = words.name
    about = [
        message(
            "{n} vignettes, read from {source}; {m} without a majority. Majority: {rule}.",
            n=section.vignettes,
            source=name(section.source),
            m=section.undecided,
            rule=section.rule,
        ),
        *(
            message("{name} in all of them: {level}.", name=name(factor), level=level)
            for factor, level in section.constants
        ),
    ]
    if section.blank != "0":
        about.append(
            message(
                "{n} combinations of these levels are not in this run; their cells are blank.",
                n=section.blank,
            )
        )
    yield Paragraph(joined(about, " "))
    if overview := section.overview:
        over = (
            message(
                "by {row} and {column}, averaged over the rest",
                row=name(overview.row_name),
                column=name(overview.column_name),
            )
            if overview.column_name
            else message("by {row}, averaged over the rest", row=name(overview.row_name))
        )
        alt = message("Mean norms of {benchmark}", benchmark=section.benchmark)
        yield Section(
            message("Mean norm"),
            (Chart(drawn("panel", overview, alt), alt=alt),),
            note=joined((over, overview.summary), "; "),
        )
    yield Section(
        message("Every vignette"),
        tuple(
            _details(panel, words, first=not at, printed=len(section.panels) <= _MOST_PRINTED)
            for at, panel in enumerate(section.panels)
        ),
        note=message("{n} panels", n=len(section.panels)) if len(section.panels) > 1 else "",
    )


def _details(panel: Panel, words: Words, *, first: bool, printed: bool) -> Details:
    held = joined(
        [
            message("{name}: {level}", name=words.name(name), level=level or "–")
            for name, level in panel.held
        ]
    )
    alt = message("Norms: {held}", held=held)
    return Details(
        held or message("All vignettes"),
        (Chart(drawn("panel", panel, alt), alt=alt),),
        note=panel.summary,
        open=first,
        printed=printed,
    )
