"""The items that a run's readings disagree about most: channels, variants, samples, criteria."""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..categorical import Bools, Codes, combined, first_rows
from ..format import number
from ..messages import message
from ..records.item import Item
from ..records.judgements import Floats, Judgements
from ..untrusted import excerpt
from .blocks import Block, Cell, Column, Details, Paragraph, Sample, Table
from .criteria import class_name, reading_of
from .ridge import value_name
from .verdicts import Verdict, verdict
from .verdicts import asked as asked_as
from .words import EN, Words

MOST = 10
"""Items shown of each kind."""

_SAID = 6


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One item: how far its readings are apart, what they are, and what was asked."""

    benchmark: str
    item_id: str
    criterion: str
    gap: str
    readings: tuple[str, ...]
    question: str


@dataclass(frozen=True, slots=True)
class DisagreementTable:
    """The items of one kind of disagreement, the farthest apart first; `unit` says of what."""

    kind: str
    title: str
    rows: tuple[Disagreement, ...]


def disagreements(
    items: list[Item], verdicts: Judgements, words: Words = EN
) -> tuple[DisagreementTable, ...]:
    """A table for each kind of which the run has two readings of the same thing that differ."""
    asked = {(item.benchmark, item.item_id): item for item in reversed(items)}
    made = []
    for kind, find in _KINDS.items():
        if farthest := _farthest(find(verdicts)):
            rows = tuple(_row(kind, gap, rows, asked, words) for gap, rows in farthest)
            made.append(DisagreementTable(kind, words.name(kind), rows))
    return tuple(made)


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Readings of the same thing, with the group of each, and how far each group is apart.

    A gap of 0 says that there is none.
    """

    verdicts: Judgements
    codes: Codes
    gaps: Floats


def _farthest(groups: _Groups) -> list[tuple[float, list[Verdict]]]:
    """The rows of the groups that are farthest apart, the farthest first."""
    apart = np.sort(groups.gaps[groups.gaps > 0])
    if not len(apart):
        return []
    # whoever ties with the last that is shown may come before it by name
    candidates = np.flatnonzero(groups.gaps >= apart[-MOST:][0])
    first = first_rows(groups.codes)[candidates].tolist()
    named = {
        code: (-gap, _place(verdict(groups.verdicts, row)))
        for code, gap, row in zip(
            candidates.tolist(), groups.gaps[candidates].tolist(), first, strict=True
        )
    }
    return [
        (
            -named[code][0],
            [
                verdict(groups.verdicts, row)
                for row in np.flatnonzero(groups.codes == code).tolist()
            ],
        )
        for code in heapq.nsmallest(MOST, named, key=named.__getitem__)
    ]


def _between_channels(verdicts: Judgements) -> _Groups:
    of = verdicts[verdicts.source.isin(("model_logits", "text_rule"))]
    codes = combined(of.benchmark, of.item_id, of.variant_id, of.scale_order, of.criterion)
    return _apart(of, codes, _several(codes, of.source.codes))


def _between_variants(verdicts: Judgements) -> _Groups:
    of = verdicts.of_criterion("acceptability")
    codes = combined(of.benchmark, of.item_id, of.source)
    return _apart(of, codes, _several(codes, of.variant_id.codes))


def _between_samples(verdicts: Judgements) -> _Groups:
    of = verdicts
    codes = combined(
        of.benchmark, of.item_id, of.variant_id, of.scale_order, of.criterion, of.source
    )
    return _apart(of, codes, _several(codes, combined(of.sample, of.temperature)))


def _between_orders(verdicts: Judgements) -> _Groups:
    of = verdicts.of_criterion("option")
    codes = combined(of.benchmark, of.item_id, of.source)
    # one reply to each order: the sample that came first
    of = of[of.sample == of.sample[first_rows(codes)][codes]]
    codes = combined(of.benchmark, of.item_id, of.source)
    known = ~np.isnan(of.value)
    # letters mean other texts in every order: whether they meet the key is what can differ
    apart = _several(codes, of.scale_order.codes) & _several(codes, of.value, known)
    return _Groups(of, codes, apart.astype(np.float64))


def _between_heads(verdicts: Judgements) -> _Groups:
    """Moral and rating say the same of an answer in two ways; both are put on 0 to 1."""
    known = verdicts[~np.isnan(verdicts.value)]
    rows = [np.flatnonzero(known.criterion.equals(criterion)) for criterion in ("moral", "rating")]
    moral_first = np.concatenate(rows)
    of = known[moral_first]
    # numbered as they came, so that of equal gaps the first is shown
    codes = combined(known.benchmark, known.item_id, asked_as(known))[moral_first]
    moral = of.criterion.equals("moral")
    values = np.full((2, codes.max(initial=-1) + 1), np.nan)
    values[0, codes[moral]] = of.value[moral]
    values[1, codes[~moral]] = (of.value[~moral] - 1) / 4
    return _Groups(of, codes, np.nan_to_num(np.abs(values[0] - values[1])))


