"""The items that a run's judgements differ about most: channels, variants, samples, criteria."""

import heapq
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..categorical import Bools, Codes, combined, first_rows
from ..format import number
from ..messages import joined, message
from ..records.judgements import Floats, Judgements, headline
from ..untrusted import excerpt
from .blocks import Block, Cell, Column, Details, Paragraph, Row, Sample, Table
from .criteria import shown_value
from .names import name_of

MOST = 10
"""Items shown of each kind."""

_SHOWN = 6
"""Judgements shown of one item."""

Groups = tuple[Judgements, Codes, Floats]
"""Judgements of the same thing, the group of each, and how far each group is apart; 0 is not."""

Place = Callable[[Judgements, int], str]
"""By what a judgement is told apart from the others of its group."""


def disagreement_blocks(judgements: Judgements) -> Iterator[Block]:
    """A table, folded away, of each kind of which the run has two judgements that differ."""
    kinds = [(title, _farthest(*find(judgements)), place) for title, find, place in _KINDS]
    if any(groups for _, groups, _ in kinds):
        yield Paragraph(
            message(
                "The items whose judgements are farthest apart, between what the run judged twice. "
                "For options 1 means that the judgements differ."
            ),
            note=True,
        )
    for title, groups, place in kinds:
        if groups:
            table = Table(
                (
                    Column(message("item")),
                    Column(message("criterion")),
                    Column(message("apart"), "number", tone="strong"),
                    Column(message("judgements")),
                    Column(message("question")),
                ),
                tuple(_row(gap, rows, place) for gap, rows in groups),
                look="disagreements",
            )
            summary = message("Farthest apart: {kind}", kind=title)
            yield Details(summary, (table,), note=str(len(groups)))


def _farthest(judgements: Judgements, codes: Codes, gaps: Floats) -> list[tuple[float, Judgements]]:
    """The rows of the groups that are farthest apart, the farthest first."""
    apart = np.sort(gaps[gaps > 0])
    if not len(apart):
        return []
    # whoever ties with the last that is shown may come before it by name
    candidates = np.flatnonzero(gaps >= apart[-MOST:][0])
    first = judgements[first_rows(codes)[candidates]]
    names = zip(first.benchmark, first.item_id, first.criterion, strict=True)
    ordered = zip((-gaps[candidates]).tolist(), map(_text, names), candidates.tolist(), strict=True)
    return [(-gap, judgements[codes == code]) for gap, _, code in heapq.nsmallest(MOST, ordered)]


def _text(names: tuple[str | None, ...]) -> tuple[str, ...]:
    return tuple(name or "" for name in names)


def _between_channels(judgements: Judgements) -> Groups:
    codes = judgements.across_channels
    return _apart(judgements, codes, _several(codes, judgements.source.codes))


def _between_variants(judgements: Judgements) -> Groups:
    rows = judgements.of_criterion("acceptability")
    codes = combined(rows.benchmark, rows.item_id, rows.source)
    return _apart(rows, codes, _several(codes, rows.variant_id.codes))


def _between_samples(judgements: Judgements) -> Groups:
    keys = ("benchmark", "item_id", "variant_id", "scale_order", "criterion", "source")
    codes = combined(*(getattr(judgements, key) for key in keys))
    drawn = combined(judgements.sample, judgements.temperature)
    return _apart(judgements, codes, _several(codes, drawn))


def _between_orders(judgements: Judgements) -> Groups:
    rows = judgements.of_criterion("option")
    codes = combined(rows.benchmark, rows.item_id, rows.source)
    # one reply to each order: the sample that came first
    rows = rows[rows.sample == rows.sample[first_rows(codes)][codes]]
    codes = combined(rows.benchmark, rows.item_id, rows.source)
    # letters mean other texts in every order: whether they meet the key is what can differ
    differ = _several(codes, rows.scale_order.codes) & _several(codes, rows.value, ~rows.absent())
    return rows, codes, differ.astype(np.float64)


def _between_criteria(judgements: Judgements) -> Groups:
    """Moral and rating say the same of an answer in two ways; both are put on 0 to 1."""
    counted = headline(judgements)
    known = counted[~counted.absent()]
    places = [np.flatnonzero(known.criterion.equals(name)) for name in ("moral", "rating")]
    moral_first = np.concatenate(places)
    rows = known[moral_first]
    # numbered as they came, so that of equal gaps the first is shown
    codes = combined(known.benchmark, known.item_id, known.replies)[moral_first]
    moral = rows.criterion.equals("moral")
    values = np.full((2, codes.max(initial=-1) + 1), np.nan)
    values[0, codes[moral]] = rows.value[moral]
    values[1, codes[~moral]] = (rows.value[~moral] - 1) / 4
    return rows, codes, np.nan_to_num(np.abs(values[0] - values[1]))


def _drawn(rows: Judgements, row: int) -> str:
    temperature = rows.temperature[row]
    drawn = "" if np.isnan(temperature) else f", T = {temperature:g}"
    return f"#{rows.sample[row]}{drawn}"


_KINDS: tuple[tuple[str, Callable[[Judgements], Groups], Place], ...] = (
    (
        message("channels"),
        _between_channels,
        lambda rows, row: name_of(rows.source.name(row) or ""),
    ),
    (
        message("prompt variants"),
        _between_variants,
        lambda rows, row: rows.variant_id.name(row) or "",
    ),
    (
        message("orders of the options"),
        _between_orders,
        lambda rows, row: rows.scale_order.name(row) or message("as given"),
    ),
    (message("samples"), _between_samples, _drawn),
    (
        message("moral and rating"),
        _between_criteria,
        lambda rows, row: name_of(rows.criterion.name(row) or ""),
    ),
)


def _apart(judgements: Judgements, codes: Codes, compared: Bools) -> Groups:
    """How far the values are apart; options, of which none is more, differ by 1."""
    if not len(codes):
        return judgements, codes, np.empty(0)
    order = np.argsort(codes, kind="stable")
    starts = np.cumsum(np.bincount(codes)) - np.bincount(codes)
    values = judgements.value[order]
    gaps = np.fmax.reduceat(values, starts) - np.fmin.reduceat(values, starts)
    favourites = judgements.favourite.codes
    differ = _several(codes, favourites, favourites >= 0)
    options = judgements.criterion.equals("option")[first_rows(codes)]
    return judgements, codes, np.where(compared, np.where(options, differ, gaps), 0.0)


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


def _row(gap: float, rows: Judgements, place: Place) -> Row:
    """One item: how far its judgements are apart, what they are, and the question."""
    option = rows.criterion.name(0) == "option"
    shown = list(range(len(rows)))
    if not option and not rows.absent().all():
        # the lowest and the highest first, so that what is shown shows the gap
        shown = [int(np.nanargmin(rows.value)), int(np.nanargmax(rows.value)), *shown]
    shown_as = dict.fromkeys(
        joined(
            (place(rows, at), (option and rows.favourite.name(at)) or shown_value(rows, at)), ": "
        )
        for at in shown
    )
    more = [message("and {n} more", n=len(shown_as) - _SHOWN)] if len(shown_as) > _SHOWN else []
    question = rows.items[rows.item[0]].question if rows.item[0] >= 0 else ""
    return (
        Cell(rows.item_id.name(0) or "", note=rows.benchmark.name(0) or ""),
        name_of(rows.criterion.name(0) or ""),
        number(gap),
        joined((*list(shown_as)[:_SHOWN], *more), "; "),
        Sample((("", excerpt(question, limit=400)),) if question else ()),
    )
