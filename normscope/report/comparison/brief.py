"""A comparison as a terminal shows it: the answer of each benchmark, and its headlines."""

from collections.abc import Iterator, Sequence
from typing import Any

from ... import format as fmt
from ...comparison.result import Compared, Difference
from ...messages import joined, message
from ...metrics.definitions import is_headline
from ..answer import main_differences, runs_sentence
from ..blocks import AnyCell, Block, Caveat, Column, Paragraph, Section, Table, content
from ..estimates import LEVELS
from ..names import name_of
from .page import caveats

_MOST_CAVEATS, _MOST_ROWS = 3, 5


def brief_blocks(compared: Compared) -> Iterator[Block]:
    """Yield the runs, three caveats at most, and of each benchmark its sentence and its headlines.

    Runs are called A, B … in the tables, in which each stands beside the first. What does not fit
    stands in `compare.md`.
    """
    yield Paragraph(joined(_named_runs(compared)))
    texts = caveats(compared)
    if len(texts) > _MOST_CAVEATS:
        more = message("{n} more limit this: see compare.md", n=len(texts) - _MOST_CAVEATS + 1)
        texts[_MOST_CAVEATS - 1 :] = [more]
    yield from map(Caveat, texts)
    # a screen holds one or two benchmarks with their headlines, of more the sentence and a row
    most = _MOST_ROWS // len(compared.pairings) if compared.pairings else 0
    for benchmark in compared.pairings:
        rows = _rows(compared, benchmark)
        over = next((row.over for row in rows), "")
        title = message("{name} ({of})", name=benchmark, of=over) if over else benchmark
        text = runs_sentence(compared, benchmark)
        table = _table(compared, rows[: max(1, most)])
        open_ = _left_open(rows[: max(1, most)])
        blocks = (Paragraph(text) if text else None, table, Paragraph(open_) if open_ else None)
        yield Section(title, content(blocks))


def _rows(compared: Compared, benchmark: str) -> list[Difference]:
    """The headlines of every run beside the first, what the sentence is about first."""
    rows = [row for row in compared.rows if row.benchmark == benchmark and not row.group]
    beside = [row for row in rows if row.first == next(iter(compared.runs))]
    of_sentence = main_differences(compared, benchmark)
    chosen = [row for row in beside if row.role == "primary" or is_headline(row.statistic)]
    return sorted(chosen or beside, key=lambda row: row not in of_sentence)


def _named_runs(compared: Compared) -> Iterator[str]:
    """The runs behind their letters, each with its model where that has another name."""
    for run, model in compared.runs.items():
        same = not model or model.rstrip("/").rpartition("/")[2] == run
        name = run if same else message("{name} ({of})", name=run, of=model)
        yield joined((_letter(compared, run), name), ": ")


def _letter(compared: Compared, run: str) -> str:
    return chr(ord("A") + list(compared.runs).index(run))


def _table(compared: Compared, rows: Sequence[Difference]) -> Table:
    several = len(compared.runs) > 2  # noqa: PLR2004
    records = (
        _label(compared, row, several=several) | _record(row, several=several) for row in rows
    )
    return Table.of(records, texts=1 + several)


def _left_open(rows: Sequence[Difference]) -> str:
    """From where to where the unscored leave each difference open; empty where there are none."""
    ranges = [
        message(
            "{name} {range} ({n} unscored)",
            name=_name(row),
            range=fmt.estimate(row.estimate, row.unit, signs=True).extremes,
            n=fmt.count(row.unscored.pairs),
        )
        for row in rows
        if row.unscored.pairs
    ]
    return joined((message("lowest – highest"), joined(ranges)), ": ") if ranges else ""


def _name(row: Difference) -> str:
    name = name_of(row.statistic)
    return message("{name} ({of})", name=name, of=name_of(row.member)) if row.member else name


def _label(compared: Compared, row: Difference, *, several: bool) -> dict[Any, AnyCell]:
    letters = [_letter(compared, run) for run in (row.first, row.second)]
    pair = {message("compared"): " → ".join(letters)} if several else {}
    return {message("statistic"): _name(row), **pair}


def _record(row: Difference, *, several: bool) -> dict[Any, AnyCell]:
    text, level = fmt.estimate(row.estimate, row.unit, signs=True), LEVELS[row.unit]
    values = message("values") if several else "A → B"
    p = row.test.p if row.test else None
    return {
        Column(values, "number"): f"{level(row.first_value)} → {level(row.second_value)}",
        Column(message("difference"), "number"): text.value,
        Column(message("95 % interval"), "number"): text.interval,
        Column(message("p (Holm)") if several else "p", "number"): fmt.p_value(
            row.p_adjusted if several else p
        ),
    }