_KINDS: dict[str, Callable[[Judgements], _Groups]] = {
    "channels": _between_channels,
    "variants": _between_variants,
    "orders": _between_orders,
    "samples": _between_samples,
    "criteria": _between_heads,
}


def _apart(verdicts: Judgements, codes: Codes, compared: Bools) -> _Groups:
    """How far the values are apart; options, of which none is more, differ by 1."""
    if not len(codes):
        return _Groups(verdicts, codes, np.empty(0))
    order = np.argsort(codes, kind="stable")
    starts = np.cumsum(np.bincount(codes)) - np.bincount(codes)
    values = verdicts.value[order]
    gaps = np.fmax.reduceat(values, starts) - np.fmin.reduceat(values, starts)
    favourites = verdicts.favourite.codes
    differ = _several(codes, favourites, favourites >= 0)
    options = verdicts.criterion.equals("option")[first_rows(codes)]
    return _Groups(verdicts, codes, np.where(compared, np.where(options, differ, gaps), 0.0))


def _several(codes: Codes, values: NDArray[Any], known: Bools | None = None) -> Bools:
    """Which groups have more than one value, of those known.

    >>> _several(np.array([0, 1, 0, 1]), np.array([7, 7, 8, 7])).tolist()
    [True, False]
    """
    rows = np.arange(len(codes)) if known is None else np.flatnonzero(known)
    first = np.zeros(codes.max(initial=-1) + 1, dtype=np.intp)
    # of several assignments to one place the last counts
    first[codes[rows][::-1]] = rows[::-1]
    other = rows[values[rows] != values[first[codes[rows]]]]
    return np.bincount(codes[other], minlength=len(first)) > 0


def _row(
    kind: str,
    gap: float,
    rows: list[Verdict],
    asked: dict[tuple[str, str], Item],
    words: Words,
) -> Disagreement:
    first = rows[0]
    item = asked.get((first.benchmark, first.item_id))
    told = list(dict.fromkeys(_told(kind, row, words) for row in _ends_first(rows)))
    more = [words("and {n} more", n=len(told) - _SAID)] if len(told) > _SAID else []
    return Disagreement(
        benchmark=first.benchmark,
        item_id=first.item_id,
        criterion=words.name(first.criterion),
        gap=number(gap),
        readings=(*told[:_SAID], *more),
        question="" if item is None else excerpt(item.question, limit=400),
    )


def _ends_first(rows: list[Verdict]) -> Iterable[Verdict]:
    """The lowest and the highest first, so that what is shown shows the gap."""
    known = [row for row in rows if row.value is not None]
    if not known or rows[0].criterion == "option":
        return rows
    ends = [min(known, key=lambda r: r.value or 0.0), max(known, key=lambda r: r.value or 0.0)]
    return [*ends, *rows]


def _told(kind: str, row: Verdict, words: Words) -> str:
    variant, order, sample, temperature = row.asked
    drawn = f"#{sample}" + ("" if temperature is None else f", T = {temperature:g}")
    place = {
        "channels": words.name(row.source),
        "variants": variant,
        "orders": order or words("as given"),
        "samples": drawn,
        "criteria": words.name(row.criterion),
    }[kind]
    if row.value is None and row.favourite is None:
        return f"{place}: {words.name(row.reason or 'no reason recorded')}"
    if row.criterion == "option":
        return f"{place}: {class_name(reading_of('option', []), row.value, row.favourite)}"
    if row.value is None:
        return f"{place}: {words.name(row.reason or 'no reason recorded')}"
    return f"{place}: {value_name(row.criterion, row.value, words)}"


def _place(row: Verdict) -> tuple[str, str, str]:
    return row.benchmark, row.item_id, row.criterion


def disagreement_blocks(tables: Sequence[DisagreementTable]) -> Iterator[Block]:
    """A table for each kind, folded away."""
    if tables:
        yield Paragraph(
            message(
                "The items whose readings are farthest apart, between what the run read twice. For "
                "options 1 means that the readings differ."
            ),
            note=True,
        )
    for table in tables:
        yield Details(
            message("Farthest apart: {kind}", kind=table.title),
            (
                Table(
                    (
                        Column(message("item")),
                        Column(message("criterion")),
                        Column(message("apart"), "number", tone="strong"),
                        Column(message("readings")),
                        Column(message("question")),
                    ),
                    tuple(
                        (
                            Cell(row.item_id, note=row.benchmark),
                            row.criterion,
                            row.gap,
                            "; ".join(row.readings),
                            Sample((("", row.question),) if row.question else ()),
                        )
                        for row in table.rows
                    ),
                    look="disagreements",
                ),
            ),
            note=str(len(table.rows)),
        )
