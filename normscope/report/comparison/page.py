"""A comparison as a page: what limits it, every difference, and where they are surest."""

from collections.abc import Iterator, Sequence

from ... import format as fmt
from ...comparison.result import Compared, Difference, Gate, Gated, Outcome
from ...messages import joined, known, message
from ...metrics.definitions import Better
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
)
from ..estimates import LEVELS, estimate_columns, legend
from ..names import name_of
from ..norms import norms_details

_LEVEL = 0.05
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


def comparison_page(compared: Compared) -> Page:
    """What was compared, what limits it, and a section for each benchmark."""
    gate = gate_blocks(compared.gate) if compared.gate else ()
    alike = message("These runs were not measured alike; a difference may not be the models'.")
    return Page(
        message("Comparison of runs"),
        (
            _runs(tuple(compared.runs.items())),
            *((Caveat(alike, warns=True),) if compared.mismatches else ()),
            *map(Caveat, caveats(compared)),
            Section(message("Gate"), tuple(gate), id="gate"),
            *sections(compared),
            reading(),
        ),
    )


def _runs(runs: Sequence[tuple[str, str]]) -> Table:
    """The runs with their models, the baseline first."""
    rows: Iterator[Record] = (
        {
            message("run"): Cell(run, note="" if at else message("baseline")),
            message("model"): model,
        }
        for at, (run, model) in enumerate(runs)
    )
    return Table.of(rows, texts=2, brief=False)


def caveats(compared: Compared) -> list[str]:
    """What a reader must know before any number."""
    texts: list[str] = [
        message("not measured alike: {problem}", problem=mismatch.message)
        for mismatch in compared.mismatches
    ]
    for benchmark, pairing in compared.pairings.items():
        left = joined(
            message("{n} of {run}", n=fmt.count(n), run=run) for run, n in pairing.left_out.items()
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


def sections(compared: Compared) -> tuple[Section, ...]:
    """The differences of each benchmark: overall, the surest by group, then all by group."""
    result = []
    for name, pairing in compared.pairings.items():
        rows = [row for row in compared.rows if row.benchmark == name]
        norms = [norms_details(compared.norms[name])] if name in compared.norms else []
        result.append(Section(name, (*_section(rows, pairing.rows), *norms)))
    return tuple(result)


def differences(labelled: Sequence[tuple[Record, Difference]], *, brief: bool = True) -> Table:
    """The differences under one another, each behind its labels."""
    gaps = any(row.unscored.pairs for _, row in labelled)
    rows = ({**label, **difference_columns(row, gaps=gaps)} for label, row in labelled)
    texts = max((len(label) for label, _ in labelled), default=0)
    return Table.of(rows, texts=texts, brief=brief, look="differences")


def _section(rows: Sequence[Difference], pairs: int) -> Iterator[Block]:
    """The overall differences, then folded away those by group, the surest first."""
    overall = [row for row in rows if not row.group]
    grouped = [row for row in rows if row.group]
    tested = [row for row in grouped if row.p_adjusted is not None]
    sure = sum((row.p_adjusted or 0.0) < _LEVEL for row in tested)
    pairs_text = message("{n} paired judgements per criterion and run", n=fmt.count(pairs))
    yield Paragraph(pairs_text, note=True)
    yield differences([(_label(row), row) for row in overall])
    yield legend(row.statistic for row in overall)
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
    table = differences(list(zip(labels, grouped, strict=True)), brief=False)
    yield Details(message("By group"), (table,), note=fmt.count(len(grouped)))


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


def gate_blocks(gate: Gate) -> Iterator[Block]:
    """The outcome of a gate, and every statistic against its margin."""
    if gate.outcome == "pass":
        yield Paragraph(gate.text)
    else:
        yield Caveat(gate.text, warns=True)
    yield Table.of(map(_gated, gate.rows), texts=3, look="differences")
    yield legend(row.statistic for row in gate.rows)
    yield Paragraph(
        message(
            "A row passes where the worse end of its interval is better than the margin, and is "
            "worse where the whole interval lies beyond it; any other is inconclusive. So it has "
            "to be with the unscored at either end of the scale as well, and with the questions "
            "that one of the runs lacks: with any of these no row passes. Each of "
            "{n} one-sided bounds is at the level 1 − {alpha}/{n} (Bonferroni), so that all hold "
            "together with a chance of at least {level} %.",
            n=gate.bounds,
            alpha=f"{gate.alpha:g}",
            level=fmt.scale_end(100 * (1 - gate.alpha)),
        ),
        note=True,
    )


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


def reading() -> Details:
    """What the columns mean, and what is corrected with what."""
    texts = (
        message(
            "A difference is the second run less the first, over the items that both have scored; "
            "rates differ in percentage points (pp). Interval and p are of these items."
        ),
        message(
            "Unscored are the items that lack a score in either run; lowest – highest is what they "
            "leave open."
        ),
        message(
            "Primary is the first statistic of a metric, corrected by Holm over the pairs of runs; "
            "the others over pairs and statistics; differences by group are exploratory, each run "
            "against the first, by Benjamini and Hochberg."
        ),
        message(
            "Effects: Cohen's h for rates, the rank-biserial correlation for scores, and for "
            "vignettes the share of prompt variants above zero less that below; the last two weigh "
            "ranks and not sizes, and may have another sign than the difference."
        ),
        message(
            "Vignettes are an enumerated factorial: the mean acceptability is tested over prompt "
            "variants, and shares are described and not tested."
        ),
    )
    return Details(message("How to read this"), tuple(Paragraph(text, note=True) for text in texts))
