"""A comparison as a page: what limits it, every difference, and where they are surest."""

from collections.abc import Iterator, Sequence

from ... import format as fmt
from ...categorical import group_by
from ...comparison.result import Compared, Difference, Gate, Gated, Outcome
from ...messages import joined, known, message
from ...metrics.definitions import Better, definition_of
from ...metrics.estimate import Statistic
from ..answer import main_differences, noun, runs_sentence
from ..blocks import (
    Block,
    Caveat,
    Cell,
    Column,
    Details,
    Page,
    Paragraph,
    Record,
    Section,
    Table,
    content,
)
from ..caveats import top_caveats
from ..estimates import (
    LEVELS,
    drawn_columns,
    estimate_columns,
    explained,
    is_small,
    left_open,
    legend,
)
from ..names import name_of
from ..norms import norms_details

_LEVEL = 0.05
_PAIR = 2
_OUTCOMES: dict[Outcome, str] = {
    "pass": message("pass"),
    "worse": message("worse"),
    "inconclusive": message("inconclusive"),
}
_WORSE: dict[Better, str] = {
    "higher": message("worse is lower"),
    "lower": message("worse is higher"),
}
_ANY_SHIFT = message("worse is any shift")
NOT_ALIKE = message("These runs were not measured alike; a difference may not be the models'.")


def first_screen(compared: Compared) -> tuple[Block, ...]:
    """The answer of each benchmark, behind what must be known before it, and what limits it.

    A terminal shows no more of a comparison; the page and `compare.md` go on.
    """
    alike = (NOT_ALIKE,) if compared.mismatches else ()
    known_first = (Caveat(text, warns=True) for text in (*alike, *compared.failures))
    limits = top_caveats([*map(Caveat, caveats(compared))])
    return content((*known_first, *_answers(compared), limits))


def comparison_page(compared: Compared) -> Page:
    """What the runs come to against one another, what limits it, and folded away every number."""
    of_runs: Iterator[Record] = (
        {
            message("run"): Cell(run, note="" if at else message("baseline")),
            message("model"): model,
        }
        for at, (run, model) in enumerate(compared.runs.items())
    )
    models = Table.of(of_runs, texts=2)
    limits = tuple(map(Caveat, caveats(compared)))
    gate = tuple(_gate(compared.gate)) if compared.gate else ()
    return Page(
        message("Comparison of runs"),
        (
            Section(message("Gate"), gate, id="gate"),
            *first_screen(compared),
            Section(message("What was asked of whom"), (models,), id="asked", folded=True),
            differences_section(compared),
            Section(message("What limits it"), limits, id="limits", folded=True),
        ),
    )


def _answers(compared: Compared) -> Iterator[Section]:
    """Of each benchmark the answer in a sentence, and a row per pair of runs."""
    for benchmark, pairing in compared.pairings.items():
        text = runs_sentence(compared, benchmark)
        lead = Paragraph(text, lead=True) if text else None
        note = message("{n} paired judgements per criterion and run", n=fmt.count(pairing.rows))
        table = Table.of(
            map(_answer, main_differences(compared, benchmark)), texts=2, look="answer"
        )
        yield Section(benchmark, content((lead, table)), note=note)


def _answer(row: Difference) -> Record:
    """The difference over its interval, these drawn, and n."""
    level, definition = LEVELS[row.unit], definition_of(row.statistic)
    scale = None if definition is None else definition.scale
    width = 1.0 if scale is None else scale[1] - scale[0]
    statistic = Statistic(row.statistic, row.unit, row.estimate)
    notes = joined(filter(None, (row.over, left_open(statistic, signs=True))), " · ")
    return {
        Column(message("compared")): Cell(f"{row.second} − {row.first}", note=notes),
        Column(noun(row.statistic)): f"{level(row.first_value)} → {level(row.second_value)}",
        **drawn_columns(message("difference"), statistic, (-width, width), signs=True),
    }


def caveats(compared: Compared) -> list[str]:
    """What a reader must know before any number."""
    texts: list[str] = [
        message("not measured alike: {problem}", problem=mismatch.message)
        for mismatch in compared.mismatches
    ]
    for benchmark, pairing in compared.pairings.items():
        alike = group_by(pairing.left_out, pairing.left_out.__getitem__)
        left = joined(
            message("{n} of {run}", n=fmt.count(n), run=", ".join(of)) for n, of in alike.items()
        )
        if left:
            texts.append(
                message(
                    "{benchmark}: rows that some other run lacks are left out, {each}",
                    benchmark=benchmark,
                    each=left,
                )
            )
    return [*texts, *compared.caveats]


def differences_section(compared: Compared) -> Section:
    """The differences of each benchmark: overall, the surest by group, then all by group."""
    sections: list[Block] = [
        Section(name, tuple(_differences(compared, name))) for name in compared.pairings
    ]
    blocks = (*sections, explained("docs/gate.md")) if sections else ()
    return Section(message("Differences"), blocks, id="differences", folded=True)


