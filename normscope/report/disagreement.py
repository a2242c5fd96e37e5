"""The items that a run's readings disagree about most: channels, wordings, samples, heads."""

import heapq
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass

from ..datasets_builders.item import Item
from ..format import number
from ..untrusted import excerpt
from .heads import class_name, reading_of
from .ridge import value_name
from .verdicts import Verdict, group_by
from .words import EN, Words

MOST = 10
"""Items shown of each kind."""

_SAID = 6

Key = Callable[[Verdict], Hashable]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One item: how far its readings are apart, what they are, and what was asked."""

    benchmark: str
    item_id: str
    head: str
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
    items: list[Item], verdicts: list[Verdict], words: Words = EN
) -> tuple[DisagreementTable, ...]:
    """A table for each kind of which the run has two readings of the same thing that differ."""
    asked = {(item.benchmark, item.item_id): item for item in reversed(items)}
    made = []
    for kind, find in _KINDS.items():
        farthest = heapq.nsmallest(
            MOST, find(verdicts), key=lambda found: (-found[0], _place(found[1][0]))
        )
        if farthest:
            rows = tuple(_row(kind, gap, rows, asked, words) for gap, rows in farthest)
            made.append(DisagreementTable(kind, words.name(kind), rows))
    return tuple(made)


Found = Iterator[tuple[float, list[Verdict]]]


def _between_channels(verdicts: list[Verdict]) -> Found:
    own = (v for v in verdicts if v.source in {"model_logits", "text_rule"})
    key: Key = lambda v: (v.benchmark, v.item_id, v.asked[:2], v.head)  # noqa: E731
    for rows in group_by(own, key).values():
        if len({row.source for row in rows}) > 1:
            yield from _apart(rows)


def _between_wordings(verdicts: list[Verdict]) -> Found:
    mine = (v for v in verdicts if v.head == "acceptability")
    key: Key = lambda v: (v.benchmark, v.item_id, v.source)  # noqa: E731
    for rows in group_by(mine, key).values():
        if len({row.asked[0] for row in rows}) > 1:
            yield from _apart(rows)


def _between_samples(verdicts: list[Verdict]) -> Found:
    key: Key = lambda v: (v.benchmark, v.item_id, v.asked[:2], v.head, v.source)  # noqa: E731
    for rows in group_by(verdicts, key).values():
        if len({row.asked[2:] for row in rows}) > 1:
            yield from _apart(rows)


def _between_orders(verdicts: list[Verdict]) -> Found:
    mine = (v for v in verdicts if v.head == "option")
    key: Key = lambda v: (v.benchmark, v.item_id, v.source)  # noqa: E731
    for rows in group_by(mine, key).values():
        first = [row for row in rows if row.asked[2] == rows[0].asked[2]]
        # letters mean other texts in every order: whether they meet the key is what can differ
        values = {row.value for row in first if row.value is not None}
        if len({row.asked[1] for row in first}) > 1 and len(values) > 1:
            yield 1.0, first


def _between_heads(verdicts: list[Verdict]) -> Found:
    """Moral and rating say the same of an answer in two ways; both are put on 0 to 1."""
    mine = (v for v in verdicts if v.head in {"moral", "rating"} and v.value is not None)
    for rows in group_by(mine, lambda v: (v.benchmark, v.item_id, v.asked)).values():
        of = {row.head: row for row in rows}
        if len(of) == 2:  # noqa: PLR2004 - both heads
            moral, rating = of["moral"].value or 0.0, of["rating"].value or 0.0
            gap = abs(moral - (rating - 1) / 4)
            if gap > 0:
                yield gap, [of["moral"], of["rating"]]


_KINDS: dict[str, Callable[[list[Verdict]], Found]] = {
    "channels": _between_channels,
    "wordings": _between_wordings,
    "orders": _between_orders,
    "samples": _between_samples,
    "heads": _between_heads,
}


def _apart(rows: list[Verdict]) -> Found:
    """How far the values are apart; options, of which none is more, differ by 1."""
    if rows[0].head == "option":
        if len({row.favourite for row in rows if row.favourite is not None}) > 1:
            yield 1.0, rows
        return
    values = [row.value for row in rows if row.value is not None]
    if values and max(values) > min(values):
        yield max(values) - min(values), rows


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
        head=words.name(first.head),
        gap=number(gap),
        readings=(*told[:_SAID], *more),
        question="" if item is None else excerpt(item.question, limit=400),
    )


def _ends_first(rows: list[Verdict]) -> Iterable[Verdict]:
    """The lowest and the highest first, so that what is shown shows the gap."""
    known = [row for row in rows if row.value is not None]
    if not known or rows[0].head == "option":
        return rows
    ends = [min(known, key=lambda r: r.value or 0.0), max(known, key=lambda r: r.value or 0.0)]
    return [*ends, *rows]


def _told(kind: str, row: Verdict, words: Words) -> str:
    variant, order, sample, temperature = row.asked
    drawn = f"#{sample}" + ("" if temperature is None else f", T = {temperature:g}")
    place = {
        "channels": words.name(row.source),
        "wordings": variant,
        "orders": order or words("as given"),
        "samples": drawn,
        "heads": words.name(row.head),
    }[kind]
    if row.value is None and row.favourite is None:
        return f"{place}: {words.name(row.reason or 'no reason recorded')}"
    if row.head == "option":
        return f"{place}: {class_name(reading_of('option', []), row.value, row.favourite)}"
    if row.value is None:
        return f"{place}: {words.name(row.reason or 'no reason recorded')}"
    return f"{place}: {value_name(row.head, row.value, words)}"


def _place(row: Verdict) -> tuple[str, str, str]:
    return row.benchmark, row.item_id, row.head