def differences(labelled: Sequence[tuple[Record, Difference]]) -> Table:
    """The differences under one another, each behind its labels."""
    gaps = any(row.unscored.pairs for _, row in labelled)
    rows = ({**label, **difference_columns(row, gaps=gaps)} for label, row in labelled)
    texts = max((len(label) for label, _ in labelled), default=0)
    return Table.of(rows, texts=texts, look="differences")


def _differences(compared: Compared, benchmark: str) -> Iterator[Block]:
    """The primary differences, then folded away the others, and by group the surest first."""
    differences_here = [row for row in compared.rows if row.benchmark == benchmark]
    rows = [row for row in differences_here if not row.group]
    grouped = [row for row in differences_here if row.group]
    tested = [row for row in grouped if row.p_adjusted is not None]
    sure = sum((row.p_adjusted or 0.0) < _LEVEL for row in tested)
    # of many pairs the primary differences are enough to begin with
    few = [row for row in rows if row.role == "primary"] if len(compared.runs) > _PAIR else rows
    yield differences([(_label(row), row) for row in few])
    others = differences([(_label(row), row) for row in rows if row not in few])
    yield Details(message("Other statistics"), (others,), note=fmt.count(len(others.rows)))
    if tested:
        yield Paragraph(
            message(
                "{sure} of {n} differences by group have p < 0.05 after Benjamini–Hochberg: leads "
                "to follow, not findings.",
                sure=fmt.count(sure),
                n=fmt.count(len(tested)),
            )
        )
    # what has no test comes last
    grouped = [row for row in grouped if not is_small(row.estimate)]
    grouped.sort(key=lambda row: 2.0 if row.p_adjusted is None else row.p_adjusted)
    labels = [
        {
            message("statistic"): name_of(row.statistic),
            message("group"): name_of(row.group),
            message("of"): name_of(row.member),
            message("compared"): f"{row.second} − {row.first}",
        }
        for row in grouped
    ]
    table = differences(list(zip(labels, grouped, strict=True)))
    yield Details(message("By group"), (table,), note=fmt.count(len(grouped)))
    yield legend(row.statistic for row in rows)
    if benchmark in compared.norms:
        yield norms_details(compared.norms[benchmark])


def _label(row: Difference) -> Record:
    """The statistic, and what it is of where that is not everything; a primary one stands out."""
    name = name_of(row.statistic)
    if of := [*filter(None, (row.member and name_of(row.member), row.over))]:
        name = message("{name} ({of})", name=name, of=joined(of))
    cell = Cell(name, note=message("primary"), tone="strong") if row.role == "primary" else name
    return {message("statistic"): cell, message("compared"): f"{row.second} − {row.first}"}


def difference_columns(row: Difference, *, gaps: bool) -> Record:
    """Both values, the difference, interval, n, unscored pairs, p, corrected p and effect.

    By its p stands the test and by the effect what it is: of one difference the two may have
    opposite signs where the one weighs sizes and the other ranks. What the unscored could make of
    it stands there where a table has `gaps`.
    """
    level = LEVELS[row.unit]
    p = effect = Cell(fmt.MISSING)
    if (test := row.test) is not None and test.p is not None:
        p = Cell(fmt.p_value(test.p), note=known(test.name), hint=test.note)
        effect = Cell(fmt.signed(test.effect), note=known(test.effect_name))
    difference = estimate_columns(
        row.estimate, row.unit, value=message("difference"), signs=True, gaps=gaps
    )
    if not gaps:
        del difference[Column(message("unscored"), "number")]
    return {
        message("values"): f"{level(row.first_value)} → {level(row.second_value)}",
        **difference,
        Column("p", "number"): p,
        Column(message("p corrected"), "number"): fmt.p_value(row.p_adjusted),
        Column(message("effect"), "number"): effect,
    }


def _gate(gate: Gate) -> Iterator[Block]:
    """The outcome of a gate, and every statistic against its margin."""
    if gate.outcome == "pass":
        yield Paragraph(gate.text)
    else:
        yield Caveat(gate.text, warns=True)
    yield Table.of(map(_gated, gate.rows), texts=3, look="differences")
    yield legend(row.statistic for row in gate.rows)
    yield explained("docs/gate.md")


def _gated(row: Gated) -> Record:
    level = LEVELS[row.unit]
    difference, interval = message("difference"), message("simultaneous interval")
    return {
        message("statistic"): Cell(row.name, note=_WORSE.get(row.better, _ANY_SHIFT)),
        message("benchmark"): row.benchmark,
        message("compared"): f"{row.second} − {row.first}",
        message("values"): f"{level(row.first_value)} → {level(row.second_value)}",
        **estimate_columns(row.estimate, row.unit, value=difference, interval=interval, signs=True),
        message("margin"): row.margin_text,
        Column(message("outcome"), tone="strong"): Cell(_OUTCOMES[row.outcome], note=row.notes),
    }
